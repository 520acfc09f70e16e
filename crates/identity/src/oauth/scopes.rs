//! The choice among the scopes of an application.

use super::refusal::{Refusal, Result};
use crate::scopes::{all, described};

/// What is asked for when nothing is.
const DEFAULT: &str = "api";

/// Whether there is such a scope; `user:*` names one user's features.
pub fn is_known(scope: &str) -> bool {
    all().any(|one| one == scope)
        || scope.strip_prefix("user:").is_some_and(|rest| {
            !rest.is_empty()
                && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'*')
        })
}

/// Why applications cannot have these scopes.
pub fn problem(scopes: &[String]) -> Option<&'static str> {
    let known = scopes.iter().all(|scope| is_known(scope));
    (!known).then_some("doesn't match configured on the server.")
}

/// The scopes of a space-separated text, each once, in their order.
pub fn split(text: &str) -> Vec<String> {
    let mut scopes: Vec<String> = Vec::new();
    for scope in text.split(' ').filter(|scope| !scope.is_empty()) {
        if !scopes.iter().any(|one| one == scope) {
            scopes.push(scope.to_owned());
        }
    }
    scopes
}

/// The scopes a request gets out of those an application has.
pub fn chosen(asked: Option<&str>, allowed: &[String]) -> Result<Vec<String>> {
    let wanted = match asked {
        None if allowed.iter().any(|scope| scope == DEFAULT) => vec![DEFAULT.to_owned()],
        None => return Err(Refusal::InvalidScope),
        Some(text) => split(text),
    };
    let printable = asked
        .unwrap_or_default()
        .bytes()
        .all(|byte| byte == b' ' || byte.is_ascii_graphic());
    let fits = wanted.iter().all(|scope| allowed.contains(scope));
    if wanted.is_empty() || !printable || !fits {
        return Err(Refusal::InvalidScope);
    }
    Ok(wanted)
}

/// Whether two lists name the same scopes, in whatever order.
pub fn same(a: &[String], b: &[String]) -> bool {
    let within = |a: &[String], b: &[String]| a.iter().all(|scope| b.contains(scope));
    within(a, b) && within(b, a)
}

/// What a scope allows, for the user who is asked for it.
pub fn describe(scope: &str) -> &'static str {
    match scope {
        "api" => "Read and change everything you may, packages included.",
        "read_api" => "Read everything you may.",
        other => described(other).unwrap_or("Use a named feature, where it is installed."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        split(text)
    }

    #[test]
    fn a_request_gets_what_the_application_has() {
        let allowed = list("read_user openid api");
        assert_eq!(chosen(None, &allowed).unwrap(), ["api"]);
        assert_eq!(
            chosen(Some("openid  read_user openid"), &allowed).unwrap(),
            ["openid", "read_user"]
        );
        for bad in ["sudo", "api sudo", " ", "api\tread_user", "api\nopenid", "API"] {
            assert!(matches!(chosen(Some(bad), &allowed), Err(Refusal::InvalidScope)), "{bad:?}");
        }
        assert!(matches!(chosen(None, &list("openid")), Err(Refusal::InvalidScope)));
    }

    #[test]
    fn the_order_of_scopes_does_not_matter() {
        assert!(same(&list("a b"), &list("b a")));
        assert!(!same(&list("a b"), &list("a")));
        assert!(!same(&list("a"), &list("a b")));
        assert!(
            is_known("user:42") && is_known("user:*") && !is_known("user:") && !is_known("root")
        );
    }
}
