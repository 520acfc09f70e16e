//! Approvals of deployments: what is asked for by the rules as they are now, and what was
//! decided.

use super::model::{Decision, Deed, Level, Rule};
use jiff::Timestamp;
use store::FromRow;

/// What somebody decided.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("deployment_approvals")]
pub struct Approval {
    pub id: i64,
    pub deployment_id: i64,
    pub user_id: i64,
    /// As whom; none as one of those who deploy.
    pub level_id: Option<i64>,
    pub status: Decision,
    pub comment: Option<String>,
    pub created_at: Timestamp,
}

/// What is asked for over one environment, and how much of it is there.
#[derive(Debug, Clone, Default)]
pub struct Asked<'r> {
    /// Levels whose people have to approve, with what these decided.
    pub levels: Vec<(&'r Level, Vec<&'r Approval>)>,
    /// How many approvals of those who deploy are asked for, and how many there are.
    pub of_deployers: (i64, i64),
    pub is_rejected: bool,
}

impl<'r> Asked<'r> {
    /// One decision counts for one level, the one it was made as.
    pub fn of(rules: &[&'r Rule], decided: &'r [Approval]) -> Asked<'r> {
        let mut asked = Asked {
            is_rejected: decided.iter().any(|one| one.status == Decision::Rejected),
            ..Asked::default()
        };
        for rule in rules {
            let mut levels = rule.of(Deed::Approve).peekable();
            if levels.peek().is_none() {
                let count = rule.protected.required_approval_count;
                asked.of_deployers.0 = asked.of_deployers.0.max(count);
            }
            asked.levels.extend(levels.map(|level| {
                let own = decided.iter().filter(|one| one.level_id == Some(level.id));
                (level, own.collect())
            }));
        }
        asked.of_deployers.1 = approved(decided.iter().filter(|one| one.level_id.is_none()));
        asked
    }

    /// Whether any approval was asked for at all.
    pub fn is_any(&self) -> bool {
        !self.levels.is_empty() || self.of_deployers.0 > 0
    }

    /// How many approvals of a level are still to come.
    pub fn missing_of(&self, level: &Level) -> i64 {
        let own = self.levels.iter().find(|(one, _)| one.id == level.id);
        let there = own.map_or(0, |(_, decided)| approved(decided.iter().copied()));
        (level.required_approvals - there).max(0)
    }

    pub fn missing_of_deployers(&self) -> i64 {
        (self.of_deployers.0 - self.of_deployers.1).max(0)
    }

    /// How many are still to come in all.
    pub fn missing(&self) -> i64 {
        let of_levels: i64 = self.levels.iter().map(|(level, _)| self.missing_of(level)).sum();
        of_levels + self.missing_of_deployers()
    }

    /// Whether nothing is to start yet.
    pub fn holds(&self) -> bool {
        self.is_any() && (self.is_rejected || self.missing() > 0)
    }
}

fn approved<'a>(decided: impl Iterator<Item = &'a Approval>) -> i64 {
    decided.filter(|one| one.status == Decision::Approved).count() as i64
}

#[cfg(test)]
mod tests {
    use super::super::model::ProtectedEnvironment;
    use super::*;

    fn rule(count: i64, levels: &[(i64, i64)]) -> Rule {
        let level = |(id, required): &(i64, i64)| Level {
            id: *id,
            protected_environment_id: 1,
            purpose: Deed::Approve,
            access_level: Some(40),
            user_id: None,
            group_id: None,
            group_inheritance_type: 0,
            required_approvals: *required,
        };
        Rule {
            protected: ProtectedEnvironment {
                id: 1,
                project_id: Some(1),
                group_id: None,
                name: "production".into(),
                required_approval_count: count,
            },
            levels: levels.iter().map(level).collect(),
        }
    }

    /// `+` and `-` with the level, 0 for none.
    fn decided(all: &[&str]) -> Vec<Approval> {
        let approval = |(at, text): (usize, &&str)| {
            let (sign, level) = text.split_at(1);
            Approval {
                id: at as i64,
                deployment_id: 1,
                user_id: at as i64,
                level_id: Some(level.parse().unwrap()).filter(|id| *id != 0),
                status: match sign {
                    "+" => Decision::Approved,
                    _ => Decision::Rejected,
                },
                comment: None,
                created_at: Timestamp::UNIX_EPOCH,
            }
        };
        all.iter().enumerate().map(approval).collect()
    }

    #[test]
    fn what_is_missing_is_told_by_levels_or_by_a_count() {
        for (count, levels, decisions, missing, holds) in [
            (0, &[][..], &[][..], 0, false),
            (2, &[], &[], 2, true),
            (2, &[], &["+0"], 1, true),
            (2, &[], &["+0", "+0"], 0, false),
            (2, &[], &["+0", "+0", "-0"], 0, true),
            // Levels say who; the count is ignored then.
            (9, &[(5, 1)], &["+0"], 1, true),
            (9, &[(5, 1)], &["+5"], 0, false),
            (0, &[(5, 2), (6, 1)], &["+5", "+6"], 1, true),
            (0, &[(5, 2), (6, 1)], &["+5", "+5", "+6"], 0, false),
            // More than enough of one is not enough of another.
            (0, &[(5, 1), (6, 1)], &["+5", "+5"], 1, true),
            (0, &[(5, 1)], &["-5"], 1, true),
        ] {
            let (rule, decisions_of) = (rule(count, levels), decided(decisions));
            let rules = [&rule];
            let asked = Asked::of(&rules, &decisions_of);
            assert_eq!(
                (asked.missing(), asked.holds()),
                (missing, holds),
                "{levels:?} {decisions:?}"
            );
        }
    }

    /// Rules of a project and of a group: of counts the larger one, of levels each.
    #[test]
    fn what_a_project_and_a_group_ask_for_comes_together() {
        for (of_project, of_group, decisions, missing) in [
            ((0, &[][..]), (0, &[][..]), &[][..], 0),
            ((1, &[]), (2, &[]), &[], 2),
            ((2, &[]), (1, &[]), &["+0"], 1),
            ((1, &[]), (2, &[]), &["+0", "+0"], 0),
            ((1, &[]), (0, &[(5, 1)]), &[], 2),
            ((1, &[]), (0, &[(5, 1)]), &["+5"], 1),
            ((1, &[]), (0, &[(5, 1)]), &["+5", "+0"], 0),
            ((0, &[(6, 1)]), (0, &[(5, 2)]), &["+6", "+5"], 1),
            ((0, &[(6, 1)]), (0, &[(5, 2)]), &["+6", "+5", "+5"], 0),
            ((0, &[(6, 1)]), (3, &[]), &["+6"], 3),
        ] {
            let both = [rule(of_project.0, of_project.1), rule(of_group.0, of_group.1)];
            let (rules, decided) = ([&both[0], &both[1]], decided(decisions));
            let found = Asked::of(&rules, &decided).missing();
            assert_eq!(found, missing, "{of_project:?} {of_group:?} {decisions:?}");
        }
    }
}
