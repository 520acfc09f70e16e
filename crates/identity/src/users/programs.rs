//! Accounts that no person has: bots of tokens, and those the program itself
//! acts under.

use super::change::insert;
use crate::author::Author;
use crate::hooks;
use crate::model::{User, UserId, UserKind, UserState};
use crate::viewer::SourceType;
use kernel::error::Result;
use kernel::ids::fold;
use store::{IntoValue, Tx, Value};

/// Makes the bot that a project's or group's token acts as.
pub fn create_bot(
    tx: &mut Tx<'_>, source: (SourceType, i64), name: &str, by: &Author,
) -> Result<User> {
    let random = hex::encode(kernel::secrets::random_bytes::<8>());
    let (kind, word) = match source.0 {
        SourceType::Project => (UserKind::ProjectBot, "project"),
        SourceType::Group => (UserKind::GroupBot, "group"),
    };
    let (username, now) = (format!("{word}_{}_bot_{random}", source.1), tx.now());
    let mut sets = account(kind, username, name);
    sets.push(("confirmed_at", now.into_value()));
    sets.push(("created_by_id", by.id.into_value()));
    let user = insert(tx, UserState::Active, sets)?;
    hooks::created(tx, &user)?;
    Ok(user)
}

/// The columns of an account without a mailbox.
fn account(kind: UserKind, username: String, name: &str) -> Vec<(&'static str, Value)> {
    let email = format!("{username}@noreply.invalid");
    vec![
        ("username_folded", fold(&username).into_value()),
        ("email", email.clone().into_value()),
        ("email_folded", email.into_value()),
        ("username", username.into_value()),
        ("name", name.into_value()),
        ("name_folded", fold(name).into_value()),
        ("kind", kind.into_value()),
        ("projects_limit", 0i64.into_value()),
        ("can_create_group", false.into_value()),
    ]
}

/// The user who holds what deleted users leave behind; made when first needed.
pub fn ghost(tx: &mut Tx<'_>) -> Result<User> {
    match crate::store::users::ghost(tx)? {
        Some(ghost) => Ok(ghost),
        None => internal(tx, UserKind::Ghost, "ghost", "Ghost User"),
    }
}

/// Under whose name the program writes about alerts; made when first needed.
pub fn alert_bot(tx: &mut Tx<'_>) -> Result<UserId> {
    match crate::store::users::alert_bot(tx)? {
        Some(bot) => Ok(bot),
        None => Ok(internal(tx, UserKind::AlertBot, "alert-bot", "Alert Bot")?.id),
    }
}

/// Makes the account of somebody elsewhere, under this username or one like it.
pub fn placeholder(tx: &mut Tx<'_>, wanted: &str, name: &str) -> Result<User> {
    internal(tx, UserKind::Placeholder, wanted, name)
}

/// Who stands for all of those elsewhere who have no placeholder; made when first needed.
pub fn import_user(tx: &mut Tx<'_>) -> Result<UserId> {
    match crate::store::users::import_user(tx)? {
        Some(user) => Ok(user),
        None => Ok(internal(tx, UserKind::ImportUser, "import_user", "Import User")?.id),
    }
}

/// Makes an account that the program needs, under this name or one like it.
fn internal(tx: &mut Tx<'_>, kind: UserKind, wanted: &str, name: &str) -> Result<User> {
    let mut username = wanted.to_owned();
    while super::find_by_username(tx, &username)?.is_some() {
        let random = hex::encode(kernel::secrets::random_bytes::<2>());
        username = format!("{wanted}{random}");
    }
    insert(tx, UserState::Active, account(kind, username, name))
}
