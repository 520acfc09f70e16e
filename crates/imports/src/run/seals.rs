//! What proves upstream who asks: sealed for its project, and never told.

use super::model::{Credentials, Import};
use kernel::error::{Error, Result};
use kernel::secrets::Secrets;

/// What stands for what is secret.
const MASK: &str = "*****";
/// Letters of a secret that could not as well be a word.
const LEAST_MASKED: usize = 4;

fn context(project_id: i64) -> String {
    format!("imports.sealed_credentials:{project_id}")
}

/// Credentials as they are stored for a project.
pub fn seal(secrets: &Secrets, project_id: i64, credentials: &Credentials) -> Result<String> {
    let plain = serde_json::to_vec(credentials).map_err(Error::internal)?;
    Ok(secrets.seal(&context(project_id), &plain))
}

/// Those of an import, unless they were erased.
pub fn unseal(secrets: &Secrets, import: &Import) -> Result<Option<Credentials>> {
    let Some(sealed) = &import.sealed_credentials else {
        return Ok(None);
    };
    let plain = secrets.unseal(&context(import.project_id), sealed)?;
    serde_json::from_slice(&plain).map(Some).map_err(Error::internal)
}

/// A text without what is secret.
pub fn masked(text: &str, credentials: Option<&Credentials>) -> String {
    match credentials {
        Some(it) if it.secret.len() >= LEAST_MASKED => text.replace(&it.secret, MASK),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked() {
        let it = Credentials { username: None, secret: "token-1".into() };
        assert_eq!(masked("no token-1 here", Some(&it)), "no ***** here");
        assert_eq!(masked("no token-1 here", None), "no token-1 here");
        let none = Credentials { username: None, secret: String::new() };
        assert_eq!(masked("abc", Some(&none)), "abc");
    }
}
