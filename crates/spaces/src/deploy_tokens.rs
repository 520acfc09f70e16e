//! Rules of deploy tokens: credentials of a project or group for clients of
//! registries, bound to no user. Their table lies with the other credentials.

use crate::members::MembersOf;
use crate::model::{Problems, SourceKind};
use crate::store::deploy_tokens::{self as rows, DeployToken};
use identity::viewer::Viewer;
use kernel::audit;
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

#[derive(Debug, Clone)]
pub struct NewDeployToken {
    pub name: String,
    /// What Basic must carry; made from the id unless given.
    pub username: Option<String>,
    /// At least one of [`SCOPES`].
    pub scopes: Vec<String>,
    pub expires_at: Option<Timestamp>,
}

/// Makes a token; its text is returned here and never again.
pub fn create(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    place: &MembersOf,
    new: &NewDeployToken,
) -> Result<(DeployToken, Secret)> {
    check(tx, place.source.kind, new)?;
    let secret = secrets::random_token(PREFIX);
    let digest = secrets::digest(secret.expose());
    let id = rows::insert(tx, of(place), new, digest, viewer.user_id())?;
    let details = json!({"token_id": id, "name": new.name, "scopes": new.scopes});
    audit::record(tx, viewer, "deploy_token.create", place.target(), details)?;
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
    if let Some(username) = &new.username {
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

/// The place as rows name it.
fn of(place: &MembersOf) -> (SourceKind, i64) {
    (place.source.kind, place.source.id)
}

pub fn find(tx: &mut Tx<'_>, place: &MembersOf, id: i64) -> Result<DeployToken> {
    rows::find(tx, of(place), id)?.found("Deploy Token")
}

pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, place: &MembersOf, id: i64) -> Result<()> {
    let token = find(tx, place, id)?;
    rows::delete(tx, id)?;
    let details = json!({"token_id": id, "name": token.name});
    audit::record(tx, viewer, "deploy_token.destroy", place.target(), details)
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
