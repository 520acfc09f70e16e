//! What stands beside an issue: labels, assignees, milestone, what blocks it,
//! who takes part. Each is read for all issues of a level at once.

use super::ISSUE_TYPES;
use super::Pages;
use super::labels;
use super::lists::{self, Sorted};
use super::milestones::MilestonesOfThings;
use crate::model::{Issue, Label, Milestone};
use crate::store::issues as rows;
use crate::store::issues::filter::IssueFilter;
use crate::store::issues::links;
use crate::store::issues::list::Owners;
use crate::store::labels::WornBy;
use identity::graph::{People, Person, caller};
use kernel::graph::{
    Args, Ask, BOOLEAN, Context, Graph, HasTypeRef, Key, ObjectBuilder, Order, object,
};
use std::sync::Arc;

pub fn graph(g: &mut Graph) {
    for name in ISSUE_TYPES {
        of_issue(g.on::<Issue>(name));
    }
}

fn of_issue(it: ObjectBuilder<'_, Issue>) {
    it.connections(
        "labels",
        object::<Label>("Label"),
        |issues: Vec<Arc<Issue>>, ask, _, context| async move {
            labels::worn(WornBy::ISSUES, ids(&issues), ask, context).await
        },
    )
    .describe("Its labels, by title.")
    .connections("assignees", object::<Person>("UserCore"), assignees)
    .describe("Who is assigned.")
    .load::<MilestonesOfThings, _>("milestone", object::<Milestone>("Milestone"), |it| {
        it.milestone_id
    })
    .describe("What it is to be done for.")
    .level(
        "blocked",
        BOOLEAN.required(),
        |issues: Vec<Arc<Issue>>, _, context| async move {
            let ids = ids(&issues);
            let (app, viewer) = caller(&context)?;
            let asked = ids.clone();
            let found = app.read(move |tx| links::blocked(tx, &viewer, &asked));
            let found = found.await?;
            Ok(ids.iter().map(|id| found.contains(id)).collect())
        },
    )
    .describe("Whether an open issue that the caller sees blocks it.")
    .connections(
        "blockedByIssues",
        object::<Issue>("Issue"),
        |issues: Vec<Arc<Issue>>, ask, _, context| async move {
            let owners = Owners::Blocked(ids(&issues));
            lists::pages(owners, IssueFilter::default(), Sorted::newest(), ask, context).await
        },
    )
    .describe("Issues that block it, of those the caller sees.");
}

fn ids(issues: &[Arc<Issue>]) -> Vec<i64> {
    issues.iter().map(|it| it.id).collect()
}

pub async fn assignees(
    parents: Vec<Arc<Issue>>, ask: Ask, _: Args, context: Context,
) -> Pages<Person> {
    let window = ask.window(&context, "assignees", &[Key::int("users.id", Order::Asc)])?;
    let owners = ids(&parents);
    let asked = owners.clone();
    let (app, _) = caller(&context)?;
    let found = app.read(move |tx| rows::assignees_of(tx, &asked)).await?;
    let people = context.load::<People>(found.values().flatten().copied()).await?;
    let page = |owner: &i64| {
        let assigned = found.get(owner).into_iter().flatten();
        let whole: Vec<Arc<Person>> = assigned.filter_map(|id| people.get(id).cloned()).collect();
        Some(window.page_of_whole(&whole, |it| it.user.id))
    };
    Ok(owners.iter().map(page).collect())
}
