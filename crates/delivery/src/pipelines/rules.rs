//! What people do to pipelines and jobs beside running them: REST, GraphQL and pages do it
//! by these.

use super::jobs::{self, cancel_pipeline};
use super::model::{Job, Pipeline, Source};
use super::store::jobs as rows;
use super::store::pipelines;
use super::store::variables::{Owner, insert};
use super::variables::{Given, check};
use crate::variables::may_override;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::secrets::Secrets;
use serde_json::json;
use spaces::access::{MAINTAINER, OWNER, level_in_project};
use spaces::model::Project;

/// Letters of the name of a pipeline.
const LONGEST: usize = 255;

/// Cancels a pipeline; of what other programs do nothing is canceled here.
pub fn cancel(tx: &mut Tx<'_>, pipeline: &Pipeline) -> Result<()> {
    match pipeline.source {
        Source::External => Ok(()),
        _ => cancel_pipeline(tx, pipeline.id),
    }
}

/// Names a pipeline.
pub fn rename(tx: &mut Tx<'_>, pipeline: &Pipeline, name: &str) -> Result<()> {
    if name.chars().count() > LONGEST {
        let text = format!("is too long (maximum is {LONGEST} characters)");
        return Err(Error::invalid("name", text));
    }
    pipelines::set_name(tx, pipeline.id, name.trim())
}

/// Whether somebody deletes pipelines of a project.
pub fn may_destroy(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<bool> {
    Ok(level_in_project(tx, viewer, project)? >= OWNER)
}

/// Deletes a pipeline with its jobs and what they left.
///
/// # Errors
///
/// 403 for who is no owner.
pub fn destroy(
    tx: &mut Tx<'_>, viewer: &Viewer, (project, pipeline): (&Project, &Pipeline),
) -> Result<()> {
    if !may_destroy(tx, viewer, project)? {
        return Err(Error::forbidden(""));
    }
    cancel_pipeline(tx, pipeline.id)?;
    pipelines::delete(tx, pipeline.id)?;
    let details = json!({"project_id": project.id, "ref": pipeline.on_ref});
    let target = ("Ci::Pipeline", pipeline.id, pipeline.sha.as_str());
    audit::record(tx, viewer, "pipeline.destroy", target, details)
}

/// Starts a job that waits for somebody, with variables of theirs.
///
/// # Errors
///
/// 400 for one that waits for nobody, 403 for variables that they may not give.
pub fn play(
    tx: &mut Tx<'_>, secrets: &Secrets, viewer: &Viewer, (project, job): (&Project, &Job),
    given: &[Given],
) -> Result<Job> {
    check(given)?;
    if !given.is_empty() && !may_override(tx, viewer, project)? {
        return Err(Error::forbidden(""));
    }
    let user_id = viewer.signed_in()?.user.id;
    let played = jobs::play(tx, job, user_id)?;
    insert(tx, secrets, Owner::Job(played.id), given)?;
    Ok(played)
}

/// Whether somebody takes away what a job wrote and left.
pub fn may_erase(
    tx: &mut Tx<'_>, viewer: &Viewer, (project, job): (&Project, &Job),
) -> Result<bool> {
    let is_own = job.user_id.is_some() && job.user_id == viewer.user_id() && !job.protected;
    Ok(is_own || level_in_project(tx, viewer, project)? >= MAINTAINER)
}

pub fn is_erasable(job: &Job) -> bool {
    job.status.is_finished() && job.erased_at.is_none()
}

/// Takes away what a job wrote and left.
///
/// # Errors
///
/// 403 for who may not, and for a job that has not ended or has nothing any more.
pub fn erase(tx: &mut Tx<'_>, viewer: &Viewer, (project, job): (&Project, &Job)) -> Result<Job> {
    if !may_erase(tx, viewer, (project, job))? {
        return Err(Error::forbidden(""));
    }
    if !is_erasable(job) {
        let text = "403 Forbidden - Job is not erasable!";
        return Err(Error::Exact(403, json!({"message": text})));
    }
    rows::set_erased(tx, job.id)?;
    crate::runners::erase(tx, job.id)?;
    rows::by_id(tx, job.id)?.found("")
}
