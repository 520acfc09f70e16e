//! Triggers are made and changed by Maintainers.

use super::model::{PREFIX, Trigger, short};
use super::store;
use ::store::Tx;
use identity::viewer::Viewer;
use jiff::Timestamp;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use kernel::secrets::{self, Secret};
use serde_json::json;
use spaces::access::{Purpose, project};
use spaces::model::Project;
use spaces::plan_limits::PlanLimits;

const LONGEST: usize = 255;

/// A trigger of a project, for who may change it.
pub fn find(
    tx: &mut Tx<'_>, viewer: &Viewer, (reference, id): (&Reference, i64),
) -> Result<Trigger> {
    let project = project(tx, viewer, reference, Purpose::Update)?;
    store::of_project(tx, project.id, id)?.found("Trigger")
}

/// Makes a trigger of the viewer's; its token is returned here and never again.
///
/// # Errors
///
/// `Invalid` where the description is wrong, the end is past or there are too many.
pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project,
    (description, expires_at): (&str, Option<Timestamp>),
) -> Result<(Trigger, Secret)> {
    check(description)?;
    if expires_at.is_some_and(|end| end <= tx.now()) {
        return Err(Error::invalid("expires_at", "must be in the future"));
    }
    let limits: PlanLimits = kernel::settings::read(tx)?;
    let most = limits.pipeline_triggers;
    if most > 0 && store::count(tx, project.id)? >= most {
        let text = format!("Maximum number of pipeline triggers ({most}) exceeded");
        return Err(Error::invalid("base", text));
    }
    let (secret, now) = (secrets::random_token(PREFIX), tx.now());
    let new = Trigger {
        id: 0,
        project_id: project.id,
        owner_id: viewer.signed_in()?.user.id,
        description: description.trim().to_owned(),
        short_token: short(secret.expose()),
        expires_at,
        last_used: None,
        created_at: now,
        updated_at: now,
    };
    let made = store::insert(tx, &new, secrets::digest(secret.expose()))?;
    record(tx, viewer, "pipeline_trigger.create", &made)?;
    Ok((made, secret))
}

pub fn describe(
    tx: &mut Tx<'_>, viewer: &Viewer, trigger: Trigger, description: &str,
) -> Result<Trigger> {
    check(description)?;
    let description = description.trim().to_owned();
    store::describe(tx, trigger.id, &description)?;
    record(tx, viewer, "pipeline_trigger.update", &trigger)?;
    Ok(Trigger { description, updated_at: tx.now(), ..trigger })
}

pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, trigger: &Trigger) -> Result<()> {
    store::delete(tx, trigger.id)?;
    record(tx, viewer, "pipeline_trigger.destroy", trigger)
}

fn check(description: &str) -> Result<()> {
    let problem = match description.trim().chars().count() {
        0 => "can't be blank",
        count if count > LONGEST => "is too long (maximum is 255 characters)",
        _ => return Ok(()),
    };
    Err(Error::invalid("description", problem))
}

fn record(tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str, trigger: &Trigger) -> Result<()> {
    let target = ("Ci::Trigger", trigger.id, trigger.description.as_str());
    audit::record(tx, viewer, action, target, json!({"project_id": trigger.project_id}))
}
