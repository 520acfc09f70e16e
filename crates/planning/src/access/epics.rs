//! Who sees and does what with epics: they follow the group they are in, and
//! confidential ones are seen by its reporters. Planners write them.

use super::switches::{self, need_epics};
use crate::model::epics::Epic;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use spaces::access::{
    GUEST, OWNER, PLANNER, Purpose, REPORTER, find_group, group_and_level, groups_of,
    role_in_group, visible_groups,
};
use spaces::model::{INTERNAL, Namespace, PUBLIC};
use store::{Fragment, Tx};

/// A group whose epics the viewer sees, with the level there.
#[derive(Debug, Clone)]
pub struct GroupAccess {
    pub group: Namespace,
    pub level: i64,
}

impl GroupAccess {
    /// Whether the viewer sees what is confidential.
    pub fn is_reporter(&self) -> bool {
        self.level >= REPORTER
    }

    /// Whether the viewer owns the group or administers the instance.
    pub fn is_owner(&self) -> bool {
        self.level >= OWNER
    }

    pub fn is_member(&self) -> bool {
        self.level >= GUEST
    }

    /// Whether the viewer makes and changes epics.
    pub fn plans(&self) -> bool {
        self.level >= PLANNER
    }

    pub fn sees(&self, epic: &Epic) -> bool {
        !epic.confidential || self.is_reporter()
    }

    /// Refuses who does not make and change epics.
    pub fn planning(&self) -> Result<()> {
        match self.plans() {
            true => Ok(()),
            false => Err(Error::forbidden("")),
        }
    }
}

fn enter(
    tx: &mut Tx<'_>, viewer: &Viewer, group: &Reference, purpose: Purpose,
) -> Result<GroupAccess> {
    let (group, level) = group_and_level(tx, viewer, group, purpose)?;
    need_epics(tx, &group)?;
    Ok(GroupAccess { group, level })
}

pub fn to_read(tx: &mut Tx<'_>, viewer: &Viewer, group: &Reference) -> Result<GroupAccess> {
    enter(tx, viewer, group, Purpose::Read)
}

/// The same, for somebody signed in.
pub fn signed_in(tx: &mut Tx<'_>, viewer: &Viewer, group: &Reference) -> Result<GroupAccess> {
    enter(tx, viewer, group, Purpose::ReadMembers)
}

/// Statement: the group, if it has epics.
fn with_epics(group_id: i64) -> Fragment {
    let mut query = Fragment::new(
        "select namespaces.id from namespaces where namespaces.kind = 'group'
            and namespaces.deletion_scheduled_at is null and namespaces.id = ",
    );
    query.bind(group_id).raw(" and ").append(switched_on());
    query
}

/// Whether the namespace is a group that has epics, in one statement.
pub fn is_with_epics(tx: &mut Tx<'_>, group_id: i64) -> Result<bool> {
    Ok(!tx.query::<i64>(with_epics(group_id))?.is_empty())
}

/// Whether the viewer has this level in a group that has epics; for pages, which ask it
/// each time, in one statement where not.
pub fn has_level(tx: &mut Tx<'_>, viewer: &Viewer, group_id: i64, level: i64) -> Result<bool> {
    let mut query = with_epics(group_id);
    match viewer.user_id() {
        _ if viewer.is_admin() => &mut query,
        Some(user_id) => query.raw(" and ").append(groups_of(tx, user_id, level)),
        None => return Ok(false),
    };
    Ok(!tx.query::<i64>(query)?.is_empty())
}

/// Condition on `epics` joined with `namespaces`: those that the viewer may see.
pub fn visible(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut shown = visible_groups(tx, viewer);
    shown.raw(" and ").append(switched_on());
    if viewer.is_admin() {
        return shown;
    }
    shown.raw(" and (not epics.confidential");
    if let Some(user_id) = viewer.user_id() {
        shown.raw(" or ").append(groups_of(tx, user_id, REPORTER));
    }
    shown.raw(")");
    shown
}

/// Those of these groups that have epics.
pub fn groups_with_epics(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<i64>> {
    let mut query = Fragment::new("select namespaces.id from namespaces where");
    query.in_list("namespaces.id", ids).raw(" and ").append(switched_on());
    Ok(tx.query(query)?)
}

/// Condition on `namespaces`: nothing switches epics off there.
fn switched_on() -> Fragment {
    let mut on = Fragment::new(
        "not exists (select 1 from namespaces off where not off.epics_enabled
            and namespaces.lineage >= off.lineage
            and namespaces.lineage < off.lineage || ':') and ",
    );
    on.raw(switches::EPICS_ON);
    on
}

/// Condition: the epic of this id, a column, is one of those.
pub fn is_visible(tx: &Tx<'_>, viewer: &Viewer, id: &str) -> Fragment {
    let mut is_one = Fragment::new(
        "exists (select 1 from epics join namespaces on namespaces.id = epics.group_id
            where epics.id = ",
    );
    is_one.raw(id).raw(" and ").append(visible(tx, viewer)).raw(")");
    is_one
}

/// ` (select epics.id …)`: the ids of those.
pub fn visible_ids(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut ids = Fragment::new(
        " (select epics.id from epics join namespaces on namespaces.id = epics.group_id where ",
    );
    ids.append(visible(tx, viewer)).raw(")");
    ids
}

/// Whether a user may see an epic, and notes about it that only reporters see.
pub fn may_know(tx: &mut Tx<'_>, user: &User, epic: &Epic, internal: bool) -> Result<bool> {
    if !user.is_at_work() {
        return Ok(false);
    }
    let Some(group) = find_group(tx, &Reference::Id(epic.group_id))? else {
        return Ok(false);
    };
    if user.is_admin {
        return Ok(true);
    }
    let role = role_in_group(tx, user.id, &group)?;
    if internal || epic.confidential {
        return Ok(role >= REPORTER);
    }
    let is_open = match group.visibility {
        PUBLIC => true,
        INTERNAL => !user.is_external && !user.kind.is_bot(),
        _ => false,
    };
    Ok(is_open || role >= GUEST)
}
