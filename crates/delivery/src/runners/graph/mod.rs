//! Runners and their machines in GraphQL (docs/interface/graphql.md): for who looks after
//! them, as in REST.

mod lists;
mod mutations;

use super::access;
use super::model::{AccessLevel, ContactStatus, Manager, Runner, RunnerType, contact};
use super::store;
use crate::pipelines::graph::JobView;
use identity::graph::{People, Person, caller};
use jiff::Timestamp;
use kernel::graph::context::Loader;
use kernel::graph::shape::Leaf;
use kernel::graph::{
    Ask, BOOLEAN, Connection, Context, Fault, GlobalId, Graph, HasTypeRef, INT, Key, Mark,
    ObjectBuilder, Order, STRING, item, object,
};
use spaces::graph::{NamespaceView, ProjectView, Projects};
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) const RUNNER_ID: GlobalId = GlobalId::new("CiRunnerID", "Ci::Runner");
const MANAGER_ID: GlobalId = GlobalId::new("CiRunnerManagerID", "Ci::RunnerManager");
const TYPE: Leaf<RunnerType> = Leaf::upper("CiRunnerType");
const ACCESS: Leaf<AccessLevel> = Leaf::upper("CiRunnerAccessLevel");
const STATUS: Leaf<&'static str> = kernel::graph::enumeration("CiRunnerStatus");
const JOB_STATUS: Leaf<&'static str> = kernel::graph::enumeration("CiRunnerJobExecutionStatus");

/// A runner that the caller may look at.
pub struct RunnerView {
    runner: Runner,
    /// They may change it.
    managed: bool,
    now: Timestamp,
}

/// A machine of such a runner.
pub struct ManagerView {
    manager: Manager,
    now: Timestamp,
}

/// What the caller may do with a runner.
struct Permissions {
    managed: bool,
}

/// A contact as this interface names it.
fn status(contact: ContactStatus) -> &'static str {
    match contact {
        ContactStatus::Online => "ONLINE",
        ContactStatus::Offline => "OFFLINE",
        ContactStatus::Stale => "STALE",
        ContactStatus::NotConnected => "NEVER_CONTACTED",
    }
}

pub fn graph(g: &mut Graph) {
    for id in [RUNNER_ID, MANAGER_ID] {
        id.register(g);
    }
    enums(g);
    managers(g);
    runner(g);
    lists::graph(g);
    mutations::graph(g);
    g.node::<Runners, _>(RUNNER_ID, object("CiRunner"));
}

fn enums(g: &mut Graph) {
    let kinds = vec![
        item("INSTANCE_TYPE", "Of the instance."),
        item("GROUP_TYPE", "Of a group."),
        item("PROJECT_TYPE", "Of projects."),
    ];
    g.enumeration("CiRunnerType", "Whose jobs runners take.", kinds);
    let levels = vec![
        item("NOT_PROTECTED", "Of all refs."),
        item("REF_PROTECTED", "Of protected refs alone."),
    ];
    g.enumeration("CiRunnerAccessLevel", "Jobs of which refs runners take.", levels);
    let old = |text| Mark::Deprecated { reason: text, milestone: "14.6", replacement: None };
    let states = vec![
        item("ONLINE", "Heard of within 2 hours."),
        item("OFFLINE", "Not heard of within 2 hours."),
        item("STALE", "Not heard of within 7 days."),
        item("NEVER_CONTACTED", "Never heard of."),
        item("ACTIVE", "It takes jobs.").mark(old("Superseded by `CiRunner.paused`")),
        item("PAUSED", "It takes no jobs.").mark(old("Superseded by `CiRunner.paused`")),
    ];
    g.enumeration("CiRunnerStatus", "Whether runners were heard of.", states);
    let work = vec![item("ACTIVE", "A job runs."), item("IDLE", "No job runs.")];
    g.enumeration("CiRunnerJobExecutionStatus", "Whether runners have a job.", work);
}

fn managers(g: &mut Graph) {
    g.object::<ManagerView>("CiRunnerManager", "A machine that uses the token of a runner.")
        .field("id", MANAGER_ID.required(), |it| it.manager.id)
        .describe("Global ID.")
        .field("systemId", STRING.required(), |it| it.manager.system_id.clone())
        .describe("How it calls itself.")
        .value("version", "Version of its program.", |it| it.manager.version.clone())
        .value("revision", "Revision of its program.", |it| it.manager.revision.clone())
        .value("platformName", "What it runs on.", |it| it.manager.platform.clone())
        .value("architectureName", "What it runs on.", |it| it.manager.architecture.clone())
        .value("executorName", "How it runs jobs.", |it| it.manager.executor.clone())
        .value("ipAddress", "Where it is.", |it| it.manager.ip_address.clone())
        .value("createdAt", "When it was first heard of.", |it| it.manager.created_at)
        .value("contactedAt", "When it was last heard of.", |it| it.manager.contacted_at)
        .field("status", STATUS.required(), |it| {
            let Manager { created_at, contacted_at, .. } = &it.manager;
            status(contact(*created_at, *contacted_at, it.now))
        })
        .describe("Whether it was heard of lately.")
        .load::<Runners, _>("runner", object::<RunnerView>("CiRunner"), |it| {
            Some(it.manager.runner_id)
        })
        .describe("Whose token it uses.");
}

