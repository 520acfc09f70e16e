//! Merge requests of projects, of groups, and of people.

use super::filters::Filters;
use crate::model::MergeRequest;
use crate::store::filter::Filter;
use crate::store::owned::{self as rows, Beside, Owners, Rank, Ranked, Wanted};
use ::store::Tx;
use identity::graph::{Person, Tally, caller};
use identity::viewer::Viewer;
use kernel::graph::{
    Args, Argument, Ask, BOOLEAN, Connection, Context, Fault, Graph, HasTypeRef, Key, Mark,
    ObjectBuilder, Order, STRING, Window, argument, object,
};
use kernel::graph_input;
use kernel::ids::{Reference, fold};
use kernel::time::Timestamp;
use planning::graph::{Pages, bounded, mapped, read_pages, sort_of};
use planning::rules::narrowing::labels;
use serde_json::Value as Json;
use spaces::access::find_project;
use spaces::graph::{GROUP_ID, NamespaceView, PROJECT_ID, ProjectView};
use std::sync::Arc;

pub fn graph(g: &mut Graph) {
    g.count("MergeRequest");
    let text =
        "Seconds that went by until those that are merged were, added up; null where none is.";
    g.sum("MergeRequest", "totalTimeToMerge", text);
    g.on::<ProjectView>("Project")
        .connections(
            "mergeRequests",
            object::<MergeRequest>("MergeRequest"),
            |projects: Vec<Arc<ProjectView>>, ask, args: Args, context| async move {
                let ids = projects.iter().map(|it| it.project.id).collect();
                let (filter, beside) = narrowed(&args, &context)?;
                let wanted = Wanted { owners: Owners::Projects(ids), filter, beside };
                pages(wanted, Sorted::read(&args)?, ask, context).await
            },
        )
        .describe("Those that are to be merged there and that the caller may see.")
        .args::<Filters>()
        .arg(by_older_name());
    g.on::<NamespaceView>("Group")
        .connections(
            "mergeRequests",
            object::<MergeRequest>("MergeRequest"),
            |groups: Vec<Arc<NamespaceView>>, ask, args: Args, context| async move {
                let ids = groups.iter().map(|it| it.namespace.id).collect();
                let (filter, beside) = narrowed(&args, &context)?;
                let extent: Extent = args.read()?;
                let filter = Filter {
                    non_archived: extent.include_archived != Some(true),
                    ..filter
                };
                let owners = Owners::Groups(ids, extent.include_subgroups == Some(true));
                let wanted = Wanted { owners, filter, beside };
                pages(wanted, Sorted::read(&args)?, ask, context).await
            },
        )
        .describe("Those of its projects that the caller may see.")
        .args::<Extent>()
        .args::<Filters>()
        .arg(by_older_name());
    let person = g.on::<Person>("User");
    let person = of_people(person, "authoredMergeRequests", Owners::Authors)
        .describe("Those they made that the caller may see.");
    let person = of_people(person, "assignedMergeRequests", Owners::Assignees)
        .describe("Those they are assigned to that the caller may see.");
    of_people(person, "reviewRequestedMergeRequests", Owners::Reviewers)
        .describe("Those they review that the caller may see.");
}

graph_input! {
    struct Extent {
        /// Also those of the groups below.
        include_subgroups: Option<bool> = BOOLEAN => false,
        /// Also those of archived projects.
        include_archived: Option<bool> = BOOLEAN => false,
    }
}

graph_input! {
    struct Within {
        /// Only those of the project of this path.
        project_path: Option<String> = STRING,
        /// Only those of this project.
        project_id: Option<i64> = PROJECT_ID,
        /// Only those of this group and the groups below it.
        group_id: Option<i64> = GROUP_ID,
    }
}

fn by_older_name() -> Argument {
    argument("labels", STRING.required().list()).describe("All these labels.").mark(
        Mark::Deprecated {
            reason: "This was renamed",
            milestone: "17.1",
            replacement: Some("labelName"),
        },
    )
}

/// A list of people: of what `owners` makes of their ids.
fn of_people<'g>(
    person: ObjectBuilder<'g, Person>, name: &str, owners: fn(Vec<i64>) -> Owners,
) -> ObjectBuilder<'g, Person> {
    person
        .connections(
            name,
            object::<MergeRequest>("MergeRequest"),
            move |people: Vec<Arc<Person>>, ask, args: Args, context| async move {
                let ids = people.iter().map(|it| it.user.id).collect();
                let (filter, beside) = narrowed(&args, &context)?;
                let beside = within(args.read()?, beside, &context).await?;
                let wanted = Wanted { owners: owners(ids), filter, beside };
                pages(wanted, Sorted::read(&args)?, ask, context).await
            },
        )
        .args::<Within>()
        .args::<Filters>()
        .arg(by_older_name())
}

fn narrowed(args: &Args, context: &Context) -> Result<(Filter, Beside), Fault> {
    let given: Filters = args.read()?;
    let (mut filter, beside) = given.read(context)?;
    let older: Option<Vec<String>> = args.get("labels")?;
    filter.is.alike.labels = filter.is.alike.labels.or(labels(bounded(older, "labels")?));
    Ok((filter, beside))
}

