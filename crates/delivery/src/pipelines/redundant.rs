//! Pipelines that a newer one of their branch or merge request takes the place of
//! (contract 11.1).

use super::jobs::{cancel_jobs, cancel_pipeline};
use super::model::Pipeline;
use super::requests::OfRequest;
use super::status::Status;
use super::store::pipelines;
use super::store::progress::{self, Progress};
use ::store::Tx;
use jiff::SignedDuration;
use kernel::error::Result;
use pipeline_file::model::OnNewCommit;
use repositories::formats::ref_name::RefName;
use repositories::store::refs;

/// How old what is canceled may be.
const OLDEST: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Pipelines of a branch that are looked at.
const MOST: i64 = 100;

/// Cancels what a pipeline makes of no use: that of older commits, unless the branch is
/// there now.
pub(super) fn cancel(
    tx: &mut Tx<'_>, newer: &Pipeline, request: Option<&OfRequest>, repository: i64,
) -> Result<()> {
    let branch = match request {
        Some(request) => request.head_ref(newer.project_id),
        None if newer.tag => None,
        None => RefName::branch(&newer.on_ref).ok(),
    };
    let names: Vec<RefName> = branch.into_iter().collect();
    if names.is_empty() {
        return Ok(());
    }
    let head = refs::some(tx, repository, &names)?.into_iter().next();
    let head = head.map(|one| one.peeled_id.unwrap_or(one.object_id).to_string());
    if head.is_some_and(|head| head != newer.head()) {
        return Ok(());
    }
    let since = tx.now().saturating_sub(OLDEST).unwrap_or(jiff::Timestamp::MIN);
    let older = match request {
        Some(_) => pipelines::redundant_of_request(tx, newer, since, MOST)?,
        None => pipelines::redundant(tx, newer, since, MOST)?,
    };
    let mut taken_over = Vec::new();
    for one in older {
        let jobs = progress::of_pipeline(tx, one.id)?;
        match one.auto_cancel.0.on_new_commit.unwrap_or(OnNewCommit::Conservative) {
            OnNewCommit::None => continue,
            OnNewCommit::Conservative if !jobs.iter().all(may_be_lost) => continue,
            OnNewCommit::Conservative => cancel_pipeline(tx, one.id)?,
            OnNewCommit::Interruptible => cancel_jobs(tx, one.id, |job| job.interruptible)?,
        }
        taken_over.push(one.id);
    }
    match taken_over.is_empty() {
        true => Ok(()),
        false => pipelines::note_taken_over(tx, taken_over, newer.id),
    }
}

/// Whether nothing is lost with a job: it did not begin, or may be interrupted.
fn may_be_lost(job: &Progress) -> bool {
    let began = matches!(job.status, Status::Running | Status::Success | Status::Failed);
    !began || job.interruptible
}
