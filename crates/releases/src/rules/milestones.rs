//! The milestones that a release is for, by title or by id.

use super::bad;
use crate::model::MOST_MILESTONES;
use ::store::Tx;
use kernel::error::{Error, Result};
use planning::access::Parent;
use planning::model::Milestone;
use planning::store::milestones as rows;
use spaces::model::Project;
use std::fmt::Display;

/// How milestones are named.
pub enum Named<'n> {
    /// They stay as they are.
    Unsaid,
    Titles(&'n [String]),
    Ids(&'n [i64]),
}

impl<'n> Named<'n> {
    pub fn of(titles: &'n Option<Vec<String>>, ids: &'n Option<Vec<i64>>) -> Result<Named<'n>> {
        let named = match (titles, ids) {
            (Some(_), Some(_)) => {
                return Err(bad("Cannot specify milestones and milestone_ids at the same time"));
            }
            (Some(titles), None) => Named::Titles(titles),
            (None, Some(ids)) => Named::Ids(ids),
            (None, None) => Named::Unsaid,
        };
        match named.count() > MOST_MILESTONES {
            true => Err(Error::Parameters(vec!["milestones is too long".into()])),
            false => Ok(named),
        }
    }

    fn count(&self) -> usize {
        match self {
            Named::Unsaid => 0,
            Named::Titles(titles) => titles.len(),
            Named::Ids(ids) => ids.len(),
        }
    }
}

/// Whether issues and releases of a project may be for a milestone.
pub fn is_usable(project: &Project, milestone: &Milestone) -> bool {
    match milestone.group_id {
        Some(group) => project.ancestors().contains(&group),
        None => milestone.project_id == Some(project.id),
    }
}

/// Their ids; none where nothing is said of them.
pub fn find(tx: &mut Tx<'_>, project: &Project, named: Named<'_>) -> Result<Option<Vec<i64>>> {
    let mut found = match named {
        Named::Unsaid => return Ok(None),
        Named::Titles(titles) => {
            let parent = Parent::Project(Box::new(project.clone()));
            let known = rows::named(tx, &parent, titles, &[])?;
            let id = |title: &String| known.iter().find(|it| it.title == *title).map(|it| it.id);
            all_of(titles, id, "Milestone(s) not found")?
        }
        Named::Ids(ids) => {
            let known = rows::by_ids(tx, ids)?;
            let is_here = |id: &i64| known.get(id).is_some_and(|it| is_usable(project, it));
            all_of(ids, |id| is_here(id).then_some(*id), "Milestone id(s) not found")?
        }
    };
    found.sort_unstable();
    found.dedup();
    Ok(Some(found))
}

/// The ids of all, or which have none.
fn all_of<N: Display>(
    names: &[N], id: impl Fn(&N) -> Option<i64>, problem: &str,
) -> Result<Vec<i64>> {
    let (known, lost): (Vec<_>, Vec<_>) =
        names.iter().map(|name| (name, id(name))).partition(|(_, id)| id.is_some());
    if lost.is_empty() {
        return Ok(known.into_iter().filter_map(|(_, id)| id).collect());
    }
    let lost: Vec<String> = lost.into_iter().map(|(name, _)| name.to_string()).collect();
    Err(bad(format!("{problem}: {}", lost.join(", "))))
}
