//! The alerts of projects: lists, one of them, and how many there are.

use super::enums::order;
use super::read;
use super::{AlertView, caller, ids, paths};
use crate::alerts::model::{Alert, Status};
use crate::alerts::store::alerts::{self as rows, Counts, Filter, NOBODY, Order};
use identity::viewer::Viewer;
use kernel::error::Result as Read;
use kernel::graph::{
    Args, Argument, Ask, Connection, Context, Cost, Fault, Graph, HasTypeRef, INT, Key,
    ObjectBuilder, Owned, STRING, argument, by_owner, named, object,
};
use spaces::graph::ProjectView as Project;
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

pub fn graph(g: &mut Graph) {
    let text = "How many alerts there are of each status.";
    let of = |status: Status| move |it: &Counts| Some(it.of(status));
    g.object::<Counts>("AlertManagementAlertStatusCountsType", text)
        .field("triggered", INT, of(Status::Triggered))
        .describe("Those that nobody looks after yet.")
        .field("acknowledged", INT, of(Status::Acknowledged))
        .describe("Those that somebody looks after.")
        .field("resolved", INT, of(Status::Resolved))
        .describe("Those that are over.")
        .field("ignored", INT, of(Status::Ignored))
        .describe("Those that nobody needs to look after.")
        .field("open", INT, |it| Some(it.open()))
        .describe("Those triggered or acknowledged.")
        .field("all", INT, |it| Some(it.all()))
        .describe("All of them.");
    let alert = || object::<AlertView>("AlertManagementAlert");
    let one = g
        .on::<Project>("Project")
        .level("alertManagementAlert", alert(), first)
        .cost(Cost::LookedUp)
        .describe("The first of its alerts that passes the filters.");
    let all = filters(one)
        .connections("alertManagementAlerts", alert(), listed)
        .describe("Its alerts; none where the caller may not see them.");
    filters(all)
        .level(
            "alertManagementAlertStatusCounts",
            object::<Counts>("AlertManagementAlertStatusCountsType"),
            counts,
        )
        .cost(Cost::LookedUp)
        .describe("How many alerts it has of each status.")
        .arg(search())
        .arg(assignee());
}

fn search() -> Argument {
    argument("search", STRING)
        .describe("Only those in whose title, description, tool or service this is.")
}

fn assignee() -> Argument {
    argument("assigneeUsername", STRING).describe("Only those that this user looks after.")
}

fn filters(list: ObjectBuilder<'_, Project>) -> ObjectBuilder<'_, Project> {
    list.arg(argument("iid", STRING).describe("Only the one of this number."))
        .arg(
            argument("statuses", named("AlertManagementStatus").required().list())
                .describe("Only those of these statuses."),
        )
        .arg(argument("sort", named("AlertManagementAlertSort")).describe("The order."))
        .arg(
            argument("domain", named("AlertManagementDomainFilter").required())
                .default("operations")
                .describe("What they are about."),
        )
        .arg(search())
        .arg(assignee())
}

/// What a list is narrowed to; the user's name is looked up later.
struct AlertsFilter {
    filter: Filter,
    assignee: Option<String>,
    order: Order,
}

impl AlertsFilter {
    fn read(args: &Args) -> Result<AlertsFilter, Fault> {
        let statuses: Option<Vec<String>> = args.get("statuses")?;
        let statuses = statuses.unwrap_or_default().into_iter();
        let status = |name: String| Status::from_text(&name.to_ascii_lowercase());
        let search: Option<String> = args.get("search")?;
        let iid: Option<String> = args.get("iid")?;
        let sort: Option<String> = args.get("sort")?;
        Ok(AlertsFilter {
            filter: Filter {
                statuses: statuses.filter_map(status).collect(),
                search: search.unwrap_or_default(),
                assignee_id: None,
                iid: iid.map(|text| text.parse().unwrap_or(NOBODY)),
            },
            assignee: args.get("assigneeUsername")?,
            order: sort.and_then(|name| order(&name)).unwrap_or_default(),
        })
    }

    /// Those of these projects whose alerts the viewer may see, and which.
    fn among(
        &self, tx: &mut Tx<'_>, viewer: &Viewer, projects: &[i64],
    ) -> Read<(Vec<i64>, Filter)> {
        let readable = read::readable(tx, viewer, projects)?;
        let mut filter = self.filter.clone();
        filter.look_up(tx, self.assignee.as_deref())?;
        Ok((readable, filter))
    }
}

async fn first(
    projects: Vec<Arc<Project>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<AlertView>>>, Fault> {
    let wanted = AlertsFilter::read(&args)?;
    let (app, viewer) = caller(&context)?;
    let owners = ids(&projects);
    let read = app.read(move |tx| {
        let (readable, filter) = wanted.among(tx, &viewer, &owners)?;
        read::firsts(tx, &readable, &filter, wanted.order)
    });
    let found: HashMap<i64, Vec<Alert>> = by_owner(read.await?);
    let of = |it: &Arc<Project>| {
        let alert = found.get(&it.project.id)?.first()?.clone();
        Some(Arc::new(AlertView::new(&app, alert, &it.project.full_path)))
    };
    Ok(projects.iter().map(of).collect())
}

async fn listed(
    projects: Vec<Arc<Project>>, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<AlertView>>>, Fault> {
    let wanted = AlertsFilter::read(&args)?;
    let order = wanted.order;
    let keys: Vec<Key> = read::keys(order).into_iter().map(|key| key.0).collect();
    let way = if order.descending { "desc" } else { "asc" };
    let window = ask.window(&context, &format!("alerts {} {way}", order.by), &keys)?;
    let (app, viewer) = caller(&context)?;
    let owners = ids(&projects);
    let all = owners.clone();
    let read = app.read(move |tx| {
        let (readable, filter) = wanted.among(tx, &viewer, &all)?;
        let found = read::pages(tx, &readable, &filter, &window)?;
        Ok((found, window))
    });
    let (found, window) = read.await?;
    let paths = paths(&projects);
    let show = |row: Owned<Alert>| {
        let path = paths.get(&row.owner).copied().unwrap_or_default();
        row.map(|alert| AlertView::new(&app, alert, path))
    };
    let found = found.into_iter().map(show).collect();
    let pages = window.pages(&owners, found, |it: &AlertView| read::values(order, &it.alert));
    Ok(pages.into_iter().map(Some).collect())
}

async fn counts(
    projects: Vec<Arc<Project>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<Counts>>>, Fault> {
    let wanted = AlertsFilter::read(&args)?;
    let (app, viewer) = caller(&context)?;
    let owners = ids(&projects);
    let read = app.read(move |tx| {
        let (readable, filter) = wanted.among(tx, &viewer, &owners)?;
        let mut found = rows::counts(tx, &readable, &filter)?;
        for id in readable {
            found.entry(id).or_default();
        }
        Ok(found)
    });
    let found = read.await?;
    let of = |it: &Arc<Project>| found.get(&it.project.id).copied().map(Arc::new);
    Ok(projects.iter().map(of).collect())
}
