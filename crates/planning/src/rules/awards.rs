//! Reactions by emoji.

use crate::access::Desk;
use crate::rules::topic::Topic;
use crate::store::awards::{self as rows, Award, Awardable};
use crate::store::issues::filter::Has;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use store::Tx;

/// The name a reaction is kept under; none if there is no such emoji.
pub fn name(text: &str) -> Option<&'static str> {
    let text = text.trim_matches(':');
    match text {
        "thumbsup" | "+1" => Some("thumbsup"),
        "thumbsdown" | "-1" => Some("thumbsdown"),
        other => emojis::get_by_shortcode(other).and_then(emojis::Emoji::shortcode),
    }
}

/// Which reaction a list is asked for: `Any`, `None` or a name; nothing of an
/// empty text.
pub fn wanted(text: &str) -> Option<Has<String>> {
    // What is no emoji is found nowhere.
    Has::of(text, |text| name(text).unwrap_or(text).to_owned())
}

/// Reacts to an issue or epic, or to a note about it or another thing. Where the
/// discussion is locked only members may.
pub fn create<'t>(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: impl Into<Desk<'t>>, about: impl Into<Topic<'t>>,
    to: Awardable, text: &str,
) -> Result<Award> {
    let user_id = viewer.signed_in()?.user.id;
    if about.into().is_closed_to(desk.into()) {
        return Err(Error::forbidden(""));
    }
    let name = name(text).ok_or_else(|| {
        Error::NotFoundText("404 Award Emoji Name is not a valid emoji name".into())
    })?;
    rows::insert(tx, user_id, to, name)?
        .ok_or_else(|| Error::NotFoundText("404 Award Emoji Name has already been taken".into()))
}

/// Reacts, or takes the same reaction back.
pub fn toggle<'t>(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: impl Into<Desk<'t>>, about: impl Into<Topic<'t>>,
    to: Awardable, text: &str,
) -> Result<()> {
    let user_id = viewer.signed_in()?.user.id;
    let before = match name(text) {
        Some(name) => rows::of_user(tx, to, user_id, name)?,
        None => None,
    };
    match before {
        Some(award) => rows::delete(tx, to, &award),
        None => create(tx, viewer, desk, about, to, text).map(drop),
    }
}

/// Takes a reaction back: one's own, or any as an administrator.
pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, to: Awardable, id: i64) -> Result<()> {
    let award = rows::find(tx, to, id)?.found("")?;
    let own = viewer.user_id() == Some(award.user_id);
    match own || viewer.is_admin() {
        true => rows::delete(tx, to, &award),
        false => Err(Error::Unauthenticated),
    }
}
