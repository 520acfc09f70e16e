//! What happens of itself: pipelines of pushes, jobs whose time comes, jobs that begin
//! other pipelines, and those that nothing happens to.

mod bridges;

use super::create::{Creation, create};
use super::hooks::skips_jobs;
use super::jobs::{Outcome, cancel, finish, take_back};
use super::model::{FailureReason, Source};
use super::process::{enqueue, settle_all};
use super::settings::StuckAfter;
use super::status::Status;
use super::store::jobs as rows;
use super::store::progress::{self, Progress};
use super::tasks::{FollowDownstream, GiveUpStuck, PipelineOfPush, RunBridge, StartDelayed};
use super::variables::Given;
use ::store::Tx;
use identity::viewer::Viewer;
use jiff::{SignedDuration, Timestamp};
use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run};
use kernel::secrets::Secret;
use kernel::settings;
use repositories::formats::object_id::ObjectId;

/// Seconds between two looks for what is stuck.
const BETWEEN_SWEEPS: i64 = 60;
/// Jobs that one look takes at most.
const MOST: i64 = 500;
/// After how long a job is given to another runner that its own never spoke of: programs
/// send the beginning of a log within seconds.
const UNHEARD: SignedDuration = SignedDuration::from_mins(2);
/// How late a delayed job may start.
const LATEST: SignedDuration = SignedDuration::from_hours(1);

pub(super) fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<PipelineOfPush>();
    registry.add::<StartDelayed>();
    registry.add::<RunBridge>();
    registry.add::<FollowDownstream>();
    registry.add_periodic::<GiveUpStuck>(BETWEEN_SWEEPS);
}

/// A user who is still there and may do something.
async fn viewer(app: &App, id: i64) -> Result<Option<Viewer>> {
    let found = app.read(move |tx| identity::users::find(tx, id)).await?;
    Ok(found.filter(|user| user.refusal().is_none()).map(Viewer::addressed))
}

impl Job for PipelineOfPush {
    const NAME: &'static str = "delivery.pipeline_of_push";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app.clone();
        let Some(viewer) = viewer(&app, self.user).await? else {
            return Ok(());
        };
        let id = |text: &str| text.parse::<ObjectId>().ok();
        let creation = Creation {
            sha: id(&self.new),
            before_sha: id(&self.old),
            skip: skips_jobs(&self.options),
            variables: self.options.iter().filter_map(|option| variable(option)).collect(),
            inputs: self.options.iter().filter_map(|option| input(option)).collect(),
            ..Creation::new(self.project, &self.name, Source::Push)
        };
        if let Err(refused) = create(&app, &viewer, creation, Some(run)).await? {
            tracing::debug!(project = self.project, text = refused.text, "no pipeline");
        }
        Ok(())
    }
}

/// `ci.variable="KEY=value"`.
fn variable(option: &str) -> Option<Given> {
    let said = option.strip_prefix("ci.variable=")?;
    let said = said.strip_prefix('"').and_then(|said| said.strip_suffix('"')).unwrap_or(said);
    let (key, value) = said.split_once('=')?;
    Some(Given {
        key: key.to_owned(),
        value: Secret::new(value),
        variable_type: Default::default(),
        raw: false,
    })
}

/// `ci.input=name=value`; what is written as JSON is that.
fn input(option: &str) -> Option<(String, serde_json::Value)> {
    let (name, value) = option.strip_prefix("ci.input=")?.split_once('=')?;
    let read = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    Some((name.to_owned(), read))
}

impl Job for StartDelayed {
    const NAME: &'static str = "delivery.start_delayed";

    fn dedupe_key(&self) -> Option<String> {
        Some(format!("{}:{}", self.pipeline_id, self.at))
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        Ok(run.app.write(start_due).await?)
    }
}

/// Starts the jobs whose time has come; it is too late for some.
fn start_due(tx: &mut Tx<'_>) -> Result<()> {
    let now = tx.now();
    for (id, at) in progress::due(tx, now, MOST)? {
        let Some(job) = rows::by_id(tx, id)? else {
            continue;
        };
        match now.duration_since(at) > LATEST {
            true => {
                finish(tx, &job, Outcome::failed(FailureReason::StaleSchedule))?;
            }
            false => {
                enqueue(tx, &Progress::of(&job))?;
                settle_all(tx, job.pipeline_id)?;
            }
        }
    }
    Ok(())
}

impl Job for GiveUpStuck {
    const NAME: &'static str = "delivery.give_up_stuck";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let found = run.app.write(|tx| {
            start_due(tx)?;
            take_back_unheard(tx)?;
            let after: StuckAfter = settings::read(tx)?;
            stuck(tx, &after)
        });
        for (id, status) in found.await? {
            run.app.write(move |tx| give_up(tx, id, status)).await?;
        }
        Ok(())
    }
}

/// Has jobs wait again whose runner never heard that it was given them.
fn take_back_unheard(tx: &mut Tx<'_>) -> Result<()> {
    let since = tx.now().saturating_sub(UNHEARD).unwrap_or(Timestamp::MIN);
    for id in progress::unheard(tx, since, MOST)? {
        if let Some(job) = rows::by_id(tx, id)? {
            take_back(tx, &job)?;
        }
    }
    Ok(())
}

/// Jobs that nothing happens to.
fn stuck(tx: &mut Tx<'_>, after: &StuckAfter) -> Result<Vec<(i64, Status)>> {
    let now = tx.now();
    let mut found = Vec::new();
    for (status, minutes) in [
        (Status::Running, after.running_minutes),
        (Status::Canceling, after.running_minutes),
        (Status::Pending, after.pending_minutes),
    ] {
        let since = now.saturating_sub(SignedDuration::from_mins(minutes));
        let since = since.unwrap_or(Timestamp::MIN);
        let ids = progress::silent(tx, status, since, MOST)?;
        found.extend(ids.into_iter().map(|id| (id, status)));
    }
    Ok(found)
}

fn give_up(tx: &mut Tx<'_>, id: i64, status: Status) -> Result<()> {
    let Some(job) = rows::by_id(tx, id)?.filter(|job| job.status == status) else {
        return Ok(());
    };
    match status {
        Status::Canceling => cancel(tx, &job, true)?,
        _ => finish(tx, &job, Outcome::failed(FailureReason::StuckOrTimeoutFailure))?,
    };
    Ok(())
}
