//! Issues of an epic, in its order.

use super::{Base, EpicRequest, shown};
use crate::access::Scope;
use crate::entity::epics::EpicEntity;
use crate::entity::issues::{IssueEntity, RelatedToIssues, issue};
use crate::model::Issue;
use crate::model::epics::{Epic, EpicIssue};
use crate::rules::epics::issues as rules;
use crate::store::epics::issues as rows;
use crate::store::epics::tree::Move;
use identity::caller::Caller;
use kernel::error::Result;
use kernel::http::{Created, Flat, Ok200, Paged, Paging, Params, Routes};
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;

pub(super) fn routes(r: &mut Routes, base: Base) {
    r.get(&base.one("/issues"), list)
        .named(&base.named("issues"))
        .summary("Lists the issues of an epic");
    r.post(&base.one("/issues/{epic_issue_id}"), create)
        .named(&base.named("add_issue"))
        .summary("Puts an issue into an epic");
    let one = base.one("/issues/{epic_issue_id}");
    r.put(&one, update)
        .named(&base.named("move_issue"))
        .summary("Moves an issue in the order of an epic");
    r.delete(&one, destroy)
        .named(&base.named("remove_issue"))
        .summary("Takes an issue out of an epic");
}

kernel::params! {
    pub struct IssueOfEpic {
        /// Id of the issue: it has no place in the epic yet.
        pub epic_issue_id: i64,
    }
}

kernel::params! {
    pub struct EpicIssuePath {
        /// Id of the issue's place in the epic.
        pub epic_issue_id: i64,
    }
}

kernel::params! {
    pub struct Moves {
        /// Id of what comes right before it.
        pub move_before_id: Option<i64>,
        /// Id of what comes right after it.
        pub move_after_id: Option<i64>,
    }
}

impl Moves {
    pub(super) fn wanted(&self) -> Option<Move> {
        let after = self.move_before_id.map(Move::After);
        after.or(self.move_after_id.map(Move::Before))
    }
}

kernel::params! {
    pub struct MoveIssueOfEpic {
        pub path: Flat<EpicIssuePath>,
        pub to: Flat<Moves>,
    }
}

/// An issue with its place in an epic.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IssueInEpic {
    /// The issue.
    #[serde(flatten)]
    pub issue: IssueEntity,
    /// Id of its place.
    pub epic_issue_id: i64,
    /// Small numbers come first.
    pub relative_position: i64,
}

/// An issue's place in an epic, with both.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EpicIssueEntity {
    /// Id of the place.
    pub id: i64,
    /// Small numbers come first.
    pub relative_position: i64,
    /// The epic.
    pub epic: EpicEntity,
    /// The issue.
    pub issue: IssueEntity,
}

async fn list(at: EpicRequest, paging: Paging) -> Result<Paged<IssueInEpic>> {
    at.read(move |tx, by, _, epic| page(tx, by, &epic, paging)).await
}

fn page(tx: &mut Tx<'_>, by: &Caller, epic: &Epic, paging: Paging) -> Result<Paged<IssueInEpic>> {
    let page = rows::list(tx, &by.viewer, epic.id, paging)?;
    let issues: Vec<Issue> = page.items.iter().map(|one| one.issue.clone()).collect();
    let around = RelatedToIssues::read(tx, &by.viewer, &Scope::Everywhere, &issues)?;
    Ok(page.map(|one| IssueInEpic {
        issue: issue(&by.app, &one.issue, &around, false),
        epic_issue_id: one.epic_issue_id,
        relative_position: one.relative_position,
    }))
}

fn entity(
    tx: &mut Tx<'_>, by: &Caller, (epic, one): (&Epic, &EpicIssue), about: &Issue,
) -> Result<EpicIssueEntity> {
    let issues = std::slice::from_ref(about);
    let around = RelatedToIssues::read(tx, &by.viewer, &Scope::Everywhere, issues)?;
    Ok(EpicIssueEntity {
        id: one.id,
        relative_position: one.relative_position,
        epic: shown(tx, by, epic.group_id, epic)?,
        issue: issue(&by.app, about, &around, false),
    })
}

async fn create(at: EpicRequest, path: Params<IssueOfEpic>) -> Result<Created<EpicIssueEntity>> {
    at.write(move |tx, by, _, epic| {
        let issue = rules::named(tx, &by.viewer, path.epic_issue_id)?;
        let made = rules::put(tx, by.viewer.user_id(), &epic, &issue)?;
        entity(tx, by, (&epic, &made), &issue).map(Created)
    })
    .await
}

/// Answers the first page of the new order.
async fn update(
    at: EpicRequest, Params(params): Params<MoveIssueOfEpic>, paging: Paging,
) -> Result<Paged<IssueInEpic>> {
    at.write(move |tx, by, _, epic| {
        let (one, _) = rules::find(tx, &by.viewer, &epic, params.path.epic_issue_id)?;
        rules::place(tx, &one, params.to.wanted())?;
        page(tx, by, &epic, paging.clone())
    })
    .await
}

async fn destroy(at: EpicRequest, path: Params<EpicIssuePath>) -> Result<Ok200<EpicIssueEntity>> {
    at.write(move |tx, by, _, epic| {
        let (one, issue) = rules::find(tx, &by.viewer, &epic, path.epic_issue_id)?;
        rules::remove(tx, by.viewer.user_id(), &epic, &issue, &one)?;
        entity(tx, by, (&epic, &one), &issue).map(Ok200)
    })
    .await
}
