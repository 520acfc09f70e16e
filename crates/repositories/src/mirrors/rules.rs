//! What may be done to mirrors, and when they follow.

use super::address::{Address, Credentials, is_same_server};
use super::jobs::PushMirror;
use super::model::{AuthMethod, MOST, MirrorInput, RemoteMirror, UpdateStatus};
use super::{keys, store as rows};
use ::store::{Json, Tx};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::jobs::enqueue_at;
use kernel::secrets::Secrets;
use serde_json::json;
use spaces::model::Project;
use spaces::rules::of_project;
use url::Url;

/// What is sealed is bound to what it is.
pub(super) const CREDENTIALS: &str = "remote_mirrors.sealed_credentials";
pub(super) const KEY: &str = "remote_mirrors.sealed_key";

const DISABLED: &str =
    "Cannot proceed with the push mirroring. Please verify your mirror configuration.";

/// Refuses an address that nothing may be sent to, as far as can be told without: each
/// time that a mirror follows it is asked again.
pub async fn check_address(app: &App, url: Option<&str>) -> Result<()> {
    let Some(url) = url else { return Ok(()) };
    let address = Address::read(url)?;
    match app.outbound().await?.addresses(&address.url).await {
        Err(fault) if !fault.may_pass() => {
            Err(Error::invalid("url", format!("is blocked: {fault}")))
        }
        _ => Ok(()),
    }
}

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
    let address = Address::read(url)?;
    let blank = RemoteMirror {
        id: 0,
        project_id: project.id,
        enabled: false,
        url: String::new(),
        shown_url: String::new(),
        sealed_credentials: None,
        auth_method: match address.is_ssh() {
            true => AuthMethod::SshPublicKey,
            false => AuthMethod::Password,
        },
        sealed_key: None,
        public_key: None,
        host_keys: Json(Vec::new()),
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
    let details = json!({"url": mirror.shown_url, "enabled": mirror.enabled});
    audit::record(tx, viewer, action, of_project(project), details)
}

/// A mirror with what is set.
fn changed(secrets: &Secrets, before: RemoteMirror, input: &MirrorInput) -> Result<RemoteMirror> {
    input.check()?;
    let mut after = before;
    if let Some(url) = &input.url {
        place(secrets, &mut after, Address::read(url)?)?;
    }
    if let Some(lines) = &input.host_keys {
        after.host_keys = Json(keys::host_keys(lines)?);
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
    after.auth_method = input.auth_method.unwrap_or(after.auth_method);
    authenticate(secrets, after)
}

/// Gives a mirror another address. What proves who pushes, and what the server is known
/// by, is for the server it was given for.
fn place(secrets: &Secrets, mirror: &mut RemoteMirror, address: Address) -> Result<()> {
    let is_same = Url::parse(&mirror.url).is_ok_and(|url| is_same_server(&url, &address.url));
    mirror.sealed_credentials = match address.credentials {
        Credentials::None => None,
        Credentials::Given(it) => Some(secrets.seal(CREDENTIALS, it.expose().as_bytes())),
        Credentials::AsTheyAre if is_same && mirror.sealed_credentials.is_some() => {
            mirror.sealed_credentials.take()
        }
        Credentials::AsTheyAre => {
            let text = "needs its user name and password again";
            return Err(Error::invalid("url", text));
        }
    };
    if !is_same {
        mirror.host_keys = Json(Vec::new());
    }
    mirror.url = address.url.into();
    mirror.shown_url = address.shown;
    Ok(())
}

/// Makes the key of a mirror that needs one, and refuses what cannot prove anything there.
fn authenticate(secrets: &Secrets, mut mirror: RemoteMirror) -> Result<RemoteMirror> {
    let is_ssh = mirror.url.starts_with("ssh://");
    match (mirror.auth_method, is_ssh) {
        (AuthMethod::Password, true) => {
            Err(Error::invalid("auth_method", "must be ssh_public_key for an ssh:// address"))
        }
        (AuthMethod::SshPublicKey, false) => {
            Err(Error::invalid("auth_method", "must be password unless the address is ssh://"))
        }
        (AuthMethod::SshPublicKey, true) if mirror.sealed_key.is_none() => {
            let (file, public) = keys::make()?;
            mirror.sealed_key = Some(secrets.seal(KEY, file.as_bytes()));
            mirror.public_key = Some(public);
            Ok(mirror)
        }
        _ => Ok(mirror),
    }
}
