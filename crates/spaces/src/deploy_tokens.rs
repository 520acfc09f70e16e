//! Rules of deploy tokens: credentials of a project or group for clients of
//! registries, bound to no user. Their table lies with the other credentials.

use crate::members::MembersOf;
use crate::model::{Problems, SourceKind};
use crate::store::deploy_tokens::{self as rows, DeployToken};
use kernel::error::{Error, Found, Result};
use kernel::secrets::{self, Secret};
use kernel::time::Timestamp;
use serde_json::json;
use store::Tx;

/// What a deploy token may allow.
pub const SCOPES: &[&str] = &[
    "read_repository",
    "read_registry",
    "write_registry",
    "read_virtual_registry",
    "write_virtual_registry",
    "read_package_registry",
    "write_package_registry",
];
/// Scopes that only groups have.
const OF_GROUPS: &[&str] = &["read_virtual_registry", "write_virtual_registry"];
/// Prefix of the token's text.
const PREFIX: &str = "svdt-";
/// Longest name and user name, in characters.
const MAX_NAME: usize = 255;

kernel::params! {
    /// A new token.
    pub struct NewDeployToken {
        /// For people.
        pub name: String,
        /// What it allows.
        pub scopes: Vec<String>,
        /// When it ends.
        pub expires_at: Option<Timestamp>,
        /// The user name that goes with it; made unless given.
        pub username: Option<String>,
    }
}

impl NewDeployToken {
    /// What Basic must carry; made from the id unless given.
    pub fn username(&self) -> Option<&str> {
        self.username.as_deref().filter(|name| !name.is_empty())
    }
}

/// Makes a token; its text is returned here and never again.
pub fn create(
    tx: &mut Tx<'_>, place: &MembersOf<'_>, new: &NewDeployToken,
) -> Result<(DeployToken, Secret)> {
    check(tx, place.source.kind, new)?;
    let secret = secrets::random_token(PREFIX);
    let digest = secrets::digest(secret.expose());
    let id = rows::insert(tx, place, new, digest)?;
    let details = json!({"token_id": id, "name": new.name, "scopes": new.scopes});
    place.record(tx, "deploy_token.create", details)?;
    Ok((find(tx, place, id)?, secret))
}

fn check(tx: &Tx<'_>, kind: SourceKind, new: &NewDeployToken) -> Result<()> {
    let fits = |scope: &String| {
        SCOPES.contains(&scope.as_str())
            && (kind == SourceKind::Group || !OF_GROUPS.contains(&scope.as_str()))
    };
    if new.scopes.is_empty() || !new.scopes.iter().all(fits) {
        let text = "scopes does not have a valid value";
        return Err(Error::Parameters(vec![text.into()]));
    }
    let mut problems = Problems::default();
    let blank = new.name.trim().is_empty();
    problems.note("name", blank.then_some("can't be blank"));
    problems.note("name", length_problem(&new.name));
    if new.name.chars().any(char::is_control) {
        problems.add("name", "cannot contain control characters");
    }
    if let Some(username) = new.username() {
        problems.note("username", username_problem(username));
    }
    if new.expires_at.is_some_and(|end| end <= tx.now()) {
        problems.add("expires_at", "must be in the future");
    }
    problems.check()
}

fn length_problem(text: &str) -> Option<&'static str> {
    (text.chars().count() > MAX_NAME).then_some("is too long (maximum is 255 characters)")
}

fn username_problem(username: &str) -> Option<&'static str> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'+' | b'_' | b'-');
    if username.is_empty() || !username.bytes().all(allowed) {
        return Some("can contain only letters, digits, '_', '-', '+', and '.'");
    }
    length_problem(username)
}

pub fn find(tx: &mut Tx<'_>, place: &MembersOf<'_>, id: i64) -> Result<DeployToken> {
    rows::find(tx, place.key(), id)?.found("Deploy Token")
}

pub fn destroy(tx: &mut Tx<'_>, place: &MembersOf<'_>, id: i64) -> Result<()> {
    let token = find(tx, place, id)?;
    rows::delete(tx, id)?;
    let details = json!({"token_id": id, "name": token.name});
    place.record(tx, "deploy_token.destroy", details)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_names_fit_into_basic_credentials() {
        assert_eq!(username_problem("service+deploy-token-1"), None);
        for bad in ["", "a:b", "a b", "ä", "a\0"] {
            assert!(username_problem(bad).is_some(), "{bad:?}");
        }
        assert!(username_problem(&"x".repeat(256)).is_some());
    }
}
