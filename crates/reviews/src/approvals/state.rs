//! How far the approvals of a merge request are: which rules count for it, whose approvals
//! count for them, and what is missing. Pure.

use super::model::{Rule, RuleType, Settings};
use repositories::protection::model::fits;
use spaces::access::{DEVELOPER, PLANNER};
use std::collections::{HashMap, HashSet};

/// All that decides it.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'s> {
    pub author_id: Option<i64>,
    pub target_branch: &'s str,
    /// Its rules are what they were when it was merged.
    pub is_merged: bool,
    pub settings: Settings,
    pub project_rules: &'s [Rule],
    /// Those of the merge request itself.
    pub own_rules: &'s [Rule],
    pub branch: TargetBranch,
    /// Users who committed what it brings.
    pub committers: &'s [i64],
    /// The roles in the project of the active people who matter here.
    pub roles: &'s HashMap<i64, i64>,
    /// How many people there may approve by their role.
    pub developers: i64,
    /// The members of groups that rules name.
    pub members: &'s HashMap<i64, Vec<i64>>,
    /// Who approved, the first one first.
    pub approvals: &'s [i64],
}

/// How the target branch is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TargetBranch {
    pub is_protected: bool,
    /// What changes files with owners needs their approval.
    pub demands_owners: bool,
}

/// How far a rule is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleState<'s> {
    pub rule: &'s Rule,
    pub required: i64,
    /// Those whose approvals count for it; of a rule for everybody none are told.
    pub eligible: Vec<i64>,
    pub approved_by: Vec<i64>,
    /// Nobody can approve by it, so that it counts as met.
    pub is_invalid: bool,
}

impl RuleState<'_> {
    /// How many approvals are still to come.
    pub fn left(&self) -> i64 {
        match self.is_invalid {
            true => 0,
            false => (self.required - self.approved_by.len() as i64).max(0),
        }
    }

    pub fn is_approved(&self) -> bool {
        self.left() == 0
    }
}

/// How far a merge request is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State<'s> {
    pub rules: Vec<RuleState<'s>>,
    /// It has rules of its own in place of the project's.
    pub is_overwritten: bool,
}

impl State<'_> {
    pub fn required(&self) -> i64 {
        self.rules.iter().map(|one| one.required).sum()
    }

    pub fn left(&self) -> i64 {
        self.rules.iter().map(RuleState::left).sum()
    }

    pub fn is_approved(&self) -> bool {
        self.rules.iter().all(RuleState::is_approved)
    }
}

impl<'s> Scene<'s> {
    /// How far it is.
    pub fn state(&self) -> State<'s> {
        let (rules, is_overwritten) = self.rules();
        let named = self.named_by(&rules);
        let rules = rules.into_iter().map(|rule| self.state_of(rule, &named)).collect();
        State { rules, is_overwritten }
    }

    /// Whether somebody's approval counts, whether they gave it or not.
    pub fn may_approve(&self, user: i64) -> bool {
        let (rules, _) = self.rules();
        self.counts(user, self.named_by(&rules).contains(&user))
    }

    /// Those whom a rule names and whose approvals count.
    pub fn eligible(&self, rule: &Rule) -> Vec<i64> {
        let people = self.people_of(rule).into_iter();
        people.filter(|id| self.counts(*id, true)).collect()
    }

    /// The rules that count, and whether those of the merge request take the place of those
    /// of the project. Once it is merged they are what they were then.
    fn rules(&self) -> (Vec<&'s Rule>, bool) {
        let by_hand = |rule: &&Rule| rule.row.rule_type.is_by_hand();
        let own = || self.own_rules.iter();
        if self.is_merged {
            let is_overwritten = own().filter(by_hand).any(|rule| !rule.row.is_snapshot);
            return (own().collect(), is_overwritten);
        }
        let is_overwritten = !self.settings.disable_overriding && own().any(|it| by_hand(&it));
        let of_project = self.project_rules.iter().filter(|rule| self.is_for_branch(rule));
        let mut rules: Vec<&Rule> = of_project
            .filter(|rule| !is_overwritten || !rule.row.rule_type.is_by_hand())
            .collect();
        rules.extend(own().filter(|rule| is_overwritten || !rule.row.rule_type.is_by_hand()));
        (rules, is_overwritten)
    }

    fn is_for_branch(&self, rule: &Rule) -> bool {
        if rule.row.applies_to_all_protected_branches {
            return self.branch.is_protected;
        }
        let is_it = |pattern: &str| fits(pattern, self.target_branch);
        rule.branches.is_empty() || rule.branches.iter().any(|branch| is_it(&branch.name))
    }

    /// Users that a rule names, by themselves or by their groups.
    fn people_of(&self, rule: &Rule) -> Vec<i64> {
        let of_groups = rule.groups.iter().filter_map(|group| self.members.get(group));
        let mut people: Vec<i64> = of_groups.flatten().chain(&rule.users).copied().collect();
        people.sort_unstable();
        people.dedup();
        people
    }

    fn named_by(&self, rules: &[&Rule]) -> HashSet<i64> {
        rules.iter().flat_map(|rule| self.people_of(rule)).collect()
    }

    /// Neither the author nor a committer, where these may not approve.
    fn is_impartial(&self, user: i64) -> bool {
        let is_author = self.author_id == Some(user) && !self.settings.author_approval;
        let commits = self.settings.disable_committers_approval && self.committers.contains(&user);
        !is_author && !commits
    }

    fn counts(&self, user: i64, is_named: bool) -> bool {
        let least = if is_named { PLANNER } else { DEVELOPER };
        self.is_impartial(user) && self.roles.get(&user).is_some_and(|role| *role >= least)
    }

    fn state_of(&self, rule: &'s Rule, named: &HashSet<i64>) -> RuleState<'s> {
        let is_anybody = rule.row.rule_type == RuleType::AnyApprover;
        let eligible = self.eligible(rule);
        let approved_by: Vec<i64> = match (rule.approvers.is_empty(), is_anybody) {
            (false, _) => rule.approvers.clone(),
            (true, true) => self.approved(|id| self.counts(id, named.contains(&id))),
            (true, false) => self.approved(|id| eligible.contains(&id)),
        };
        let required = self.required(rule);
        let can_be_met = match is_anybody {
            true => self.has_anybody(named),
            false => !eligible.is_empty(),
        };
        let is_invalid = required > 0 && !can_be_met && approved_by.is_empty();
        RuleState { rule, required, eligible, approved_by, is_invalid }
    }

    fn approved(&self, counts: impl Fn(i64) -> bool) -> Vec<i64> {
        self.approvals.iter().copied().filter(|id| counts(*id)).collect()
    }

    fn required(&self, rule: &Rule) -> i64 {
        let required = rule.row.approvals_required;
        match rule.row.rule_type {
            RuleType::CodeOwner if !self.branch.demands_owners => 0,
            _ => required,
        }
    }

    /// Whether there is anybody at all who may approve.
    fn has_anybody(&self, named: &HashSet<i64>) -> bool {
        let is_developer = |id: &i64| self.roles.get(id).is_some_and(|role| *role >= DEVELOPER);
        let concerned: HashSet<i64> =
            self.committers.iter().copied().chain(self.author_id).collect();
        let barred = concerned.iter().filter(|id| is_developer(id) && !self.is_impartial(**id));
        self.developers > barred.count() as i64 || named.iter().any(|id| self.counts(*id, true))
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
