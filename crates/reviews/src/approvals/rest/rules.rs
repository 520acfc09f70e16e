//! Rules of approval of a merge request.

use super::super::editing::{self, ApprovalRuleInput, Holder, More};
use super::super::entity::{MergeRequestApprovalRuleEntity, request_rules};
use super::super::model::Rule;
use super::{ApprovalsOf, BASE, found};
use crate::model::MergeRequest;
use ::store::Tx;
use identity::Caller;
use kernel::error::{Found, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use std::slice::from_ref;

pub(super) fn routes(r: &mut Routes) {
    let at = |rest: &str| format!("{BASE}/approval_rules{rest}");
    let one = at("/{approval_rule_id}");
    r.get(&at(""), list)
        .summary("Lists the rules of approval that a merge request has itself");
    r.post(&at(""), create).summary("Makes a rule of approval of a merge request");
    r.get(&one, show).summary("Shows a rule of approval of a merge request");
    r.put(&one, update).summary("Changes a rule of approval of a merge request");
    r.delete(&one, destroy).summary("Ends a rule of approval of a merge request");
}

kernel::params! {
    /// A rule of a merge request.
    pub struct RequestRulePath {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the merge request.
        pub iid: i64,
        /// Id of the rule.
        pub approval_rule_id: i64,
    }
}

kernel::params! {
    /// A new rule of a merge request.
    pub struct CreateRequestRule {
        pub at: Flat<ApprovalsOf>,
        pub rule: Flat<ApprovalRuleInput>,
        /// A rule of the project that it is a copy of.
        pub approval_project_rule_id: Option<i64>,
    }
}

kernel::params! {
    /// Changes of a rule of a merge request.
    pub struct UpdateRequestRule {
        pub at: Flat<RequestRulePath>,
        pub rule: Flat<ApprovalRuleInput>,
    }
}

impl RequestRulePath {
    fn of(&self) -> ApprovalsOf {
        ApprovalsOf { id: self.id.clone(), iid: self.iid }
    }
}

fn shown(
    tx: &mut Tx<'_>, by: &Caller, request: &MergeRequest, rule: &Rule,
) -> Result<MergeRequestApprovalRuleEntity> {
    request_rules(tx, by, request, from_ref(rule))?.pop().found("")
}

async fn list(
    by: Caller, at: Params<ApprovalsOf>, paging: Paging,
) -> Result<Paged<MergeRequestApprovalRuleEntity>> {
    by.read(move |tx, by| {
        let (project, request) = found(tx, by, &at)?;
        let rules = Holder::Request(&project, &request).rules(tx)?;
        Ok(Paged::of_whole(request_rules(tx, by, &request, &rules)?, paging))
    })
    .await
}

async fn create(
    by: Caller, asked: Params<CreateRequestRule>,
) -> Result<Created<MergeRequestApprovalRuleEntity>> {
    by.write(move |tx, by| {
        let (project, request) = found(tx, by, &asked.at)?;
        editing::check_own(tx, &by.viewer, &project, &request)?;
        let more = More { source_id: asked.approval_project_rule_id, ..More::default() };
        let holder = Holder::Request(&project, &request);
        let rule = editing::create(tx, &by.viewer, holder, &asked.rule, &more)?;
        shown(tx, by, &request, &rule).map(Created)
    })
    .await
}

async fn show(
    by: Caller, at: Params<RequestRulePath>,
) -> Result<Ok200<MergeRequestApprovalRuleEntity>> {
    by.read(move |tx, by| {
        let (project, request) = found(tx, by, &at.of())?;
        let rule = Holder::Request(&project, &request).rule(tx, at.approval_rule_id)?;
        shown(tx, by, &request, &rule).map(Ok200)
    })
    .await
}

async fn update(
    by: Caller, asked: Params<UpdateRequestRule>,
) -> Result<Ok200<MergeRequestApprovalRuleEntity>> {
    by.write(move |tx, by| {
        let (project, request) = found(tx, by, &asked.at.of())?;
        editing::check_own(tx, &by.viewer, &project, &request)?;
        let (holder, id) = (Holder::Request(&project, &request), asked.at.approval_rule_id);
        let rule = editing::update(tx, &by.viewer, holder, id, &asked.rule, &More::default())?;
        shown(tx, by, &request, &rule).map(Ok200)
    })
    .await
}

async fn destroy(by: Caller, at: Params<RequestRulePath>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let (project, request) = found(tx, by, &at.of())?;
        editing::check_own(tx, &by.viewer, &project, &request)?;
        let holder = Holder::Request(&project, &request);
        editing::destroy(tx, &by.viewer, holder, at.approval_rule_id)
    })
    .await?;
    Ok(NoContent)
}
