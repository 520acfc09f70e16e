//! Work items of projects and groups.

use super::super::Pages;
use super::super::filters::{Common, Either, NotLike, bounded};
use super::super::planned::{Sorted, placed, sorted};
use super::WorkItem;
use crate::model::epics::WORK_ITEMS;
use crate::store::epics::list::{EpicFilter, EpicMarks};
use crate::store::epics::pages::EpicOwners;
use crate::store::issues::filter::{Has, IssueFilter, Marks};
use crate::store::issues::list::Owners;
use crate::store::items::{self as rows, Item, Items};
use identity::graph::Tally;
use kernel::graph::{
    Args, Ask, BOOLEAN, Context, Fault, Graph, HasTypeRef, argument, named, object,
};
use kernel::graph_input;
use kernel::time::Date;
use spaces::graph::{NamespaceView, ProjectView as Project};
use std::sync::Arc;

pub fn graph(g: &mut Graph) {
    g.on::<Project>("Project")
        .connections(
            "workItems",
            object::<WorkItem>("WorkItem"),
            |projects: Vec<Arc<Project>>, ask, args: Args, context| async move {
                let ids: Vec<i64> = projects.iter().map(|it| it.project.id).collect();
                let Wanted { issues, .. } = wanted(&args, &context)?;
                let issues = issues.map(|filter| (Owners::Projects(ids.clone()), filter));
                pages(ids, Items { issues, epics: None }, ask, args, context).await
            },
        )
        .describe("Its work items that the caller may see.")
        .args::<Filters>();
    let flag = |name, text: &str| argument(name, BOOLEAN).default(false).describe(text);
    g.on::<NamespaceView>("Group")
        .connections("workItems", object::<WorkItem>("WorkItem"), of_groups)
        .describe("Its work items that the caller may see.")
        .arg(flag("includeAncestors", "Also those of the groups above."))
        .arg(flag("includeDescendants", "Also those of the groups and projects below."))
        .args::<Filters>();
}

graph_input! {
    struct Filters {
        ..common: Common,
        /// Only these.
        ids: Option<Vec<i64>> = named("WorkItemID").required().list(),
        /// Only what is right below one of these.
        parent_ids: Option<Vec<i64>> = named("WorkItemID").required().list(),
        /// What they are not like.
        not: Option<NotLike> = named("NegatedWorkItemFilterInput"),
        /// What they are like in one way at least.
        either as "or": Option<Either> = named("UnionedWorkItemFilterInput"),
        /// The order.
        sort: Option<String> = named("WorkItemSort") => "created_desc",
    }
}

/// Which issues and which epics; of a kind that is not asked for there are none.
struct Wanted {
    issues: Option<IssueFilter>,
    epics: Option<EpicFilter>,
}

const EPIC: &str = "EPIC";

fn wanted(args: &Args, context: &Context) -> Result<Wanted, Fault> {
    let given: Filters = args.read()?;
    let types = given.common.types();
    let no_epics = given.not.as_ref().is_some_and(|not| not.types().iter().any(|one| one == EPIC));
    let asks_epics = (types.is_empty() || types.iter().any(|one| one == EPIC)) && !no_epics;
    let asks_issues = types.is_empty() || types.iter().any(|one| one != EPIC);
    let ids = given.ids.map(|all| bounded(Some(all), "ids")).transpose()?;
    let parents = given.parent_ids.map(|all| bounded(Some(all), "parentIds")).transpose()?;
    let parents = parents.map(|all| epics(&all));
    let mut issues = given.common.filter(given.not, given.either, context)?;
    issues.epic = parents.clone().map(Has::This);
    let mut like = like_issues(&issues);
    like.parents = parents;
    if let Some(ids) = ids {
        like.ids = Some(epics(&ids));
        issues.ids = Some(ids.into_iter().filter(|id| *id <= WORK_ITEMS).collect());
    }
    Ok(Wanted {
        issues: asks_issues.then_some(issues),
        epics: asks_epics.then_some(like),
    })
}

