//! Rules of the access tokens of projects and groups; each has a bot that is
//! a member there.

use crate::access::{GRANTABLE, MAINTAINER};
use crate::members::MembersOf;
use crate::model::SourceKind;
use crate::store::members::{self as rows, NewRow};
use identity::model::{AccessToken, TokenKind};
use identity::tokens::{self, NewToken, Ready};
use identity::users::Author;
use identity::viewer::{SourceType, Viewer};
use kernel::error::{Error, Result};
use kernel::secrets::Secret;
use kernel::time::Date;
use store::Tx;

kernel::params! {
    /// A new token.
    pub struct NewSpaceToken {
        /// For people.
        pub name: String,
        /// For people.
        pub description: Option<String>,
        /// What it allows.
        pub scopes: Vec<String>,
        /// Role of its bot; maintainer unless given.
        pub access_level: Option<i64>,
        /// Ends at 00:00 UTC of this day.
        pub expires_at: Option<Date>,
    }
}

/// The place as tokens name it.
pub fn source_of(place: &MembersOf<'_>) -> (SourceType, i64) {
    match place.source.kind {
        SourceKind::Project => (SourceType::Project, place.source.id),
        SourceKind::Group => (SourceType::Group, place.source.id),
    }
}

pub fn token_kind(of: SourceKind) -> TokenKind {
    match of {
        SourceKind::Project => TokenKind::Project,
        SourceKind::Group => TokenKind::Group,
    }
}

fn refused(reason: &str) -> Error {
    Error::BadRequest(reason.to_owned())
}

/// Makes a token with its bot. Nobody gives more than they have.
pub fn create(
    tx: &mut Tx<'_>, place: &MembersOf<'_>, new: &NewSpaceToken,
) -> Result<(AccessToken, Secret)> {
    let signed_in = place.viewer.signed_in()?;
    if signed_in.bot_source.is_some() {
        return Err(refused("a bot cannot create access tokens"));
    }
    let level = new.access_level.unwrap_or(MAINTAINER);
    if !GRANTABLE.contains(&level) {
        let text = "access_level does not have a valid value";
        return Err(Error::Parameters(vec![text.into()]));
    }
    if level > place.level {
        return Err(refused("access level of the token cannot be above your own"));
    }
    let source = source_of(place);
    let by = Author::from(signed_in);
    let bot = identity::users::create_bot(tx, source, &new.name, &by)?;
    let row = NewRow {
        source: place.key(),
        user_id: bot.id,
        level,
        created_by_id: Some(signed_in.user.id),
        expires_at: None,
    };
    rows::insert(tx, &row)?;
    let new = NewToken {
        kind: token_kind(place.source.kind),
        user_id: bot.id,
        admin: false,
        source: Some(source),
        access_level: Some(level),
        name: new.name.clone(),
        description: new.description.clone(),
        scopes: new.scopes.clone(),
        expires_at: new.expires_at,
    };
    let (token, secret) = tokens::create(tx, &new)?;
    tokens::record(tx, &by, "access_token.create", &token)?;
    Ok((token, secret))
}

/// A token of the place, which nobody below its role may take over.
pub fn find(tx: &mut Tx<'_>, place: &MembersOf<'_>, token_id: i64) -> Result<AccessToken> {
    let missing = match place.source.kind {
        SourceKind::Project => "project Access Token",
        SourceKind::Group => "group Access Token",
    };
    let token =
        tokens::find_of_source(tx, source_of(place), token_id)?.ok_or(Error::NotFound(missing))?;
    if token.access_level.is_some_and(|level| level > place.level) {
        return Err(Error::Unauthenticated);
    }
    Ok(token)
}

pub fn revoke(tx: &mut Tx<'_>, viewer: &Viewer, token: &AccessToken) -> Result<()> {
    let by = Author::from(viewer.signed_in()?);
    identity::users::end_token(tx, &by, token)
}

/// Replaces a token; `None` where it has ended. One shown again after it was
/// replaced ends its whole family with the bot.
pub fn rotate(
    tx: &mut Tx<'_>, viewer: &Viewer, token: &AccessToken, expires_at: Option<Date>,
) -> Result<Option<(AccessToken, Secret)>> {
    let by = Author::from(viewer.signed_in()?);
    match tokens::ready_to_rotate(tx, token)? {
        Ready::Yes => {}
        Ready::Expired => return Ok(None),
        Ready::Reused => {
            tokens::record(tx, &by, "access_token.reuse", token)?;
            identity::users::leave_bot(tx, &by, token.user_id)?;
            return Ok(None);
        }
    }
    let (new, secret) = tokens::rotate(tx, token, expires_at)?;
    tokens::record(tx, &by, "access_token.rotate", &new)?;
    Ok(Some((new, secret)))
}
