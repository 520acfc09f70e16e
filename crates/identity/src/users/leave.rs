//! The end of users and bots: out of sight at once, gone by job.

use super::change::{Author, record};
use super::programs::ghost;
use crate::hooks::{self, Destroying, Hooks};
use crate::model::{AccessToken, TokenKind, User, UserId, UserKind};
use crate::oauth::applications::{self, Owner};
use crate::tokens;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Run, enqueue_at};
use kernel::time::date_of;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Tx, sql};

/// Rows one transaction hands over.
const BATCH: i64 = 1_000;

/// Ends a user: refused by rooms that cannot spare them, otherwise without
/// name, e-mail and credentials at once. The rest is a job: what they made
/// goes to the ghost, unless `hard`, and then the row itself.
pub(super) fn leave(tx: &mut Tx<'_>, by: &Author, user: &User, hard: bool) -> Result<()> {
    let ghost_id = ghost(tx)?.id;
    let destroying = Destroying {
        user: user.clone(),
        ghost_id,
        hard,
    };
    hooks::destroying(tx, &destroying)?;
    record(tx, by, "user.delete", user, json!({"hard": hard}))?;
    forget_credentials(tx, user.id, ghost_id)?;
    let (now, name) = (tx.now(), format!("-deleted-{}", user.id));
    tx.execute(
        sql!(
            "update users set kind = $2, state = 'blocked', is_admin = false, username = $3,
                username_folded = $3, email = $3, email_folded = $3, name = 'Ghost User',
                name_folded = 'ghost user', public_email = null, avatar_key = null,
                updated_at = $4
             where id = $1"
        ),
        (user.id, UserKind::Leaving, name, now),
    )?;
    let job = DestroyUser {
        user: user.id,
        heir: (!hard).then_some(ghost_id),
    };
    enqueue_at(tx, &job, now)
}

/// Nothing opens any more. Tokens of projects and groups stay in their lists
/// for a while, held by the ghost, so that a copy shown later is known.
fn forget_credentials(tx: &mut Tx<'_>, id: UserId, ghost_id: UserId) -> Result<()> {
    applications::forget_owner(tx, Owner::User(id))?;
    let (now, today) = (tx.now(), date_of(tx.now()).to_string());
    tx.execute(
        sql!(
            "update access_tokens set user_id = $2, updated_at = $3,
                revoked = (revoked or expires_at is null or expires_at > $4)
             where user_id = $1 and kind in ('project', 'group')"
        ),
        (id, ghost_id, now, today),
    )?;
    for forget in [
        sql!("delete from access_tokens where user_id = $1"),
        sql!("delete from sessions where user_id = $1"),
        sql!("delete from mail_links where user_id = $1"),
        sql!("delete from user_emails where user_id = $1"),
        sql!("delete from mail_links where user_id = $1"),
        sql!("delete from user_emails where user_id = $1"),
        sql!("delete from user_avatars where user_id = $1"),
        sql!("delete from follows where follower_id = $1 or followed_id = $1"),
    ] {
        tx.execute(forget, (id,))?;
    }
    Ok(())
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

/// Revokes a token; a bot goes with its token (contract «Bot users»).
pub fn end_token(tx: &mut Tx<'_>, by: &Author, token: &AccessToken) -> Result<()> {
    tokens::revoke(tx, token.id)?;
    tokens::record(tx, by, "access_token.revoke", token)?;
    match token.kind {
        TokenKind::Project | TokenKind::Group => leave_bot(tx, by, token.user_id),
        TokenKind::Personal | TokenKind::Impersonation => Ok(()),
    }
}

/// Hands over what a user made, then forgets the user.
#[derive(Debug, Serialize, Deserialize)]
pub struct DestroyUser {
    /// Who goes.
    pub user: UserId,
    /// Who gets what they made; nobody when it is to lose its author.
    pub heir: Option<UserId>,
}

impl Job for DestroyUser {
    const NAME: &'static str = "identity.destroy_user";

    async fn run(self, run: Run) -> std::result::Result<(), Failure> {
        let (user, heir) = (self.user, self.heir);
        let leaving: Option<i64> = run
            .app
            .read(move |tx| {
                Ok(tx.optional(
                    sql!("select id from users where id = $1 and kind = 'leaving'"),
                    (user,),
                )?)
            })
            .await?;
        if leaving.is_none() {
            return Ok(());
        }
        let hooks: &Hooks = run.app.plugged()?;
        for &hand_over in &hooks.handing_over {
            loop {
                let moved = run
                    .app
                    .write(move |tx| hand_over(tx, user, heir, BATCH))
                    .await?;
                if moved == 0 {
                    break;
                }
            }
        }
        run.app
            .write(move |tx| {
                Ok(tx.execute(
                    sql!("delete from users where id = $1 and kind = 'leaving'"),
                    (user,),
                )?)
            })
            .await?;
        Ok(())
    }
}
