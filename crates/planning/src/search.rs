//! Which issues, epics, notes, labels and milestones somebody finds: those of their
//! lists.

use crate::access::{ProjectAccess, Scope, epics as epic_access, visible};
use crate::model::IssueState;
use crate::store::epics::TABLES as EPIC_TABLES;
use crate::store::issues::TABLES;
use crate::store::issues::filter::{IssueFilter, narrow};
use crate::store::notes::{TABLES as NOTE_TABLES, readable_anywhere};
use crate::store::places;
use crate::store::searched::{EPICS, ISSUES, LABELS, MILESTONES, NO_PROJECT, NOTES};
use crate::targets::visible_notes;
use identity::viewer::Viewer;
use kernel::error::Result;
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

/// What people wrote about things of all rooms. Of projects it is what `few` has, which are
/// all that the viewer sees there, if they are told.
pub fn notes(tx: &Tx<'_>, viewer: &Viewer, place: &Place, few: Option<Vec<i64>>) -> Result<Found> {
    let mut seen = Fragment::new("not notes.is_system and ");
    seen.append(readable_anywhere(tx, viewer))
        .raw(" and ")
        .append(visible_notes(tx, viewer)?)
        .append(noted_in(place));
    let found = Found::new(&NOTES, NOTE_TABLES, seen);
    Ok(found.of_projects(few.map(|few| with_those_of_none(few, place))))
}

/// ` and …` on `notes` joined with `projects`: what they are about is there.
fn noted_in(place: &Place) -> Fragment {
    let mut there = Fragment::default();
    match place {
        Place::Everywhere => {}
        Place::Project(project, _) => {
            there.push(" and notes.project_id = ", project.id);
        }
        Place::Group(_) => {
            there
                .raw(" and ((notes.project_id is not null and ")
                .append(place.holds())
                .raw(&format!(
                    ") or (notes.noteable_type = 'Epic' and exists (select 1 from {EPIC_TABLES}
                        where epics.id = notes.noteable_id and "
                ))
                .append(place.holds_groups())
                .raw(")))");
        }
    }
    there
}

/// Epics and what people have for themselves are in no project.
fn with_those_of_none(mut projects: Vec<i64>, place: &Place) -> Vec<i64> {
    if !matches!(place, Place::Project(..)) {
        projects.push(NO_PROJECT);
    }
    projects
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