async fn within(asked: Within, beside: Beside, context: &Context) -> Result<Beside, Fault> {
    let by_path = match asked.project_path {
        None => None,
        Some(path) => {
            let (app, _) = caller(context)?;
            let found = app.read(move |tx| find_project(tx, &Reference::Path(path))).await?;
            // A project that is not there has no merge requests.
            Some(found.map_or(0, |it| it.id))
        }
    };
    let project_id = by_path.or(asked.project_id);
    Ok(Beside { project_id, group_id: asked.group_id, ..beside })
}

#[derive(Debug, Clone, Copy)]
enum By {
    Created,
    Updated,
    Merged,
    Closed,
    Title,
    Rank(Rank),
}

#[derive(Debug, Clone, Copy)]
struct Sorted {
    by: By,
    order: Order,
}

impl Sorted {
    fn read(args: &Args) -> Result<Sorted, Fault> {
        let name: Option<String> = args.get("sort")?;
        let (by, order) = sort_of(name.as_deref());
        let by = match by.as_str() {
            "updated" => By::Updated,
            "merged_at" => By::Merged,
            "closed_at" => By::Closed,
            "title" => By::Title,
            "popularity" => By::Rank(Rank::Popularity),
            "milestone_due" => By::Rank(Rank::MilestoneDue),
            "priority" | "label_priority" => By::Rank(Rank::Priority),
            _ => By::Created,
        };
        Ok(Sorted { by, order })
    }

    fn rank(self) -> &'static str {
        let rank = match self.by {
            By::Rank(rank) => rank,
            _ => Rank::Same,
        };
        rank.expression(self.order == Order::Asc)
    }

    fn keys(self) -> Vec<Key> {
        let Sorted { by, order } = self;
        let mut keys = match by {
            By::Created => vec![Key::time("merge_requests.created_at", order)],
            By::Updated => vec![Key::time("merge_requests.updated_at", order)],
            By::Title => vec![Key::text("merge_requests.title_folded", order)],
            By::Rank(_) => vec![Key::int(self.rank(), order)],
            By::Merged => vec![
                Key::int(
                    "case when merge_requests.merged_at is null then 1 else 0 end",
                    Order::Asc,
                ),
                Key::time("coalesce(merge_requests.merged_at, merge_requests.created_at)", order),
            ],
            By::Closed => vec![
                Key::int(
                    "case when merge_requests.closed_at is null then 1 else 0 end",
                    Order::Asc,
                ),
                Key::time("coalesce(merge_requests.closed_at, merge_requests.created_at)", order),
            ],
        };
        keys.push(Key::int("merge_requests.id", order));
        keys
    }

    fn values(self, it: &Ranked) -> Vec<Json> {
        let request = &it.request;
        // What has no such time comes after all that have one.
        let or_last = |at: Option<Timestamp>| {
            let last = i64::from(at.is_none());
            vec![last.into(), Key::instant(at.unwrap_or(request.created_at))]
        };
        let mut values = match self.by {
            By::Created => vec![Key::instant(request.created_at)],
            By::Updated => vec![Key::instant(request.updated_at)],
            By::Title => vec![fold(&request.title).into()],
            By::Rank(_) => vec![it.sort_rank.into()],
            By::Merged => or_last(request.merged_at),
            By::Closed => or_last(request.closed_at),
        };
        values.push(request.id.into());
        values
    }

    fn name(self) -> String {
        format!("merge requests {:?} {:?}", self.by, self.order)
    }
}

/// A page for each owner, with how to count its list.
async fn pages(wanted: Wanted, sorted: Sorted, ask: Ask, context: Context) -> Pages<MergeRequest> {
    let window = ask.window(&context, &sorted.name(), &sorted.keys())?;
    let tally = {
        let wanted = wanted.clone();
        Tally::new(move |tx, viewer, limit| rows::counts_of(tx, viewer, &wanted, limit))
    };
    let times = {
        let wanted = wanted.clone();
        Tally::new(move |tx, viewer, _| rows::times_to_merge(tx, viewer, &wanted))
    };
    let ids = wanted.owners.ids().to_vec();
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        rows::pages_of(tx, viewer, &wanted, sorted.rank(), window)
    };
    let keys = |it: &Ranked| sorted.values(it);
    let found = read_pages(&context, window, &ids, read, keys).await?;
    let found = found.into_iter().map(|page| {
        let request = |it: &Ranked| Some(Arc::new(it.request.clone()));
        mapped(page, request)
    });
    let counted = tally.counts(found.collect(), ids.clone()).into_iter().zip(ids);
    Ok(counted.map(|(page, owner)| Some(timed(page?, owner, times.clone()))).collect())
}

/// The page with how to tell how long it took to merge those of its list.
fn timed(
    page: Connection<MergeRequest>, owner: i64, times: Arc<Tally>,
) -> Connection<MergeRequest> {
    page.summed(move |context| {
        let times = times.clone();
        async move {
            let micros = times.known(&context, owner, None).await?;
            Ok(micros.map(|micros| micros as f64 / 1_000_000.0))
        }
    })
}
