//! Runners are made, changed and deleted.

use super::super::access;
use super::super::model::{AccessLevel, Runner, RunnerType};
use super::super::rules::{self, RunnerOptions};
use super::{ACCESS, RUNNER_ID, RunnerView, TYPE};
use crate::place::Place;
use identity::graph::caller;
use identity::viewer::Viewer;
use jiff::Timestamp;
use kernel::error::{Error, Result as Outcome};
use kernel::graph::{BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, INT, STRING, object};
use kernel::graph_input;
use kernel::http::Patch;
use kernel::ids::Reference;
use kernel::secrets::Secret;
use spaces::graph::{GROUP_ID, PROJECT_ID};
use spaces::model::SourceKind;
use std::sync::Arc;

/// A runner that was made or changed.
struct Written {
    runner: Arc<RunnerView>,
    /// Of one that was made just now: it is told this once.
    token: Option<Secret>,
}

/// Nothing is left to be shown.
struct Gone;

graph_input! {
    struct Options {
        /// What people call it.
        description: Option<String> = STRING,
        /// Whether it takes no jobs.
        paused: Option<bool> = BOOLEAN,
        /// Whether it takes no further projects.
        locked: Option<bool> = BOOLEAN,
        /// Whether it takes jobs without tags.
        run_untagged: Option<bool> = BOOLEAN,
        /// What jobs find it by.
        tag_list: Option<Vec<String>> = STRING.required().list(),
        /// Most seconds of a job; null for no such limit.
        #[serde(default)]
        maximum_timeout: Patch<i64> = INT,
        /// Jobs of which refs it takes.
        access_level: Option<String> = ACCESS,
        /// A note for who looks after it.
        maintenance_note: Option<String> = STRING,
    }
}

graph_input! {
    struct CreateRunner {
        ..options: Options,
        /// Whose jobs it takes.
        runner_type: String = TYPE.required(),
        /// The group, of one of a group.
        group_id: Option<i64> = GROUP_ID,
        /// The project, of one of a project.
        project_id: Option<i64> = PROJECT_ID,
    }
}

graph_input! {
    struct UpdateRunner {
        ..options: Options,
        /// The runner.
        id: i64 = RUNNER_ID.required(),
    }
}

graph_input! {
    struct DeleteRunner {
        /// The runner.
        id: i64 = RUNNER_ID.required(),
    }
}

pub fn graph(g: &mut Graph) {
    let runner = || object::<RunnerView>("CiRunner");
    g.mutation::<Written>("runnerCreate", "Makes a runner.")
        .answers("runner", runner(), |it| Some(it.runner.clone()))
        .answers("token", STRING, |it| it.token.as_ref().map(|token| token.expose().to_owned()))
        .handle(create);
    g.mutation::<Written>("runnerUpdate", "Changes a runner.")
        .answers("runner", runner(), |it| Some(it.runner.clone()))
        .handle(update);
    g.mutation::<Gone>("runnerDelete", "Deletes a runner.").handle(delete);
}

impl Options {
    fn read(self) -> RunnerOptions {
        let level = self.access_level.map(|text| text.to_ascii_lowercase());
        RunnerOptions {
            description: self.description,
            paused: self.paused,
            locked: self.locked,
            run_untagged: self.run_untagged,
            tag_list: self.tag_list,
            maximum_timeout: self.maximum_timeout,
            access_level: level.and_then(|text| AccessLevel::from_text(&text)),
            maintenance_note: self.maintenance_note,
            ..RunnerOptions::default()
        }
    }
}

fn written(runner: Runner, now: Timestamp, token: Option<Secret>) -> Done<Written> {
    let runner = Arc::new(RunnerView { runner, managed: true, now });
    Done::from(Written { runner, token })
}

/// Where a runner is to be, by its kind and the ids that belong to that.
fn place(
    tx: &mut ::store::Tx<'_>, viewer: &Viewer,
    (kind, group, project): (Option<RunnerType>, Option<i64>, Option<i64>),
) -> Outcome<Place> {
    let missing = |name: &str| Error::invalid(name, "is missing");
    match kind {
        Some(RunnerType::Instance) => Place::instance(viewer),
        Some(RunnerType::Group) => {
            let id = group.ok_or_else(|| missing("groupId"))?;
            Place::find(tx, viewer, (SourceKind::Group, &Reference::Id(id)))
        }
        Some(RunnerType::Project) => {
            let id = project.ok_or_else(|| missing("projectId"))?;
            Place::find(tx, viewer, (SourceKind::Project, &Reference::Id(id)))
        }
        None => Err(missing("runnerType")),
    }
}

async fn create(it: CreateRunner, context: Context) -> Result<Done<Written>, Fault> {
    let (app, viewer) = caller(&context)?;
    let kind = RunnerType::from_text(&it.runner_type.to_ascii_lowercase());
    let at = (kind, it.group_id, it.project_id);
    let options = it.options.read();
    let made = app.write(move |tx| {
        let place = place(tx, &viewer, at)?;
        Ok((rules::create(tx, &viewer, &place, &options)?, tx.now()))
    });
    let (made, now) = made.await?;
    Ok(written(made.runner, now, Some(made.token)))
}

async fn update(it: UpdateRunner, context: Context) -> Result<Done<Written>, Fault> {
    let (app, viewer) = caller(&context)?;
    let (id, options) = (it.id, it.options.read());
    let changed = app.write(move |tx| {
        let before = access::managing(tx, &viewer, id)?;
        Ok((rules::update(tx, &viewer, before, &options)?, tx.now()))
    });
    let (runner, now) = changed.await?;
    Ok(written(runner, now, None))
}

async fn delete(it: DeleteRunner, context: Context) -> Result<Done<Gone>, Fault> {
    let (app, viewer) = caller(&context)?;
    app.write(move |tx| {
        let gone = access::managing(tx, &viewer, it.id)?;
        rules::destroy(tx, &viewer, &gone)
    })
    .await?;
    Ok(Done::from(Gone))
}
