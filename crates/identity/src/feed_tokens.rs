//! Tokens of feeds (docs/interface/collaboration.md 4): readers of feeds cannot sign
//! in, so they send one in the address. It reads feeds, and nothing else.
//!
//! Nothing of a token is stored. It is signed, and names its user and which of their
//! tokens it is; whoever asks for a new one ends the one before.

use crate::author::Author;
use crate::model::User;
use crate::users;
use crate::viewer::{Credential, Viewer};
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Feed, Page};
use kernel::secrets::Secret;
use serde_json::json;
use store::{Tx, sql};

/// The parameter that carries it.
pub const PARAMETER: &str = "feed_token";
const PREFIX: &str = "feed-";
/// What they are signed under.
const LABEL: &str = "feed token";

/// The token of a user.
pub fn token(app: &App, user: &User) -> Secret {
    let data = format!("{}.{}", user.id, user.feed_token_number);
    Secret::new(format!("{PREFIX}{}", app.secrets().sign(LABEL, data.as_bytes())))
}

/// Whose token this is, if it is the one they have now.
pub(crate) fn holder(app: &App, tx: &mut Tx<'_>, text: &str) -> Result<Option<User>> {
    let Some((id, number)) = read(app, text) else {
        return Ok(None);
    };
    let user = users::find(tx, id)?;
    Ok(user.filter(|user| user.feed_token_number == number))
}

fn read(app: &App, text: &str) -> Option<(i64, i64)> {
    let data = app.secrets().verify(LABEL, text.strip_prefix(PREFIX)?)?;
    let (id, number) = std::str::from_utf8(&data).ok()?.split_once('.')?;
    Some((id.parse().ok()?, number.parse().ok()?))
}

/// Ends the token of a user, who has a new one from now on.
pub(crate) fn reset(tx: &mut Tx<'_>, by: &Author, user: &User) -> Result<()> {
    tx.execute(
        sql!("update users set feed_token_number = feed_token_number + 1 where id = $1"),
        (user.id,),
    )?;
    users::record(tx, by, "user.update", user, json!({"changed": ["feed_token"]}))
}

/// A page that says where its feed is, for this viewer.
pub fn offer(app: &App, viewer: &Viewer, page: Page, path: &str) -> Page {
    let url = match viewer {
        Viewer::User(signed_in) if matches!(signed_in.credential, Credential::Session { .. }) => {
            let token = token(app, &signed_in.user);
            let joint = if path.contains('?') { '&' } else { '?' };
            format!("{path}{joint}{PARAMETER}={}", token.expose())
        }
        _ => path.to_owned(),
    };
    Page { feed: Some(Feed { title: page.title.clone(), url }), ..page }
}
