//! Who may push to the default branch of new projects
//! (docs/interface/repositories.md 2).

use kernel::error::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

kernel::params! {
    /// Those with a role.
    #[derive(Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "LevelEntity")]
    pub struct RoleLevel {
        /// 0 for nobody, else 30, 40 or 60.
        pub access_level: i64,
    }
}

kernel::params! {
    /// What a group says of new default branches; what is left out stays.
    pub struct BranchProtectionInput {
        /// Who may push.
        pub allowed_to_push: Option<Vec<RoleLevel>>,
        /// Whether they may push what does not follow.
        pub allow_force_push: Option<bool>,
        /// Who may merge.
        pub allowed_to_merge: Option<Vec<RoleLevel>>,
        /// Whether Developers may push to an empty project.
        pub developer_can_initial_push: Option<bool>,
    }
}

/// Roles that may be named: nobody, Developers, Maintainers, administrators.
pub const ROLES: &[i64] = &[0, DEVELOPER, MAINTAINER, ADMINISTRATOR];

/// Who may change a new default branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchProtectionEntity")]
pub struct BranchProtection {
    pub allowed_to_push: Vec<RoleLevel>,
    pub allow_force_push: bool,
    pub allowed_to_merge: Vec<RoleLevel>,
    pub developer_can_initial_push: bool,
}

impl Default for BranchProtection {
    fn default() -> BranchProtection {
        BranchProtection {
            allowed_to_push: roles(MAINTAINER),
            allow_force_push: false,
            allowed_to_merge: roles(MAINTAINER),
            developer_can_initial_push: false,
        }
    }
}

const DEVELOPER: i64 = 30;
const MAINTAINER: i64 = 40;
const ADMINISTRATOR: i64 = 60;

fn roles(access_level: i64) -> Vec<RoleLevel> {
    vec![RoleLevel { access_level }]
}

/// The old numbers, each with its push and merge roles, and whether Developers begin.
const NUMBERS: &[(i64, i64, i64, bool)] = &[
    (1, DEVELOPER, MAINTAINER, false),
    (2, MAINTAINER, MAINTAINER, false),
    (3, MAINTAINER, DEVELOPER, false),
    (4, MAINTAINER, MAINTAINER, true),
];

impl BranchProtectionInput {
    /// What it makes of what was before.
    pub fn over(&self, before: BranchProtection) -> Result<BranchProtection> {
        let named = [&self.allowed_to_push, &self.allowed_to_merge].into_iter().flatten();
        if named.flatten().any(|level| !ROLES.contains(&level.access_level)) {
            return Err(wrong("default_branch_protection_defaults"));
        }
        let levels = |new: &Option<Vec<RoleLevel>>, before| new.clone().unwrap_or(before);
        Ok(BranchProtection {
            allowed_to_push: levels(&self.allowed_to_push, before.allowed_to_push),
            allow_force_push: self.allow_force_push.unwrap_or(before.allow_force_push),
            allowed_to_merge: levels(&self.allowed_to_merge, before.allowed_to_merge),
            developer_can_initial_push: self
                .developer_can_initial_push
                .unwrap_or(before.developer_can_initial_push),
        })
    }
}

fn wrong(name: &str) -> Error {
    Error::Parameters(vec![format!("{name} does not have a valid value")])
}

impl BranchProtection {
    /// What an old number stands for; 0 for no protection.
    pub fn of_number(number: i64) -> Result<BranchProtection> {
        let developers = BranchProtection {
            allowed_to_push: roles(DEVELOPER),
            allow_force_push: true,
            allowed_to_merge: roles(DEVELOPER),
            developer_can_initial_push: false,
        };
        if number == 0 {
            return Ok(developers);
        }
        let found = NUMBERS.iter().find(|(of, ..)| *of == number);
        let (_, push, merge, initial) = found.ok_or_else(|| wrong("default_branch_protection"))?;
        Ok(BranchProtection {
            allowed_to_push: roles(*push),
            allow_force_push: false,
            allowed_to_merge: roles(*merge),
            developer_can_initial_push: *initial,
        })
    }

    /// The old number that is nearest.
    pub fn number(&self) -> i64 {
        if !self.is_protecting() {
            return 0;
        }
        let least = |levels: &[RoleLevel]| {
            let least = levels.iter().map(|level| level.access_level).min();
            least
                .filter(|level| *level > 0)
                .map_or(MAINTAINER, |level| level.min(MAINTAINER))
        };
        let is = (
            least(&self.allowed_to_push),
            least(&self.allowed_to_merge),
            self.developer_can_initial_push,
        );
        let found =
            NUMBERS.iter().find(|(_, push, merge, initial)| (*push, *merge, *initial) == is);
        found.map_or(2, |(number, ..)| *number)
    }

    /// Whether it keeps anybody from anything.
    pub fn is_protecting(&self) -> bool {
        let is_open = |levels: &[RoleLevel]| levels == roles(DEVELOPER);
        !(self.allow_force_push
            && is_open(&self.allowed_to_push)
            && is_open(&self.allowed_to_merge))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_numbers_lead_there_and_back() {
        for number in 0..=4 {
            let protection = BranchProtection::of_number(number).unwrap();
            assert_eq!(protection.number(), number);
            assert_eq!(protection.is_protecting(), number != 0);
        }
        assert!(BranchProtection::of_number(5).is_err());
        assert_eq!(BranchProtection::default().number(), 2);
    }
}
