//! Rules of projects and of merge requests are made, changed and ended by people.

use super::model::{
    ANYBODY, Branch, LONGEST_NAME, MOST_APPROVALS, MOST_NAMED, MOST_RULES, Rule, RuleRow, RuleType,
    Settings,
};
use super::store::{self, rules as rows};
use crate::access;
use crate::model::MergeRequest;
use crate::noteable::noteable;
use ::store::{Fragment, Tx};
use identity::users::ids_by_usernames;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use planning::rules::todos::{self, Action, NewTodo};
use repositories::protection::model::RefKind;
use repositories::protection::store as protected;
use serde_json::json;
use spaces::access::{PLANNER, visible_groups};
use spaces::model::Project;
use spaces::rules::of_project;
use spaces::store::members::roles_in_projects;

const RULE: &str = "Approval Rule";

/// What has rules.
#[derive(Debug, Clone, Copy)]
pub enum Holder<'h> {
    Project(&'h Project),
    Request(&'h Project, &'h MergeRequest),
}

kernel::params! {
    /// What may be set of a rule of approval.
    #[derive(Default)]
    pub struct ApprovalRuleInput {
        /// Its name.
        pub name: Option<String>,
        /// How many have to approve.
        pub approvals_required: Option<i64>,
        /// Users whose approvals count.
        pub user_ids: Option<Vec<i64>>,
        /// The same by their names.
        pub usernames: Option<Vec<String>>,
        /// Groups whose members' approvals count.
        pub group_ids: Option<Vec<i64>>,
        /// Whether groups go that the caller does not see.
        pub remove_hidden_groups: Option<bool>,
    }
}

impl ApprovalRuleInput {
    fn names_nobody(&self) -> bool {
        let is_empty = |ids: &Option<Vec<i64>>| ids.as_ref().is_none_or(Vec::is_empty);
        let has_names = self.usernames.as_ref().is_some_and(|names| !names.is_empty());
        is_empty(&self.user_ids) && is_empty(&self.group_ids) && !has_names
    }
}

/// What else there is to say of a rule.
#[derive(Debug, Clone, Default)]
pub struct More {
    pub rule_type: Option<RuleType>,
    pub protected_branch_ids: Option<Vec<i64>>,
    pub applies_to_all_protected_branches: Option<bool>,
    /// The rule of the project that is copied.
    pub source_id: Option<i64>,
}

impl<'h> Holder<'h> {
    pub fn project(self) -> &'h Project {
        match self {
            Holder::Project(project) | Holder::Request(project, _) => project,
        }
    }

    fn owns(self, rule: &Rule) -> bool {
        match self {
            Holder::Project(project) => rule.row.project_id == Some(project.id),
            Holder::Request(_, request) => rule.row.merge_request_id == Some(request.id),
        }
    }

    fn ids(self) -> (Option<i64>, Option<i64>) {
        match self {
            Holder::Project(project) => (Some(project.id), None),
            Holder::Request(_, request) => (None, Some(request.id)),
        }
    }

    /// Its own rules.
    pub fn rules(self, tx: &mut Tx<'_>) -> Result<Vec<Rule>> {
        match self {
            Holder::Project(project) => rows::of(tx, &[project.id], &[]),
            Holder::Request(_, request) => rows::of(tx, &[], &[request.id]),
        }
    }

    /// One of them.
    pub fn rule(self, tx: &mut Tx<'_>, id: i64) -> Result<Rule> {
        rows::by_id(tx, id)?.filter(|rule| self.owns(rule)).found(RULE)
    }

    fn record(
        self, tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str, rule: &RuleRow,
    ) -> Result<()> {
        let iid = match self {
            Holder::Project(_) => None,
            Holder::Request(_, request) => Some(request.iid),
        };
        let details = json!({
            "name": rule.name,
            "approvals_required": rule.approvals_required,
            "merge_request_iid": iid,
        });
        audit::record(tx, viewer, action, of_project(self.project()), details)
    }
}

