//! Who sees runners and who changes them: administrators those of the instance, owners
//! those of their groups, maintainers those of their projects.

use super::model::{MAX_RUNNERS, Runner, RunnerType};
use super::store;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit::Target;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use spaces::access::{self, Levels, MAINTAINER, OWNER, Purpose};
use spaces::model::{Project, SourceKind};
use spaces::pages::Space;
use spaces::rules::{of_group, of_project};
use std::collections::HashMap;

const NO_ACCESS: &str = "No access granted";

/// What a viewer has to do with a runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    Hidden,
    /// They see what it is of.
    Seen,
    Reads,
    Manages,
}

/// A runner for who may look at it.
///
/// # Errors
///
/// 404 where the viewer sees nothing that it is of, 403 where they see it and no more.
pub fn reading(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<Runner> {
    find(tx, viewer, id, Reach::Reads)
}

/// A runner for who may change it.
///
/// # Errors
///
/// As [`reading`] has them.
pub fn managing(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<Runner> {
    find(tx, viewer, id, Reach::Manages)
}

/// Of some runners those that the viewer may look at, with whether they may change them.
pub fn sights(tx: &mut Tx<'_>, viewer: &Viewer, runners: &[Runner]) -> Result<HashMap<i64, bool>> {
    if viewer.is_admin() {
        return Ok(runners.iter().map(|runner| (runner.id, true)).collect());
    }
    let Some(user_id) = viewer.user_id() else {
        return Ok(HashMap::new());
    };
    let ids: Vec<i64> = runners.iter().map(|runner| runner.id).collect();
    let managed = store::lists::managed_of(tx, user_id, ids.clone())?;
    let read = store::lists::read_of(tx, user_id, ids)?;
    let shared = runners.iter().filter(|runner| runner.is_shared()).map(|runner| runner.id);
    let seen = shared.chain(read).map(|id| (id, false));
    Ok(seen.chain(managed.into_iter().map(|id| (id, true))).collect())
}

fn find(tx: &mut Tx<'_>, viewer: &Viewer, id: i64, wanted: Reach) -> Result<Runner> {
    viewer.signed_in()?;
    let runner = store::by_id(tx, id)?.found("Runner")?;
    match reach(tx, viewer, &runner)? {
        Reach::Hidden => Err(Error::NotFound("Runner")),
        reach if reach < wanted => Err(Error::forbidden(NO_ACCESS)),
        _ => Ok(runner),
    }
}

fn reach(tx: &mut Tx<'_>, viewer: &Viewer, runner: &Runner) -> Result<Reach> {
    if viewer.is_admin() {
        return Ok(Reach::Manages);
    }
    match (runner.runner_type, runner.group_id) {
        (RunnerType::Instance, _) => Ok(Reach::Reads),
        (RunnerType::Group, Some(group)) => of_group_runner(tx, viewer, group),
        (RunnerType::Group, None) => Ok(Reach::Hidden),
        (RunnerType::Project, _) => {
            let ids = store::projects(tx, runner.id)?;
            let projects = access::find_projects(tx, &ids)?;
            let all: Vec<&Project> = projects.iter().collect();
            let levels = Levels::in_projects(tx, viewer, &all)?;
            let each = all.iter().map(|project| {
                let seen = levels.may(project, Purpose::Read);
                by_level(seen, levels.of_project(project), MAINTAINER)
            });
            Ok(each.max().unwrap_or(Reach::Hidden))
        }
    }
}

fn of_group_runner(tx: &mut Tx<'_>, viewer: &Viewer, group: i64) -> Result<Reach> {
    match access::group_and_level(tx, viewer, &Reference::Id(group), Purpose::Read) {
        Ok((_, level)) => Ok(by_level(true, level, OWNER)),
        Err(Error::NotFound(_)) => Ok(Reach::Hidden),
        Err(other) => Err(other),
    }
}

fn by_level(seen: bool, level: i64, managing: i64) -> Reach {
    match level {
        level if level >= managing => Reach::Manages,
        level if level >= MAINTAINER => Reach::Reads,
        _ if seen => Reach::Seen,
        _ => Reach::Hidden,
    }
}

/// What has runners, for somebody who may manage them there.
#[derive(Debug, Clone)]
pub enum Place {
    Instance,
    Space(Box<Space>),
}

impl Place {
    /// # Errors
    ///
    /// 401 and 403 for who is no administrator.
    pub fn instance(viewer: &Viewer) -> Result<Place> {
        viewer.admin()?;
        Ok(Place::Instance)
    }

    /// # Errors
    ///
    /// As [`access::project`] and [`access::group`] have them.
    pub fn find(
        tx: &mut Tx<'_>, viewer: &Viewer, (kind, reference): (SourceKind, &Reference),
    ) -> Result<Place> {
        Ok(Place::of(match kind {
            SourceKind::Project => {
                let (project, level) =
                    access::project_and_level(tx, viewer, reference, Purpose::Update)?;
                Space::Project(project, level)
            }
            SourceKind::Group => {
                let (group, level) =
                    access::group_and_level(tx, viewer, reference, Purpose::Update)?;
                Space::Group(group, level)
            }
        }))
    }

    /// A project or group that was found for who may manage its runners.
    pub fn of(space: Space) -> Place {
        Place::Space(Box::new(space))
    }

    pub fn space(&self) -> Option<&Space> {
        match self {
            Place::Instance => None,
            Place::Space(space) => Some(space),
        }
    }

    pub fn kind(&self) -> RunnerType {
        match self.space() {
            None => RunnerType::Instance,
            Some(Space::Group(..)) => RunnerType::Group,
            Some(Space::Project(..)) => RunnerType::Project,
        }
    }

    pub fn group_id(&self) -> Option<i64> {
        match self.space() {
            Some(Space::Group(group, _)) => Some(group.id),
            _ => None,
        }
    }

    pub fn project_id(&self) -> Option<i64> {
        match self.space() {
            Some(Space::Project(project, _)) => Some(project.id),
            _ => None,
        }
    }

    /// As audit records name it.
    pub fn target(&self) -> Target<'_> {
        match self.space() {
            None => ("Instance", 0, ""),
            Some(Space::Group(group, _)) => of_group(group),
            Some(Space::Project(project, _)) => of_project(project),
        }
    }

    /// Refuses one runner more than there may be here.
    pub fn check_room(&self, tx: &mut Tx<'_>) -> Result<()> {
        let Some(id) = self.group_id().or(self.project_id()) else {
            return Ok(());
        };
        if store::lists::count_in(tx, self.kind(), id)? < MAX_RUNNERS {
            return Ok(());
        }
        let text = format!("Maximum number of runners ({MAX_RUNNERS}) exceeded");
        Err(Error::invalid("base", text))
    }
}
