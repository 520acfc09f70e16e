//! Which licences components may have.

use ::store::{FromRow, Json};
use jiff::Timestamp;
use sbom::licenses::{canonical, fulfilled};
use sbom::model::{Component, License};

/// Licences that a policy names at most.
pub const MOST: usize = 1_000;
/// What components are called whose licence nobody knows.
pub const UNKNOWN: &str = "unknown";

kernel::choices! {
    /// What a licence policy names.
    pub enum Mode as "LicensePolicyMode" {
        Allow = "allow",
        Deny = "deny",
    }
}

/// The policy of a project or group.
#[derive(Debug, Clone, FromRow)]
#[columns("license_policies")]
pub struct Policy {
    pub id: i64,
    pub project_id: Option<i64>,
    pub group_id: Option<i64>,
    pub mode: Mode,
    /// Ids of the SPDX list, and [`UNKNOWN`].
    pub licenses: Json<Vec<String>>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Policy {
    /// The licence for which a component may not be there: a word, or an expression.
    pub fn offence(&self, component: &Component) -> Option<String> {
        if component.licenses.is_empty() {
            return (!self.may(UNKNOWN)).then(|| UNKNOWN.to_owned());
        }
        let refused = component.licenses.iter().find(|license| !self.allows(license));
        refused.map(|license| license.text().to_owned())
    }

    fn allows(&self, license: &License) -> bool {
        match license {
            License::Id(id) => self.may(id),
            License::Expression(text) => fulfilled(text, |one| self.may(one)),
            // No list knows it: whoever names what is allowed has not named this.
            License::Named { .. } => self.mode == Mode::Deny || self.names(UNKNOWN),
        }
    }

    /// Whether one licence may be used; with an exception it may if it may without.
    fn may(&self, license: &str) -> bool {
        let bare = license.split(" WITH ").next().unwrap_or(license);
        let named = self.names(license) || self.names(bare);
        match self.mode {
            Mode::Allow => named,
            Mode::Deny => !named,
        }
    }

    fn names(&self, license: &str) -> bool {
        let license = canonical(license);
        self.licenses.0.iter().any(|one| canonical(one).eq_ignore_ascii_case(&license))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(mode: Mode, licenses: &[&str]) -> Policy {
        Policy {
            id: 1,
            project_id: None,
            group_id: None,
            mode,
            licenses: Json(licenses.iter().map(|it| (*it).to_owned()).collect()),
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn of(licenses: &[&str]) -> Component {
        let licenses = licenses.iter().map(|it| sbom::licenses::of_text(it)).collect();
        Component { licenses, ..Component::default() }
    }

    #[test]
    fn only_what_is_allowed_may_be_used() {
        let policy = policy(Mode::Allow, &["MIT", "Apache-2.0", "GPL-2.0-only"]);
        for fine in [
            &["MIT"][..],
            &["MIT OR GPL-3.0-only"],
            &["Apache-2.0 WITH LLVM-exception"],
            &["MIT", "Apache-2.0"],
            &["GPL-2.0"],
        ] {
            assert_eq!(policy.offence(&of(fine)), None, "{fine:?}");
        }
        for (wrong, license) in [
            (&["GPL-3.0-only"][..], "GPL-3.0-only"),
            (&["MIT AND ISC"], "MIT AND ISC"),
            (&["MIT", "ISC"], "ISC"),
            (&["Our own"], "Our own"),
            (&[], "unknown"),
        ] {
            assert_eq!(policy.offence(&of(wrong)).as_deref(), Some(license), "{wrong:?}");
        }
    }

    #[test]
    fn what_is_denied_may_not_be_used() {
        let policy = policy(Mode::Deny, &["gpl-3.0-only", "unknown"]);
        assert_eq!(policy.offence(&of(&["MIT OR GPL-3.0-only"])), None);
        assert_eq!(policy.offence(&of(&["Our own"])), None);
        assert!(policy.offence(&of(&["MIT AND GPL-3.0-only"])).is_some());
        assert!(policy.offence(&of(&[])).is_some());
    }
}