/// Refuses who may not give a merge request rules of its own.
pub fn check_own(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, request: &MergeRequest,
) -> Result<()> {
    viewer.signed_in()?;
    let may = access::may_update(tx, viewer, project, request)?;
    match may && request.is_open() && !store::settings(tx, project.id)?.disable_overriding {
        true => Ok(()),
        false => Err(Error::forbidden("")),
    }
}

/// Makes a rule. One that names nobody is for everybody, unless it says otherwise.
///
/// # Errors
///
/// `Parameters` without a name and a number; `Invalid` where there is one of its name, or
/// another one for everybody, and of what is out of bounds.
pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, holder: Holder<'_>, input: &ApprovalRuleInput, more: &More,
) -> Result<Rule> {
    if holder.rules(tx)?.len() >= MOST_RULES {
        return Err(Error::invalid("base", format!("has at most {MOST_RULES} rules")));
    }
    let source = match more.source_id {
        Some(id) => Some(Holder::Project(holder.project()).rule(tx, id)?),
        None => None,
    };
    let (project_id, merge_request_id) = holder.ids();
    let name = input.name.clone().or(source.as_ref().map(|it| it.row.name.clone()));
    let required = input.approvals_required.or(source.as_ref().map(|it| it.row.approvals_required));
    let mut rule = Rule {
        row: RuleRow {
            id: 0,
            project_id,
            merge_request_id,
            source_rule_id: more.source_id,
            name: name.ok_or_else(|| Error::missing("name"))?,
            rule_type: RuleType::Regular,
            report_type: None,
            section: None,
            approvals_required: required.ok_or_else(|| Error::missing("approvals_required"))?,
            applies_to_all_protected_branches: false,
            is_snapshot: false,
        },
        users: source.as_ref().map(|it| it.users.clone()).unwrap_or_default(),
        groups: source.as_ref().map(|it| it.groups.clone()).unwrap_or_default(),
        branches: Vec::new(),
        approvers: Vec::new(),
    };
    apply(tx, viewer, holder, &mut rule, input, more)?;
    rule.row.rule_type = kind(input, more, source.as_ref())?;
    if rule.row.rule_type == RuleType::AnyApprover {
        ANYBODY.clone_into(&mut rule.row.name);
    }
    check(&rule, source.as_ref())?;
    let id = rows::insert(tx, &rule)?.ok_or_else(|| taken(holder, &rule))?;
    holder.record(tx, viewer, "approval_rule.create", &rule.row)?;
    ask(tx, viewer, holder, &rule)?;
    rows::by_id(tx, id)?.found(RULE)
}

/// Gives those whom a rule of a merge request names something to do.
fn ask(tx: &mut Tx<'_>, viewer: &Viewer, holder: Holder<'_>, rule: &Rule) -> Result<()> {
    let Holder::Request(_, request) = holder else {
        return Ok(());
    };
    if rule.row.approvals_required == 0 {
        return Ok(());
    }
    for user_id in &rule.users {
        let todo = NewTodo {
            user_id: *user_id,
            author_id: viewer.user_id(),
            action: Action::ApprovalRequired,
            target: noteable(request),
            note_id: None,
        };
        todos::create(tx, &todo)?;
    }
    Ok(())
}

fn kind(input: &ApprovalRuleInput, more: &More, source: Option<&Rule>) -> Result<RuleType> {
    match more.rule_type {
        Some(kind) if kind.is_by_hand() => Ok(kind),
        Some(_) => Err(Error::Parameters(vec!["rule_type does not have a valid value".into()])),
        None => Ok(match source {
            Some(source) if source.row.rule_type.is_by_hand() => source.row.rule_type,
            None if input.names_nobody() => RuleType::AnyApprover,
            _ => RuleType::Regular,
        }),
    }
}

