//! Deploy keys: keys that open projects for machines, each for reading or for both.

use super::{KeyInput, Owner, add, taken, title_problem};
use crate::formats::public_key;
use crate::model::{MOST, SshKey, UsageType};
use crate::store::deploy::{self as rows, DeployKey};
use crate::store::keys;
use ::store::Tx;
use identity::viewer::{SignedIn, Viewer};
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use repositories::protection::store::forget_deploy_key;
use serde_json::{Value, json};
use spaces::access::{self, Purpose};
use spaces::model::Project;

/// Most projects of a key that are looked through for one where somebody has it.
const LOOKED_AT: i64 = 50;

/// Makes a key that every project may take.
pub fn create_public(tx: &mut Tx<'_>, admin: &SignedIn, input: &KeyInput) -> Result<SshKey> {
    let maker = Owner::Maker(Some(admin.user.id), true);
    let key = add(tx, maker, input, UsageType::Auth)?;
    let details = json!({"title": key.title, "fingerprint": key.fingerprint_sha256});
    audit::record(tx, admin, "deploy_key.create", ("DeployKey", key.id, &key.title), details)?;
    Ok(key)
}

/// Lets a key open a project: a new one, or one that is known and that the caller has
/// elsewhere.
pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, input: &KeyInput, can_push: bool,
) -> Result<DeployKey> {
    if let Some(known) = known(tx, &input.key)? {
        if rows::find(tx, project.id, known.id)?.is_some() {
            return find(tx, project, known.id);
        }
        if known.user_id.is_some() || !is_reached(tx, viewer, &known)? {
            return Err(taken());
        }
        return join(tx, viewer, project, &known, can_push);
    }
    check_room(tx, project)?;
    let key = add(tx, Owner::Maker(viewer.user_id(), false), input, UsageType::Auth)?;
    join(tx, viewer, project, &key, can_push)
}

/// Lets a key open a project that opens another one of the caller's, or any.
pub fn enable(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, id: i64) -> Result<DeployKey> {
    let key = keys::by_id(tx, id)?.filter(|key| key.user_id.is_none());
    let key = key.found("Deploy key")?;
    if !is_reached(tx, viewer, &key)? {
        return Err(Error::NotFound("Deploy key"));
    }
    match rows::find(tx, project.id, id)? {
        Some(_) => find(tx, project, id),
        None => join(tx, viewer, project, &key, false),
    }
}

/// Changes the title of a key, and whether it may push here.
pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, id: i64, title: Option<&str>,
    can_push: Option<bool>,
) -> Result<DeployKey> {
    let known = find(tx, project, id)?;
    if let Some(title) = title.filter(|title| *title != known.key.title) {
        // A key of all projects belongs to none of them.
        if known.key.is_public && !viewer.is_admin() {
            return Err(Error::forbidden(""));
        }
        if let Some(problem) = title_problem(title) {
            return Err(Error::invalid("title", problem));
        }
        keys::rename(tx, id, title.trim())?;
    }
    let joined = rows::find(tx, project.id, id)?.found("Deploy key")?;
    if let Some(can_push) = can_push {
        rows::set_can_push(tx, joined.id, can_push)?;
    }
    let changed = find(tx, project, id)?;
    let details = json!({"title": changed.key.title, "can_push": changed.can_push});
    record(tx, viewer, "deploy_key.update", project, id, details)?;
    Ok(changed)
}

/// Ends that a key opens a project. A key that opens none is deleted, unless it is for
/// all.
pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, id: i64) -> Result<()> {
    let joined = rows::find(tx, project.id, id)?.found("Deploy key")?;
    let key = keys::by_id(tx, id)?.found("Deploy key")?;
    rows::part(tx, joined.id)?;
    if !key.is_public && rows::projects(tx, id, 1)?.is_empty() {
        forget_deploy_key(tx, id)?;
        keys::delete(tx, id)?;
    }
    record(tx, viewer, "deploy_key.destroy", project, id, json!({"title": key.title}))
}

/// A deploy key of a project.
pub fn find(tx: &mut Tx<'_>, project: &Project, id: i64) -> Result<DeployKey> {
    let joined = rows::find(tx, project.id, id)?.found("Deploy key")?;
    let key = keys::by_id(tx, id)?.found("Deploy key")?;
    Ok(DeployKey { key, can_push: joined.can_push })
}

/// The key of this text, if somebody has it.
fn known(tx: &mut Tx<'_>, text: &str) -> Result<Option<SshKey>> {
    if text.len() > public_key::MAX_TEXT {
        return Ok(None);
    }
    match public_key::read(text) {
        Ok(key) => keys::by_sha256(tx, &key.fingerprints.sha256),
        Err(_) => Ok(None),
    }
}

/// Whether somebody may take a key to another project: it is for all, or they maintain
/// one that it opens.
fn is_reached(tx: &mut Tx<'_>, viewer: &Viewer, key: &SshKey) -> Result<bool> {
    if key.is_public || viewer.is_admin() {
        return Ok(true);
    }
    for joined in rows::projects(tx, key.id, LOOKED_AT)? {
        let reference = Reference::Id(joined.project_id);
        if let Some(project) = access::find_project(tx, &reference)?
            && access::may(tx, viewer, &project, Purpose::ManageDeployTokens)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn check_room(tx: &mut Tx<'_>, project: &Project) -> Result<()> {
    match rows::count(tx, project.id)? < MOST {
        true => Ok(()),
        false => Err(Error::invalid("key", format!("is one too many (maximum is {MOST})"))),
    }
}

fn join(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, key: &SshKey, can_push: bool,
) -> Result<DeployKey> {
    check_room(tx, project)?;
    rows::join(tx, project.id, key.id, can_push)?;
    let details = json!({
        "title": key.title,
        "fingerprint": key.fingerprint_sha256,
        "can_push": can_push,
    });
    record(tx, viewer, "deploy_key.enable", project, key.id, details)?;
    find(tx, project, key.id)
}

fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str, project: &Project, id: i64,
    mut details: Value,
) -> Result<()> {
    details["key_id"] = id.into();
    audit::record(tx, viewer, action, ("Project", project.id, &project.full_path), details)
}

/// Whether a deploy key may push to a project, as protected branches ask.
pub fn may_push(tx: &mut Tx<'_>, project: i64, key: i64) -> Result<bool> {
    Ok(rows::find(tx, project, key)?.is_some_and(|joined| joined.can_push))
}
