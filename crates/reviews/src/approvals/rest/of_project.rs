//! Rules of approval of a project, and how its merge requests are approved.

use super::super::editing::{self, ApprovalRuleInput, Holder, More};
use super::super::entity::{
    ProjectApprovalRuleEntity, ProjectApprovalsEntity, project_approvals, project_rules,
};
use super::super::model::{Rule, RuleType, Settings};
use super::super::store;
use ::store::Tx;
use identity::Caller;
use kernel::error::{Found, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use spaces::access::{self, Purpose};
use spaces::model::Project;
use std::slice::from_ref;

const SETTINGS: &str = "/projects/{id}/approvals";
const RULES: &str = "/projects/{id}/approval_rules";
const RULE: &str = "/projects/{id}/approval_rules/{approval_rule_id}";

pub(super) fn routes(r: &mut Routes) {
    r.get(SETTINGS, show_settings)
        .summary("Shows how merge requests of a project are approved");
    r.post(SETTINGS, set_settings)
        .summary("Sets how merge requests of a project are approved");
    r.get(RULES, list).summary("Lists the rules of approval of a project");
    r.post(RULES, create).summary("Makes a rule of approval of a project");
    r.get(RULE, show).summary("Shows a rule of approval of a project");
    r.put(RULE, update).summary("Changes a rule of approval of a project");
    r.delete(RULE, destroy).summary("Ends a rule of approval of a project");
}

kernel::params! {
    /// A project.
    pub struct RulesOfProject {
        /// Id or path of the project.
        pub id: Reference,
    }
}

kernel::params! {
    /// A rule of a project.
    pub struct ProjectRulePath {
        /// Id or path of the project.
        pub id: Reference,
        /// Id of the rule.
        pub approval_rule_id: i64,
    }
}

kernel::params! {
    /// What only rules of projects have.
    pub struct OfBranches {
        /// Protected branches that it is for; all without any.
        pub protected_branch_ids: Option<Vec<i64>>,
        /// Whether it is for all protected branches, and no others.
        pub applies_to_all_protected_branches: Option<bool>,
    }
}

kernel::params! {
    /// A new rule of a project.
    pub struct CreateProjectRule {
        pub at: Flat<RulesOfProject>,
        pub rule: Flat<ApprovalRuleInput>,
        pub branches: Flat<OfBranches>,
        /// `regular`, or `any_approver` for everybody.
        pub rule_type: Option<RuleType>,
    }
}

kernel::params! {
    /// Changes of a rule of a project.
    pub struct UpdateProjectRule {
        pub at: Flat<ProjectRulePath>,
        pub rule: Flat<ApprovalRuleInput>,
        pub branches: Flat<OfBranches>,
    }
}

kernel::params! {
    /// How merge requests of a project are approved.
    pub struct ApprovalSettingsInput {
        pub at: Flat<RulesOfProject>,
        /// How many have to approve, whoever they are.
        pub approvals_before_merge: Option<i64>,
        /// Whether a push that changes what differs takes approvals back.
        pub reset_approvals_on_push: Option<bool>,
        /// Whether it takes back those of the owners of files alone.
        pub selective_code_owner_removals: Option<bool>,
        /// Whether merge requests can have no rules of their own.
        pub disable_overriding_approvers_per_merge_request: Option<bool>,
        /// Whether authors may approve.
        pub merge_requests_author_approval: Option<bool>,
        /// Whether committers may not.
        pub merge_requests_disable_committers_approval: Option<bool>,
        /// The older name of the next one.
        pub require_password_to_approve: Option<bool>,
        /// Whether who approves proves again who they are.
        pub require_reauthentication_to_approve: Option<bool>,
    }
}

impl OfBranches {
    fn more(&self, rule_type: Option<RuleType>) -> More {
        More {
            rule_type,
            protected_branch_ids: self.protected_branch_ids.clone(),
            applies_to_all_protected_branches: self.applies_to_all_protected_branches,
            source_id: None,
        }
    }
}

impl ApprovalSettingsInput {
    /// The settings with what is said here. Of both ways to take approvals back, the one
    /// that is asked for ends the other.
    fn over(&self, old: Settings) -> Settings {
        let selective = self.selective_code_owner_removals;
        let reset = self.reset_approvals_on_push.or(selective.filter(|it| *it).map(|_| false));
        let proof = self.require_reauthentication_to_approve.or(self.require_password_to_approve);
        let reset_approvals_on_push = reset.unwrap_or(old.reset_approvals_on_push);
        Settings {
            reset_approvals_on_push,
            selective_code_owner_removals: !reset_approvals_on_push
                && selective.unwrap_or(old.selective_code_owner_removals),
            disable_overriding: self
                .disable_overriding_approvers_per_merge_request
                .unwrap_or(old.disable_overriding),
            author_approval: self.merge_requests_author_approval.unwrap_or(old.author_approval),
            disable_committers_approval: self
                .merge_requests_disable_committers_approval
                .unwrap_or(old.disable_committers_approval),
            require_reauthentication: proof.unwrap_or(old.require_reauthentication),
        }
    }
}

/// The project, for who sees its rules.
fn seen(tx: &mut Tx<'_>, by: &Caller, id: &Reference) -> Result<Project> {
    access::project(tx, &by.viewer, id, Purpose::PushCode)
}

/// The same, for who changes them.
fn changed(tx: &mut Tx<'_>, by: &Caller, id: &Reference) -> Result<Project> {
    access::project(tx, &by.viewer, id, Purpose::Update)
}

fn settings(tx: &mut Tx<'_>, project: &Project) -> Result<ProjectApprovalsEntity> {
    let settings = store::settings(tx, project.id)?;
    let rules = Holder::Project(project).rules(tx)?;
    Ok(project_approvals(&settings, &rules))
}

fn shown(
    tx: &mut Tx<'_>, by: &Caller, project: &Project, rule: &Rule,
) -> Result<ProjectApprovalRuleEntity> {
    project_rules(tx, by, project.id, from_ref(rule))?.pop().found("")
}

async fn show_settings(
    by: Caller, at: Params<RulesOfProject>,
) -> Result<Ok200<ProjectApprovalsEntity>> {
    by.read(move |tx, by| {
        let project = seen(tx, by, &at.id)?;
        settings(tx, &project).map(Ok200)
    })
    .await
}

async fn set_settings(
    by: Caller, asked: Params<ApprovalSettingsInput>,
) -> Result<Created<ProjectApprovalsEntity>> {
    by.write(move |tx, by| {
        let project = changed(tx, by, &asked.at.id)?;
        let new = asked.over(store::settings(tx, project.id)?);
        editing::set_settings(tx, &by.viewer, &project, &new)?;
        if let Some(required) = asked.approvals_before_merge {
            let holder = Holder::Project(&project);
            editing::set_for_everybody(tx, &by.viewer, holder, required)?;
        }
        settings(tx, &project).map(Created)
    })
    .await
}

async fn list(
    by: Caller, at: Params<RulesOfProject>, paging: Paging,
) -> Result<Paged<ProjectApprovalRuleEntity>> {
    by.read(move |tx, by| {
        let project = seen(tx, by, &at.id)?;
        let rules = Holder::Project(&project).rules(tx)?;
        Ok(Paged::of_whole(project_rules(tx, by, project.id, &rules)?, paging))
    })
    .await
}

async fn create(
    by: Caller, asked: Params<CreateProjectRule>,
) -> Result<Created<ProjectApprovalRuleEntity>> {
    by.write(move |tx, by| {
        let project = changed(tx, by, &asked.at.id)?;
        let (holder, more) = (Holder::Project(&project), asked.branches.more(asked.rule_type));
        let rule = editing::create(tx, &by.viewer, holder, &asked.rule, &more)?;
        shown(tx, by, &project, &rule).map(Created)
    })
    .await
}

async fn show(by: Caller, at: Params<ProjectRulePath>) -> Result<Ok200<ProjectApprovalRuleEntity>> {
    by.read(move |tx, by| {
        let project = seen(tx, by, &at.id)?;
        let rule = Holder::Project(&project).rule(tx, at.approval_rule_id)?;
        shown(tx, by, &project, &rule).map(Ok200)
    })
    .await
}

async fn update(
    by: Caller, asked: Params<UpdateProjectRule>,
) -> Result<Ok200<ProjectApprovalRuleEntity>> {
    by.write(move |tx, by| {
        let project = changed(tx, by, &asked.at.id)?;
        let (holder, more) = (Holder::Project(&project), asked.branches.more(None));
        let id = asked.at.approval_rule_id;
        let rule = editing::update(tx, &by.viewer, holder, id, &asked.rule, &more)?;
        shown(tx, by, &project, &rule).map(Ok200)
    })
    .await
}

async fn destroy(by: Caller, at: Params<ProjectRulePath>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let project = changed(tx, by, &at.id)?;
        editing::destroy(tx, &by.viewer, Holder::Project(&project), at.approval_rule_id)
    })
    .await?;
    Ok(NoContent)
}