fn runner(g: &mut Graph) {
    g.object::<Permissions>("RunnerPermissions", "What the caller may do with a runner.")
        .field("readRunner", BOOLEAN.required(), |_| true)
        .describe("Look at it.")
        .field("updateRunner", BOOLEAN.required(), |it| it.managed)
        .describe("Change it.")
        .field("deleteRunner", BOOLEAN.required(), |it| it.managed)
        .describe("Delete it.")
        .field("assignRunner", BOOLEAN.required(), |it| it.managed)
        .describe("Give it to projects.");
    let it = g
        .object::<RunnerView>("CiRunner", "A program that runs jobs.")
        .field("id", RUNNER_ID.node().required(), |it| it.runner.id)
        .describe("Global ID.")
        .field("runnerType", TYPE.required(), |it| it.runner.runner_type)
        .describe("Whose jobs it takes.")
        .field("status", STATUS.required(), |it| status(it.runner.contact(it.now)))
        .describe("Whether it was heard of lately.")
        .field("paused", BOOLEAN.required(), |it| it.runner.paused)
        .describe("Whether it takes no jobs.")
        .field("active", BOOLEAN.required(), |it| !it.runner.paused)
        .describe("Whether it takes jobs.")
        .mark(Mark::Deprecated {
            reason: "Superseded by `paused`",
            milestone: "14.8",
            replacement: Some("CiRunner.paused"),
        })
        .field("accessLevel", ACCESS.required(), |it| it.runner.access_level)
        .describe("Jobs of which refs it takes.")
        .field("locked", BOOLEAN, |it| Some(it.runner.locked))
        .describe("Whether it takes no further projects.")
        .field("runUntagged", BOOLEAN.required(), |it| it.runner.run_untagged)
        .describe("Whether it takes jobs without tags.")
        .value("description", "What people call it.", |it| it.runner.description.clone())
        .value("maintenanceNote", "A note for who looks after it.", |it| {
            it.runner.maintenance_note.clone()
        })
        .field("tagList", STRING.required().list(), |it| {
            Some(it.runner.tags.as_slice().to_vec())
        })
        .describe("What jobs find it by.")
        .field("maximumTimeout", INT, |it| it.runner.maximum_timeout)
        .describe("Most seconds of a job.")
        .value("shortSha", "The beginning of its token.", |it| {
            Some(it.runner.short_token.clone())
        })
        .value("ipAddress", "Always blank: machines have one.", |_| Some(String::new()))
        .value("createdAt", "When it was made.", |it| it.runner.created_at)
        .value("contactedAt", "When it was last heard of.", |it| it.runner.contacted_at)
        .value("tokenExpiresAt", "When its token ends; none does.", |_| None::<Timestamp>)
        .value("creationState", "`STARTED` until a machine has used it.", |it| {
            let was_heard = it.runner.contacted_at.is_some();
            Some(if was_heard { "FINISHED" } else { "STARTED" }.to_owned())
        })
        .load::<People, _>("createdBy", object::<Person>("UserCore"), |it| it.runner.creator_id)
        .describe("Who made it.");
    related(it);
}

