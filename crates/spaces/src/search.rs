//! Projects and groups among what is searched, and where somebody searches.

use crate::access::{
    DEVELOPER, Purpose, group, level_in_project, projects_of, visible_groups, visible_projects,
};
use crate::model::{Namespace, Project};
use crate::store::searched::{GROUPS, PROJECTS};
use crate::store::{Source as MembersOf, filters, in_force, today};
use identity::search::PEOPLE;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::Reference;
use kernel::search::Found;
use store::{Fragment, Tx};

/// Projects up to which the index is asked for those alone that a viewer sees.
const FEW: i64 = 100;

/// Where somebody searches.
#[derive(Debug, Clone)]
pub enum Place {
    Everywhere,
    /// In a group and all below it.
    Group(Box<Namespace>),
    /// In a project, with the viewer's level there.
    Project(Box<Project>, i64),
}

impl Place {
    /// A project, found for the viewer.
    pub fn of_project(tx: &mut Tx<'_>, viewer: &Viewer, project: &Reference) -> Result<Place> {
        let project = crate::access::project(tx, viewer, project, Purpose::Read)?;
        let level = level_in_project(tx, viewer, &project)?;
        Ok(Place::Project(Box::new(project), level))
    }

    /// A group, found for the viewer.
    pub fn of_group(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Place> {
        Ok(Place::Group(Box::new(group(tx, viewer, reference, Purpose::Read)?)))
    }

    /// Condition on `projects`: those that are there.
    pub fn holds(&self) -> Fragment {
        match self {
            Place::Everywhere => Fragment::new("true"),
            Place::Group(group) => filters::projects_below(group),
            Place::Project(project, _) => {
                let mut only = Fragment::new("projects.id = ");
                only.bind(project.id);
                only
            }
        }
    }

    /// Condition on `namespaces`: the groups that are there.
    pub fn holds_groups(&self) -> Fragment {
        let mut below = Fragment::default();
        match self {
            Place::Everywhere => below.raw("true"),
            Place::Group(group) => below
                .push("namespaces.lineage >= ", &group.lineage)
                .push(" and namespaces.lineage < ", group.lineage_end()),
            Place::Project(..) => below.raw("1 = 0"),
        };
        below
    }

    /// The projects there that the viewer sees, if they are few. What belongs to a
    /// project is then looked for in these alone, which spares those who see little
    /// the way through all that they do not see.
    pub fn few(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<Option<Vec<i64>>> {
        if let Place::Project(project, _) = self {
            return Ok(Some(vec![project.id]));
        }
        let mut query = Fragment::new("select projects.id from projects where ");
        query.append(seen(tx, viewer, self)).push(" limit ", FEW + 1);
        let ids: Vec<i64> = tx.query(query)?;
        Ok((ids.len() as i64 <= FEW).then_some(ids))
    }
}

/// Condition on `projects`: those of a place that the viewer sees.
pub fn seen(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Fragment {
    let mut seen = visible_projects(tx, viewer, Purpose::Read);
    seen.raw(" and ").append(place.holds());
    seen
}

/// Condition on `projects`: those of a place that the viewer develops.
pub fn developed(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Fragment {
    let mut developed = seen(tx, viewer, place);
    match viewer.user_id() {
        _ if viewer.is_admin() => &mut developed,
        Some(id) => developed.raw(" and ").append(projects_of(tx, id, DEVELOPER)),
        None => developed.raw(" and 1 = 0"),
    };
    developed
}

pub fn projects(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Found {
    let from = "projects join namespaces on namespaces.id = projects.namespace_id";
    Found::new(&PROJECTS, from, seen(tx, viewer, place))
}

pub fn groups(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Found {
    let mut seen = visible_groups(tx, viewer);
    seen.raw(" and ").append(place.holds_groups());
    if let Place::Group(group) = place {
        seen.push(" and namespaces.id <> ", group.id);
    }
    Found::new(&GROUPS, "namespaces", seen)
}

/// People who are not blocked, of a project or group its members; for viewers
/// who signed in.
pub fn people(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Found {
    let mut seen = Fragment::new("users.state = 'active'");
    match viewer.user_id() {
        Some(_) => seen.append(members(tx, place)),
        None => seen.raw(" and 1 = 0"),
    };
    Found::new(&PEOPLE, "users", seen)
}

/// ` and …`: members of a place or of the groups above it.
fn members(tx: &Tx<'_>, place: &Place) -> Fragment {
    let source = match place {
        Place::Everywhere => return Fragment::default(),
        Place::Group(group) => MembersOf::of_group(group),
        Place::Project(project, _) => MembersOf::of_project(project),
    };
    let mut members = Fragment::new(" and users.id in (select m.user_id from members m where ((");
    members
        .push("m.source_type = ", source.kind)
        .push(" and m.source_id = ", source.id)
        .raw(") or (m.source_type = 'Group' and")
        .in_list("m.source_id", source.groups)
        .raw("))");
    in_force(&mut members, "m", &today(tx)).raw(")");
    members
}
