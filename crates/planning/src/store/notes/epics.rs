//! Notes about epics: who sees an epic sees those that name nothing hidden.

use super::readable;
use crate::access::epics::visible_ids;
use crate::access::{Scope, visible};
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
    let mut condition = Fragment::new(
        "notes.noteable_type = 'Epic'
            and (notes.names_epic_id is null or notes.names_epic_id in",
    );
    condition
        .append(visible_ids(tx, viewer))
        .raw(
            ") and (notes.names_issue_id is null or exists (select 1 from issues
                join projects on projects.id = issues.project_id
                where issues.id = notes.names_issue_id and ",
        )
        .append(visible(tx, viewer, &Scope::Everywhere))
        .raw("))");
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
