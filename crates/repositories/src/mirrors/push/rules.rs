//! What may be done to mirrors, and when they follow.

use super::model::{MOST, MirrorInput, RemoteMirror};
use super::tasks::PushMirror;
use super::{SEALS, store as rows};
use crate::mirrors::address::{Address, PUSHED_BY};
use crate::mirrors::keys;
use crate::mirrors::model::{AuthMethod, UpdateStatus};
use crate::mirrors::server::Server;
use ::store::{Json, Tx};
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::jobs::enqueue_at;
use kernel::secrets::Secrets;
use serde_json::json;
use spaces::model::Project;
use spaces::rules::of_project;

const DISABLED: &str =
    "Cannot proceed with the push mirroring. Please verify your mirror configuration.";

/// A mirror of the project.
pub fn find(tx: &mut Tx<'_>, project: &Project, id: i64) -> Result<RemoteMirror> {
    let found = rows::find(tx, id)?.filter(|it| it.project_id == project.id);
    found.found("Remote Mirror")
}

/// Adds a mirror.
pub fn create(
    tx: &mut Tx<'_>, secrets: &Secrets, viewer: &Viewer, project: &Project, input: &MirrorInput,
) -> Result<RemoteMirror> {
    let url = input.url.as_deref().ok_or_else(|| Error::missing("url"))?;
    if rows::of_project(tx, project.id)?.len() as i64 >= MOST {
        let text = format!("A project has at most {MOST} push mirrors.");
        return Err(Error::BadRequest(text));
    }
    let address = Address::read(url, PUSHED_BY)?;
    let auth_method = match address.is_ssh() {
        true => AuthMethod::SshPublicKey,
        false => AuthMethod::Password,
    };
    let blank = RemoteMirror {
        id: 0,
        project_id: project.id,
        enabled: false,
        server: Server { auth_method, ..Server::blank() },
        only_protected_branches: false,
        mirror_branch_regex: None,
        keep_divergent_refs: false,
        update_status: UpdateStatus::None,
        last_update_at: None,
        last_update_started_at: None,
        last_successful_update_at: None,
        last_error: None,
    };
    let new = changed(secrets, blank, input)?;
    let id = rows::insert(tx, &new)?;
    note(tx, viewer, project, "remote_mirror.create", &new)?;
    Ok(RemoteMirror { id, ..new })
}

/// Changes a mirror.
pub fn update(
    tx: &mut Tx<'_>, secrets: &Secrets, viewer: &Viewer, project: &Project, id: i64,
    input: &MirrorInput,
) -> Result<RemoteMirror> {
    let before = find(tx, project, id)?;
    let after = changed(secrets, before, input)?;
    rows::update(tx, &after)?;
    note(tx, viewer, project, "remote_mirror.update", &after)?;
    Ok(after)
}

pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, id: i64) -> Result<()> {
    let mirror = find(tx, project, id)?;
    rows::delete(tx, id)?;
    note(tx, viewer, project, "remote_mirror.destroy", &mirror)
}

/// Has a mirror follow as soon as it may.
pub fn sync(tx: &mut Tx<'_>, project: &Project, id: i64) -> Result<()> {
    let mirror = find(tx, project, id)?;
    match mirror.enabled {
        true => schedule(tx, &mirror),
        false => Err(Error::Exact(400, json!({"message": DISABLED}))),
    }
}

/// Has the mirrors of a project follow a push.
pub(crate) fn pushed(tx: &mut Tx<'_>, project_id: i64) -> Result<()> {
    for mirror in rows::of_project(tx, project_id)? {
        if mirror.enabled {
            schedule(tx, &mirror)?;
        }
    }
    Ok(())
}

fn schedule(tx: &mut Tx<'_>, mirror: &RemoteMirror) -> Result<()> {
    let at = mirror.free_at(tx.now());
    if mirror.update_status != UpdateStatus::Scheduled {
        rows::scheduled(tx, mirror.id)?;
    }
    enqueue_at(tx, &PushMirror { mirror: mirror.id }, at)
}

fn note(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, action: &'static str,
    mirror: &RemoteMirror,
) -> Result<()> {
    let details = json!({"url": mirror.server.shown_url, "enabled": mirror.enabled});
    audit::record(tx, viewer, action, of_project(project), details)
}

/// A mirror with what is set.
fn changed(secrets: &Secrets, before: RemoteMirror, input: &MirrorInput) -> Result<RemoteMirror> {
    input.check()?;
    let mut after = before;
    if let Some(url) = &input.url {
        after.server.place(secrets, &SEALS, Address::read(url, PUSHED_BY)?)?;
    }
    if let Some(lines) = &input.host_keys {
        after.server.host_keys = Json(keys::host_keys(lines)?);
    }
    after.enabled = input.enabled.unwrap_or(after.enabled);
    after.keep_divergent_refs = input.keep_divergent_refs.unwrap_or(after.keep_divergent_refs);
    if let Some(only) = input.only_protected_branches {
        after.only_protected_branches = only;
        after.mirror_branch_regex = after.mirror_branch_regex.filter(|_| !only);
    }
    if let Some(pattern) = input.pattern() {
        after.only_protected_branches &= pattern.is_none();
        after.mirror_branch_regex = pattern;
    }
    after.server.auth_method = input.auth_method.unwrap_or(after.server.auth_method);
    after.server.authenticate(secrets, &SEALS)?;
    Ok(after)
}
