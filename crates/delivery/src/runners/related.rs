//! What jobs show of runners and files, read for all of them.

use super::artifacts::kinds::ARCHIVE;
use super::entity::RunnerEntity;
use super::model::Runner;
use super::store;
use super::store::artifacts::Artifact;
use crate::pipelines::model::Job;
use ::store::Tx;
use jiff::Timestamp;
use kernel::error::Result;
use std::collections::HashMap;

pub struct Related {
    files: Vec<Artifact>,
    runners: HashMap<i64, Runner>,
    now: Timestamp,
}

impl Related {
    pub fn read(tx: &mut Tx<'_>, jobs: &[Job]) -> Result<Related> {
        let now = tx.now();
        let mut files = store::artifacts::of_jobs(tx, jobs.iter().map(|job| job.id).collect())?;
        files.retain(|file| file.is_there(now));
        let mut ids: Vec<i64> = jobs.iter().filter_map(|job| job.runner_id).collect();
        ids.sort_unstable();
        ids.dedup();
        let runners = store::some(tx, ids)?;
        Ok(Related {
            files,
            runners: runners.into_iter().map(|one| (one.id, one)).collect(),
            now,
        })
    }

    /// The files that a job left.
    pub fn files(&self, job_id: i64) -> impl Iterator<Item = &Artifact> {
        self.files.iter().filter(move |file| file.job_id == job_id)
    }

    pub fn archive(&self, job_id: i64) -> Option<&Artifact> {
        self.files(job_id).find(|file| file.file_type == ARCHIVE)
    }

    /// When the archive of a job goes.
    pub fn expires_at(&self, job_id: i64) -> Option<Timestamp> {
        self.archive(job_id)?.expires_at
    }

    /// Who runs a job, while that is there.
    pub fn runner(&self, job: &Job) -> Option<RunnerEntity> {
        let runner = self.runners.get(&job.runner_id?)?;
        Some(RunnerEntity::of(runner, self.now))
    }
}
