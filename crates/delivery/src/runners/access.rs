//! Who sees runners and who changes them: administrators those of the instance, owners
//! those of their groups, maintainers those of their projects.

use super::model::{MAX_RUNNERS, Runner, RunnerType};
use super::store;
use crate::place::Place;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use spaces::access::{self, Levels, MAINTAINER, OWNER, Purpose};
use spaces::model::Project;
use spaces::pages::Space;
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

/// Whose jobs the runners of a place take.
pub fn kind(place: &Place) -> RunnerType {
    match place.space() {
        None => RunnerType::Instance,
        Some(Space::Group(..)) => RunnerType::Group,
        Some(Space::Project(..)) => RunnerType::Project,
    }
}

/// Refuses one runner more than there may be at a place.
pub fn check_room(tx: &mut Tx<'_>, place: &Place) -> Result<()> {
    let Some(id) = place.group_id().or(place.project_id()) else {
        return Ok(());
    };
    if store::lists::count_in(tx, kind(place), id)? < MAX_RUNNERS {
        return Ok(());
    }
    let text = format!("Maximum number of runners ({MAX_RUNNERS}) exceeded");
    Err(Error::invalid("base", text))
}