fn taken(holder: Holder<'_>, rule: &Rule) -> Error {
    let of = match holder {
        Holder::Project(_) => "project",
        Holder::Request(..) => "merge request",
    };
    match rule.row.rule_type {
        RuleType::AnyApprover => {
            Error::invalid("rule_type", format!("any-approver for the {of} already exists"))
        }
        _ => Error::invalid("name", "has already been taken"),
    }
}

/// Changes a rule. Whom it names stays where nothing is said of them.
///
/// # Errors
///
/// `Forbidden` of rules that nobody makes by hand; else as [`create`].
pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, holder: Holder<'_>, id: i64, input: &ApprovalRuleInput,
    more: &More,
) -> Result<Rule> {
    let mut rule = by_hand(tx, holder, id)?;
    if let Some(required) = input.approvals_required {
        rule.row.approvals_required = required;
    }
    if let Some(name) = input.name.as_ref().filter(|_| rule.row.rule_type == RuleType::Regular) {
        rule.row.name.clone_from(name);
    }
    apply(tx, viewer, holder, &mut rule, input, more)?;
    let source = match rule.row.source_rule_id {
        Some(id) => rows::by_id(tx, id)?,
        None => None,
    };
    check(&rule, source.as_ref())?;
    if let Some(project) = rule.row.project_id
        && rows::is_taken(tx, project, &rule.row.name, rule.row.id)?
    {
        return Err(taken(holder, &rule));
    }
    rows::update(tx, &rule)?;
    holder.record(tx, viewer, "approval_rule.update", &rule.row)?;
    rows::by_id(tx, id)?.found(RULE)
}

/// Ends a rule.
///
/// # Errors
///
/// `Forbidden` of rules that nobody makes by hand.
pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, holder: Holder<'_>, id: i64) -> Result<()> {
    let rule = by_hand(tx, holder, id)?;
    rows::delete(tx, &[id])?;
    holder.record(tx, viewer, "approval_rule.destroy", &rule.row)
}

fn by_hand(tx: &mut Tx<'_>, holder: Holder<'_>, id: i64) -> Result<Rule> {
    let rule = holder.rule(tx, id)?;
    match rule.row.rule_type.is_by_hand() {
        true => Ok(rule),
        false => Err(Error::forbidden("")),
    }
}

/// Sets whom a rule names, and the branches of one of a project.
fn apply(
    tx: &mut Tx<'_>, viewer: &Viewer, holder: Holder<'_>, rule: &mut Rule,
    input: &ApprovalRuleInput, more: &More,
) -> Result<()> {
    let project = holder.project();
    if input.user_ids.is_some() || input.usernames.is_some() {
        rule.users = users(tx, project, input)?;
    }
    let removes_hidden = input.remove_hidden_groups.unwrap_or(false);
    if input.group_ids.is_some() || removes_hidden {
        let seen = seen(tx, viewer, &rule.groups)?;
        let hidden: Vec<i64> =
            rule.groups.iter().copied().filter(|id| !seen.contains(id)).collect();
        rule.groups = match &input.group_ids {
            Some(ids) => groups(tx, viewer, ids)?,
            None => seen,
        };
        if !removes_hidden {
            rule.groups.extend(hidden);
        }
    }
    if let Some(all) = more.applies_to_all_protected_branches {
        rule.row.applies_to_all_protected_branches = all;
    }
    if let Some(ids) = &more.protected_branch_ids {
        rule.branches = branches(tx, project, ids)?;
    }
    Ok(())
}

fn check(rule: &Rule, source: Option<&Rule>) -> Result<()> {
    let row = &rule.row;
    if row.name.trim().is_empty() {
        return Err(Error::invalid("name", "can't be blank"));
    }
    if row.name.chars().count() > LONGEST_NAME {
        let text = format!("is too long (maximum is {LONGEST_NAME} characters)");
        return Err(Error::invalid("name", text));
    }
    if !(0..=MOST_APPROVALS).contains(&row.approvals_required) {
        let text = format!("must be between 0 and {MOST_APPROVALS}");
        return Err(Error::invalid("approvals_required", text));
    }
    let fewest = source.map_or(0, |source| source.row.approvals_required);
    if row.approvals_required < fewest {
        let text = format!("must be at least {fewest}, as in the rule of the project");
        return Err(Error::invalid("approvals_required", text));
    }
    Ok(())
}

