//! The epic that a request names, with its group, for who may do this.

use crate::access::epics::{GroupAccess, signed_in, to_read};
use crate::model::epics::Epic;
use crate::store::epics as rows;
use crate::store::subscriptions::{self, Target};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use spaces::model::Namespace;
use store::Tx;

/// An epic by its group and a number: the one in the group, or its id where clients
/// mean that. The other is meant only where no epic of the group has the first.
#[derive(Debug, Clone)]
pub struct EpicPlace {
    pub group: Reference,
    pub number: i64,
    pub is_id: bool,
}

impl EpicPlace {
    pub fn numbered(group: Reference, iid: i64) -> EpicPlace {
        EpicPlace { group, number: iid, is_id: false }
    }

    fn find_in(&self, tx: &mut Tx<'_>, desk: &GroupAccess) -> Result<Epic> {
        let group_id = desk.group.id;
        let by_id = |tx: &mut Tx<'_>| -> Result<Option<Epic>> {
            let epic = rows::by_id(tx, self.number)?;
            Ok(epic.filter(|epic| epic.group_id == group_id))
        };
        let meant = match self.is_id {
            true => by_id(tx)?,
            false => rows::find(tx, group_id, self.number)?,
        };
        let epic = match (meant, self.is_id) {
            (Some(epic), _) => Some(epic),
            (None, true) => rows::find(tx, group_id, self.number)?,
            (None, false) => by_id(tx)?,
        };
        let epic = epic.found("")?;
        match desk.sees(&epic) {
            true => Ok(epic),
            false => Err(Error::NotFound("")),
        }
    }
}

/// Reads how somebody names an epic in a group: `&5` or `5` there, `acme/tools&5`
/// anywhere, or by the address of its page.
pub fn named(here: &Namespace, text: &str) -> Option<EpicPlace> {
    let text = text.trim();
    let (path, number) = match text.split_once("/groups/") {
        Some((_, rest)) => rest.split_once("/-/epics/")?,
        None => text.split_once('&').unwrap_or(("", text)),
    };
    let group = match path {
        "" => Reference::Id(here.id),
        path => Reference::Path(path.to_owned()),
    };
    let end = number.find(['?', '#', '/']).unwrap_or(number.len());
    let number = number[..end].parse().ok().filter(|number| *number > 0)?;
    Some(EpicPlace::numbered(group, number))
}

/// The epic that somebody names in a group, if there is one that they see.
pub fn find_named(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &Namespace, text: &str,
) -> Result<Option<Epic>> {
    let Some(place) = named(here, text) else {
        return Ok(None);
    };
    match found(tx, viewer, &place) {
        Ok((_, epic)) => Ok(Some(epic)),
        Err(Error::NotFound(_) | Error::NotFoundText(_) | Error::Forbidden(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

pub fn found(tx: &mut Tx<'_>, viewer: &Viewer, place: &EpicPlace) -> Result<(GroupAccess, Epic)> {
    let desk = to_read(tx, viewer, &place.group)?;
    let epic = place.find_in(tx, &desk)?;
    Ok((desk, epic))
}

/// The same, for somebody signed in.
pub fn found_signed_in(
    tx: &mut Tx<'_>, viewer: &Viewer, place: &EpicPlace,
) -> Result<(GroupAccess, Epic)> {
    let desk = signed_in(tx, viewer, &place.group)?;
    let epic = place.find_in(tx, &desk)?;
    Ok((desk, epic))
}

/// The same, for somebody who makes and changes epics there.
pub fn found_to_write(
    tx: &mut Tx<'_>, viewer: &Viewer, place: &EpicPlace,
) -> Result<(GroupAccess, Epic)> {
    let (desk, epic) = found_signed_in(tx, viewer, place)?;
    desk.planning()?;
    Ok((desk, epic))
}

/// An epic of any group by its id, for somebody who makes and changes epics there.
pub fn by_id_to_write(
    tx: &mut Tx<'_>, viewer: &Viewer, id: i64,
) -> Result<Option<(GroupAccess, Epic)>> {
    let Some(epic) = rows::visible_by_ids(tx, viewer, &[id])?.pop() else {
        return Ok(None);
    };
    let desk = signed_in(tx, viewer, &Reference::Id(epic.group_id))?;
    desk.planning()?;
    Ok(Some((desk, epic)))
}

/// Whether a user is told of an epic: as they asked, or else as its author.
pub fn is_subscribed(tx: &mut Tx<'_>, user_id: i64, epic: &Epic) -> Result<bool> {
    let asked = subscriptions::find(tx, user_id, Target::Epic, epic.id)?;
    Ok(asked.unwrap_or(epic.author_id == Some(user_id)))
}

/// Has the viewer told of an epic, or no longer; whether that was not so before.
pub fn subscribe(tx: &mut Tx<'_>, viewer: &Viewer, epic: &Epic, wanted: bool) -> Result<bool> {
    let user_id = viewer.signed_in()?.user.id;
    if is_subscribed(tx, user_id, epic)? == wanted {
        return Ok(false);
    }
    subscriptions::set(tx, user_id, Target::Epic, epic.id, wanted)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epics_are_named_in_several_ways() {
        let here = Namespace { id: 7, ..Namespace::default() };
        let path = |text: &str| Reference::Path(text.to_owned());
        for (text, expected) in [
            ("&5", Some((Reference::Id(7), 5))),
            (" 5 ", Some((Reference::Id(7), 5))),
            ("acme/tools&12", Some((path("acme/tools"), 12))),
            ("https://x.example/groups/acme/-/epics/3", Some((path("acme"), 3))),
            ("https://x.example/groups/acme/-/epics/3#note_1", Some((path("acme"), 3))),
            ("", None),
            ("&", None),
            ("&0", None),
            ("&-1", None),
            ("door", None),
            ("&99999999999999999999", None),
            ("https://x.example/groups/acme", None),
        ] {
            let place = named(&here, text).map(|place| (place.group, place.number));
            assert_eq!(place, expected, "{text}");
        }
    }
}
