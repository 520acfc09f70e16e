//! Scopes of applications, and the choice among them (docs/interface/identity.md 2.10).

use super::refusal::{Refusal, Result};
use crate::model::{ADMIN_SCOPES, SCOPES};

/// Scopes only applications may have.
pub const OPENID_SCOPES: &[&str] = &["openid", "profile", "email"];
/// What is asked for when nothing is.
const DEFAULT: &str = "api";

/// Every scope an application may have, as discovery lists them.
pub fn all() -> impl Iterator<Item = &'static str> {
    [SCOPES, ADMIN_SCOPES, OPENID_SCOPES].into_iter().flatten().copied()
}

/// Scopes of features that are not built: tokens and applications may have them,
/// for clients ask for them, but no form offers them.
const OF_ABSENT_FEATURES: &[&str] = &[
    "read_repository",
    "write_repository",
    "read_registry",
    "write_registry",
    "read_virtual_registry",
    "write_virtual_registry",
    "create_runner",
    "manage_runner",
    "k8s_proxy",
    "ai_features",
    "ai_workflows",
    "mcp",
    "read_observability",
    "write_observability",
    "read_service_ping",
];

/// Whether a form offers a scope: what it opens is there, or it was chosen before.
pub fn is_offered(scope: &str, chosen: &[String]) -> bool {
    !OF_ABSENT_FEATURES.contains(&scope) || chosen.iter().any(|one| one == scope)
}

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

/// Whether only administrators' tokens may have one of these scopes.
pub fn are_powers(scopes: &[String]) -> bool {
    let for_admins = |scope: &String| ADMIN_SCOPES.contains(&scope.as_str());
    scopes.iter().any(for_admins)
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

/// What a scope allows, whoever holds it.
pub fn described(scope: &str) -> Option<&'static str> {
    Some(match scope {
        "read_user" => "Read your own account and the directory of users.",
        "read_repository" => "Fetch repositories.",
        "write_repository" => "Fetch and push repositories.",
        "read_registry" => "Pull container images.",
        "write_registry" => "Push container images.",
        "read_virtual_registry" => "Read through the dependency proxy.",
        "write_virtual_registry" => "Change the dependency proxy's cache.",
        "create_runner" => "Create runners.",
        "manage_runner" => "Manage runners.",
        "self_rotate" => "Rotate this token itself.",
        "sudo" => "Act as any user.",
        "admin_mode" => "Act as an administrator while admin mode is on.",
        "read_service_ping" => "Read the usage report.",
        "openid" => "Know who you are and which groups you belong to.",
        "profile" => "Read your public profile.",
        "email" => "Read your primary e-mail address.",
        _ => return None,
    })
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
    fn forms_offer_what_opens_something() {
        let offered: Vec<&str> = all().filter(|scope| is_offered(scope, &[])).collect();
        let opens = "api read_api read_user self_rotate sudo admin_mode openid profile email";
        assert_eq!(offered, opens.split(' ').collect::<Vec<_>>());
        assert!(is_offered("read_registry", &list("read_registry")), "it can be taken away");
        assert!(OF_ABSENT_FEATURES.iter().all(|scope| is_known(scope)));
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
