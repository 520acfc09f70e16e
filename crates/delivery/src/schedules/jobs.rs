//! Pipelines of schedules begin.

use super::model::Schedule;
use super::tasks::{PlaySchedule, RunSchedule};
use super::{rules, store};
use crate::pipelines::access::may_run_on;
use crate::pipelines::begun_by::BegunBy;
use crate::pipelines::create::{Creation, create};
use crate::pipelines::model::Source;
use crate::pipelines::store::variables::{self, Owner};
use crate::pipelines::variables::Given;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::Reference;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run};
use kernel::secrets::Secrets;
use spaces::access::{Purpose, find_project, may};

pub(crate) fn register(registry: &mut RegistryBuilder) {
    registry.add::<RunSchedule>();
    registry.add::<PlaySchedule>();
}

impl Job for RunSchedule {
    const NAME: &'static str = "delivery.run_schedule";

    fn dedupe_key(&self) -> Option<String> {
        Some(format!("{}:{}", self.schedule, self.at))
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (id, at) = (self.schedule, self.at);
        Ok(run.app.write(move |tx| rules::run(tx, id, at)).await?)
    }
}

/// A pipeline that a schedule begins.
struct Begin {
    schedule: Schedule,
    viewer: Viewer,
    variables: Vec<Given>,
}

/// What a schedule comes to for a user.
enum Play {
    Begins(Box<Begin>),
    /// It is gone, or its project is at rest.
    Nothing,
    /// They may not run it.
    NoRight {
        is_owner: bool,
    },
}

fn look(tx: &mut Tx<'_>, secrets: &Secrets, task: &PlaySchedule) -> Result<Play> {
    let Some(schedule) = store::by_id(tx, task.schedule)? else {
        return Ok(Play::Nothing);
    };
    let is_owner = schedule.owner_id == Some(task.user);
    let user = identity::users::find(tx, task.user)?;
    let Some(user) = user.filter(|user| user.refusal().is_none()) else {
        return Ok(Play::NoRight { is_owner });
    };
    let viewer = Viewer::addressed(user);
    let Some(project) = find_project(tx, &Reference::Id(schedule.project_id))? else {
        return Ok(Play::Nothing);
    };
    if project.archived || project.feature("builds") == "disabled" {
        return Ok(Play::Nothing);
    }
    let allowed = may(tx, &viewer, &project, Purpose::RunPipelines)?
        && may_run_on(tx, &viewer, &project, schedule.short_ref())?;
    if !allowed {
        return Ok(Play::NoRight { is_owner });
    }
    let variables = variables::of(tx, secrets, Owner::Schedule(schedule.id))?;
    Ok(Play::Begins(Box::new(Begin { schedule, viewer, variables })))
}

impl Job for PlaySchedule {
    const NAME: &'static str = "delivery.play_schedule";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app.clone(), self.schedule);
        let secrets = app.secrets().clone();
        let begin = match app.read(move |tx| look(tx, &secrets, &self)).await? {
            Play::Begins(begin) => begin,
            Play::NoRight { is_owner: true } => {
                return Ok(app.write(move |tx| rules::deactivate(tx, id)).await?);
            }
            Play::NoRight { is_owner: false } | Play::Nothing => return Ok(()),
        };
        let Begin { schedule, viewer, variables } = *begin;
        let begun_by =
            BegunBy::Schedule { id: schedule.id, description: schedule.description.clone() };
        let inputs = schedule.inputs.0.iter();
        let creation = Creation {
            inputs: inputs.map(|one| (one.name.clone(), one.value.clone())).collect(),
            variables,
            begun_by: Some(begun_by),
            ..Creation::new(schedule.project_id, &schedule.on_ref, Source::Schedule)
        };
        if let Err(refused) = create(&app, &viewer, creation, Some(run)).await? {
            tracing::debug!(schedule = id, text = refused.text, "no pipeline");
        }
        Ok(())
    }
}
