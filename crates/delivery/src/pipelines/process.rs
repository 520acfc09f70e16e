//! A pipeline goes on: its jobs are decided on, and it is what they are.

use super::decide::{Needs, decide};
use super::hooks;
use super::jobs::{Outcome, finish};
use super::model::{FailureReason, JobKind, ProcessMode};
use super::status::{Mode, Status, Tally};
use super::store::progress::{self, Progress};
use super::store::{pipelines, settings};
use super::tasks::{FollowDownstream, RunBridge, StartDelayed};
use crate::dependencies;
use crate::environments::gate::{self, Barrier};
use crate::queue;
use crate::runners::store::artifacts;
use ::store::Tx;
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use kernel::jobs::enqueue_at;
use std::collections::{BTreeMap, BTreeSet};

/// Looks at all jobs of a pipeline, after one of them changed.
pub fn process(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<()> {
    loop {
        let refused = go_on(tx, pipeline_id)?;
        if refused.is_empty() {
            return Ok(());
        }
        for (id, reason) in refused {
            super::jobs::refuse(tx, id, reason)?;
        }
    }
}

/// Jobs that may not start, and why.
type Refused = Vec<(i64, FailureReason)>;

/// Moves on what may go on; answers what has to fail before more can be said.
fn go_on(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<Refused> {
    let mut jobs = progress::of_pipeline(tx, pipeline_id)?;
    let waits = |job: &Progress| job.status == Status::Created && job.needs_mode;
    let mut needs = Needs::new();
    if jobs.iter().any(waits) {
        for (id, name) in progress::needs(tx, pipeline_id)? {
            needs.entry(id).or_default().push(name);
        }
    }
    let (moved, refused) = decided(tx, &mut jobs, &needs)?;
    let mut by_status: BTreeMap<&str, Vec<&Progress>> = BTreeMap::new();
    for at in moved {
        by_status.entry(jobs[at].status.as_str()).or_default().push(&jobs[at]);
    }
    for some in by_status.values() {
        write(tx, pipeline_id, some)?;
    }
    let waiting = by_status.get(Status::WaitingForResource.as_str());
    let groups: BTreeSet<i64> =
        waiting.into_iter().flatten().filter_map(|job| job.resource_group_id).collect();
    let mut given = Vec::new();
    for group in groups {
        given.extend(assign(tx, group)?);
    }
    for job in jobs.iter_mut().filter(|job| given.contains(&job.id)) {
        job.status = Status::Pending;
    }
    if refused.is_empty() {
        settle(tx, pipeline_id, &jobs)?;
    }
    Ok(refused)
}

/// Which jobs are moved, and which of these may not start. One that somebody has to
/// approve waits as one that somebody has to start.
fn decided(tx: &mut Tx<'_>, jobs: &mut [Progress], needs: &Needs) -> Result<(Vec<usize>, Refused)> {
    let (mut all, mut refused) = (Vec::new(), Refused::new());
    loop {
        let moved = decide(jobs, needs);
        let starts =
            |at: &&usize| jobs[**at].environment.is_some() && jobs[**at].status.is_on_its_way();
        let ids: Vec<i64> = moved.iter().filter(starts).map(|at| jobs[*at].id).collect();
        let barriers = gate::barriers(tx, &ids)?;
        let mut is_held = false;
        for at in moved {
            match barriers.get(&jobs[at].id) {
                Some(Barrier::Closed(reason)) => {
                    refused.push((jobs[at].id, *reason));
                    continue;
                }
                Some(Barrier::Held) => {
                    jobs[at].status = Status::Manual;
                    is_held = true;
                }
                None => {}
            }
            all.push(at);
        }
        // What may be left out lets others go on.
        if !is_held {
            return Ok((all, refused));
        }
    }
}

/// Writes jobs that have come to the same status.
fn write(tx: &mut Tx<'_>, pipeline_id: i64, jobs: &[&Progress]) -> Result<()> {
    let Some(status) = jobs.first().map(|job| job.status) else {
        return Ok(());
    };
    if status == Status::Scheduled {
        return schedule(tx, pipeline_id, jobs);
    }
    progress::set_status(tx, ids(jobs), status)?;
    match status {
        Status::Pending => handed_out(tx, jobs),
        _ => Ok(()),
    }
}

fn ids(jobs: &[&Progress]) -> Vec<i64> {
    jobs.iter().map(|job| job.id).collect()
}

fn schedule(tx: &mut Tx<'_>, pipeline_id: i64, jobs: &[&Progress]) -> Result<()> {
    let mut by_time: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for job in jobs {
        by_time.entry(job.start_in.unwrap_or_default()).or_default().push(job.id);
    }
    for (seconds, ids) in by_time {
        let at = tx
            .now()
            .saturating_add(SignedDuration::from_secs(seconds))
            .unwrap_or(Timestamp::MAX);
        progress::schedule(tx, ids, at)?;
        enqueue_at(tx, &StartDelayed { pipeline_id, at: at.as_second() }, at)?;
    }
    Ok(())
}

/// Tells whoever runs these that they may be taken.
fn handed_out(tx: &mut Tx<'_>, jobs: &[&Progress]) -> Result<()> {
    let now = tx.now();
    for bridge in jobs.iter().filter(|job| job.kind == JobKind::Bridge) {
        enqueue_at(tx, &RunBridge { job: bridge.id }, now)?;
    }
    match jobs.iter().any(|job| job.kind == JobKind::Build) {
        true => queue::announce(tx),
        false => Ok(()),
    }
}

/// Starts one job, or has it wait for its resource group. One that may not start fails, or
/// waits for who has to approve it.
pub(super) fn enqueue(tx: &mut Tx<'_>, job: &Progress) -> Result<()> {
    if job.environment.is_some() && !may_start(tx, job.id)? {
        return Ok(());
    }
    match job.resource_group_id {
        Some(group) => {
            progress::set_status(tx, vec![job.id], Status::WaitingForResource)?;
            assign(tx, group)?;
        }
        None => {
            progress::set_status(tx, vec![job.id], Status::Pending)?;
            handed_out(tx, &[job])?;
        }
    }
    Ok(())
}

/// Whether a job may start that is about an environment; one that may not is done with.
pub fn may_start(tx: &mut Tx<'_>, id: i64) -> Result<bool> {
    match gate::barriers(tx, &[id])?.remove(&id) {
        None => return Ok(true),
        Some(Barrier::Held) => progress::set_status(tx, vec![id], Status::Manual)?,
        Some(Barrier::Closed(reason)) => {
            if let Some(job) = super::store::jobs::by_id(tx, id)? {
                finish(tx, &job, Outcome::failed(reason))?;
            }
        }
    }
    Ok(false)
}

/// Gives the resource of a group to the next job that waits for it, if it is free; which
/// that is. A pipeline other than the caller's goes on with it.
pub(super) fn assign(tx: &mut Tx<'_>, group_id: i64) -> Result<Option<i64>> {
    let Some(group) = settings::resource_group(tx, group_id)? else {
        return Ok(None);
    };
    if progress::is_held(tx, group_id)? {
        return Ok(None);
    }
    let (newest, with_upcoming) = match group.process_mode {
        ProcessMode::Unordered => (false, false),
        ProcessMode::OldestFirst => (false, true),
        ProcessMode::NewestFirst => (true, true),
        ProcessMode::NewestReadyFirst => (true, false),
    };
    let next = progress::next_in_group(tx, group_id, newest, with_upcoming)?;
    let Some(next) = next.filter(|job| job.status == Status::WaitingForResource) else {
        return Ok(None);
    };
    progress::set_status(tx, vec![next.id], Status::Pending)?;
    handed_out(tx, &[&next])?;
    Ok(Some(next.id))
}

/// The same where a job left the group: the pipeline of the next one goes on, too.
pub(super) fn release(tx: &mut Tx<'_>, group_id: i64) -> Result<()> {
    if let Some(job) = assign(tx, group_id)?
        && let Some(job) = super::store::jobs::by_id(tx, job)?
    {
        settle_all(tx, job.pipeline_id)?;
    }
    Ok(())
}

/// Makes a pipeline what its jobs are.
pub(super) fn settle_all(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<()> {
    let jobs = progress::of_pipeline(tx, pipeline_id)?;
    settle(tx, pipeline_id, &jobs)
}

fn settle(tx: &mut Tx<'_>, pipeline_id: i64, jobs: &[Progress]) -> Result<()> {
    let Some(pipeline) = progress::pipeline(tx, pipeline_id)? else {
        return Ok(());
    };
    let outcomes = jobs.iter().map(|job| (job.status, job.allow_failure));
    let status = Tally::of(outcomes).status(Mode::Stages);
    if jobs.is_empty() || status == pipeline.status {
        return Ok(());
    }
    let duration = match status.is_finished() {
        true => Some(union(&progress::spans(tx, pipeline_id)?)),
        false => None,
    };
    progress::set_pipeline(tx, &pipeline, status, duration)?;
    if status == Status::Success {
        keep_latest(tx, pipeline_id)?;
    }
    if status.is_finished() || status == Status::Manual {
        dependencies::ended(tx, pipeline_id)?;
        hooks::ended(tx, pipeline_id)?;
    }
    match pipelines::is_downstream(tx, pipeline_id)? {
        true => {
            let now = tx.now();
            enqueue_at(tx, &FollowDownstream { pipeline: pipeline_id }, now)
        }
        false => Ok(()),
    }
}

/// The files of the latest pipeline of a ref that succeeded stay, where its project wants
/// that.
fn keep_latest(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<()> {
    let Some(pipeline) = pipelines::by_id(tx, pipeline_id)? else {
        return Ok(());
    };
    let counts = pipeline.parent_pipeline_id.is_none() && !pipelines::is_overtaken(tx, &pipeline)?;
    if !counts {
        return Ok(());
    }
    artifacts::release_before(tx, &pipeline)?;
    match settings::of_project(tx, pipeline.project_id)?.keep_latest_artifact {
        true => artifacts::keep_of_pipeline(tx, pipeline_id),
        false => Ok(()),
    }
}

/// Seconds that at least one of these times covers; they stand by their beginnings.
fn union(spans: &[(Timestamp, Timestamp)]) -> i64 {
    let mut covered = SignedDuration::ZERO;
    let mut until: Option<Timestamp> = None;
    for (from, to) in spans {
        let from = until.map_or(*from, |until| until.max(*from));
        if *to > from {
            covered += to.duration_since(from);
        }
        until = Some(until.map_or(*to, |until| until.max(*to)));
    }
    covered.as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_two_jobs_took_together_counts_once() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let spans = |all: &[(i64, i64)]| {
            union(&all.iter().map(|(from, to)| (at(*from), at(*to))).collect::<Vec<_>>())
        };
        assert_eq!(spans(&[]), 0);
        assert_eq!(spans(&[(0, 10), (5, 12), (6, 7), (20, 25)]), 17);
    }
}
