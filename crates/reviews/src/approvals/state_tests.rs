use super::super::model::{Branch, RuleRow};
use super::*;

const AUTHOR: i64 = 1;
const BOB: i64 = 2;
const CY: i64 = 3;
/// Only planner of the project.
const DEE: i64 = 4;
/// A stranger, and a member of the group 70.
const EVE: i64 = 5;
const TEAM: i64 = 70;

fn rule(rule_type: RuleType, required: i64, users: &[i64], groups: &[i64]) -> Rule {
    Rule {
        row: RuleRow {
            id: 1,
            project_id: Some(1),
            merge_request_id: None,
            source_rule_id: None,
            name: "Rule".into(),
            rule_type,
            report_type: None,
            section: None,
            approvals_required: required,
            applies_to_all_protected_branches: false,
            is_snapshot: false,
        },
        users: users.to_vec(),
        groups: groups.to_vec(),
        branches: Vec::new(),
        approvers: Vec::new(),
    }
}

struct World {
    is_merged: bool,
    settings: Settings,
    of_project: Vec<Rule>,
    own: Vec<Rule>,
    branch: TargetBranch,
    committers: Vec<i64>,
    developers: i64,
    roles: HashMap<i64, i64>,
    members: HashMap<i64, Vec<i64>>,
    approvals: Vec<i64>,
}

impl World {
    fn new(of_project: Vec<Rule>) -> World {
        World {
            is_merged: false,
            settings: Settings::default(),
            of_project,
            own: Vec::new(),
            branch: TargetBranch::default(),
            committers: Vec::new(),
            developers: 3,
            roles: [(AUTHOR, 40), (BOB, 30), (CY, 50), (DEE, PLANNER)].into(),
            members: [(TEAM, vec![DEE, EVE, CY])].into(),
            approvals: Vec::new(),
        }
    }

    fn scene(&self) -> Scene<'_> {
        Scene {
            author_id: Some(AUTHOR),
            target_branch: "main",
            is_merged: self.is_merged,
            settings: self.settings,
            project_rules: &self.of_project,
            own_rules: &self.own,
            branch: self.branch,
            committers: &self.committers,
            roles: &self.roles,
            developers: self.developers,
            members: &self.members,
            approvals: &self.approvals,
        }
    }

    /// Required, left, and whether it is approved.
    fn told(&self) -> (i64, i64, bool) {
        let scene = self.scene();
        let state = scene.state();
        (state.required(), state.left(), state.is_approved())
    }

    fn approved_by(mut self, approvals: &[i64]) -> World {
        self.approvals = approvals.to_vec();
        self
    }
}

#[test]
fn without_rules_everything_is_approved() {
    assert_eq!(World::new(Vec::new()).told(), (0, 0, true));
    assert_eq!(World::new(Vec::new()).approved_by(&[BOB]).told(), (0, 0, true));
}

/// The approvals that count for a rule of each kind.
#[test]
fn approvals_count_by_rules() {
    let named = || rule(RuleType::Regular, 2, &[AUTHOR, BOB], &[TEAM]);
    let anybody = || rule(RuleType::AnyApprover, 2, &[], &[]);
    let cases: &[(Rule, &[i64], i64)] = &[
        (named(), &[], 2),
        (named(), &[BOB], 1),
        (named(), &[BOB, DEE], 0),
        // The author, and who is no member of the project, do not count.
        (named(), &[AUTHOR, EVE], 2),
        (anybody(), &[BOB], 1),
        (anybody(), &[BOB, CY], 0),
        // Planners approve only where a rule names them.
        (anybody(), &[DEE, AUTHOR, EVE], 2),
    ];
    for (rule, approvals, left) in cases {
        let world = World::new(vec![rule.clone()]).approved_by(approvals);
        assert_eq!(world.told(), (2, *left, *left == 0), "{rule:?} {approvals:?}");
    }
}

#[test]
fn one_approval_counts_in_every_rule_and_rules_add_up() {
    let rules = vec![
        rule(RuleType::Regular, 1, &[BOB], &[]),
        rule(RuleType::Regular, 2, &[BOB, CY], &[]),
        rule(RuleType::AnyApprover, 1, &[], &[]),
    ];
    let world = World::new(rules).approved_by(&[BOB]);
    assert_eq!(world.told(), (4, 1, false));
    assert_eq!(world.approved_by(&[BOB, CY]).told(), (4, 0, true));
}

