//! Approvals and their rules as JSON, keys in wire order.

use super::editing::seen;
use super::model::{Rule, RuleType, Settings};
use super::scenes::Scenes;
use super::state::{RuleState, State};
use crate::model::MergeRequest;
use ::store::{Fragment, Tx};
use identity::Caller;
use identity::entities::{UserBasic, basic, load_basic};
use kernel::error::Result;
use kernel::time::wire;
use repositories::protection::entity::{ProtectedBranchEntity, branches};
use repositories::protection::store as protected;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::{PLANNER, find_project};
use spaces::model::{Namespace, Visibility};
use spaces::store::members::{people_of_groups, roles_in_projects};
use std::collections::{BTreeSet, HashMap};
use std::slice::from_ref;

/// Most members of groups that are shown of one answer.
const MOST_MEMBERS: i64 = 10_000;

/// A group that a rule names.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ApprovalGroupEntity {
    pub id: i64,
    pub web_url: String,
    pub name: String,
    pub path: String,
    pub description: String,
    pub visibility: Visibility,
    pub avatar_url: Option<String>,
    pub full_name: String,
    pub full_path: String,
    pub parent_id: Option<i64>,
}

/// What a rule of a project asks for, of which another one is a copy.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SourceRuleEntity {
    pub approvals_required: i64,
}

/// What rules of merge requests and of projects have alike.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ApprovalRuleFields {
    pub id: i64,
    pub name: String,
    pub rule_type: RuleType,
    pub report_type: Option<String>,
    pub eligible_approvers: Vec<UserBasic>,
    pub approvals_required: i64,
    pub users: Vec<UserBasic>,
    pub groups: Vec<ApprovalGroupEntity>,
    pub contains_hidden_groups: bool,
}

/// A rule of a merge request.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MergeRequestApprovalRuleEntity {
    #[serde(flatten)]
    pub rule: ApprovalRuleFields,
    pub section: Option<String>,
    pub source_rule: Option<SourceRuleEntity>,
    /// It differs from the rule that it is a copy of.
    pub overridden: bool,
}

/// A rule of a project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProjectApprovalRuleEntity {
    #[serde(flatten)]
    pub rule: ApprovalRuleFields,
    pub protected_branches: Vec<ProtectedBranchEntity>,
    pub applies_to_all_protected_branches: bool,
}

/// How far a rule is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ApprovalRuleStateEntity {
    #[serde(flatten)]
    pub rule: MergeRequestApprovalRuleEntity,
    pub code_owner: bool,
    pub approved_by: Vec<UserBasic>,
    pub approved: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ApprovalStateEntity {
    pub approval_rules_overwritten: bool,
    pub rules: Vec<ApprovalRuleStateEntity>,
}

/// A rule by its name.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ApprovalRuleLeftEntity {
    pub id: i64,
    pub name: String,
    pub rule_type: RuleType,
}

/// An approval that was given.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ApprovedByEntity {
    pub user: UserBasic,
    pub approved_at: String,
}

/// How far the approvals of a merge request are.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MergeRequestApprovalsEntity {
    pub id: i64,
    pub iid: i64,
    pub project_id: i64,
    pub title: String,
    pub description: Option<String>,
    pub state: String,
    pub created_at: String,
    pub updated_at: String,
    pub merge_status: String,
    pub approved: bool,
    pub approvals_required: i64,
    pub approvals_left: i64,
    pub require_password_to_approve: bool,
    pub approved_by: Vec<ApprovedByEntity>,
    pub suggested_approvers: Vec<UserBasic>,
    /// Empty: rules say who approves.
    pub approvers: Vec<UserBasic>,
    /// Empty: rules say who approves.
    pub approver_groups: Vec<ApprovalGroupEntity>,
    pub user_has_approved: bool,
    pub user_can_approve: bool,
    pub approval_rules_left: Vec<ApprovalRuleLeftEntity>,
    pub has_approval_rules: bool,
    pub merge_request_approvers_available: bool,
    pub multiple_approval_rules_available: bool,
    pub invalid_approvers_rules: Vec<ApprovalRuleLeftEntity>,
}

