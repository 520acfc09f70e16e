//! Accounts that no person has: bots of tokens, and those the program itself
//! acts under.

use super::change::insert;
use crate::author::Author;
use crate::hooks;
use crate::model::{User, UserId, UserKind, UserState};
use crate::viewer::SourceType;
use kernel::error::Result;
use kernel::ids::fold;
use store::{IntoValue, Tx};

/// Makes the bot that a project's or group's token acts as.
pub fn create_bot(
    tx: &mut Tx<'_>,
    source: (SourceType, i64),
    name: &str,
    by: &Author,
) -> Result<User> {
    let random = hex::encode(kernel::secrets::random_bytes::<8>());
    let (kind, word) = match source.0 {
        SourceType::Project => (UserKind::ProjectBot, "project"),
        SourceType::Group => (UserKind::GroupBot, "group"),
    };
    let username = format!("{word}_{}_bot_{random}", source.1);
    let now = tx.now();
    let user = insert(
        tx,
        UserState::Active,
        vec![
            ("username_folded", fold(&username).into_value()),
            ("email", format!("{username}@noreply.invalid").into_value()),
            (
                "email_folded",
                format!("{username}@noreply.invalid").into_value(),
            ),
            ("username", username.into_value()),
            ("name", name.into_value()),
            ("name_folded", fold(name).into_value()),
            ("kind", kind.into_value()),
            ("confirmed_at", now.into_value()),
            ("projects_limit", 0i64.into_value()),
            ("can_create_group", false.into_value()),
            ("created_by_id", by.id.into_value()),
        ],
    )?;
    hooks::created(tx, &user)?;
    Ok(user)
}

/// The user who holds what deleted users leave behind; made when first needed.
pub fn ghost(tx: &mut Tx<'_>) -> Result<User> {
    let known = crate::store::users::ghost(tx)?;
    match known {
        Some(ghost) => Ok(ghost),
        None => internal(tx, UserKind::Ghost, "ghost", "Ghost User"),
    }
}

/// Under whose name the program writes about alerts; made when first needed.
pub fn alert_bot(tx: &mut Tx<'_>) -> Result<UserId> {
    let known = crate::store::users::alert_bot(tx)?;
    match known {
        Some(bot) => Ok(bot),
        None => Ok(internal(tx, UserKind::AlertBot, "alert-bot", "Alert Bot")?.id),
    }
}

/// Makes an account that the program needs, under this name or one like it.
fn internal(tx: &mut Tx<'_>, kind: UserKind, wanted: &str, name: &str) -> Result<User> {
    let mut username = wanted.to_owned();
    while super::find_by_username(tx, &username)?.is_some() {
        let random = hex::encode(kernel::secrets::random_bytes::<2>());
        username = format!("{wanted}{random}");
    }
    let email = format!("{username}@noreply.invalid");
    insert(
        tx,
        UserState::Active,
        vec![
            ("username_folded", username.clone().into_value()),
            ("email", email.clone().into_value()),
            ("email_folded", email.into_value()),
            ("username", username.into_value()),
            ("name", name.into_value()),
            ("name_folded", fold(name).into_value()),
            ("kind", kind.into_value()),
            ("projects_limit", 0i64.into_value()),
            ("can_create_group", false.into_value()),
        ],
    )
}
