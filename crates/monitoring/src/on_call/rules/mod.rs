//! What is decided and changed, over a transaction.

pub mod escalation;
pub mod paging;
pub mod policies;
pub mod rotations;
pub mod schedules;

use super::model::{MAX_DESCRIPTION, MAX_NAME};
use crate::access::may_look_after;
use identity::entities::load_basic;
use kernel::error::{Error, Result};
use spaces::Project;
use store::Tx;

/// A name as it is kept.
fn name(given: &str) -> Result<String> {
    let name = given.trim();
    if name.is_empty() {
        return Err(Error::invalid("name", "can't be blank"));
    }
    if name.chars().any(char::is_control) {
        return Err(Error::invalid("name", "is invalid"));
    }
    match name.chars().count() > MAX_NAME {
        true => Err(too_long("name", MAX_NAME)),
        false => Ok(name.to_owned()),
    }
}

/// A name that nothing beside it has.
fn unused(name: String, is_taken: impl FnOnce(&str) -> Result<bool>) -> Result<String> {
    match is_taken(&name)? {
        true => Err(Error::invalid("name", "has already been taken")),
        false => Ok(name),
    }
}

/// A description as it is kept: none if it is blank.
fn description(given: Option<String>) -> Result<Option<String>> {
    let text = given.unwrap_or_default();
    let text = text.trim();
    match text.chars().count() > MAX_DESCRIPTION {
        true => Err(too_long("description", MAX_DESCRIPTION)),
        false => Ok((!text.is_empty()).then(|| text.to_owned())),
    }
}

fn too_long(field: &str, most: usize) -> Error {
    let text = format!("is too long (maximum is {most} characters)");
    Error::invalid(field, text)
}

/// Refuses users that may not see the alerts of the project: a page would
/// tell them what they must not know.
fn must_see_alerts(tx: &mut Tx<'_>, project: &Project, users: &[i64], field: &str) -> Result<()> {
    let known = load_basic(tx, users)?;
    for id in users {
        let Some(user) = known.get(id) else {
            return Err(Error::invalid(field, "names a user who does not exist"));
        };
        if !user.is_human() || !may_look_after(tx, user, project)? {
            let text = format!("names {}, who may not see the alerts", user.username);
            return Err(Error::invalid(field, text));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_trimmed_and_bounded() {
        assert_eq!(name(" Nights ").unwrap(), "Nights");
        assert_eq!(description(Some("  ".into())).unwrap(), None);
        assert_eq!(description(None).unwrap(), None);
        for wrong in ["", " ", "a\nb", &"ä".repeat(201)] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
        assert!(name(&"ä".repeat(200)).is_ok());
        assert!(description(Some("ä".repeat(1_001))).is_err());
    }
}