/// How merge requests of a project are approved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProjectApprovalsEntity {
    /// Empty: rules say who approves.
    pub approvers: Vec<UserBasic>,
    /// Empty: rules say who approves.
    pub approver_groups: Vec<ApprovalGroupEntity>,
    /// Empty: rules say who approves.
    pub approval_groups: Vec<ApprovalGroupEntity>,
    pub approvals_before_merge: i64,
    pub reset_approvals_on_push: bool,
    pub selective_code_owner_removals: bool,
    pub disable_overriding_approvers_per_merge_request: bool,
    pub merge_requests_author_approval: bool,
    pub merge_requests_disable_committers_approval: bool,
    pub require_password_to_approve: bool,
    pub require_reauthentication_to_approve: bool,
}

/// The settings of a project, with what its rule for everybody asks for.
pub fn project_approvals(settings: &Settings, rules: &[Rule]) -> ProjectApprovalsEntity {
    let anybody = rules.iter().find(|rule| rule.row.rule_type == RuleType::AnyApprover);
    ProjectApprovalsEntity {
        approvers: Vec::new(),
        approver_groups: Vec::new(),
        approval_groups: Vec::new(),
        approvals_before_merge: anybody.map_or(0, |rule| rule.row.approvals_required),
        reset_approvals_on_push: settings.reset_approvals_on_push,
        selective_code_owner_removals: settings.selective_code_owner_removals,
        disable_overriding_approvers_per_merge_request: settings.disable_overriding,
        merge_requests_author_approval: settings.author_approval,
        merge_requests_disable_committers_approval: settings.disable_committers_approval,
        require_password_to_approve: settings.require_reauthentication,
        require_reauthentication_to_approve: settings.require_reauthentication,
    }
}

/// The people and groups of rules, as the viewer sees them, read in as many statements for
/// any number of rules.
struct Shown {
    users: HashMap<i64, UserBasic>,
    groups: HashMap<i64, ApprovalGroupEntity>,
}

impl Shown {
    fn read<'r>(
        tx: &mut Tx<'_>, by: &Caller, rules: impl Iterator<Item = &'r Rule> + Clone,
        people: impl Iterator<Item = i64>,
    ) -> Result<Shown> {
        let named = rules.clone().flat_map(|rule| rule.users.iter().copied());
        let users: BTreeSet<i64> = named.chain(people).collect();
        let groups: BTreeSet<i64> = rules.flat_map(|rule| rule.groups.iter().copied()).collect();
        let users: Vec<i64> = users.into_iter().collect();
        let users = load_basic(tx, &users)?;
        Ok(Shown {
            users: users.into_iter().map(|(id, user)| (id, basic(&by.app, &user))).collect(),
            groups: groups_of(tx, by, &groups.into_iter().collect::<Vec<_>>())?,
        })
    }

    fn users(&self, ids: &[i64]) -> Vec<UserBasic> {
        ids.iter().filter_map(|id| self.users.get(id)).cloned().collect()
    }

    fn groups(&self, ids: &[i64]) -> Vec<ApprovalGroupEntity> {
        ids.iter().filter_map(|id| self.groups.get(id)).cloned().collect()
    }

    fn hides(&self, rule: &Rule) -> bool {
        rule.groups.iter().any(|id| !self.groups.contains_key(id))
    }
}

fn groups_of(
    tx: &mut Tx<'_>, by: &Caller, ids: &[i64],
) -> Result<HashMap<i64, ApprovalGroupEntity>> {
    let ids = seen(tx, &by.viewer, ids)?;
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut query = Fragment::new("select * from namespaces where");
    query.in_list("id", ids);
    let groups: Vec<Namespace> = tx.query(query)?;
    let entity = |group: Namespace| ApprovalGroupEntity {
        id: group.id,
        web_url: group.web_url(by.app.base_url()),
        visibility: Visibility::of(group.visibility),
        avatar_url: None,
        parent_id: group.parent_id,
        name: group.name,
        path: group.path,
        description: group.description,
        full_name: group.full_name,
        full_path: group.full_path,
    };
    Ok(groups.into_iter().map(|group| (group.id, entity(group))).collect())
}

/// Whether a rule says something else than what it is a copy of.
fn differs(rule: &Rule, source: &Rule) -> bool {
    let said = |it: &Rule| {
        let row = &it.row;
        (row.name.clone(), row.approvals_required, it.users.clone(), it.groups.clone())
    };
    said(rule) != said(source)
}

