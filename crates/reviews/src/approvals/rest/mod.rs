//! Approvals by REST: those of a merge request, its rules, and what its project says.

mod of_project;
mod rules;

use super::editing::{self, Holder};
use super::entity::{self, ApprovalStateEntity, MergeRequestApprovalsEntity};
use super::{proof, rules as deeds};
use crate::access;
use crate::merging::accepting::{check_head, head_moved};
use crate::model::MergeRequest;
use crate::rules::publish_drafts;
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Result};
use kernel::http::{Accepted, Changed, Created, Flat, Ok200, Params, RequestContext, Routes};
use kernel::ids::Reference;
use spaces::model::Project;
use std::sync::Arc;

const BASE: &str = "/projects/{id}/merge_requests/{iid}";

pub fn routes(r: &mut Routes) {
    let at = |rest: &str| format!("{BASE}{rest}");
    r.post(&at("/approve"), approve)
        .answers(401, "The caller's approval does not count, or they did not prove who they are")
        .answers(409, "The head of the source is another one")
        .summary("Approves a merge request");
    r.post(&at("/unapprove"), unapprove)
        .summary("Takes the caller's approval of a merge request back");
    r.put(&at("/reset_approvals"), reset)
        .summary("Takes all approvals of a merge request back, as bots of the project may");
    r.get(&at("/approvals"), show)
        .summary("Shows how far the approvals of a merge request are");
    r.post(&at("/approvals"), set_required)
        .summary("Sets how many have to approve a merge request, whoever they are");
    r.get(&at("/approval_state"), state)
        .summary("Shows how far each rule of approval of a merge request is");
    rules::routes(r);
    of_project::routes(r);
}

kernel::params! {
    /// A merge request.
    pub struct ApprovalsOf {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the merge request.
        pub iid: i64,
    }
}

kernel::params! {
    /// An approval.
    pub struct Approve {
        pub at: Flat<ApprovalsOf>,
        /// The head of the source as the caller knows it.
        pub sha: Option<String>,
        /// The caller's password, where the project asks for it.
        pub approval_password: Option<String>,
        /// Whether notes that the caller has not published yet are.
        pub publish_review: Option<bool>,
    }
}

kernel::params! {
    /// How many have to approve.
    pub struct SetRequired {
        pub at: Flat<ApprovalsOf>,
        /// How many have to approve.
        pub approvals_required: i64,
    }
}

/// The merge request, for who may see it.
fn found(tx: &mut Tx<'_>, by: &Caller, at: &ApprovalsOf) -> Result<(Project, MergeRequest)> {
    access::readable(tx, &by.viewer, &at.id, at.iid)
}

/// The same, for who has a right to approvals at all, and knows the head.
fn found_to_approve(
    tx: &mut Tx<'_>, by: &Caller, asked: &Approve, sha: Option<&str>,
) -> Result<(Project, MergeRequest)> {
    let (project, request) = found(tx, by, &asked.at)?;
    deeds::check_right(tx, &by.viewer, &project)?;
    let head = request.head_id.map(|id| id.to_string());
    check_head(sha, head.as_deref()).map_err(|head| head_moved(&head))?;
    Ok((project, request))
}

/// The head that a header names, in quotes.
fn if_match(context: &RequestContext) -> Option<String> {
    let tag = context.header("if-match")?.trim().trim_matches('"');
    (tag != "*").then(|| tag.to_owned())
}

async fn approve(
    by: Caller, context: Arc<RequestContext>, asked: Params<Approve>,
) -> Result<Changed<MergeRequestApprovalsEntity>> {
    let asked = Arc::new(asked.0);
    let sha = asked.sha.clone().or_else(|| if_match(&context));
    let (first, known) = (asked.clone(), sha.clone());
    let standing = by
        .clone()
        .write(move |tx, by| {
            let (project, request) = found_to_approve(tx, by, &first, known.as_deref())?;
            if first.publish_review.unwrap_or(false) {
                publish_drafts(tx, &by.viewer, &project, &request)?;
            }
            deeds::standing(tx, &by.viewer, &request)
        })
        .await?;
    if standing.has_approved {
        return Ok(Changed::Before);
    }
    if !standing.may_approve {
        return Err(Error::Unauthenticated);
    }
    let password = asked.approval_password.as_deref();
    if standing.needs_proof && !proof::is_given(&by.app, &by.viewer, password).await? {
        return Err(Error::Unauthenticated);
    }
    by.write(move |tx, by| {
        let (project, request) = found_to_approve(tx, by, &asked, sha.as_deref())?;
        let is_new = deeds::approve(tx, &by.viewer, &project, &request)?;
        changed(tx, by, is_new, &request)
    })
    .await
}

fn changed(
    tx: &mut Tx<'_>, by: &Caller, is_new: bool, request: &MergeRequest,
) -> Result<Changed<MergeRequestApprovalsEntity>> {
    match is_new {
        true => Ok(Changed::Now(entity::approvals(tx, by, request)?)),
        false => Ok(Changed::Before),
    }
}

async fn unapprove(
    by: Caller, at: Params<ApprovalsOf>,
) -> Result<Changed<MergeRequestApprovalsEntity>> {
    by.write(move |tx, by| {
        let (project, request) = found(tx, by, &at)?;
        deeds::check_right(tx, &by.viewer, &project)?;
        let is_gone = deeds::unapprove(tx, &by.viewer, &project, &request)?;
        changed(tx, by, is_gone, &request)
    })
    .await
}

async fn reset(by: Caller, at: Params<ApprovalsOf>) -> Result<Accepted> {
    by.write(move |tx, by| {
        let (project, request) = found(tx, by, &at)?;
        deeds::reset(tx, &by.viewer, &project, &request)
    })
    .await?;
    Ok(Accepted)
}

async fn show(by: Caller, at: Params<ApprovalsOf>) -> Result<Ok200<MergeRequestApprovalsEntity>> {
    by.read(move |tx, by| {
        let (_, request) = found(tx, by, &at)?;
        entity::approvals(tx, by, &request).map(Ok200)
    })
    .await
}

async fn set_required(
    by: Caller, asked: Params<SetRequired>,
) -> Result<Created<MergeRequestApprovalsEntity>> {
    by.write(move |tx, by| {
        let (project, request) = found(tx, by, &asked.at)?;
        editing::check_own(tx, &by.viewer, &project, &request)?;
        let holder = Holder::Request(&project, &request);
        editing::set_for_everybody(tx, &by.viewer, holder, asked.approvals_required)?;
        entity::approvals(tx, by, &request).map(Created)
    })
    .await
}

async fn state(by: Caller, at: Params<ApprovalsOf>) -> Result<Ok200<ApprovalStateEntity>> {
    by.read(move |tx, by| {
        let (_, request) = found(tx, by, &at)?;
        entity::approval_state(tx, by, &request).map(Ok200)
    })
    .await
}
