//! Which issues, epics, notes, labels and milestones somebody finds: those of their
//! lists.

use crate::access::{ProjectAccess, Scope, epics as epic_access, visible};
use crate::model::IssueState;
use crate::store::epics::TABLES as EPIC_TABLES;
use crate::store::issues::TABLES;
use crate::store::issues::filter::{IssueFilter, narrow};
use crate::store::notes::readable;
use crate::store::places;
use crate::store::searched::{EPICS, ISSUES, LABELS, MILESTONES, NOTES};
use identity::viewer::Viewer;
use kernel::search::Found;
use kernel::time::date_of;
use spaces::search::Place;
use store::{Fragment, Tx};

/// A place as lists of issues take it.
pub fn scope(place: &Place) -> Scope {
    match place {
        Place::Everywhere => Scope::Everywhere,
        Place::Group(group) => Scope::Group(group.clone()),
        Place::Project(project, level) => {
            let project = (**project).clone();
            Scope::Project(Box::new(ProjectAccess { project, level: *level }))
        }
    }
}

/// Issues, if told only in this state, and only confidential ones or others.
pub fn issues(
    tx: &Tx<'_>, viewer: &Viewer, place: &Place, state: Option<IssueState>,
    confidential: Option<bool>,
) -> Found {
    let mut seen = visible(tx, viewer, &scope(place));
    let filter = IssueFilter { state, confidential, ..IssueFilter::default() };
    narrow(&mut seen, &filter, date_of(tx.now()));
    Found::new(&ISSUES, TABLES, seen)
}

/// Epics of the groups of a place, if told only in this state, and only confidential
/// ones or others. A project has none.
pub fn epics(
    tx: &Tx<'_>, viewer: &Viewer, place: &Place, state: Option<IssueState>,
    confidential: Option<bool>,
) -> Found {
    let mut seen = epic_access::visible(tx, viewer);
    seen.raw(" and ").append(place.holds_groups());
    if let Some(state) = state {
        seen.push(" and epics.state = ", state);
    }
    if let Some(confidential) = confidential {
        seen.push(" and epics.confidential = ", confidential);
    }
    Found::new(&EPICS, EPIC_TABLES, seen)
}

/// What people wrote about issues.
pub fn notes(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Found {
    let mut seen = Fragment::new("notes.noteable_type = 'Issue' and not notes.is_system and ");
    seen.append(visible(tx, viewer, &scope(place)))
        .raw(" and ")
        .append(readable(tx, viewer));
    let from = "notes join issues on issues.id = notes.noteable_id
        join projects on projects.id = issues.project_id";
    Found::new(&NOTES, from, seen)
}

pub fn labels(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Found {
    let from = "labels left join projects on projects.id = labels.project_id
        left join namespaces on namespaces.id = labels.group_id";
    Found::new(&LABELS, from, of_place(tx, viewer, place, "labels"))
}

pub fn milestones(
    tx: &Tx<'_>, viewer: &Viewer, place: &Place, state: Option<&'static str>,
) -> Found {
    let mut seen = of_place(tx, viewer, place, "milestones");
    if let Some(state) = state {
        seen.push(" and milestones.state = ", state);
    }
    Found::new(&MILESTONES, crate::store::milestones::TABLES, seen)
}

/// Condition on labels or milestones joined with what they belong to: those that
/// a place or something below it has itself.
fn of_place(tx: &Tx<'_>, viewer: &Viewer, place: &Place, table: &str) -> Fragment {
    let mut seen = places::visible(tx, viewer, table);
    seen.raw(&format!(" and (({table}.project_id is not null and "))
        .append(place.holds())
        .raw(&format!(") or ({table}.group_id is not null and "))
        .append(place.holds_groups())
        .raw("))");
    seen
}
