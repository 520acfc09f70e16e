//! Why a job waits: what the runners that are online lack for it.

use super::model::{Runner, RunnerType};
use super::store::lists::{self, OnlineRunner};
use crate::pipelines::model::{Job, JobKind, read_queue_key};
use crate::pipelines::settings::ProjectSettings;
use crate::pipelines::status::Status;
use crate::pipelines::store::settings;
use ::store::Tx;
use kernel::error::Result;
use spaces::model::Project;

/// Most runners that are looked at.
const MOST: i64 = 1_000;

kernel::choices! {
    /// What a job waits for that a runner is to take.
    pub enum PendingReason as "CiPendingReason" {
        NoRunner = "no_runner",
        TagsMissing = "tags_missing",
        ProtectedMismatch = "protected_mismatch",
        RefspecsMissing = "refspecs_missing",
        RunnersBusy = "runners_busy",
    }
}

impl PendingReason {
    /// The same in words, of a job with tags or without any.
    pub fn words(self, has_tags: bool) -> &'static str {
        match self {
            PendingReason::NoRunner => "No runner that is online takes jobs of this project.",
            PendingReason::TagsMissing if has_tags => {
                "No runner that is online has all of its tags."
            }
            PendingReason::TagsMissing => "No runner that is online takes jobs without tags.",
            PendingReason::ProtectedMismatch => {
                "The runners that are online take jobs of protected branches and tags alone."
            }
            PendingReason::RefspecsMissing => {
                "No runner that is online knows refspecs, by which the code of a merge request is \
                 fetched: the programs are too old."
            }
            PendingReason::RunnersBusy => "The runners that may take it are at work.",
        }
    }
}

/// What a job waits for; nothing unless it waits for a runner.
pub fn why(tx: &mut Tx<'_>, project: &Project, job: &Job) -> Result<Option<PendingReason>> {
    if job.status != Status::Pending || job.kind != JobKind::Build {
        return Ok(None);
    }
    let settings = settings::of_project(tx, project.id)?;
    let mut online = lists::online(tx, project, MOST)?;
    online.retain(|one| is_let(&one.runner, &settings));
    Ok(Some(lacking(online, &job.queue_key)))
}

/// Whether the project wants runners of this kind.
fn is_let(runner: &Runner, settings: &ProjectSettings) -> bool {
    match runner.runner_type {
        RunnerType::Instance => settings.shared_runners,
        RunnerType::Group => settings.group_runners,
        RunnerType::Project => true,
    }
}

/// What none of these has of those that have all that comes before.
fn lacking(mut online: Vec<OnlineRunner>, queue_key: &str) -> PendingReason {
    let (demand, tags) = read_queue_key(queue_key);
    if online.is_empty() {
        return PendingReason::NoRunner;
    }
    online.retain(|one| one.runner.takes_tagged(&tags));
    if online.is_empty() {
        return PendingReason::TagsMissing;
    }
    online.retain(|one| one.runner.takes_refs(demand.protected));
    if online.is_empty() {
        return PendingReason::ProtectedMismatch;
    }
    match demand.refspecs && !online.iter().any(|one| one.knows_refspecs) {
        true => PendingReason::RefspecsMissing,
        false => PendingReason::RunnersBusy,
    }
}
