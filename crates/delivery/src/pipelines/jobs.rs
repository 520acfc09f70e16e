//! What happens to jobs: the only functions that move one. Each is called in the
//! transaction of what happened, and leaves the pipeline as its jobs are then.

use super::model::{FailureReason, Job, JobKind, RunWhen};
use super::process::{enqueue, process, release, settle_all};
use super::status::{Event, Status};
use super::store::progress::{self, Progress, Runs};
use super::store::{jobs, pipelines};
use crate::environments::{begin, gate};
use ::store::Tx;
use kernel::error::{Error, Result};
use pipeline_file::model::{OnJobFailure, Retry};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What came of a job that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Success,
    Failed { reason: FailureReason, exit_code: Option<i64> },
}

impl Outcome {
    pub fn failed(reason: FailureReason) -> Outcome {
        Outcome::Failed { reason, exit_code: None }
    }
}

/// Hands a job that waits for a runner to one; none if it waits no longer.
pub fn start(tx: &mut Tx<'_>, id: i64, by: &Runs) -> Result<Option<Job>> {
    let job = progress::start(tx, id, by)?;
    if let Some(job) = &job {
        started(tx, job)?;
    }
    Ok(job)
}

/// The same where a statement of the caller's has made it run already.
pub fn started(tx: &mut Tx<'_>, job: &Job) -> Result<()> {
    let pipeline = progress::pipeline(tx, job.pipeline_id)?;
    match pipeline.filter(|one| one.status != Status::Running || one.started_at.is_none()) {
        Some(pipeline) => progress::set_pipeline(tx, &pipeline, Status::Running, None),
        None => Ok(()),
    }
}

/// Has a job wait for another runner, of which the one that was given it never said a word:
/// the answer with the job was lost. Whoever has its token is refused from now on.
pub fn take_back(tx: &mut Tx<'_>, job: &Job) -> Result<()> {
    if job.status.after(Event::TakeBack).is_some() && progress::take_back(tx, job.id)? {
        crate::queue::announce(tx)?;
        settle_all(tx, job.pipeline_id)?;
    }
    Ok(())
}

/// Ends a job; what has ended stays as it is. Answers what it is then.
pub fn finish(tx: &mut Tx<'_>, job: &Job, outcome: Outcome) -> Result<Status> {
    let event = match outcome {
        Outcome::Success => Event::Succeed,
        Outcome::Failed { .. } => Event::Fail,
    };
    let Some(status) = job.status.after(event) else {
        return Ok(job.status);
    };
    match (outcome, status) {
        (Outcome::Failed { reason, exit_code }, Status::Failed) => {
            fail(tx, job, reason, exit_code)?;
        }
        _ => progress::set_status(tx, vec![job.id], status)?,
    }
    if let Some(group) = job.resource_group_id {
        release(tx, group)?;
    }
    process(tx, job.pipeline_id)?;
    Ok(status)
}

/// Fails a job that may not start; its pipeline is to be looked at again.
pub(super) fn refuse(tx: &mut Tx<'_>, id: i64, reason: FailureReason) -> Result<()> {
    let job = jobs::by_id(tx, id)?;
    match job.filter(|job| job.status.after(Event::Fail) == Some(Status::Failed)) {
        Some(job) => fail(tx, &job, reason, None),
        None => Ok(()),
    }
}

/// Adds jobs that take the place of others, for a user.
fn copies(tx: &mut Tx<'_>, ids: &[i64], user_id: Option<i64>) -> Result<Vec<Job>> {
    let copies = jobs::copy(tx, ids, user_id)?;
    begin::of_copies(tx, &copies)?;
    Ok(copies)
}

fn fail(tx: &mut Tx<'_>, job: &Job, reason: FailureReason, exit_code: Option<i64>) -> Result<()> {
    let definition = jobs::definition(tx, job.id)?;
    let codes = definition.as_ref().map_or(&[][..], |it| it.allowed_exit_codes.as_slice());
    let allowed = exit_code.is_some_and(|code| codes.contains(&code));
    progress::set_failed(tx, job.id, (reason, exit_code), allowed)?;
    let retry = definition.as_ref().and_then(|it| it.retry.as_ref());
    if is_tried_again(retry, job.attempt, reason, exit_code) {
        let copies = copies(tx, &[job.id], None)?;
        return copies.iter().try_for_each(|copy| start_what_waits(tx, copy));
    }
    if allowed || job.allow_failure {
        return Ok(());
    }
    let pipeline = pipelines::by_id(tx, job.pipeline_id)?;
    let all = Some(OnJobFailure::All);
    match pipeline.filter(|it| it.auto_cancel.0.on_job_failure == all) {
        Some(pipeline) => cancel_jobs(tx, pipeline.id, |_| true),
        None => Ok(()),
    }
}

