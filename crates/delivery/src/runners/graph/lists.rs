//! Lists of runners, and of what belongs to them.

use super::super::access::sights;
use super::super::model::{Runner, RunnerType, Tags};
use super::super::store::lists::{self as rows, Contacted, Filter};
use super::super::store::managers;
use super::{ManagerView, RUNNER_ID, RunnerView, Runners, STATUS, TYPE, projects as projects_by};
use crate::pipelines::graph::{JobView, Listed, job_keys, jobs as views};
use crate::pipelines::store::of_runners;
use crate::place::Place;
use ::store::{Fragment, Tx};
use identity::graph::{Tally, caller};
use identity::viewer::Viewer;
use kernel::error::Result as Outcome;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Fault, Graph, HasTypeRef, Key, Order, STRING, Window,
    argument, item, named, object,
};
use kernel::ids::Reference;
use spaces::graph::{Groups, NamespaceView, ProjectView, Projects};
use spaces::model::SourceKind;
use std::collections::HashMap;
use std::sync::Arc;

const SORT: &str = "CiRunnerSort";
const MEMBERSHIP: &str = "CiRunnerMembershipFilter";
/// Jobs of a runner, the last first.
const JOB_KEYS: [Key; 1] = [Key::int("ci_jobs.id", Order::Desc)];

pub fn graph(g: &mut Graph) {
    let sorts = vec![
        item("CREATED_ASC", "The first made first."),
        item("CREATED_DESC", "The last made first."),
        item("CONTACTED_ASC", "The one that was not heard of for the longest time first."),
        item("CONTACTED_DESC", "The one that was heard of last first."),
    ];
    g.enumeration(SORT, "Orders of runners.", sorts);
    let memberships = vec![
        item("DIRECT", "Of the group itself."),
        item("DESCENDANTS", "Of the group and what is below it."),
        item("ALL_AVAILABLE", "All that take jobs there."),
    ];
    g.enumeration(MEMBERSHIP, "Which runners a group lists.", memberships);
    g.count("CiRunner");
    let list = g
        .query()
        .answer(
            "runner",
            object::<RunnerView>("CiRunner"),
            |args, context: Context| async move {
                let id: i64 = args.get("id")?;
                Ok(context.load::<Runners>([id]).await?.remove(&id))
            },
        )
        .describe("A runner, for who may look at it.")
        .arg(argument("id", RUNNER_ID.required()).describe("Its global ID."))
        .connection("runners", object::<RunnerView>("CiRunner"), |_, ask, args, context| {
            of_instance(ask, args, context)
        })
        .describe("All runners, for administrators.");
    arguments(list)
        .arg(argument("creatorId", named("UserID")).describe("Only those that this user made."));
    let list = g
        .on::<ProjectView>("Project")
        .connection("runners", object::<RunnerView>("CiRunner"), |it, ask, args, context| {
            let at = (SourceKind::Project, it.project.id);
            of_place(at, ask, args, context)
        })
        .describe("Those that take its jobs, for who maintains it.");
    arguments(list);
    let list = g
        .on::<NamespaceView>("Group")
        .connection("runners", object::<RunnerView>("CiRunner"), |it, ask, args, context| {
            let at = (SourceKind::Group, it.namespace.id);
            of_place(at, ask, args, context)
        })
        .describe("Those of it, for who owns it.");
    arguments(list).arg(
        argument("membership", named(MEMBERSHIP))
            .default("DESCENDANTS")
            .describe("Which of them."),
    );
}

fn arguments<T: std::any::Any + Send + Sync>(
    list: kernel::graph::ObjectBuilder<'_, T>,
) -> kernel::graph::ObjectBuilder<'_, T> {
    let old = kernel::graph::Mark::Deprecated {
        reason: "Superseded by `paused`",
        milestone: "14.8",
        replacement: None,
    };
    list.arg(argument("paused", BOOLEAN).describe("Only those that take no jobs, or do."))
        .arg(
            argument("active", BOOLEAN)
                .describe("Only those that take jobs, or do not.")
                .mark(old),
        )
        .arg(argument("status", STATUS).describe("Only those heard of like that."))
        .arg(argument("type", TYPE).describe("Only of this kind."))
        .arg(
            argument("tagList", STRING.required().list())
                .describe("Only those that have all of these."),
        )
        .arg(argument("search", STRING).describe("Only those that are called like that."))
        .arg(argument("sort", named(SORT)).describe("The order."))
}

