//! Who sees pipelines, and who runs them.

use super::model::{Job, Pipeline};
use super::store;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::{Repository, RepositoryKind};
use repositories::protection::{self, Pusher, RefChange, check_refs};
use spaces::access::{self, Purpose};
use spaces::model::Project;

/// The project, for who sees its pipelines.
pub fn read(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Project> {
    project(tx, viewer, reference, Purpose::ReadPipelines)
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
        check_ref(tx, viewer, &project, (&pipeline.on_ref, pipeline.tag))?;
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
        check_ref(tx, viewer, &project, (&pipeline.on_ref, pipeline.tag))?;
        check_environment(tx, viewer, &project, &job)?;
    }
    Ok((project, pipeline, job))
}

/// Refuses who is no member where what jobs wrote is for members.
pub fn check_jobs_are_seen(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<()> {
    match sees_jobs(tx, viewer, project)? {
        true => Ok(()),
        false => Err(Error::forbidden("")),
    }
}

/// Whether the viewer, who sees pipelines, sees what their jobs wrote, too.
pub fn sees_jobs(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<bool> {
    let are_public = store::settings::of_project(tx, project.id)?.public_jobs;
    Ok(are_public || access::level_in_project(tx, viewer, project)? >= access::REPORTER)
}

fn check_ref(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, on_ref: (&str, bool),
) -> Result<()> {
    match may_run_on(tx, viewer, project, on_ref)? {
        true => Ok(()),
        false => Err(Error::forbidden("")),
    }
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
