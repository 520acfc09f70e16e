//! The same as projects show it and take it by themselves: the old way, over one store.

use super::model::{PullMirror, PullMirrorInput};
use super::{rules, store as rows, switch};
use crate::mirrors::address::FETCHED_BY;
use crate::mirrors::server::check_address;
use crate::model::RepositoryKind;
use crate::store::{self, refs};
use ::store::Tx;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use kernel::secrets::Secrets;
use spaces::access::{Purpose, may};
use spaces::hooks::MirrorSettingsHooks;
use spaces::mirror_settings::{MirrorSettings, MirrorSettingsChange};
use spaces::model::Project;
use std::collections::HashMap;

/// What rooms below are plugged in.
pub const MIRROR_SETTINGS: MirrorSettingsHooks = MirrorSettingsHooks { read, check, change };

fn read(tx: &mut Tx<'_>, projects: &[i64]) -> Result<HashMap<i64, MirrorSettings>> {
    let found = rows::of_projects(tx, projects)?;
    Ok(found.into_iter().map(|mirror| (mirror.project_id, shown(mirror))).collect())
}

fn shown(mirror: PullMirror) -> MirrorSettings {
    MirrorSettings {
        import_url: Some(mirror.server.shown_url),
        mirror: mirror.enabled,
        mirror_user_id: mirror.user_id,
        mirror_trigger_builds: mirror.trigger_builds,
        only_mirror_protected_branches: mirror.only_protected_branches,
        mirror_overwrites_diverged_branches: mirror.overwrites_diverged_branches,
        mirror_branch_regex: mirror.mirror_branch_regex,
    }
}

fn check(app: App, url: String) -> BoxFuture<'static, Result<()>> {
    let url = Some(url).filter(|url| !url.is_empty());
    async move { check_address(&app, url.as_deref(), FETCHED_BY).await.map_err(named) }.boxed()
}

/// The address has another name here.
fn named(error: Error) -> Error {
    kernel::html::form::rename(error, "url", "import_url")
}

fn change(
    tx: &mut Tx<'_>, secrets: &Secrets, viewer: &Viewer, project: &Project,
    change: &MirrorSettingsChange,
) -> Result<()> {
    let before = rows::of_project(tx, project.id)?;
    let url = match &change.import_url {
        Patch::Value(url) if !url.is_empty() => Some(url.clone()),
        Patch::Absent => None,
        Patch::Value(_) | Patch::Null => {
            return match before {
                Some(_) => rules::destroy(tx, viewer, project),
                None => Ok(()),
            };
        }
    };
    if before.is_none() && url.is_none() {
        return match change.mirror {
            Some(true) => Err(Error::missing("import_url")),
            // Nothing is to follow nothing.
            _ => Ok(()),
        };
    }
    if change.mirror == Some(true) {
        check_following(tx, viewer, project)?;
    }
    let begins = url.is_some() && is_empty(tx, project)?;
    let input = input(change, url);
    let written = match begins {
        true => rules::import(tx, secrets, (viewer, project), &input),
        false => rules::write(tx, secrets, (viewer, project), &input, false),
    };
    written.map(drop).map_err(named)
}

/// Refuses who may not have a project follow another: who makes one in a group need not
/// maintain it.
fn check_following(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<()> {
    match may(tx, viewer, project, Purpose::Update)? {
        true => switch::check(tx, project),
        false => Err(Error::forbidden("")),
    }
}

/// Whether nothing was pushed to a project yet.
fn is_empty(tx: &mut Tx<'_>, project: &Project) -> Result<bool> {
    match store::of_project(tx, project.id, RepositoryKind::Project)? {
        Some(repository) => Ok(refs::counts(tx, repository.id)? == (0, 0)),
        None => Ok(true),
    }
}

fn input(change: &MirrorSettingsChange, url: Option<String>) -> PullMirrorInput {
    PullMirrorInput {
        enabled: change.mirror,
        url,
        mirror_trigger_builds: change.mirror_trigger_builds,
        only_mirror_protected_branches: change.only_mirror_protected_branches,
        mirror_overwrites_diverged_branches: change.mirror_overwrites_diverged_branches,
        mirror_branch_regex: change.mirror_branch_regex.clone(),
        mirror_user_id: change.mirror_user_id,
        ..PullMirrorInput::default()
    }
}