/// The ids of the epics among these items.
fn epics(items: &[i64]) -> Vec<i64> {
    let epics = items.iter().filter(|id| **id > WORK_ITEMS);
    epics.map(|id| id - WORK_ITEMS).collect()
}

/// Epics like these issues. They have no assignees, milestones and weights: none is like
/// an issue that has one.
fn like_issues(filter: &IssueFilter) -> EpicFilter {
    let has = |marks: &Marks| {
        matches!(marks.alike.milestone, Some(Has::This(_) | Has::Any))
            || matches!(marks.alike.assignee, Some(Has::This(_) | Has::Any))
            || matches!(marks.weight, Some(Has::This(_) | Has::Any))
            || !marks.alike.assignee_usernames.is_empty()
    };
    let lacks = |marks: &Marks| {
        marks.alike.milestone == Some(Has::None)
            || marks.alike.assignee == Some(Has::None)
            || marks.weight == Some(Has::None)
    };
    let marks = |marks: &Marks| EpicMarks {
        labels: marks.alike.labels.clone(),
        author_id: marks.alike.author_id,
        author_username: marks.alike.author_username.clone(),
    };
    EpicFilter {
        state: filter.state,
        search: filter.search.clone(),
        is: marks(&filter.is),
        not: marks(&filter.not),
        times: filter.times.clone(),
        reaction: filter.is.alike.reaction.clone(),
        not_reaction: filter.not.alike.reaction.clone(),
        confidential: filter.confidential,
        iids: filter.is.iids.clone(),
        not_iids: filter.not.iids.clone(),
        any_of: filter.any_of.clone(),
        in_title: filter.in_title,
        in_description: filter.in_description,
        impossible: has(&filter.is) || lacks(&filter.not) || filter.stage.is_some(),
        ..EpicFilter::default()
    }
}

async fn of_groups(
    groups: Vec<Arc<NamespaceView>>, ask: Ask, args: Args, context: Context,
) -> Pages<WorkItem> {
    let ids: Vec<i64> = groups.iter().map(|it| it.namespace.id).collect();
    let flag = |name| args.get::<Option<bool>>(name).map(Option::unwrap_or_default);
    let (above, below) = (flag("includeAncestors")?, flag("includeDescendants")?);
    let Wanted { issues, epics } = wanted(&args, &context)?;
    let items = Items {
        // Right in a group there are epics only.
        issues: issues.filter(|_| below).map(|it| (Owners::Groups(ids.clone(), true), it)),
        epics: epics.map(|it| (EpicOwners::Groups { ids: ids.clone(), above, below }, it)),
    };
    pages(ids, items, ask, args, context).await
}

/// The days an item begins and is due.
pub fn days(item: &WorkItem) -> (Option<Date>, Option<Date>) {
    match item {
        WorkItem::Issue(issue) => (None, issue.due_on),
        WorkItem::Epic(epic) => (epic.start_on(), epic.due_on()),
    }
}

fn shown(item: &Item) -> Option<WorkItem> {
    Some(item.clone().into())
}

fn tally(items: &Items) -> Arc<Tally> {
    let items = items.clone();
    Tally::new(move |tx, viewer, limit| rows::counts_of(tx, viewer, &items, limit))
}

async fn pages(
    ids: Vec<i64>, items: Items, ask: Ask, args: Args, context: Context,
) -> Pages<WorkItem> {
    let sort: Option<String> = args.get("sort")?;
    let sort = Sorted::named(sort.as_deref());
    let tally = tally(&items);
    let pages = sorted((&ids, items), sort, ask, &context, shown).await?;
    Ok(tally.counts(pages, ids))
}

/// What is right below epics: other epics, then issues, each in its order.
pub async fn below(ids: Vec<i64>, ask: Ask, context: Context) -> Pages<WorkItem> {
    let items = Items {
        issues: Some((Owners::Epics(ids.clone()), IssueFilter::default())),
        epics: Some((EpicOwners::Parents(ids.clone()), EpicFilter::default())),
    };
    let tally = tally(&items);
    let pages = placed((&ids, items), ask, &context, shown).await?;
    Ok(tally.counts(pages, ids))
}
