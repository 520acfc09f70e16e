//! Who sees pipelines, and who runs them.

use super::model::{Job, Pipeline};
use super::requests::{self, OfRequest};
use super::store;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::{Repository, RepositoryKind};
use repositories::protection::{self, Pusher, RefChange, check_refs};
use spaces::access::{self, Levels, Purpose};
use spaces::model::Project;
use std::collections::HashSet;

/// The project, for who sees its pipelines.
pub fn read(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Project> {
    project(tx, viewer, reference, Purpose::ReadPipelines)
}

/// The project, for who sees the jobs of its pipelines.
pub fn read_jobs(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Project> {
    let project = read(tx, viewer, reference)?;
    check_jobs_are_seen(tx, viewer, &project)?;
    Ok(project)
}

/// The project, for who runs pipelines there at all: on a ref, see [`may_run_on`].
pub fn run(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Project> {
    project(tx, viewer, reference, Purpose::RunPipelines)
}

/// The project, for who does this with its pipelines: they show code, and so are for who
/// reads that.
pub fn project(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, purpose: Purpose,
) -> Result<Project> {
    let project = access::project(tx, viewer, reference, purpose)?;
    match access::may(tx, viewer, &project, Purpose::DownloadCode)? {
        true => Ok(project),
        false => Err(Error::forbidden("")),
    }
}

/// A pipeline of a project, for this purpose.
pub fn pipeline(
    tx: &mut Tx<'_>, viewer: &Viewer, (reference, id): (&Reference, i64), purpose: Purpose,
) -> Result<(Project, Pipeline)> {
    let project = project(tx, viewer, reference, purpose)?;
    let pipeline = store::pipelines::of_project(tx, project.id, id)?.found("")?;
    if purpose == Purpose::RunPipelines {
        check_run(tx, viewer, &project, &pipeline)?;
    }
    Ok((project, pipeline))
}

/// A job of a project, for this purpose.
pub fn job(
    tx: &mut Tx<'_>, viewer: &Viewer, (reference, id): (&Reference, i64), purpose: Purpose,
) -> Result<(Project, Pipeline, Job)> {
    let project = project(tx, viewer, reference, purpose)?;
    let job = store::jobs::of_project(tx, project.id, id)?.found("")?;
    check_jobs_are_seen(tx, viewer, &project)?;
    let pipeline = store::pipelines::by_id(tx, job.pipeline_id)?.found("")?;
    if purpose == Purpose::RunPipelines {
        check_run(tx, viewer, &project, &pipeline)?;
        check_environment(tx, viewer, &project, &job)?;
    }
    Ok((project, pipeline, job))
}

/// Refuses who is no member where jobs are for members.
pub fn check_jobs_are_seen(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<()> {
    match sees_jobs(tx, viewer, project)? {
        true => Ok(()),
        false => Err(Error::forbidden("")),
    }
}

/// Whether the viewer, who sees pipelines, sees their jobs and what these wrote, too.
pub fn sees_jobs(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<bool> {
    if viewer.is_admin() {
        return Ok(true);
    }
    let are_public = store::settings::of_project(tx, project.id)?.public_jobs;
    Ok(are_public || access::level_in_project(tx, viewer, project)? >= access::REPORTER)
}

/// Those of some projects where [`sees_jobs`] does not hold.
pub fn with_hidden_jobs(
    tx: &mut Tx<'_>, levels: &Levels, projects: &[&Project],
) -> Result<HashSet<i64>> {
    let is_stranger = |project: &&&Project| levels.of_project(project) < access::REPORTER;
    let strange: Vec<i64> = projects.iter().filter(is_stranger).map(|project| project.id).collect();
    let settings = store::settings::of_projects(tx, &strange)?.into_iter();
    Ok(settings.filter(|(_, one)| !one.public_jobs).map(|(id, _)| id).collect())
}

/// Refuses who may not run jobs of a pipeline that is there.
pub fn check_run(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, pipeline: &Pipeline,
) -> Result<()> {
    match may_run(tx, viewer, project, pipeline)? {
        true => Ok(()),
        false => Err(Error::forbidden("")),
    }
}

/// Whether somebody who runs pipelines may run jobs of this one. What is protected goes to
/// jobs of a merge request of protected branches: those are for who may merge it.
pub fn may_run(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, pipeline: &Pipeline,
) -> Result<bool> {
    if !pipeline.protected || !pipeline.on_ref.starts_with("refs/") {
        return may_run_on(tx, viewer, project, (&pipeline.on_ref, pipeline.tag));
    }
    let repository = repository(tx, project)?;
    match requests::told(tx, pipeline.id)?.request {
        Some(request) => {
            let target = &request.target_branch;
            protection::may_merge(tx, viewer, project, repository.as_ref(), target)
        }
        None => Ok(false),
    }
}

/// Whether a pipeline of a merge request is given what is protected: both branches are, no
/// fork is in it, and who runs it may merge it.
pub fn is_request_protected(
    tx: &mut Tx<'_>, viewer: &Viewer, (project, repository): (&Project, &Repository),
    request: &OfRequest,
) -> Result<bool> {
    if request.is_from_fork() {
        return Ok(false);
    }
    let is_protected = protection::protected_branches(tx, project, repository)?;
    if !is_protected(&request.source_branch) || !is_protected(&request.target_branch) {
        return Ok(false);
    }
    protection::may_merge(tx, viewer, project, Some(repository), &request.target_branch)
}

/// Jobs of a protected environment are for who deploys to it.
fn check_environment(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, job: &Job) -> Result<()> {
    match &job.environment {
        Some(name) => crate::environments::rules::check_named(tx, viewer, project, name),
        None => Ok(()),
    }
}

pub fn repository(tx: &mut Tx<'_>, project: &Project) -> Result<Option<Repository>> {
    repositories::store::of_project(tx, project.id, RepositoryKind::Project)
}

/// Whether a branch or tag is protected.
pub fn is_protected(
    tx: &mut Tx<'_>, project: &Project, repository: &Repository, (name, tag): (&str, bool),
) -> Result<bool> {
    if tag {
        let found = protection::are_tags_protected(tx, project, &[name])?;
        return Ok(found.first().copied().unwrap_or(false));
    }
    Ok(protection::protected_branches(tx, project, repository)?(name))
}

/// Whether somebody who runs pipelines may run them on this branch or tag: who pushes to
/// it, and who makes it where it is a protected tag.
pub fn may_run_on(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, (name, tag): (&str, bool),
) -> Result<bool> {
    let Some(repository) = repository(tx, project)? else {
        return Ok(true);
    };
    if !tag {
        if name.starts_with("refs/") || !is_protected(tx, project, &repository, (name, false))? {
            return Ok(true);
        }
        return protection::may_push(tx, viewer, project, Some(&repository), name);
    }
    let Ok(name) = RefName::tag(name) else {
        return Ok(false);
    };
    let new = ObjectId::from_bytes([1; 20]);
    let change = RefChange { name, old: ObjectId::ZERO, new, is_forced: false };
    let pusher = Pusher::by_api(viewer);
    Ok(check_refs(tx, &pusher, project, &repository, &[change])?.is_ok())
}
