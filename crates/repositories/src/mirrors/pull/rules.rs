//! What may be set of pull mirrors, and when they follow.

use super::model::{PullMirror, PullMirrorInput, next_after};
use super::tasks::FollowUpstream;
use super::{SEALS, store as rows, switch};
use crate::hooks;
use crate::mirrors::address::{Address, FETCHED_BY, is_same_server, joined};
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
use spaces::access::{Purpose, may};
use spaces::imports::{self, ImportStatus};
use spaces::model::Project;
use spaces::rules::of_project;
use url::Url;

/// What a project that follows nothing is asked in vain for.
const NOTHING: &str = "The project is not mirrored";

/// The mirror of a project.
pub fn find(tx: &mut Tx<'_>, project: &Project) -> Result<PullMirror> {
    rows::of_project(tx, project.id)?.found("Pull Mirror")
}

/// Says what a project follows, for who may say that of it.
pub fn set(
    tx: &mut Tx<'_>, secrets: &Secrets, viewer: &Viewer, project: &Project, input: &PullMirrorInput,
) -> Result<PullMirror> {
    switch::check(tx, project)?;
    write(tx, secrets, (viewer, project), input, false)
}

/// Has a project begin with what is at this address, and follow it from then on if that is
/// said, too.
pub(super) fn import(
    tx: &mut Tx<'_>, secrets: &Secrets, by: (&Viewer, &Project), input: &PullMirrorInput,
) -> Result<PullMirror> {
    if !hooks::has_imports_by_address(tx)? {
        return Err(Error::forbidden("git import source is disabled"));
    }
    imports::note(tx, by.1.id, ImportStatus::Scheduled, None)?;
    write(tx, secrets, by, input, true)
}

pub(super) fn write(
    tx: &mut Tx<'_>, secrets: &Secrets, (viewer, project): (&Viewer, &Project),
    input: &PullMirrorInput, is_import: bool,
) -> Result<PullMirror> {
    input.check()?;
    let before = rows::of_project(tx, project.id)?;
    if before.is_none() && input.url.is_none() {
        return Err(Error::missing("url"));
    }
    let action = match before {
        Some(_) => "pull_mirror.update",
        None => "pull_mirror.create",
    };
    let user_id = Some(acting(tx, viewer, project, input.mirror_user_id)?);
    let before = before.unwrap_or_else(|| blank(project.id));
    let is_import = is_import || before.is_import;
    let mut after = PullMirror { user_id, is_import, failures: 0, ..before };
    change(secrets, &mut after, input)?;
    match after.id {
        0 => after.id = rows::insert(tx, &after)?,
        _ => rows::update(tx, &after)?,
    }
    note(tx, viewer, project, action, &after)?;
    if after.is_wanted() {
        schedule(tx, &after)?;
    }
    find(tx, project)
}

/// Ends it. What came stays.
pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<()> {
    let mirror = find(tx, project)?;
    rows::delete(tx, mirror.id)?;
    note(tx, viewer, project, "pull_mirror.destroy", &mirror)
}

/// Has the project follow as soon as it may.
pub fn start(tx: &mut Tx<'_>, project: &Project) -> Result<()> {
    switch::check(tx, project)?;
    let mirror = find(tx, project)?;
    match mirror.enabled {
        true => schedule(tx, &mirror),
        false => Err(Error::BadRequest(NOTHING.into())),
    }
}

/// Has a mirror follow when it may next.
pub(super) fn schedule(tx: &mut Tx<'_>, mirror: &PullMirror) -> Result<()> {
    let at = mirror.free_at(tx.now());
    if mirror.update_status != UpdateStatus::Scheduled {
        rows::scheduled(tx, mirror.id, next_after(at, mirror.failures))?;
    }
    enqueue_at(tx, &FollowUpstream { mirror: mirror.id }, at)
}