/// What of a list is asked for.
struct Asked {
    filter: Filter,
    search: Option<String>,
    window: Window,
    by_contact: bool,
}

impl Asked {
    fn read(ask: Ask, args: &Args, context: &Context) -> Result<Asked, Fault> {
        let sort: Option<String> = args.get("sort")?;
        let sort = sort.unwrap_or_else(|| "CREATED_DESC".to_owned());
        let by_contact = sort.starts_with("CONTACTED");
        let order = match sort.ends_with("_ASC") {
            true => Order::Asc,
            false => Order::Desc,
        };
        let id = Key::int("ci_runners.id", order);
        let window = match by_contact {
            // A runner that was never heard of stands by when it was made.
            true => {
                let at = "coalesce(ci_runners.contacted_at, ci_runners.created_at)";
                ask.window(context, &format!("runners {sort}"), &[Key::time(at, order), id])?
            }
            false => ask.window(context, &format!("runners {sort}"), &[id])?,
        };
        let (paused, active): (Option<bool>, Option<bool>) =
            (args.get("paused")?, args.get("active")?);
        let status: Option<String> = args.get("status")?;
        let kind: Option<String> = args.get("type")?;
        let tags: Option<Vec<String>> = args.get("tagList")?;
        let by_status = match status.as_deref() {
            Some("ACTIVE") => Some(false),
            Some("PAUSED") => Some(true),
            _ => None,
        };
        let filter = Filter {
            runner_type: kind.and_then(|text| RunnerType::from_text(&text.to_ascii_lowercase())),
            contacted: status.as_deref().and_then(contacted),
            paused: paused.or(active.map(|active| !active)).or(by_status),
            tags: Tags::new(tags.unwrap_or_default()),
            version_prefix: None,
            creator_id: match args.has("creatorId") {
                true => args.get("creatorId")?,
                false => None,
            },
        };
        Ok(Asked { filter, search: args.get("search")?, window, by_contact })
    }

    /// The page of those that meet a condition.
    async fn page(
        self, context: &Context, condition: Fragment,
    ) -> Result<Connection<RunnerView>, Fault> {
        let (app, viewer) = caller(context)?;
        let Asked { filter, search, window, by_contact } = self;
        let condition = rows::searched(&condition, search.as_deref());
        let (wanted, narrowed) = (condition.clone(), filter.clone());
        let read = app.read(move |tx| {
            let (found, now) = (rows::window(tx, &wanted, &narrowed, &window)?, tx.now());
            let sights = sights(tx, &viewer, &found)?;
            let view = |runner: Runner| {
                let managed = sights.get(&runner.id).copied().unwrap_or(false);
                RunnerView { runner, managed, now }
            };
            Ok((found.into_iter().map(view).collect::<Vec<_>>(), window))
        });
        let (views, window) = read.await?;
        let page = window.page(views, move |it| {
            let runner = &it.runner;
            let at = Key::instant(runner.contacted_at.unwrap_or(runner.created_at));
            match by_contact {
                true => vec![at, runner.id.into()],
                false => vec![runner.id.into()],
            }
        });
        Ok(page.counted(move |context: Context, limit| {
            let (condition, filter) = (condition.clone(), filter.clone());
            async move {
                let (app, _) = caller(&context)?;
                Ok(app.read(move |tx| rows::count(tx, &condition, &filter, limit)).await?)
            }
        }))
    }
}

fn contacted(word: &str) -> Option<Contacted> {
    match word {
        "ONLINE" => Some(Contacted::Online),
        "OFFLINE" => Some(Contacted::Offline),
        "STALE" => Some(Contacted::Stale),
        "NEVER_CONTACTED" => Some(Contacted::Never),
        _ => None,
    }
}

async fn of_instance(
    ask: Ask, args: Args, context: Context,
) -> Result<Option<Connection<RunnerView>>, Fault> {
    let (_, viewer) = caller(&context)?;
    if !viewer.is_admin() {
        return Err(Fault::not_available());
    }
    let asked = Asked::read(ask, &args, &context)?;
    asked.page(&context, rows::all()).await.map(Some)
}

