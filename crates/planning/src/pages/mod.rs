//! HTML pages of this room: issues of projects and groups, one issue with what
//! is said about it, labels, milestones, and what somebody has to do.
//!
//! Every form goes through the rules that REST uses, and works without a
//! script.

pub mod boards;
pub mod boxes;
mod dashboard;
mod epics;
pub mod fields;
mod issue;
mod labels;
pub mod list;
mod milestones;
pub mod narrowed;
mod new;
pub mod notes;
pub mod notifications;
pub mod panels;
mod places;
mod preview;
pub mod reactions;
mod roadmap;
pub mod talk;
pub mod todos;
mod unsubscribe;
pub mod views;

pub use issue::actions::people_named;
pub use issue::fields::choices as milestone_choices;

use crate::access::{Parent, ParentAccess, ProjectAccess, Scope, sees_issues};
use crate::model::{Label, color};
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::html::ui::Choice;
use kernel::http::{Paging, Routes, Start};
use spaces::access::Purpose;
use spaces::pages::{Address, Space};
use store::Tx;

pub fn routes(r: &mut Routes) {
    list::routes(r);
    new::routes(r);
    issue::routes(r);
    epics::routes(r);
    preview::routes(r);
    labels::routes(r);
    boards::routes(r);
    roadmap::routes(r);
    milestones::routes(r);
    todos::routes(r);
    dashboard::routes(r);
    notifications::routes(r);
    unsubscribe::routes(r);
}

fn desk(
    tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, purpose: Purpose,
) -> Result<(Space, ProjectAccess)> {
    let space = address.authorize(tx, viewer, purpose)?;
    let Space::Project(project, level) = &space else {
        return Err(Error::NotFound("Project"));
    };
    let desk = ProjectAccess { project: project.clone(), level: *level };
    match sees_issues(&desk.project, desk.level) {
        true => Ok((space, desk)),
        false => Err(Error::NotFound("")),
    }
}

/// The project or group of an address, as the rules of labels and milestones
/// take it.
fn authorized(space: &Space) -> ParentAccess {
    match space {
        Space::Project(project, level) => ParentAccess {
            parent: Parent::Project(Box::new(project.clone())),
            level: *level,
        },
        Space::Group(group, level) => ParentAccess {
            parent: Parent::Group(Box::new(group.clone())),
            level: *level,
        },
    }
}

/// The issues of a project or group.
fn scope(space: &Space) -> Scope {
    match space {
        Space::Project(project, level) => {
            Scope::Project(Box::new(ProjectAccess { project: project.clone(), level: *level }))
        }
        Space::Group(group, _) => Scope::Group(Box::new(group.clone())),
    }
}

/// A colour that is shown: what is stored is one, and anything else is not
/// put into a page.
pub fn shown_color(text: &str) -> String {
    color::parse(text).unwrap_or_else(|| color::DEFAULT.to_owned())
}

/// The first page of a list, below a form that is shown again.
fn first_page(per_page: i64) -> Paging {
    Paging { per_page, start: Start::Page(1) }
}

/// Titles or names out of one line, told apart by commas.
pub fn words(text: &str) -> Vec<String> {
    let words = text.split(',').map(str::trim);
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The titles of labels in one line, as a field takes them.
pub fn titles(labels: &[Label]) -> String {
    let titles: Vec<&str> = labels.iter().map(|one| one.title.as_str()).collect();
    titles.join(", ")
}

/// The text of a field of several lines, as it is stored.
pub fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn kinds() -> Vec<Choice> {
    Choice::list(&[("issue", "Issue"), ("incident", "Incident"), ("task", "Task")])
}
