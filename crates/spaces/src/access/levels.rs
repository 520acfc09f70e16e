//! Effective roles: of one user in one place, or in many places at once.

use super::{ADMINISTRATOR, NONE, OWNER, Purpose, allows, allows_in_group};
use crate::model::{Namespace, Project};
use crate::store::members::levels_held;
use identity::viewer::Viewer;
use kernel::error::Result;
use std::collections::HashMap;
use store::Tx;

/// The user's effective role in a project: the highest of direct membership,
/// membership in the groups above, and shares of any of these with groups the
/// user is a member of; 50 for the owner of the user namespace it is in.
pub fn role_in_project(tx: &mut Tx<'_>, user_id: i64, project: &Project) -> Result<i64> {
    if project.namespace_owner_id == Some(user_id) {
        return Ok(OWNER);
    }
    let held = LevelRow::read(tx, user_id, vec![project.id], project.ancestors())?;
    Ok(held.in_project(project))
}

/// Asks for as much as the level in a project takes, where there is none.
pub(super) fn ask_of_nothing(tx: &mut Tx<'_>, viewer: &Viewer) -> Result<()> {
    match viewer.user_id().filter(|_| !viewer.is_admin()) {
        Some(user_id) => LevelRow::read(tx, user_id, Vec::new(), Vec::new()).map(drop),
        None => Ok(()),
    }
}

/// The user's effective role in a group, or 50 in their own namespace.
pub fn role_in_group(tx: &mut Tx<'_>, user_id: i64, group: &Namespace) -> Result<i64> {
    if group.owner_id == Some(user_id) {
        return Ok(OWNER);
    }
    let held = LevelRow::read(tx, user_id, Vec::new(), group.ids())?;
    Ok(held.in_group(group))
}

/// What a user holds in each of some projects and groups by itself: as a
/// member, or by a share.
struct LevelRow {
    user_id: i64,
    levels: HashMap<(String, i64), i64>,
}

impl LevelRow {
    fn read(
        tx: &mut Tx<'_>, user_id: i64, projects: Vec<i64>, groups: Vec<i64>,
    ) -> Result<LevelRow> {
        let rows = levels_held(tx, user_id, projects, groups)?;
        let levels = rows.into_iter().map(|(of, id, level)| ((of, id), level));
        Ok(LevelRow { user_id, levels: levels.collect() })
    }

    fn at(&self, kind: &str, id: i64) -> i64 {
        let key = (kind.to_owned(), id);
        self.levels.get(&key).copied().unwrap_or(NONE)
    }

    fn in_groups(&self, ids: &[i64]) -> i64 {
        let levels = ids.iter().map(|id| self.at("Group", *id));
        levels.max().unwrap_or(NONE)
    }

    fn in_project(&self, project: &Project) -> i64 {
        if project.namespace_owner_id == Some(self.user_id) {
            return OWNER;
        }
        let direct = self.at("Project", project.id);
        direct.max(self.in_groups(&project.ancestors()))
    }

    fn in_group(&self, group: &Namespace) -> i64 {
        if group.owner_id == Some(self.user_id) {
            return OWNER;
        }
        self.in_groups(&group.ids())
    }
}

/// A user's levels in many places, read in one statement; answers what
/// [`may`](super::may) and [`may_in_group`](super::may_in_group) answer for one.
/// Strangers and deploy tokens have none here.
pub struct Levels {
    viewer: Viewer,
    held: Option<LevelRow>,
}

impl Levels {
    pub fn in_projects(tx: &mut Tx<'_>, viewer: &Viewer, projects: &[&Project]) -> Result<Levels> {
        let ids = projects.iter().map(|project| project.id).collect();
        let above = projects.iter().flat_map(|project| project.ancestors());
        Levels::read(tx, viewer, ids, above.collect())
    }

    pub fn in_groups(tx: &mut Tx<'_>, viewer: &Viewer, groups: &[&Namespace]) -> Result<Levels> {
        let ids = groups.iter().flat_map(|group| group.ids()).collect();
        Levels::read(tx, viewer, Vec::new(), ids)
    }

    fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, projects: Vec<i64>, mut groups: Vec<i64>,
    ) -> Result<Levels> {
        groups.sort_unstable();
        groups.dedup();
        let held = match viewer {
            Viewer::User(signed_in) => {
                Some(LevelRow::read(tx, signed_in.user.id, projects, groups)?)
            }
            _ => None,
        };
        Ok(Levels { viewer: viewer.clone(), held })
    }

    /// The role in a project of those read, whatever administrators may do
    /// besides.
    pub fn role_in_project(&self, project: &Project) -> i64 {
        if self.viewer.job().is_some_and(|(_, own)| own != project.id) {
            return NONE;
        }
        let held = self.held.as_ref().map(|held| held.in_project(project));
        held.unwrap_or(NONE)
    }

    /// The level in a project of those read: 60 for administrators.
    pub fn of_project(&self, project: &Project) -> i64 {
        match self.viewer.is_admin() {
            true => ADMINISTRATOR,
            false => self.role_in_project(project),
        }
    }

    /// The level in a group of those read: 60 for administrators.
    pub fn of_group(&self, group: &Namespace) -> i64 {
        let held = self.held.as_ref().map(|held| held.in_group(group));
        match self.viewer.is_admin() {
            true => ADMINISTRATOR,
            false if self.viewer.job().is_some() => NONE,
            false => held.unwrap_or(NONE),
        }
    }

    /// Whether the viewer may do this with a project of those read.
    pub fn may(&self, project: &Project, purpose: Purpose) -> bool {
        allows(&self.viewer, project, self.of_project(project), purpose)
    }

    /// Whether the viewer may do this with a group of those read.
    pub fn may_in_group(&self, group: &Namespace, purpose: Purpose) -> bool {
        allows_in_group(&self.viewer, group, self.of_group(group), purpose)
    }
}