/// Reasons for which trying again is of no use.
const FOR_GOOD: &[FailureReason] = &[
    FailureReason::MissingDependencyFailure,
    FailureReason::ForwardDeploymentFailure,
    FailureReason::FailedOutdatedDeploymentJob,
    FailureReason::EnvironmentCreationFailure,
    FailureReason::ProtectedEnvironmentFailure,
];
/// How often a job is tried again that this server has failed to start.
const OF_SCHEDULER: i64 = 2;

/// Whether a job that failed is run again by itself.
fn is_tried_again(
    retry: Option<&Retry>, attempt: i64, reason: FailureReason, exit_code: Option<i64>,
) -> bool {
    if FOR_GOOD.contains(&reason) {
        return false;
    }
    let Some(retry) = retry else {
        return reason == FailureReason::SchedulerFailure && attempt < OF_SCHEDULER;
    };
    let for_reason = match retry.when.as_slice() {
        [] => retry.exit_codes.is_empty(),
        when => when.iter().any(|word| word == "always" || word == reason.as_str()),
    };
    let for_code = exit_code.is_some_and(|code| retry.exit_codes.contains(&code));
    attempt < i64::from(retry.max) && (for_reason || for_code)
}

/// A copy of a job that somebody started, or its time, waits for neither again.
fn start_what_waits(tx: &mut Tx<'_>, copy: &Job) -> Result<()> {
    match copy.run_when {
        RunWhen::Manual | RunWhen::Delayed => enqueue(tx, &Progress::of(copy)),
        _ => Ok(()),
    }
}

/// Ends a job that somebody wants no more; a runner that cleans up is given the time.
///
/// # Errors
///
/// 403 for one that has ended.
pub fn cancel(tx: &mut Tx<'_>, job: &Job, by_force: bool) -> Result<Status> {
    let gently = job.cancels_gently && !by_force;
    let event = if gently { Event::CancelGently } else { Event::Cancel };
    let is_canceling = job.status == Status::Canceling && !by_force;
    let Some(status) = job.status.after(event).filter(|_| !is_canceling) else {
        return Ok(job.status);
    };
    progress::set_status(tx, vec![job.id], status)?;
    if let Some(group) = job.resource_group_id {
        release(tx, group)?;
    }
    process(tx, job.pipeline_id)?;
    Ok(status)
}

/// Pipelines below each other that are canceled with one.
const MOST_BELOW: usize = 1_000;

