//! How much of everything a pipeline may have, by the limits of the plan.

use super::{Judged, Refused, Request, plan::Planning, save};
use crate::pipelines::model::Pipeline;
use crate::pipelines::store::pipelines;
use ::store::Tx;
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use kernel::jobs::Run;
use pipeline_file::Limits;
use spaces::plan_limits::PlanLimits;
use std::sync::Arc;

/// Older pipelines do not count, however far they are.
const COUNTED: SignedDuration = SignedDuration::from_hours(24);
const TOO_MANY: &str =
    "Project exceeded the allowed number of jobs in active pipelines. Retry later.";

/// Those that a file is read within.
pub(super) fn of_file(plan: &PlanLimits) -> Limits {
    let number = |limit: i64| usize::try_from(limit).unwrap_or(0);
    Limits {
        needs: number(plan.ci_needs_size_limit),
        jobs: number(plan.ci_pipeline_size),
        deployments: number(plan.ci_pipeline_deployments),
        ..Limits::default()
    }
}

/// Writes a pipeline, unless its project has too many jobs at work with it: one that
/// failed, where somebody looks for it.
pub(super) async fn within(
    request: Arc<Request>, planning: Planning, by: Option<Run>,
) -> Result<Judged<Pipeline>> {
    let (project, new) = (request.facts.project.id, planning.plan.jobs.len());
    let is_over = request.reader.app.read(move |tx| is_over(tx, project, new)).await?;
    match (is_over, super::is_recorded(request.creation.source)) {
        (false, _) => save::plan(request, planning, by).await,
        (true, false) => Ok(Err(Refused::new(TOO_MANY))),
        (true, true) => {
            let source = planning.config_source;
            let pipeline = save::failed(&request, TOO_MANY, source, by).await?;
            Ok(Err(Refused { text: TOO_MANY.to_owned(), pipeline }))
        }
    }
}

fn is_over(tx: &mut Tx<'_>, project: i64, new: usize) -> Result<bool> {
    let limits: PlanLimits = kernel::settings::read(tx)?;
    let most = limits.ci_active_jobs;
    if most <= 0 {
        return Ok(false);
    }
    let since = tx.now().saturating_sub(COUNTED).unwrap_or(Timestamp::MIN);
    let at_work = pipelines::active_jobs(tx, project, since, most.saturating_add(1))?;
    Ok(at_work.saturating_add(i64::try_from(new).unwrap_or(i64::MAX)) > most)
}