async fn of_place(
    at: (SourceKind, i64), ask: Ask, args: Args, context: Context,
) -> Result<Option<Connection<RunnerView>>, Fault> {
    let (app, viewer) = caller(&context)?;
    let membership: Option<String> = match args.has("membership") {
        true => args.get("membership")?,
        false => None,
    };
    let read = app.read(move |tx| condition(tx, &viewer, at, membership.as_deref()));
    let Some(condition) = read.await? else {
        return Ok(None);
    };
    let asked = Asked::read(ask, &args, &context)?;
    asked.page(&context, condition).await.map(Some)
}

/// Which runners a project or group lists, for who manages them there.
fn condition(
    tx: &mut Tx<'_>, viewer: &Viewer, (kind, id): (SourceKind, i64), membership: Option<&str>,
) -> Outcome<Option<Fragment>> {
    use kernel::error::Error;
    use spaces::pages::Space;
    let place = match Place::find(tx, viewer, (kind, &Reference::Id(id))) {
        Ok(place) => place,
        Err(Error::NotFound(_) | Error::Forbidden(_) | Error::Unauthenticated) => {
            return Ok(None);
        }
        Err(other) => return Err(other),
    };
    Ok(match place.space() {
        None => None,
        Some(Space::Project(project, _)) => Some(rows::of_project(project)),
        Some(Space::Group(group, _)) => Some(match membership {
            Some("ALL_AVAILABLE") => rows::of_group(group),
            Some("DIRECT") => rows::right_in(group),
            _ => rows::at_and_below(group),
        }),
    })
}

/// Jobs of runners that the caller sees.
pub async fn jobs(
    of: Vec<Arc<RunnerView>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<JobView>>>, Fault> {
    let window = ask.window(&context, "jobs", &JOB_KEYS)?;
    let owners: Vec<i64> = of.iter().map(|it| it.runner.id).collect();
    let (app, viewer) = caller(&context)?;
    let asked = owners.clone();
    let read = app.read(move |tx| {
        let found = of_runners::jobs_of_runners(tx, &viewer, &asked, &window)?;
        let read = (found, asked, window);
        Listed::of(read, (|row| row.id, |it: &JobView| it.job.id), |rows| views(tx, &viewer, rows))
    });
    let listed = read.await?;
    let counted = owners.clone();
    let tally = Tally::new(move |tx, viewer, limit| {
        of_runners::job_counts_of_runners(tx, viewer, &counted, limit)
    });
    Ok(listed.pages(&owners, job_keys, tally))
}

/// The machines of runners.
pub async fn managers(
    of: Vec<Arc<RunnerView>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<ManagerView>>>, Fault> {
    let (app, _) = caller(&context)?;
    let ids = of.iter().map(|it| it.runner.id).collect();
    let read = app.read(move |tx| Ok((managers::of_runners(tx, ids)?, tx.now())));
    let (rows, now) = read.await?;
    let mut found: HashMap<i64, Vec<Arc<ManagerView>>> = HashMap::new();
    for manager in rows {
        let all = found.entry(manager.runner_id).or_default();
        all.push(Arc::new(ManagerView { manager, now }));
    }
    let page = |it: &Arc<RunnerView>| {
        let mut all = found.remove(&it.runner.id).unwrap_or_default();
        all.reverse();
        super::whole(&ask, &context, ("managers", &all), |one| one.manager.id).map(Some)
    };
    of.iter().map(page).collect()
}

/// The projects of runners that the caller sees.
pub async fn projects(
    of: Vec<Arc<RunnerView>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<ProjectView>>>, Fault> {
    let ids = projects_by(&of, &context).await?;
    let seen = context.load::<Projects>(ids.values().flatten().copied()).await?;
    let page = |it: &Arc<RunnerView>| {
        let own = ids.get(&it.runner.id).into_iter().flatten();
        let all: Vec<Arc<ProjectView>> = own.filter_map(|id| seen.get(id).cloned()).collect();
        super::whole(&ask, &context, ("projects", &all), |one| one.project.id).map(Some)
    };
    of.iter().map(page).collect()
}

/// The groups of runners that the caller sees.
pub async fn groups(
    of: Vec<Arc<RunnerView>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<NamespaceView>>>, Fault> {
    let seen = context.load::<Groups>(of.iter().filter_map(|it| it.runner.group_id)).await?;
    let page = |it: &Arc<RunnerView>| {
        let group = it.runner.group_id.and_then(|id| seen.get(&id).cloned());
        let all: Vec<Arc<NamespaceView>> = group.into_iter().collect();
        super::whole(&ask, &context, ("groups", &all), |one| one.namespace.id).map(Some)
    };
    of.iter().map(page).collect()
}