fn check_many(field: &str, count: usize) -> Result<()> {
    match count > MOST_NAMED {
        true => Err(Error::invalid(field, format!("are at most {MOST_NAMED}"))),
        false => Ok(()),
    }
}

/// The users that are meant, those among them who can approve in the project.
fn users(tx: &mut Tx<'_>, project: &Project, input: &ApprovalRuleInput) -> Result<Vec<i64>> {
    let names = input.usernames.clone().unwrap_or_default();
    let mut ids = input.user_ids.clone().unwrap_or_default();
    check_many("users", names.len() + ids.len())?;
    if !names.is_empty() {
        ids.extend(ids_by_usernames(tx, &names)?);
    }
    ids.sort_unstable();
    ids.dedup();
    let roles = roles_in_projects(tx, vec![project.id], ids.clone())?;
    ids.retain(|id| roles.get(&(project.id, *id)).is_some_and(|role| *role >= PLANNER));
    Ok(ids)
}

/// The groups that are meant, those among them that the viewer sees.
fn groups(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<Vec<i64>> {
    check_many("groups", ids.len())?;
    seen(tx, viewer, ids)
}

/// Those of some groups that the viewer sees.
pub fn seen(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<Vec<i64>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = Fragment::new("select namespaces.id from namespaces where");
    query
        .in_list("namespaces.id", ids.to_vec())
        .raw(" and namespaces.kind = 'group' and ");
    query.append(visible_groups(tx, viewer)).raw(" order by namespaces.id");
    Ok(tx.query(query)?)
}

/// The protected branches that are meant.
fn branches(tx: &mut Tx<'_>, project: &Project, ids: &[i64]) -> Result<Vec<Branch>> {
    check_many("protected_branches", ids.len())?;
    let root = project.ancestors().first().copied();
    let all = protected::of_project(tx, project.id, root)?;
    let meant = all.into_iter().filter(|it| it.kind == RefKind::Branch && ids.contains(&it.id));
    Ok(meant.map(|it| Branch { id: it.id, name: it.name }).collect())
}

/// Sets how merge requests of a project are approved.
pub fn set_settings(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, new: &Settings,
) -> Result<()> {
    store::set_settings(tx, project.id, new)?;
    let details = json!({
        "author_approval": new.author_approval,
        "disable_committers_approval": new.disable_committers_approval,
        "disable_overriding": new.disable_overriding,
        "require_reauthentication": new.require_reauthentication,
        "reset_approvals_on_push": new.reset_approvals_on_push,
    });
    audit::record(tx, viewer, "approval_settings.update", of_project(project), details)
}

/// Lets the rule for everybody ask for so many, made if there is none.
///
/// # Errors
///
/// As [`create`].
pub fn set_for_everybody(
    tx: &mut Tx<'_>, viewer: &Viewer, holder: Holder<'_>, required: i64,
) -> Result<Rule> {
    let input = ApprovalRuleInput {
        name: Some(ANYBODY.to_owned()),
        approvals_required: Some(required),
        ..ApprovalRuleInput::default()
    };
    let all = holder.rules(tx)?;
    let there = all.iter().find(|rule| rule.row.rule_type == RuleType::AnyApprover);
    match there {
        Some(rule) => update(tx, viewer, holder, rule.row.id, &input, &More::default()),
        None => {
            let more = More { rule_type: Some(RuleType::AnyApprover), ..More::default() };
            create(tx, viewer, holder, &input, &more)
        }
    }
}
