//! Who holds a token begins a pipeline: that of a trigger for its owner, that of a job
//! that runs for the user of the job.

use super::model::Trigger;
use super::store;
use crate::job_tokens::may_enter;
use crate::pipelines::begun_by::BegunBy;
use crate::pipelines::create::Creation;
use crate::pipelines::create::inputs::Inputs;
use crate::pipelines::model::Source;
use crate::pipelines::variables::Given;
use crate::runners::of_token;
use ::store::Tx;
use identity::hooks::JOB_TOKEN_PREFIX;
use identity::viewer::Viewer;
use kernel::error::{Found, Result};
use kernel::ids::Reference;
use kernel::secrets::{Secret, digest};
use spaces::access::{Purpose, find_project, may};
use spaces::model::Project;

/// What is asked for with a token.
#[derive(Debug, Clone)]
pub struct Asked {
    pub project: Reference,
    pub token: Secret,
    pub on_ref: String,
    pub variables: Vec<Given>,
    pub inputs: Inputs,
    /// All that was sent but the token, as JSON.
    pub payload: Secret,
}

/// Who begins what with a token.
///
/// # Errors
///
/// 404 where the token is none for the project, whatever the reason.
pub fn find(tx: &mut Tx<'_>, asked: &Asked) -> Result<(Viewer, Creation)> {
    let project = find_project(tx, &asked.project)?;
    let project = project.filter(|one| one.deletion_scheduled_at.is_none()).found("")?;
    match asked.token.expose().starts_with(JOB_TOKEN_PREFIX) {
        true => by_job(tx, asked, &project),
        false => by_trigger(tx, asked, &project),
    }
}

fn by_trigger(tx: &mut Tx<'_>, asked: &Asked, project: &Project) -> Result<(Viewer, Creation)> {
    let now = tx.now();
    let fits =
        |one: &Trigger| one.project_id == project.id && one.expires_at.is_none_or(|end| end > now);
    let found = store::of_token(tx, digest(asked.token.expose()))?;
    let trigger = found.filter(fits).found("")?;
    let viewer = viewer(tx, trigger.owner_id)?;
    store::touch(tx, trigger.id, now)?;
    let begun_by = BegunBy::Trigger {
        id: trigger.id,
        short_token: trigger.short_token,
        payload: asked.payload.clone(),
    };
    Ok((viewer, creation(asked, project, Source::Trigger, Some(begun_by))))
}

/// A job begins pipelines of projects that let it in, where its user sees them.
fn by_job(tx: &mut Tx<'_>, asked: &Asked, project: &Project) -> Result<(Viewer, Creation)> {
    let job = of_token(tx, asked.token.expose())?.found("")?;
    let viewer = viewer(tx, job.user_id)?;
    let enters = may_enter(tx, job.project_id, project)?;
    if !enters || !may(tx, &viewer, project, Purpose::Read)? {
        return None.found("");
    }
    Ok((viewer, creation(asked, project, Source::Pipeline, None)))
}

fn creation(
    asked: &Asked, project: &Project, source: Source, begun_by: Option<BegunBy>,
) -> Creation {
    Creation {
        variables: asked.variables.clone(),
        inputs: asked.inputs.clone(),
        begun_by,
        ..Creation::new(project.id, &asked.on_ref, source)
    }
}

fn viewer(tx: &mut Tx<'_>, id: i64) -> Result<Viewer> {
    let user = identity::users::find(tx, id)?;
    let user = user.filter(|user| user.refusal().is_none()).found("")?;
    Ok(Viewer::addressed(user))
}
