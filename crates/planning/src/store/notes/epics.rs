//! Notes about epics: who sees an epic sees those that name nothing hidden.

use super::{naming_what_is_seen, readable};
use crate::model::epics::EPIC;
use crate::store::epics;
use identity::viewer::Viewer;
use spaces::access::{REPORTER, groups_of};
use store::{Fragment, Tx};

/// Condition on `notes` joined with `projects`: those that show to somebody who sees
/// what they are about, be it an epic.
pub fn readable_anywhere(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut condition = Fragment::new("((");
    condition
        .append(readable(tx, viewer))
        .raw(") or (")
        .append(of_epics(tx, viewer))
        .raw("))");
    condition
}

fn of_epics(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut condition = Fragment::new("notes.noteable_type = 'Epic'");
    condition.append(naming_what_is_seen(tx, viewer, Some(EPIC)));
    match viewer.user_id() {
        _ if viewer.is_admin() => {}
        Some(user_id) => {
            condition
                .raw(&format!(
                    " and (not notes.internal or exists (select 1 from {}
                        where epics.id = notes.noteable_id and ",
                    epics::TABLES
                ))
                .append(groups_of(tx, user_id, REPORTER))
                .raw("))");
        }
        None => {
            condition.raw(" and not notes.internal");
        }
    }
    condition
}
