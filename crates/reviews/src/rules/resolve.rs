//! Names become ids, as far as they exist and may be used; what the viewer may not set is
//! left out.

use super::input::Input;
use crate::access::{sets_labels, sets_people, user_sees};
use ::store::Tx;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use planning::access::{Parent, ProjectAccess};
use planning::rules::issues::Assignees;
use planning::rules::milestones::usable;
use planning::rules::people::those_who;
use planning::store::milestones;

/// What of an input somebody with their level in the target may have.
pub fn allowed(here: &ProjectAccess, input: Input) -> Input {
    let input = match sets_people(here.level) {
        true => input,
        false => input.without_people(),
    };
    match sets_labels(here.level) {
        true => input,
        false => input.without_labels(),
    }
}

/// Makes ids of what was named; labels that are missing are made.
///
/// # Errors
///
/// 400 for two names of a milestone, one that is not there, and too many people.
pub fn resolve(tx: &mut Tx<'_>, here: &ProjectAccess, input: &mut Input) -> Result<()> {
    let parent = Parent::Project(Box::new(here.project.clone()));
    milestone(tx, &parent, input)?;
    if let Assignees::Set(ids) | Assignees::Add(ids) = &mut input.assignees {
        *ids = people(tx, here, "assignees", ids)?;
    }
    if let Some(ids) = &input.reviewer_ids {
        input.reviewer_ids = Some(people(tx, here, "reviewers", ids)?);
    }
    input.add_reviewer_ids = people(tx, here, "reviewers", &input.add_reviewer_ids)?;
    input.wears.resolve(tx, &parent)
}

fn milestone(tx: &mut Tx<'_>, parent: &Parent, input: &mut Input) -> Result<()> {
    if let Some(title) = input.milestone.take() {
        if input.milestone_id != Patch::Absent {
            let text = "milestone, milestone_id are mutually exclusive";
            return Err(Error::Parameters(vec![text.into()]));
        }
        let found = milestones::named(tx, parent, std::slice::from_ref(&title), &[])?;
        let found = found.into_iter().find(|one| one.title == title);
        input.milestone_id = match (found, title.is_empty()) {
            (Some(goal), _) => Patch::Value(goal.id),
            (None, true) => Patch::Null,
            (None, false) => return Err(Error::invalid("milestone", "is invalid")),
        };
    }
    input.milestone_id = usable(tx, parent, &input.milestone_id)?;
    Ok(())
}

/// Those of these users who are active and see the merge requests of the project.
fn people(tx: &mut Tx<'_>, here: &ProjectAccess, field: &str, ids: &[i64]) -> Result<Vec<i64>> {
    those_who(tx, field, ids, |tx, user| user_sees(tx, user, &here.project))
}
