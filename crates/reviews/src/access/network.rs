//! Which projects of a network of forks the viewer makes merge requests from, and in.

use super::{is_switched_on, may_create_from, may_create_in, visible_anywhere};
use ::store::{Fragment, Tx};
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::access::{DEVELOPER, Purpose, projects_of, visible_projects};
use spaces::model::Project;
use spaces::store::projects;

/// Projects that are offered.
const MOST: i64 = 50;

/// Those from whose branches the viewer may make merge requests, these first.
pub fn sources(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &Project, first: &[i64],
) -> Result<Vec<Project>> {
    if here.fork_network_id.is_none() {
        let is_one = !here.archived && may_create_from(tx, viewer, here)?;
        return Ok(is_one.then(|| here.clone()).into_iter().collect());
    }
    let mut condition = visible_projects(tx, viewer, Purpose::DownloadCode);
    if let Some(user_id) = viewer.user_id().filter(|_| !viewer.is_admin()) {
        condition.raw(" and ").append(projects_of(tx, user_id, DEVELOPER));
    }
    of_network(tx, condition, here, first)
}

/// Those in which the viewer may make merge requests, these first.
pub fn targets(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &Project, first: &[i64],
) -> Result<Vec<Project>> {
    if here.fork_network_id.is_none() {
        let is_one = is_switched_on(here) && may_create_in(tx, viewer, here)?;
        return Ok(is_one.then(|| here.clone()).into_iter().collect());
    }
    let condition = visible_anywhere(tx, viewer);
    of_network(tx, condition, here, first)
}

fn of_network(
    tx: &mut Tx<'_>, mut condition: Fragment, here: &Project, first: &[i64],
) -> Result<Vec<Project>> {
    let root = here.fork_network_id.unwrap_or(here.id);
    condition
        .push(" and not projects.archived and (projects.id = ", root)
        .push(" or projects.fork_network_id = ", root)
        .raw(")");
    let first: Vec<String> = first.iter().chain([&here.id]).map(i64::to_string).collect();
    let order = format!(
        "case when projects.id in ({}) then 0 else 1 end, projects.full_path_folded, projects.id",
        first.join(", ")
    );
    projects(tx, &condition, &order, MOST, 0)
}
