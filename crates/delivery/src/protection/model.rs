//! Protected environments: a name or tier, who deploys to what has it, and who approves.

use spaces::access::{ADMINISTRATOR, DEVELOPER, MAINTAINER};
use std::collections::HashSet;
use store::FromRow;

kernel::choices! {
    /// What somebody is named for.
    pub enum Deed as "ProtectedEnvironmentDeed" {
        Deploy = "deploy",
        Approve = "approve",
    }
}

kernel::choices! {
    /// What a decision on a deployment is.
    pub enum Decision as "DeploymentDecision" {
        Approved = "approved",
        Rejected = "rejected",
    }
}

/// Roles that may be named.
pub const ROLES: &[i64] = &[DEVELOPER, MAINTAINER, ADMINISTRATOR];
/// Only members of a group itself count, not those of groups above.
pub const DIRECT: i64 = 0;
/// Those of groups above count, too.
pub const INHERITED: i64 = 1;
/// Most approvals that are asked for at one place.
pub const MOST_APPROVALS: i64 = 100;
/// Most protected environments of a project or group, and most levels of one.
pub const MOST_RULES: i64 = 1_000;
pub const MOST_LEVELS: usize = 100;

/// An environment of a project, or a tier of all projects of a group.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("protected_environments")]
pub struct ProtectedEnvironment {
    pub id: i64,
    pub project_id: Option<i64>,
    pub group_id: Option<i64>,
    pub name: String,
    /// How many of those who deploy have to approve, unless levels say who.
    pub required_approval_count: i64,
}

/// Who deploys or approves: those of a role, a user, or members of a group.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("protected_environment_levels")]
pub struct Level {
    pub id: i64,
    pub protected_environment_id: i64,
    pub purpose: Deed,
    pub access_level: Option<i64>,
    pub user_id: Option<i64>,
    pub group_id: Option<i64>,
    pub group_inheritance_type: i64,
    /// How many of them have to approve; 0 of who deploys.
    pub required_approvals: i64,
}

/// A protected environment with all who are named for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub protected: ProtectedEnvironment,
    pub levels: Vec<Level>,
}

/// What somebody is, as levels ask for it.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    pub user_id: Option<i64>,
    pub is_admin: bool,
    /// The level in the project.
    pub level: i64,
    /// Of the groups that have rules, those where the role is one of these at least.
    pub group_roles: HashSet<(i64, i64)>,
    /// Of the groups that levels name, those they are a member of themselves.
    pub direct: HashSet<i64>,
    /// The same, counting groups above and shares.
    pub joined: HashSet<i64>,
}

impl Rule {
    pub fn of(&self, deed: Deed) -> impl Iterator<Item = &Level> {
        self.levels.iter().filter(move |level| level.purpose == deed)
    }

    /// Whether it covers what has this name and tier.
    pub fn covers(&self, name: &str, tier: &str) -> bool {
        self.protected.name == if self.protected.group_id.is_some() { tier } else { name }
    }

    /// Whether a level of it means somebody. Roles are those in what the rule is of.
    pub fn means(&self, level: &Level, who: &Standing) -> bool {
        match (level.user_id, level.group_id, level.access_level, self.protected.group_id) {
            (Some(user), ..) => who.user_id == Some(user),
            (_, Some(group), ..) if level.group_inheritance_type == INHERITED => {
                who.joined.contains(&group)
            }
            (_, Some(group), ..) => who.direct.contains(&group),
            (_, _, Some(role), _) if role >= ADMINISTRATOR => who.is_admin,
            (_, _, Some(role), Some(of_group)) => who.group_roles.contains(&(of_group, role)),
            (_, _, Some(role), None) => who.level >= role,
            _ => false,
        }
    }

    /// Whether it lets somebody deploy.
    pub fn lets(&self, who: &Standing) -> bool {
        who.is_admin || self.of(Deed::Deploy).any(|level| self.means(level, who))
    }
}

/// Whether somebody deploys under all of these rules: no one loosens another.
pub fn may_deploy<'r>(rules: impl IntoIterator<Item = &'r Rule>, who: &Standing) -> bool {
    who.is_admin || rules.into_iter().all(|rule| rule.lets(who))
}