/// Ends all jobs of a pipeline, and of those that it began in its project.
pub fn cancel_pipeline(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<()> {
    let (mut seen, mut level) = (HashSet::from([pipeline_id]), vec![pipeline_id]);
    while !level.is_empty() && seen.len() <= MOST_BELOW {
        for id in &level {
            cancel_jobs(tx, *id, |_| true)?;
        }
        let below = pipelines::children(tx, level)?;
        level = below.into_iter().filter(|id| seen.insert(*id)).collect();
    }
    Ok(())
}

/// Ends those jobs of a pipeline.
pub(super) fn cancel_jobs(
    tx: &mut Tx<'_>, pipeline_id: i64, which: impl Fn(&Progress) -> bool,
) -> Result<()> {
    let all = progress::of_pipeline(tx, pipeline_id)?;
    let mut ends: BTreeMap<&str, (Status, Vec<i64>)> = BTreeMap::new();
    let mut groups = BTreeSet::new();
    for job in all.iter().filter(|job| job.status != Status::Canceling && which(job)) {
        let event = if job.cancels_gently {
            Event::CancelGently
        } else {
            Event::Cancel
        };
        if let Some(status) = job.status.after(event) {
            ends.entry(status.as_str()).or_insert((status, Vec::new())).1.push(job.id);
            groups.extend(job.resource_group_id);
        }
    }
    if ends.is_empty() {
        return Ok(());
    }
    for (status, ids) in ends.into_values() {
        progress::set_status(tx, ids, status)?;
    }
    groups.into_iter().try_for_each(|group| release(tx, group))?;
    // What counted on them is left out.
    process(tx, pipeline_id)
}

/// Whether a job can be run again: it is one of this server, it has ended, and no other
/// took its place.
pub fn is_retryable(job: &Job) -> bool {
    let ended = [Status::Success, Status::Failed, Status::Canceled, Status::Canceling];
    job.kind != JobKind::External && !job.retried && ended.contains(&job.status)
}

/// Runs a job again, for whoever asks.
///
/// # Errors
///
/// 403 unless it can be.
pub fn retry(tx: &mut Tx<'_>, job: &Job, user_id: i64) -> Result<Job> {
    if !is_retryable(job) || !gate::not_again(tx, &[job.id], user_id)?.is_empty() {
        let text = "403 Forbidden - Job is not retryable";
        return Err(Error::Exact(403, json!({"message": text})));
    }
    let copies = copies(tx, &[job.id], Some(user_id))?;
    let Some(copy) = copies.into_iter().next() else {
        return Err(Error::internal("a copy of a job is not there"));
    };
    start_what_waits(tx, &copy)?;
    look_again(tx, job)?;
    process(tx, job.pipeline_id)?;
    super::read_again(tx, copy)
}

/// Has those looked at again that were left out for a job: of later stages, and what
/// needs it, however far.
fn look_again(tx: &mut Tx<'_>, job: &Job) -> Result<()> {
    let all = progress::of_pipeline(tx, job.pipeline_id)?;
    let mut needed_by: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for (id, name) in progress::needs(tx, job.pipeline_id)? {
        needed_by.entry(name).or_default().push(id);
    }
    let names: BTreeMap<i64, &str> = all.iter().map(|it| (it.id, it.name.as_str())).collect();
    let mut reached: BTreeSet<i64> = BTreeSet::new();
    let mut open = vec![job.name.as_str()];
    while let Some(name) = open.pop() {
        for id in needed_by.get(name).into_iter().flatten() {
            if reached.insert(*id) {
                open.extend(names.get(id).copied());
            }
        }
    }
    let left_out = all.iter().filter(|one| {
        let follows = one.stage_index > job.stage_index || reached.contains(&one.id);
        one.status == Status::Skipped && follows
    });
    let ids = left_out.map(|one| one.id).collect();
    progress::set_status(tx, ids, Status::Created)
}

/// Runs again what failed or was canceled in a pipeline, and what was left out for it.
pub fn retry_pipeline(tx: &mut Tx<'_>, pipeline_id: i64, user_id: i64) -> Result<()> {
    let all = progress::of_pipeline(tx, pipeline_id)?;
    let of = |some: &[Status]| -> Vec<i64> {
        let own = all.iter().filter(|job| job.kind != JobKind::External);
        own.filter(|job| some.contains(&job.status)).map(|job| job.id).collect()
    };
    let mut ended = of(&[Status::Failed, Status::Canceled]);
    let barred = gate::not_again(tx, &ended, user_id)?;
    ended.retain(|id| !barred.contains(id));
    let skipped = of(&[Status::Skipped]);
    if ended.is_empty() && skipped.is_empty() {
        return Ok(());
    }
    progress::set_status(tx, skipped, Status::Created)?;
    // Those that somebody has to start wait for that once more.
    if !ended.is_empty() {
        copies(tx, &ended, Some(user_id))?;
    }
    process(tx, pipeline_id)
}

/// Starts a job that waits for somebody or for its time; one of these that has ended is
/// run again.
///
/// # Errors
///
/// 400 for any other.
pub fn play(tx: &mut Tx<'_>, job: &Job, user_id: i64) -> Result<Job> {
    let waits = matches!(job.run_when, RunWhen::Manual | RunWhen::Delayed);
    if waits && is_retryable(job) {
        return retry(tx, job, user_id);
    }
    let can_start = !job.retried && matches!(job.status, Status::Manual | Status::Scheduled);
    if !can_start || gate::waits(tx, job.id)? {
        return Err(Error::BadRequest("Unplayable Job".into()));
    }
    jobs::set_user(tx, job.id, user_id)?;
    enqueue(tx, &Progress::of(job))?;
    settle_all(tx, job.pipeline_id)?;
    super::read_again(tx, job.clone())
}

/// Starts a job that was held for who had to approve it; one that somebody has to start
/// waits for that.
pub fn release_held(tx: &mut Tx<'_>, job: &Job) -> Result<()> {
    let is_held = job.status == Status::Manual && job.run_when != RunWhen::Manual;
    if job.retried || !is_held {
        return Ok(());
    }
    enqueue(tx, &Progress::of(job))?;
    settle_all(tx, job.pipeline_id)
}

/// Notes that a runner said something of a job.
pub fn touch(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    progress::touch(tx, id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_tried_again_for_its_reason_or_its_code() {
        use FailureReason::*;
        let retry = |max, when: &[&str], codes: &[i64]| Retry {
            max,
            when: when.iter().map(ToString::to_string).collect(),
            exit_codes: codes.to_vec(),
        };
        let twice = retry(2, &[], &[]);
        let of_code = retry(2, &[], &[137]);
        let of_system = retry(1, &["runner_system_failure"], &[3]);
        for (rule, attempt, reason, code, expected) in [
            (None, 0, ScriptFailure, Some(1), false),
            (None, 1, SchedulerFailure, None, true),
            (None, 2, SchedulerFailure, None, false),
            (Some(&twice), 1, ScriptFailure, Some(1), true),
            (Some(&twice), 2, ScriptFailure, Some(1), false),
            (Some(&twice), 0, MissingDependencyFailure, None, false),
            (Some(&of_code), 0, ScriptFailure, Some(1), false),
            (Some(&of_code), 1, ScriptFailure, Some(137), true),
            (Some(&of_system), 0, RunnerSystemFailure, None, true),
            (Some(&of_system), 0, ScriptFailure, Some(3), true),
            (Some(&of_system), 0, ScriptFailure, Some(1), false),
        ] {
            let again = is_tried_again(rule, attempt, reason, code);
            assert_eq!(again, expected, "{rule:?} {attempt} {reason} {code:?}");
        }
    }
}