fn fields(shown: &Shown, rule: &Rule, eligible: &[i64]) -> ApprovalRuleFields {
    ApprovalRuleFields {
        id: rule.row.id,
        name: rule.row.name.clone(),
        rule_type: rule.row.rule_type,
        report_type: rule.row.report_type.clone(),
        eligible_approvers: shown.users(eligible),
        approvals_required: rule.row.approvals_required,
        users: shown.users(&rule.users),
        groups: shown.groups(&rule.groups),
        contains_hidden_groups: shown.hides(rule),
    }
}

fn of_request(
    shown: &Shown, sources: &HashMap<i64, Rule>, rule: &Rule, eligible: &[i64],
) -> MergeRequestApprovalRuleEntity {
    let source = rule.row.source_rule_id.and_then(|id| sources.get(&id));
    MergeRequestApprovalRuleEntity {
        rule: fields(shown, rule, eligible),
        section: rule.row.section.clone(),
        source_rule: source
            .map(|source| SourceRuleEntity { approvals_required: source.row.approvals_required }),
        overridden: source.is_some_and(|source| differs(rule, source)),
    }
}

/// The rules of the project that others are copies of.
fn sources(scenes: &Scenes, request: &MergeRequest) -> HashMap<i64, Rule> {
    let rules = scenes.of(request).project_rules;
    rules.iter().map(|rule| (rule.row.id, rule.clone())).collect()
}

/// Some rules of a merge request itself.
pub fn request_rules(
    tx: &mut Tx<'_>, by: &Caller, request: &MergeRequest, rules: &[Rule],
) -> Result<Vec<MergeRequestApprovalRuleEntity>> {
    let scenes = Scenes::read(tx, from_ref(request))?;
    let scene = scenes.of(request);
    let eligible: Vec<Vec<i64>> = rules.iter().map(|rule| scene.eligible(rule)).collect();
    let people = eligible.iter().flatten().copied();
    let shown = Shown::read(tx, by, rules.iter(), people)?;
    let sources = sources(&scenes, request);
    let both = rules.iter().zip(&eligible);
    Ok(both
        .map(|(rule, eligible)| of_request(&shown, &sources, rule, eligible))
        .collect())
}

/// Some rules of a project.
pub fn project_rules(
    tx: &mut Tx<'_>, by: &Caller, project: i64, rules: &[Rule],
) -> Result<Vec<ProjectApprovalRuleEntity>> {
    let eligible = eligible_in(tx, project, rules)?;
    let people = eligible.iter().flatten().copied();
    let shown = Shown::read(tx, by, rules.iter(), people)?;
    let branches = branches_of(tx, project, rules)?;
    let entity = |(rule, eligible): (&Rule, &Vec<i64>)| ProjectApprovalRuleEntity {
        rule: fields(&shown, rule, eligible),
        protected_branches: rule
            .branches
            .iter()
            .filter_map(|branch| branches.get(&branch.id))
            .cloned()
            .collect(),
        applies_to_all_protected_branches: rule.row.applies_to_all_protected_branches,
    };
    Ok(rules.iter().zip(&eligible).map(entity).collect())
}

/// Those whom rules of a project name and who can approve there, for each of them.
fn eligible_in(tx: &mut Tx<'_>, project: i64, rules: &[Rule]) -> Result<Vec<Vec<i64>>> {
    let groups: BTreeSet<i64> = rules.iter().flat_map(|rule| rule.groups.iter().copied()).collect();
    let members = match groups.is_empty() {
        true => HashMap::new(),
        false => people_of_groups(tx, groups.into_iter().collect(), MOST_MEMBERS)?,
    };
    let of = |rule: &Rule| -> BTreeSet<i64> {
        let of_groups = rule.groups.iter().filter_map(|id| members.get(id)).flatten();
        of_groups.chain(&rule.users).copied().collect()
    };
    let named: Vec<BTreeSet<i64>> = rules.iter().map(of).collect();
    let all: BTreeSet<i64> = named.iter().flatten().copied().collect();
    let roles = roles_in_projects(tx, vec![project], all.into_iter().collect())?;
    let can = |id: &i64| roles.get(&(project, *id)).is_some_and(|role| *role >= PLANNER);
    Ok(named
        .into_iter()
        .map(|people| people.into_iter().filter(can).collect())
        .collect())
}

