//! Every scope of tokens and applications, in one table
//! (docs/interface/identity.md 2.10).

use crate::model::TokenKind;

/// Who may hold a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    /// Any token and any application.
    Anyone,
    /// All but tokens of projects.
    AllButProjects,
    /// All but tokens of projects and groups.
    People,
    /// Tokens of administrators, and applications they use.
    Administrators,
    /// Applications alone: it belongs to OpenID.
    Applications,
}

#[derive(Debug)]
struct Scope {
    name: &'static str,
    holder: Holder,
    /// What it opens is there. Tokens and applications may have the others, for
    /// clients ask for them, but no form offers them.
    is_built: bool,
    /// What it allows, whoever holds it; the widest are told by their holder.
    allows: Option<&'static str>,
}

const fn built(name: &'static str, holder: Holder, allows: &'static str) -> Scope {
    Scope { name, holder, is_built: true, allows: Some(allows) }
}

const fn absent(name: &'static str, holder: Holder, allows: &'static str) -> Scope {
    Scope { is_built: false, ..built(name, holder, allows) }
}

/// Of all that its holder may do.
const fn wide(name: &'static str) -> Scope {
    Scope { allows: None, ..built(name, Holder::Anyone, "") }
}

/// Of a feature that only some servers have.
const fn elsewhere(name: &'static str) -> Scope {
    Scope { allows: None, ..absent(name, Holder::Anyone, "") }
}

const ALL: &[Scope] = &[
    wide("api"),
    wide("read_api"),
    built("read_user", Holder::People, "Read your own account and the directory of users."),
    built("read_repository", Holder::Anyone, "Fetch repositories."),
    built("write_repository", Holder::Anyone, "Fetch and push repositories."),
    absent("read_registry", Holder::Anyone, "Pull container images."),
    absent("write_registry", Holder::Anyone, "Push container images."),
    absent(
        "read_virtual_registry",
        Holder::AllButProjects,
        "Read through the dependency proxy.",
    ),
    absent(
        "write_virtual_registry",
        Holder::AllButProjects,
        "Change the dependency proxy's cache.",
    ),
    built("create_runner", Holder::Anyone, "Create runners."),
    built("manage_runner", Holder::Anyone, "Manage runners."),
    elsewhere("k8s_proxy"),
    elsewhere("ai_features"),
    elsewhere("ai_workflows"),
    elsewhere("mcp"),
    elsewhere("read_observability"),
    elsewhere("write_observability"),
    built("self_rotate", Holder::Anyone, "Rotate this token itself."),
    built("sudo", Holder::Administrators, "Act as any user."),
    built(
        "admin_mode",
        Holder::Administrators,
        "Act as an administrator while admin mode is on.",
    ),
    absent("read_service_ping", Holder::Administrators, "Read the usage report."),
    built(
        "openid",
        Holder::Applications,
        "Know who you are and which groups you belong to.",
    ),
    built("profile", Holder::Applications, "Read your public profile."),
    built("email", Holder::Applications, "Read your primary e-mail address."),
];

/// Scopes a user may give a token through the API without a browser.
pub const SELF_SERVICE: &[&str] = &["k8s_proxy", "self_rotate"];

fn find(name: &str) -> Option<&'static Scope> {
    ALL.iter().find(|scope| scope.name == name)
}

fn names(of: impl Fn(Holder) -> bool) -> impl Iterator<Item = &'static str> {
    ALL.iter().filter(move |scope| of(scope.holder)).map(|scope| scope.name)
}

/// Every scope, as discovery lists them.
pub fn all() -> impl Iterator<Item = &'static str> {
    names(|_| true)
}

/// Those an application may be given, OpenID's first; some only by
/// administrators.
pub fn of_applications(admin: bool) -> impl Iterator<Item = &'static str> {
    let others = names(move |holder| match holder {
        Holder::Applications => false,
        Holder::Administrators => admin,
        _ => true,
    });
    names(|holder| holder == Holder::Applications).chain(others)
}

/// Whether a token of this kind may have the scope; `admin` is its owner.
pub fn fits(kind: TokenKind, name: &str, admin: bool) -> bool {
    let Some(scope) = find(name) else {
        return false;
    };
    let is_personal = matches!(kind, TokenKind::Personal | TokenKind::Impersonation);
    match scope.holder {
        Holder::Anyone => true,
        Holder::AllButProjects => kind != TokenKind::Project,
        Holder::People => is_personal,
        Holder::Administrators => is_personal && admin,
        Holder::Applications => false,
    }
}

/// Whether a form offers a scope: what it opens is there, or it was chosen before.
pub fn is_offered(name: &str, chosen: &[String]) -> bool {
    find(name).is_none_or(|scope| scope.is_built) || chosen.iter().any(|one| one == name)
}

/// Whether only administrators' tokens may have one of these scopes.
pub fn are_powers(scopes: &[String]) -> bool {
    let of = |name: &String| find(name).map(|scope| scope.holder);
    scopes.iter().any(|name| of(name) == Some(Holder::Administrators))
}

/// What a scope allows, whoever holds it.
pub fn described(name: &str) -> Option<&'static str> {
    find(name)?.allows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_depend_on_kind_and_owner() {
        for (kind, name, admin, expected) in [
            (TokenKind::Personal, "api", false, true),
            (TokenKind::Personal, "sudo", false, false),
            (TokenKind::Personal, "sudo", true, true),
            (TokenKind::Impersonation, "read_user", false, true),
            (TokenKind::Personal, "openid", true, false),
            (TokenKind::Personal, "root", true, false),
            (TokenKind::Project, "read_user", true, false),
            (TokenKind::Group, "read_user", true, false),
            (TokenKind::Project, "write_virtual_registry", true, false),
            (TokenKind::Group, "write_virtual_registry", true, true),
            (TokenKind::Group, "sudo", true, false),
        ] {
            assert_eq!(fits(kind, name, admin), expected, "{kind:?} {name} {admin}");
        }
    }

    #[test]
    fn forms_offer_what_opens_something() {
        let offered: Vec<&str> = all().filter(|scope| is_offered(scope, &[])).collect();
        let opens = "api read_api read_user read_repository write_repository create_runner \
                     manage_runner self_rotate sudo admin_mode openid profile email";
        assert_eq!(offered, opens.split_whitespace().collect::<Vec<_>>());
        assert!(is_offered("read_registry", &["read_registry".into()]), "it can be taken away");
        assert!(SELF_SERVICE.iter().all(|name| find(name).is_some()));
    }

    #[test]
    fn applications_get_powers_from_administrators() {
        let first: Vec<&str> = of_applications(false).take(4).collect();
        assert_eq!(first, ["openid", "profile", "email", "api"]);
        assert!(!of_applications(false).any(|name| name == "sudo"));
        assert_eq!(of_applications(true).count(), ALL.len());
        assert!(are_powers(&["api".into(), "sudo".into()]) && !are_powers(&["api".into()]));
    }
}