#[test]
fn authors_and_committers_approve_where_they_may() {
    let mut world = World::new(vec![rule(RuleType::AnyApprover, 1, &[], &[])]);
    world.committers = vec![BOB];
    let approves = |world: &World, id| world.scene().may_approve(id);
    assert!(!approves(&world, AUTHOR) && approves(&world, BOB));
    world.settings.author_approval = true;
    world.settings.disable_committers_approval = true;
    assert!(approves(&world, AUTHOR) && !approves(&world, BOB));
    assert!(!approves(&world, DEE) && !approves(&world, EVE) && !approves(&world, 99));
    let named = World::new(vec![rule(RuleType::Regular, 1, &[DEE], &[])]);
    assert!(approves(&named, DEE));
}

#[test]
fn a_rule_that_nobody_can_meet_counts_as_met() {
    for lonely in [
        rule(RuleType::Regular, 2, &[AUTHOR, EVE], &[]),
        rule(RuleType::Regular, 1, &[], &[]),
        rule(RuleType::ReportApprover, 1, &[EVE], &[]),
    ] {
        let world = World::new(vec![lonely]);
        let scene = world.scene();
        assert!(scene.state().rules.iter().all(|rule| rule.is_invalid));
        assert!(world.told().2);
    }
    let mut alone = World::new(vec![rule(RuleType::AnyApprover, 1, &[], &[])]);
    assert_eq!(alone.told(), (1, 1, false));
    alone.developers = 1;
    assert_eq!(alone.told(), (1, 0, true));
    alone.settings.author_approval = true;
    assert_eq!(alone.told(), (1, 1, false), "the author can");
}

#[test]
fn rules_of_a_merge_request_take_the_place_of_the_projects() {
    let mut world = World::new(vec![
        rule(RuleType::Regular, 2, &[BOB, CY], &[]),
        rule(RuleType::ReportApprover, 1, &[CY], &[]),
    ]);
    assert_eq!(world.told(), (3, 3, false));
    world.own = vec![rule(RuleType::CodeOwner, 1, &[BOB], &[])];
    assert_eq!(world.told(), (3, 3, false), "owners are not asked for");
    world.branch.demands_owners = true;
    assert_eq!(world.told(), (4, 4, false), "owners come on top");
    world.own.push(rule(RuleType::Regular, 0, &[], &[]));
    assert!(world.scene().state().is_overwritten);
    assert_eq!(world.told(), (2, 2, false));
    world.settings.disable_overriding = true;
    assert!(!world.scene().state().is_overwritten);
    assert_eq!(world.told(), (4, 4, false));
}

#[test]
fn rules_are_for_branches() {
    let branches = |names: &[&str]| {
        let mut rule = rule(RuleType::Regular, 1, &[BOB], &[]);
        let branch = |name: &&str| Branch { id: 1, name: (*name).to_owned() };
        rule.branches = names.iter().map(branch).collect();
        World::new(vec![rule]).told().0
    };
    assert_eq!(branches(&[]), 1);
    assert_eq!(branches(&["stable", "m*"]), 1);
    assert_eq!(branches(&["stable"]), 0);
    let mut all = rule(RuleType::Regular, 1, &[BOB], &[]);
    all.row.applies_to_all_protected_branches = true;
    let mut world = World::new(vec![all]);
    assert_eq!(world.told().0, 0);
    world.branch.is_protected = true;
    assert_eq!(world.told().0, 1);
}

#[test]
fn what_is_merged_stays_as_it_was() {
    let mut world = World::new(vec![rule(RuleType::Regular, 5, &[CY], &[])]);
    let mut kept = rule(RuleType::Regular, 1, &[BOB], &[]);
    kept.row.is_snapshot = true;
    kept.approvers = vec![BOB];
    world.own = vec![kept];
    world.is_merged = true;
    world.roles.clear();
    assert_eq!(world.told(), (1, 0, true));
    assert!(!world.scene().state().is_overwritten);
    world.own.clear();
    assert_eq!(world.told(), (0, 0, true), "rules made later are not asked for");
}