fn branches_of(
    tx: &mut Tx<'_>, project: i64, rules: &[Rule],
) -> Result<HashMap<i64, ProtectedBranchEntity>> {
    let named: BTreeSet<i64> = rules
        .iter()
        .flat_map(|rule| rule.branches.iter().map(|branch| branch.id))
        .collect();
    let found = match named.is_empty() {
        true => None,
        false => find_project(tx, &kernel::ids::Reference::Id(project))?,
    };
    let Some(found) = found else {
        return Ok(HashMap::new());
    };
    let root = found.ancestors().first().copied();
    let mut all = protected::of_project(tx, project, root)?;
    all.retain(|one| named.contains(&one.id));
    Ok(branches(tx, all)?.into_iter().map(|one| (one.id, one)).collect())
}

/// How far each rule of a merge request is.
pub fn approval_state(
    tx: &mut Tx<'_>, by: &Caller, request: &MergeRequest,
) -> Result<ApprovalStateEntity> {
    let scenes = Scenes::read(tx, from_ref(request))?;
    let state = scenes.of(request).state();
    let shown =
        Shown::read(tx, by, state.rules.iter().map(|one| one.rule), people(&state).into_iter())?;
    let sources = sources(&scenes, request);
    let entity = |one: &RuleState<'_>| {
        let mut shown_rule = of_request(&shown, &sources, one.rule, &one.eligible);
        shown_rule.rule.approvals_required = one.required;
        ApprovalRuleStateEntity {
            rule: shown_rule,
            code_owner: one.rule.row.rule_type == RuleType::CodeOwner,
            approved_by: shown.users(&one.approved_by),
            approved: one.is_approved(),
        }
    };
    Ok(ApprovalStateEntity {
        approval_rules_overwritten: state.is_overwritten,
        rules: state.rules.iter().map(entity).collect(),
    })
}

fn people(state: &State<'_>) -> Vec<i64> {
    let of = |one: &RuleState<'_>| [one.eligible.clone(), one.approved_by.clone()].concat();
    state.rules.iter().flat_map(of).collect()
}

/// How far the approvals of a merge request are, as the viewer sees it.
pub fn approvals(
    tx: &mut Tx<'_>, by: &Caller, request: &MergeRequest,
) -> Result<MergeRequestApprovalsEntity> {
    let scenes = Scenes::read(tx, from_ref(request))?;
    let scene = scenes.of(request);
    let state = scene.state();
    let standing = match by.viewer.signed_in().is_ok() {
        true => Some(super::rules::standing(tx, &by.viewer, request)?),
        false => None,
    };
    let given = scenes.given(request.id);
    let suggested: BTreeSet<i64> = state
        .rules
        .iter()
        .filter(|one| !one.is_approved())
        .flat_map(|one| one.eligible.iter().copied())
        .filter(|id| !scene.approvals.contains(id))
        .collect();
    let people = given.iter().map(|one| one.user_id).chain(suggested.iter().copied());
    let shown = Shown::read(tx, by, std::iter::empty(), people)?;
    let approved_by = given.iter().filter_map(|one| {
        let user = shown.users.get(&one.user_id)?.clone();
        Some(ApprovedByEntity { user, approved_at: wire::text(one.created_at) })
    });
    let named = |one: &RuleState<'_>| ApprovalRuleLeftEntity {
        id: one.rule.row.id,
        name: one.rule.row.name.clone(),
        rule_type: one.rule.row.rule_type,
    };
    Ok(MergeRequestApprovalsEntity {
        id: request.id,
        iid: request.iid,
        project_id: request.target_project_id,
        title: request.title.clone(),
        description: request.description.clone(),
        state: request.state.as_str().to_owned(),
        created_at: wire::text(request.created_at),
        updated_at: wire::text(request.updated_at),
        merge_status: request.merge_status.shown().to_owned(),
        approved: state.is_approved(),
        approvals_required: state.required(),
        approvals_left: state.left(),
        require_password_to_approve: scene.settings.require_reauthentication,
        approved_by: approved_by.collect(),
        suggested_approvers: shown.users(&suggested.into_iter().collect::<Vec<_>>()),
        approvers: Vec::new(),
        approver_groups: Vec::new(),
        user_has_approved: standing.is_some_and(|it| it.has_approved),
        user_can_approve: standing.is_some_and(|it| it.may_approve && !it.has_approved),
        approval_rules_left: state.rules.iter().filter(|it| !it.is_approved()).map(named).collect(),
        has_approval_rules: !state.rules.is_empty(),
        merge_request_approvers_available: true,
        multiple_approval_rules_available: true,
        invalid_approvers_rules: state.rules.iter().filter(|it| it.is_invalid).map(named).collect(),
    })
}
