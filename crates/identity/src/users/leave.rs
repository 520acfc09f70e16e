//! The end of users and bots: out of sight at once, gone by job.

use super::programs::ghost;
use super::record;
use crate::author::Author;
use crate::hooks::{self, Destroying};
use crate::model::{AccessToken, TokenKind, User, UserId, UserKind};
use crate::oauth::applications::{self, Owner};
use crate::tasks::DestroyUser;
use crate::tokens;
use kernel::error::Result;
use kernel::jobs::enqueue_at;
use kernel::time::date_of;
use serde_json::json;
use store::Tx;

/// Ends a user: refused by rooms that cannot spare them, otherwise without
/// name, e-mail and credentials at once. The rest is a job: what they made
/// goes to the ghost, unless `hard`, and then the row itself.
pub(super) fn leave(tx: &mut Tx<'_>, by: &Author, user: &User, hard: bool) -> Result<()> {
    let ghost_id = ghost(tx)?.id;
    let destroying = Destroying { user: user.clone(), ghost_id, hard };
    hooks::destroying(tx, &destroying)?;
    record(tx, by, "user.delete", user, json!({"hard": hard}))?;
    forget_credentials(tx, user.id, ghost_id)?;
    let (now, name) = (tx.now(), format!("-deleted-{}", user.id));
    crate::store::users::make_nameless(tx, user.id, &name, now)?;
    let job = DestroyUser { user: user.id, heir: (!hard).then_some(ghost_id) };
    enqueue_at(tx, &job, now)
}

/// Nothing opens any more. Tokens of projects and groups stay in their lists
/// for a while, held by the ghost, so that a copy shown later is known.
fn forget_credentials(tx: &mut Tx<'_>, id: UserId, ghost_id: UserId) -> Result<()> {
    applications::forget_owner(tx, Owner::User(id))?;
    let (now, today) = (tx.now(), date_of(tx.now()).to_string());
    crate::store::tokens::leave_to_ghost(tx, id, ghost_id, now, &today)?;
    crate::store::users::delete_belongings(tx, id)
}

/// Ends the bot of a project's or group's token.
pub fn leave_bot(tx: &mut Tx<'_>, by: &Author, bot: UserId) -> Result<()> {
    match super::find(tx, bot)? {
        Some(user) if matches!(user.kind, UserKind::ProjectBot | UserKind::GroupBot) => {
            leave(tx, by, &user, false)
        }
        _ => Ok(()),
    }
}

/// Ends the placeholder of somebody who turned out to be a user here: what is left of what
/// it made is theirs.
pub fn end_placeholder(
    tx: &mut Tx<'_>, by: &Author, placeholder: UserId, heir: UserId,
) -> Result<()> {
    let found = super::find(tx, placeholder)?;
    let Some(user) = found.filter(|user| user.kind == UserKind::Placeholder) else {
        return Ok(());
    };
    let destroying = Destroying { user: user.clone(), ghost_id: heir, hard: false };
    hooks::destroying(tx, &destroying)?;
    record(tx, by, "user.reassign", &user, json!({"user_id": heir}))?;
    forget_credentials(tx, user.id, heir)?;
    let (now, name) = (tx.now(), format!("-deleted-{}", user.id));
    crate::store::users::make_nameless(tx, user.id, &name, now)?;
    enqueue_at(tx, &DestroyUser { user: user.id, heir: Some(heir) }, now)
}

/// Revokes a token; a bot goes with its token (docs/interface/identity.md 4.2).
pub fn end_token(tx: &mut Tx<'_>, by: &Author, token: &AccessToken) -> Result<()> {
    tokens::revoke(tx, token.id)?;
    tokens::record(tx, by, "access_token.revoke", token)?;
    match token.kind {
        TokenKind::Project | TokenKind::Group => leave_bot(tx, by, token.user_id),
        TokenKind::Personal | TokenKind::Impersonation => Ok(()),
    }
}