fn related(it: ObjectBuilder<'_, RunnerView>) {
    it.level("adminUrl", STRING, |of: Vec<Arc<RunnerView>>, _, context: Context| async move {
        let (app, viewer) = caller(&context)?;
        let url = viewer.is_admin().then(|| app.url("/admin/runners"));
        Ok(of.iter().map(|_| url.clone()).collect())
    })
    .describe("Its page, for administrators.")
    .level(
        "editAdminUrl",
        STRING,
        |of: Vec<Arc<RunnerView>>, _, context: Context| async move {
            let (app, viewer) = caller(&context)?;
            let url = |it: &Arc<RunnerView>| {
                let path = format!("/admin/runners?edit={}", it.runner.id);
                viewer.is_admin().then(|| app.url(&path))
            };
            Ok(of.iter().map(url).collect())
        },
    )
    .describe("The page that changes it, for administrators.")
    .level("jobCount", INT, |of: Vec<Arc<RunnerView>>, _, context: Context| async move {
        let counts = counted(&of, context, false).await?;
        Ok(of
            .iter()
            .map(|it| Some(counts.get(&it.runner.id).copied().unwrap_or(0)))
            .collect())
    })
    .describe("How many jobs it ran, counted to 1,000 and one more.")
    .level(
        "jobExecutionStatus",
        JOB_STATUS,
        |of: Vec<Arc<RunnerView>>, _, context: Context| async move {
            let counts = counted(&of, context, true).await?;
            let word = |it: &Arc<RunnerView>| match counts.contains_key(&it.runner.id) {
                true => Some("ACTIVE"),
                false => Some("IDLE"),
            };
            Ok(of.iter().map(word).collect())
        },
    )
    .describe("Whether it runs a job.")
    .connections("jobs", object::<JobView>("CiJob"), lists::jobs)
    .describe("Jobs of it that the caller sees, the last first.")
    .at_most(1)
    .connections("managers", object::<ManagerView>("CiRunnerManager"), lists::managers)
    .describe("The machines that use its token.")
    .level(
        "projectCount",
        INT,
        |of: Vec<Arc<RunnerView>>, _, context: Context| async move {
            let projects = projects(&of, &context).await?;
            let count = |it: &Arc<RunnerView>| {
                let is_of_projects = it.runner.runner_type == RunnerType::Project;
                is_of_projects.then(|| projects.get(&it.runner.id).map_or(0, Vec::len) as i64)
            };
            Ok(of.iter().map(count).collect())
        },
    )
    .describe("How many projects it is of.")
    .connections("projects", object::<ProjectView>("Project"), lists::projects)
    .describe("The projects that it is of, as far as the caller sees them.")
    .connections("groups", object::<NamespaceView>("Group"), lists::groups)
    .describe("The group that it is of.")
    .level(
        "ownerProject",
        object::<ProjectView>("Project"),
        |of: Vec<Arc<RunnerView>>, _, context: Context| async move {
            let projects = projects(&of, &context).await?;
            let owner = |it: &Arc<RunnerView>| projects.get(&it.runner.id)?.first().copied();
            let found = context.load::<Projects>(of.iter().filter_map(owner)).await?;
            Ok(of.iter().map(|it| found.get(&owner(it)?).cloned()).collect())
        },
    )
    .describe("The first project that it is of.")
    .level(
        "userPermissions",
        object::<Permissions>("RunnerPermissions").required(),
        |of: Vec<Arc<RunnerView>>, _, _| async move {
            Ok(of.iter().map(|it| Arc::new(Permissions { managed: it.managed })).collect())
        },
    )
    .describe("What the caller may do with it.");
}

/// How many jobs runners have had, or have now.
async fn counted(
    of: &[Arc<RunnerView>], context: Context, running: bool,
) -> Result<HashMap<i64, i64>, Fault> {
    let (app, _) = caller(&context)?;
    let ids = of.iter().map(|it| it.runner.id).collect();
    Ok(app.read(move |tx| store::jobs::count_of_runners(tx, ids, running)).await?)
}

/// The projects of runners, their own first.
async fn projects(
    of: &[Arc<RunnerView>], context: &Context,
) -> Result<HashMap<i64, Vec<i64>>, Fault> {
    let (app, _) = caller(context)?;
    let ids = of.iter().map(|it| it.runner.id).collect();
    Ok(app.read(move |tx| store::projects_of(tx, ids)).await?)
}

/// Runners by their ids, as far as the caller may look at them.
struct Runners;

impl Loader for Runners {
    type Key = i64;
    type Value = Arc<RunnerView>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<RunnerView>>, Fault> {
        let (app, viewer) = caller(&context)?;
        let found = app.read(move |tx| {
            let (now, runners) = (tx.now(), store::some(tx, ids)?);
            let sights = access::sights(tx, &viewer, &runners)?;
            let view = |runner: Runner| {
                let managed = *sights.get(&runner.id)?;
                Some((runner.id, Arc::new(RunnerView { runner, managed, now })))
            };
            Ok(runners.into_iter().filter_map(view).collect())
        });
        Ok(found.await?)
    }
}

/// The page of a list in memory.
fn whole<T>(
    ask: &Ask, context: &Context, (name, rows): (&str, &[Arc<T>]), id: impl Fn(&T) -> i64,
) -> Result<Connection<T>, Fault> {
    let window = ask.clone().window(context, name, &[Key::int("id", Order::Asc)])?;
    Ok(window.page_of_whole(rows, id))
}
