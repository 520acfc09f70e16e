//! Which projects are searched.

use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::access::{Purpose, visible_projects};
use spaces::model::Project;
use spaces::search::Place;
use store::{Fragment, Tx};

/// The projects of a place whose code the viewer may read, those pushed to last first.
pub fn pushed_last(
    tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, with_archived: bool, most: i64,
) -> Result<Vec<Project>> {
    let mut list = Fragment::new(store::concat!(
        "select ",
        Project::COLUMNS,
        " from projects join namespaces on namespaces.id = projects.namespace_id
          join repositories on repositories.project_id = projects.id
             and repositories.kind = 'project' and repositories.pushed_at is not null
          where "
    ));
    list.append(visible_projects(tx, viewer, Purpose::DownloadCode))
        .raw(" and ")
        .append(place.holds());
    if !with_archived {
        list.raw(" and projects.archived is not true");
    }
    list.push(" order by repositories.pushed_at desc, projects.id desc limit ", most);
    Ok(tx.query(list)?)
}
