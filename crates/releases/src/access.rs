//! Who sees and does what: releases follow a feature of their project, and what they
//! say of its code is for who reads that.

use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::{Repository, RepositoryKind};
use repositories::protection::{Pusher, RefChange, check_refs};
use serde_json::json;
use spaces::access::{self, GUEST, Levels, MAINTAINER, NONE, Purpose};
use spaces::model::Project;
use std::collections::HashMap;
use store::{Fragment, Tx};

/// The feature that has releases.
const FEATURE: &str = "releases";
const PROTECTED: &str = "You are not allowed to create this tag as it is protected.";

/// A project whose releases the viewer sees.
#[derive(Debug, Clone)]
pub struct Releases {
    pub project: Project,
    /// The viewer's level: a role, 60 for administrators, 0 for nobody.
    pub level: i64,
    /// Whether they read its code, and with it tags and commits.
    pub reads_code: bool,
}

/// Whether releases of a project show to somebody with this level in it.
pub fn sees(project: &Project, level: i64) -> bool {
    match project.feature(FEATURE) {
        "disabled" => false,
        "private" => level >= GUEST,
        _ => true,
    }
}

/// The project, for who sees its releases.
pub fn read(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Releases> {
    let (project, known) = access::project_and_level(tx, viewer, reference, Purpose::Read)?;
    let level = match known {
        NONE => access::level_in_project(tx, viewer, &project)?,
        level => level,
    };
    of_project(tx, viewer, project, level)
}

/// The same for a project that is found already, with the viewer's level in it.
pub fn of_project(
    tx: &mut Tx<'_>, viewer: &Viewer, project: Project, level: i64,
) -> Result<Releases> {
    if !sees(&project, level) {
        return Err(Error::forbidden(""));
    }
    let reads_code = access::may(tx, viewer, &project, Purpose::DownloadCode)?;
    Ok(Releases { project, level, reads_code })
}

/// The project, for who sees its releases and reads its code.
pub fn read_code(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Releases> {
    let here = read(tx, viewer, reference)?;
    match here.reads_code {
        true => Ok(here),
        false => Err(Error::forbidden("")),
    }
}

/// The project, for who writes releases there.
pub fn write(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Releases> {
    if let Viewer::Anonymous = viewer {
        return Err(Error::Unauthenticated);
    }
    let here = read(tx, viewer, reference)?;
    match here.may_write(tx, viewer)? {
        true => Ok(here),
        false => Err(denied("Access Denied")),
    }
}

/// 403 with exactly this text.
fn denied(text: &str) -> Error {
    Error::Exact(403, json!({"message": text}))
}

impl Releases {
    /// Whether the viewer makes and changes releases at all.
    pub fn may_write(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<bool> {
        access::may(tx, viewer, &self.project, Purpose::PushCode)
    }

    /// Whether they may delete them.
    pub fn may_delete(&self) -> bool {
        self.level >= MAINTAINER
    }

    pub fn repository(&self, tx: &mut Tx<'_>) -> Result<Option<Repository>> {
        repositories::store::of_project(tx, self.project.id, RepositoryKind::Project)
    }

    /// Refuses who may not make this tag, be it there or not.
    pub fn check_tag(&self, tx: &mut Tx<'_>, viewer: &Viewer, tag: &str) -> Result<()> {
        let (Some(repository), Ok(name)) = (self.repository(tx)?, RefName::tag(tag)) else {
            return Ok(());
        };
        let new = ObjectId::from_bytes([1; 20]);
        let change = RefChange { name, old: ObjectId::ZERO, new, is_forced: false };
        let pusher = Pusher::by_api(viewer);
        match check_refs(tx, &pusher, &self.project, &repository, &[change])? {
            Ok(()) => Ok(()),
            Err(_) => Err(denied(PROTECTED)),
        }
    }

    /// Refuses who may not delete a release of this tag.
    pub fn check_delete(&self, tx: &mut Tx<'_>, viewer: &Viewer, tag: &str) -> Result<()> {
        match self.may_delete() {
            true => self.check_tag(tx, viewer, tag),
            false => Err(Error::forbidden("")),
        }
    }
}

/// Condition on `projects`: those whose releases the viewer sees.
pub fn seen(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut seen = access::visible_projects(tx, viewer, Purpose::Read);
    seen.raw(" and coalesce(projects.features ->> 'releases', '') <> 'disabled'");
    if viewer.is_admin() {
        return seen;
    }
    seen.raw(" and (coalesce(projects.features ->> 'releases', '') <> 'private'");
    if let Some(user_id) = viewer.user_id() {
        seen.raw(" or ").append(access::projects_of(tx, user_id, GUEST));
    }
    seen.raw(")");
    seen
}

/// The same of those below a group.
pub fn seen_below(tx: &Tx<'_>, viewer: &Viewer, lineage: &str) -> Fragment {
    let mut below = seen(tx, viewer);
    below
        .push(
            " and projects.namespace_id in (select n.id from namespaces n where n.lineage >= ",
            lineage,
        )
        .push(" and n.lineage < ", format!("{lineage}:"))
        .raw(")");
    below
}

/// Projects of these ids that the viewer is known to see, read at once.
pub fn places(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<HashMap<i64, Releases>> {
    let projects = access::find_projects(tx, ids)?;
    let levels = Levels::in_projects(tx, viewer, &projects.iter().collect::<Vec<_>>())?;
    let place = |project: Project| {
        let level = levels.of_project(&project);
        let reads_code = levels.may(&project, Purpose::DownloadCode);
        (project.id, Releases { level, reads_code, project })
    };
    Ok(projects.into_iter().map(place).collect())
}

/// A release that must be there.
pub fn found<T>(release: Option<T>) -> Result<T> {
    release.found("")
}