/// As whom a mirror acts: pushes are theirs, and so are pipelines. That is who changes it,
/// or whom an administrator names.
fn acting(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, wanted: Option<i64>) -> Result<i64> {
    let own = viewer.signed_in()?.user.id;
    let Some(wanted) = wanted.filter(|id| *id != own) else {
        return Ok(own);
    };
    if !viewer.is_admin() {
        let text = "Only administrators may have a mirror act as somebody else.";
        return Err(Error::forbidden(text));
    }
    let user = identity::access::active_user(tx, wanted)?.map(Viewer::addressed);
    let maintains = match user {
        Some(user) => may(tx, &user, project, Purpose::Update)?,
        None => false,
    };
    match maintains {
        true => Ok(wanted),
        false => Err(Error::invalid("mirror_user_id", "does not maintain the project")),
    }
}

fn note(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, action: &'static str, mirror: &PullMirror,
) -> Result<()> {
    let details = json!({"url": mirror.server.shown_url, "enabled": mirror.enabled});
    audit::record(tx, viewer, action, of_project(project), details)
}

/// One that nothing was said of yet.
pub(super) fn blank(project_id: i64) -> PullMirror {
    PullMirror {
        id: 0,
        project_id,
        user_id: None,
        enabled: false,
        is_import: false,
        server: Server::blank(),
        trigger_builds: false,
        only_protected_branches: None,
        mirror_branch_regex: None,
        overwrites_diverged_branches: false,
        update_status: UpdateStatus::None,
        last_update_at: None,
        last_update_started_at: None,
        last_successful_update_at: None,
        last_error: None,
        failures: 0,
        next_update_at: None,
    }
}

/// Sets what is said.
fn change(secrets: &Secrets, mirror: &mut PullMirror, input: &PullMirrorInput) -> Result<()> {
    if let Some(text) = address(secrets, &mirror.server, input)? {
        let address = Address::read(&text, FETCHED_BY)?;
        mirror.server.auth_method = match address.is_ssh() {
            true => AuthMethod::SshPublicKey,
            false => AuthMethod::Password,
        };
        mirror.server.place(secrets, &SEALS, address)?;
    }
    if let Some(lines) = &input.host_keys {
        mirror.server.host_keys = Json(keys::host_keys(lines)?);
    }
    mirror.enabled = input.enabled.unwrap_or(mirror.enabled);
    mirror.trigger_builds = input.mirror_trigger_builds.unwrap_or(mirror.trigger_builds);
    let overwrites = input.mirror_overwrites_diverged_branches;
    mirror.overwrites_diverged_branches = overwrites.unwrap_or(mirror.overwrites_diverged_branches);
    if let Some(only) = input.only_mirror_protected_branches {
        mirror.only_protected_branches = Some(only);
        mirror.mirror_branch_regex.take_if(|_| only);
    }
    if let Some(pattern) = input.pattern() {
        let only = mirror.only_protected_branches;
        mirror.only_protected_branches = only.map(|only| only && pattern.is_none());
        mirror.mirror_branch_regex = pattern;
    }
    mirror.server.authenticate(secrets, &SEALS)
}

/// The address that is set, with what proves who asks, of which a part may be what there is
/// for that server; none where nothing is said of it.
fn address(secrets: &Secrets, server: &Server, input: &PullMirrorInput) -> Result<Option<String>> {
    let (user, password) = (input.auth_user.as_deref(), input.auth_password.as_deref());
    if user.is_none() && password.is_none() {
        return Ok(input.url.clone());
    }
    let text = input.url.as_deref().unwrap_or(&server.url);
    let read = Address::read(text, FETCHED_BY)?;
    let is_same = Url::parse(&server.url).is_ok_and(|url| is_same_server(&url, &read.url));
    let known = match is_same {
        true => server.credentials(secrets, &SEALS)?,
        false => None,
    };
    let (known_user, known_password) = known.unwrap_or_default();
    let user = user.unwrap_or(&known_user);
    let password = password.unwrap_or(&known_password);
    joined(read.url.as_str(), user, password).map(Some)
}