/// What people read of a role.
pub fn role_text(level: i64) -> &'static str {
    match level {
        30 => "Developers + Maintainers",
        40 => "Maintainers",
        _ => "Administrators",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: i64 = 70;
    const TEAM: i64 = 80;

    fn level(text: &str) -> Level {
        let (kind, number) = text.split_once(' ').unwrap();
        let number = number.parse().unwrap();
        let is = |word: &str| kind.starts_with(word).then_some(number);
        Level {
            id: 0,
            protected_environment_id: 0,
            purpose: Deed::Deploy,
            access_level: is("role"),
            user_id: is("user"),
            group_id: is("group"),
            group_inheritance_type: i64::from(kind == "group+"),
            required_approvals: 0,
        }
    }

    fn rule(group_id: Option<i64>, levels: &[&str]) -> Rule {
        Rule {
            protected: ProtectedEnvironment {
                id: 0,
                project_id: group_id.is_none().then_some(1),
                group_id,
                name: "production".into(),
                required_approval_count: 0,
            },
            levels: levels.iter().map(|text| level(text)).collect(),
        }
    }

    /// Who deploys: rules of the project and of the group against who somebody is.
    #[test]
    fn who_may_deploy() {
        let nobody = Standing::default();
        let developer = Standing { user_id: Some(7), level: 30, ..Standing::default() };
        let maintainer = Standing { user_id: Some(8), level: 40, ..Standing::default() };
        let leader = Standing {
            group_roles: [(GROUP, 30), (GROUP, 40)].into(),
            ..maintainer.clone()
        };
        let member = Standing {
            direct: [TEAM].into(),
            joined: [TEAM].into(),
            ..developer.clone()
        };
        let heir = Standing { joined: [TEAM].into(), ..developer.clone() };
        let admin = Standing { is_admin: true, level: 60, ..Standing::default() };
        let everybody = [&nobody, &developer, &maintainer, &leader, &member, &heir, &admin];
        type Case<'c> = (Option<&'c [&'c str]>, Option<&'c [&'c str]>, [bool; 7]);
        let cases: &[Case<'_>] = &[
            (None, None, [true; 7]),
            (Some(&["role 30"]), None, [false, true, true, true, true, true, true]),
            (Some(&["role 40"]), None, [false, false, true, true, false, false, true]),
            (Some(&["role 60"]), None, [false, false, false, false, false, false, true]),
            (Some(&["user 7"]), None, [false, true, false, false, true, true, true]),
            (Some(&["group 80"]), None, [false, false, false, false, true, false, true]),
            (Some(&["group+ 80"]), None, [false, false, false, false, true, true, true]),
            // The role is that in the group, whatever it is in the project.
            (None, Some(&["role 40"]), [false, false, false, true, false, false, true]),
            (None, Some(&["user 8"]), [false, false, true, true, false, false, true]),
            (None, Some(&["group+ 80"]), [false, false, false, false, true, true, true]),
            // Both have to let them.
            (
                Some(&["role 30"]),
                Some(&["role 40"]),
                [false, false, false, true, false, false, true],
            ),
            (
                Some(&["user 7"]),
                Some(&["group 80"]),
                [false, false, false, false, true, false, true],
            ),
            (
                Some(&["user 7"]),
                Some(&["user 8"]),
                [false, false, false, false, false, false, true],
            ),
            // One of several levels is enough.
            (
                Some(&["user 8", "group 80"]),
                None,
                [false, false, true, true, true, false, true],
            ),
            // Nobody is named: only administrators.
            (Some(&[]), None, [false, false, false, false, false, false, true]),
            (Some(&["role 30"]), Some(&[]), [false, false, false, false, false, false, true]),
        ];
        for (of_project, of_group, expected) in cases {
            let rules: Vec<Rule> = of_project
                .map(|levels| rule(None, levels))
                .into_iter()
                .chain(of_group.map(|levels| rule(Some(GROUP), levels)))
                .collect();
            let found: Vec<bool> = everybody.iter().map(|who| may_deploy(&rules, who)).collect();
            assert_eq!(found, expected, "{of_project:?} {of_group:?}");
        }
    }

    #[test]
    fn a_rule_covers_a_name_or_a_tier() {
        assert!(rule(None, &[]).covers("production", "other"));
        assert!(!rule(None, &[]).covers("live", "production"));
        assert!(rule(Some(GROUP), &[]).covers("live", "production"));
        assert!(!rule(Some(GROUP), &[]).covers("production", "other"));
    }
}
