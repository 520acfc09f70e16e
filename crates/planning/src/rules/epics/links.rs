//! Links between epics. Who makes one is a member of the groups of both.

use super::places::EpicPlace;
use super::said::beside;
use crate::access::epics::{GroupAccess, signed_in};
use crate::model::LinkType;
use crate::model::epics::{Epic, EpicLink};
use crate::store::epics;
use crate::store::linked_pairs::{EPIC_LINKS, MOST};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use store::Tx;

#[derive(Debug, Clone)]
pub struct LinkedEpics {
    pub link: EpicLink,
    pub source: Epic,
    pub target: Epic,
}

fn not_member() -> Error {
    let text = "Could not link epics. You must be a member of the project or group of both epics.";
    Error::Exact(403, serde_json::json!({"message": text}))
}

/// Links an epic to another.
pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, from: &GroupAccess, epic: &Epic, target: &EpicPlace,
    link_type: LinkType,
) -> Result<LinkedEpics> {
    if !from.is_member() {
        return Err(Error::forbidden(""));
    }
    let there = signed_in(tx, viewer, &target.group)?;
    if !there.is_member() {
        return Err(not_member());
    }
    let other = epics::find(tx, there.group.id, target.number)?.found("")?;
    if !there.sees(&other) {
        return Err(Error::forbidden(""));
    }
    if other.id == epic.id {
        let text = format!("{} cannot be added: cannot be related to itself", epic.reference());
        return Err(Error::Unprocessable(text));
    }
    // Stored so that the one that blocks comes first.
    let (source, target, stored) = match link_type {
        LinkType::IsBlockedBy => (&other, epic, LinkType::Blocks),
        kind => (epic, &other, kind),
    };
    let blocks = stored == LinkType::Blocks;
    if blocks && EPIC_LINKS.reaches(tx, target.id, source.id)? {
        let linked = EPIC_LINKS.of(tx, source.id)?;
        if !linked.iter().any(|link| link.other(source.id) == target.id) {
            let text = "cannot be added: epics would block one another in a circle";
            return Err(Error::Unprocessable(text.into()));
        }
    }
    for one in [source, target] {
        if EPIC_LINKS.of(tx, one.id)?.len() as i64 >= MOST {
            return Err(Error::Unprocessable("too many linked epics".into()));
        }
    }
    let link = EPIC_LINKS
        .insert(tx, (source.id, target.id), stored)?
        .ok_or_else(|| Error::Conflict("Epic(s) already assigned".into()))?;
    tell(tx, viewer, source, target, blocks)?;
    Ok(LinkedEpics { link, source: source.clone(), target: target.clone() })
}

fn tell(
    tx: &mut Tx<'_>, viewer: &Viewer, source: &Epic, target: &Epic, blocks: bool,
) -> Result<()> {
    let (there, back) = match blocks {
        true => ("marked this epic as blocking", "marked this epic as blocked by"),
        false => ("marked this epic as related to", "marked this epic as related to"),
    };
    let actor = viewer.user_id();
    beside(tx, source, actor, there, target)?;
    beside(tx, target, actor, back, source)
}

/// Removes a link of an epic.
pub fn destroy(
    tx: &mut Tx<'_>, viewer: &Viewer, from: &GroupAccess, epic: &Epic, id: i64,
) -> Result<LinkedEpics> {
    if !from.is_member() {
        return Err(Error::forbidden(""));
    }
    let link = EPIC_LINKS.find(tx, epic.id, id)?.found("")?;
    let hidden = || Error::NotFoundText("No Related Epic Link found".into());
    let other = epics::visible_by_ids(tx, viewer, &[link.other(epic.id)])?;
    let other = other.into_iter().next().ok_or_else(hidden)?;
    let there = signed_in(tx, viewer, &Reference::Id(other.group_id))?;
    if !there.is_member() {
        return Err(Error::forbidden(""));
    }
    EPIC_LINKS.delete(tx, link.id)?;
    let (source, target) = match link.source_id == epic.id {
        true => (epic.clone(), other),
        false => (other, epic.clone()),
    };
    for (one, other) in [(&source, &target), (&target, &source)] {
        beside(tx, one, viewer.user_id(), "removed the relation with", other)?;
    }
    Ok(LinkedEpics { link, source, target })
}
