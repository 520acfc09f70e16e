//! Where a viewer may put new projects and groups.

use crate::access::{self, DEVELOPER, MAINTAINER, OWNER};
use crate::model::Namespace;
use identity::viewer::Viewer;
use kernel::error::Result;
use store::{Fragment, Tx};

/// Most places a form offers.
const MAX_PLACES: i64 = 500;

/// Namespaces in which the viewer may create projects, their own first.
pub fn for_projects(tx: &mut Tx<'_>, viewer: &Viewer) -> Result<Vec<Namespace>> {
    let Some(user_id) = viewer.user_id() else {
        return Ok(Vec::new());
    };
    let mut condition = Fragment::new("namespaces.deletion_scheduled_at is null and (");
    condition.push("namespaces.owner_id = ", user_id).raw(" or ");
    if viewer.is_admin() {
        condition.raw("namespaces.kind = 'group'");
    } else {
        let needed = [("'developer'", DEVELOPER), ("'maintainer'", MAINTAINER), ("'owner'", OWNER)];
        condition.raw("(namespaces.kind = 'group' and (false");
        for (level, role) in needed {
            condition
                .raw(" or (namespaces.project_creation_level = ")
                .raw(level)
                .raw(" and ")
                .append(access::groups_of(tx, user_id, role))
                .raw(")");
        }
        condition.raw("))");
    }
    condition.raw(")");
    let order = "namespaces.kind desc, namespaces.full_path_folded, namespaces.id";
    super::namespaces(tx, &condition, order, MAX_PLACES, 0)
}

/// Groups in which the viewer may create groups.
pub fn for_groups(tx: &mut Tx<'_>, viewer: &Viewer) -> Result<Vec<Namespace>> {
    let mut condition = access::visible_groups(tx, viewer);
    if !viewer.is_admin() {
        let user_id = viewer.user_id().unwrap_or(-1);
        condition
            .raw(" and (")
            .append(access::groups_of(tx, user_id, OWNER))
            .raw(" or (namespaces.subgroup_creation_level = 'maintainer' and ")
            .append(access::groups_of(tx, user_id, MAINTAINER))
            .raw("))");
    }
    let order = "namespaces.full_path_folded, namespaces.id";
    super::namespaces(tx, &condition, order, MAX_PLACES, 0)
}
