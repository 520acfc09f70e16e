//! Issues of a project, of a group, and of all that the caller sees.

use super::Pages;
use super::filters::{Common, Either, NotLike, of_epic};
use super::read_pages;
use super::sorts::sort_of;
use crate::model::Issue;
use crate::store::issues::filter::IssueFilter;
use crate::store::issues::list::{self as rows, Owners};
use identity::graph::{Tally, caller};
use identity::viewer::Viewer;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Fault, Graph, Key, Order, STRING, Window, argument,
    named, object,
};
use kernel::graph_input;
use kernel::ids::fold;
use serde_json::Value as Json;
use spaces::graph::{NamespaceView, ProjectView as Project};
use std::sync::Arc;
use store::Tx;

pub fn graph(g: &mut Graph) {
    g.count("Issue");
    g.on::<Project>("Project")
        .connections(
            "issues",
            object::<Issue>("Issue"),
            |projects: Vec<Arc<Project>>, ask, args, context| async move {
                let ids = projects.iter().map(|it| it.project.id).collect();
                asked(Owners::Projects(ids), ask, args, context).await
            },
        )
        .describe("Its issues that the caller may see.")
        .args::<Filters>();
    g.on::<NamespaceView>("Group")
        .connections(
            "issues",
            object::<Issue>("Issue"),
            |groups: Vec<Arc<NamespaceView>>, ask, args, context| async move {
                let ids = groups.iter().map(|it| it.namespace.id).collect();
                let below: Option<bool> = args.get("includeSubgroups")?;
                let owners = Owners::Groups(ids, below.unwrap_or(false));
                asked(owners, ask, args, context).await
            },
        )
        .describe("Issues of its projects that the caller may see.")
        .arg(
            argument("includeSubgroups", BOOLEAN)
                .default(false)
                .describe("Also those of the groups below."),
        )
        .args::<Filters>();
    g.query()
        .connection("issues", object::<Issue>("Issue"), |_, ask, args, context| {
            everywhere(ask, args, context)
        })
        .describe("Issues that the caller may see; at least one filter is needed.")
        .args::<Filters>();
}

graph_input! {
    struct Filters {
        ..common: Common,
        /// Only of the epic of this number or global ID; `Any` or `None`.
        epic_id: Option<String> = STRING,
        /// What they are not like.
        not: Option<NotLike> = named("NegatedIssueFilterInput"),
        /// What they are like in one way at least.
        either as "or": Option<Either> = named("UnionedIssueFilterInput"),
        /// The order.
        sort: Option<String> = named("IssueSort") => "created_desc",
    }
}

fn filter(args: &Args, context: &Context) -> Result<IssueFilter, Fault> {
    let given: Filters = args.read()?;
    let epic = given.epic_id.as_deref().and_then(of_epic);
    let filter = given.common.filter(given.not, given.either, context)?;
    Ok(IssueFilter { epic, ..filter })
}

#[derive(Debug, Clone, Copy)]
enum By {
    Created,
    Updated,
    Due,
    Weight,
    Title,
    Popularity,
}

#[derive(Debug, Clone, Copy)]
pub struct Sorted {
    by: By,
    order: Order,
}

/// Stands for no day, after or before every other.
const NO_DAY: [&str; 2] = ["9999-99-99", ""];
/// Stands for no weight, after or before every other.
const NO_WEIGHT: [i64; 2] = [9_999_999_999, -1];

impl Sorted {
    pub fn newest() -> Sorted {
        Sorted { by: By::Created, order: Order::Desc }
    }

    fn read(args: &Args) -> Result<Sorted, Fault> {
        let name: Option<String> = args.get("sort")?;
        let (by, order) = sort_of(name.as_deref());
        let by = match by.as_str() {
            "updated" => By::Updated,
            "due_date" => By::Due,
            "weight" => By::Weight,
            "title" => By::Title,
            "popularity" => By::Popularity,
            _ => By::Created,
        };
        Ok(Sorted { by, order })
    }

    fn keys(self) -> [Key; 2] {
        let ascends = self.order == Order::Asc;
        let key = match self.by {
            By::Created => Key::time("issues.created_at", self.order),
            By::Updated => Key::time("issues.updated_at", self.order),
            By::Title => Key::text("issues.title_folded", self.order),
            By::Popularity => Key::int("issues.upvotes", self.order),
            By::Due if ascends => Key::text("coalesce(issues.due_on, '9999-99-99')", self.order),
            By::Due => Key::text("coalesce(issues.due_on, '')", self.order),
            By::Weight if ascends => Key::int("coalesce(issues.weight, 9999999999)", self.order),
            By::Weight => Key::int("coalesce(issues.weight, -1)", self.order),
        };
        [key, Key::int("issues.id", self.order)]
    }

    fn values(self, issue: &Issue) -> Vec<Json> {
        let end = usize::from(self.order == Order::Desc);
        let first = match self.by {
            By::Created => Key::instant(issue.created_at),
            By::Updated => Key::instant(issue.updated_at),
            By::Title => fold(&issue.title).into(),
            By::Popularity => issue.upvotes.into(),
            By::Due => match issue.due_on {
                Some(day) => day.to_string().into(),
                None => NO_DAY[end].into(),
            },
            By::Weight => issue.weight.unwrap_or(NO_WEIGHT[end]).into(),
        };
        vec![first, issue.id.into()]
    }

    fn name(self) -> String {
        format!("issues {:?} {:?}", self.by, self.order)
    }
}

async fn asked(owners: Owners, ask: Ask, args: Args, context: Context) -> Pages<Issue> {
    let filter = filter(&args, &context)?;
    pages(owners, filter, Sorted::read(&args)?, ask, context).await
}

/// A page for each owner, with how to count its list.
pub async fn pages(
    owners: Owners, filter: IssueFilter, sorted: Sorted, ask: Ask, context: Context,
) -> Pages<Issue> {
    let window = ask.window(&context, &sorted.name(), &sorted.keys())?;
    let tally = {
        let (owners, filter) = (owners.clone(), filter.clone());
        Tally::new(move |tx, viewer, limit| rows::counts_of(tx, viewer, &owners, &filter, limit))
    };
    let ids = owners.ids();
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        rows::pages_of(tx, viewer, &owners, &filter, window)
    };
    let keys = |it: &Issue| sorted.values(it);
    let pages = read_pages(&context, window, &ids, read, keys).await?;
    Ok(tally.counts(pages, ids))
}

async fn everywhere(
    ask: Ask, args: Args, context: Context,
) -> Result<Option<Connection<Issue>>, Fault> {
    let pages = ["first", "last", "after", "before", "sort"];
    let narrows =
        |(name, value): (&String, &Json)| !pages.contains(&name.as_str()) && !value.is_null();
    if !args.0.iter().any(narrows) {
        let text = "You must provide at least one filter argument for this query";
        return Err(Fault::argument(text));
    }
    let filter = filter(&args, &context)?;
    let sorted = Sorted::read(&args)?;
    let window = ask.window(&context, &sorted.name(), &sorted.keys())?;
    let (app, viewer) = caller(&context)?;
    let narrowed = filter.clone();
    let read = app.read(move |tx| {
        let found = rows::page_of_all(tx, &viewer, &narrowed, &window)?;
        Ok((found, window))
    });
    let (found, window) = read.await?;
    let page = window.page(found, |it: &Issue| sorted.values(it));
    Ok(Some(page.counted(move |context, limit| {
        let filter = filter.clone();
        async move {
            let (app, viewer) = caller(&context)?;
            let count = app.read(move |tx| rows::count_all(tx, &viewer, &filter, limit));
            Ok(count.await?)
        }
    })))
}
