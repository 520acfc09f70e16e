//! Which files of earlier jobs a job is given.

use super::kinds::ARCHIVE;
use crate::pipelines::definition::Definition;
use crate::pipelines::model::Job;
use crate::pipelines::store::jobs::{self, Earlier};
use crate::runners::store::artifacts::{self, Artifact};
use ::store::Tx;
use kernel::error::Result;
use std::collections::HashMap;

/// An earlier job and its archive.
#[derive(Debug, Clone)]
pub struct Dependency {
    pub job_id: i64,
    pub name: String,
    pub file_name: String,
    pub size: i64,
}

/// The jobs whose files a job takes: those it names, else those it needs with their files,
/// else all of earlier stages.
pub fn jobs_of(tx: &mut Tx<'_>, job: &Job, definition: &Definition) -> Result<Vec<Earlier>> {
    let mut before = match job.needs_mode {
        true => jobs::needed_with_files(tx, job)?,
        false => jobs::of_earlier_stages(tx, job)?,
    };
    if let Some(names) = &definition.dependencies {
        before.retain(|one| names.iter().any(|name| one.is_named(name)));
    }
    Ok(before)
}

impl Earlier {
    /// By its own name, or by that of a parallel job whose instance it is.
    fn is_named(&self, name: &str) -> bool {
        let rest = self.name.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }
}

/// The archives of these that are there.
pub fn archives(tx: &mut Tx<'_>, before: Vec<Earlier>) -> Result<Vec<Dependency>> {
    let ids = before.iter().map(|one| one.id).collect();
    let now = tx.now();
    let mut files = artifacts::of_jobs(tx, ids)?;
    files.retain(|file| file.file_type == ARCHIVE && file.is_there(now));
    let files: HashMap<i64, Artifact> = files.into_iter().map(|file| (file.job_id, file)).collect();
    let dependency = |one: Earlier| {
        let file = files.get(&one.id)?;
        Some(Dependency {
            job_id: one.id,
            name: one.name,
            file_name: file.file_name.clone(),
            size: file.size,
        })
    };
    Ok(before.into_iter().filter_map(dependency).collect())
}
