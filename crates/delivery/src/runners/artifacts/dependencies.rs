//! Which files of earlier jobs a job is given.

use super::kinds::ARCHIVE;
use crate::pipelines::definition::Definition;
use crate::pipelines::model::Job;
use crate::pipelines::store::jobs;
use crate::runners::store::artifacts;
use ::store::Tx;
use kernel::error::Result;
use std::collections::HashSet;

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
pub fn jobs_of(tx: &mut Tx<'_>, job: &Job, definition: &Definition) -> Result<Vec<Job>> {
    let all = jobs::latest(tx, job.pipeline_id)?;
    let needed: Option<HashSet<String>> = match job.needs_mode {
        true => {
            let needs = jobs::needs(tx, job.id)?;
            Some(needs.into_iter().filter(|it| it.artifacts).map(|it| it.name).collect())
        }
        false => None,
    };
    let named = definition.dependencies.as_ref();
    let is_wanted = |one: &Job| {
        let comes_before = match &needed {
            Some(names) => names.contains(&one.name),
            None => one.stage_index < job.stage_index,
        };
        let is_named = |names: &Vec<String>| {
            names
                .iter()
                .any(|name| *name == one.name || one.name.starts_with(&format!("{name} ")))
        };
        comes_before && one.id != job.id && named.is_none_or(is_named)
    };
    Ok(all.into_iter().filter(is_wanted).collect())
}

/// The archives of these that are there.
pub fn of(tx: &mut Tx<'_>, job: &Job, definition: &Definition) -> Result<Vec<Dependency>> {
    let before = jobs_of(tx, job, definition)?;
    let ids = before.iter().map(|one| one.id).collect();
    let now = tx.now();
    let mut files = artifacts::of_jobs(tx, ids)?;
    files.retain(|file| file.file_type == ARCHIVE && file.is_there(now));
    let dependency = |one: Job| {
        let file = files.iter().find(|file| file.job_id == one.id)?;
        Some(Dependency {
            job_id: one.id,
            name: one.name,
            file_name: file.file_name.clone(),
            size: file.size,
        })
    };
    Ok(before.into_iter().filter_map(dependency).collect())
}
