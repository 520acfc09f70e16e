//! Merge requests and what is said of them as they go elsewhere, each with its id; by these.

use super::model::{
    Approval, CodeNote, MergeRequest as Going, Outcome, Reviewer, Spot, Version as GoingVersion,
};
use super::store::{self as rows, EventRow};
use crate::approvals::store::given;
use crate::model::{EventKind, MergeRequest, State, Version};
use crate::positions::{Line, Position, Spot as Stood};
use crate::store::labels;
use crate::store::people::{Parts, parts_of};
use crate::threads::model::read;
use ::store::Tx;
use kernel::error::Result;
use planning::model::{Label, Milestone};
use planning::store::milestones;
use planning::store::notes::{MERGE_REQUEST, Note};
use planning::transfer::read::reactions;
use planning::transfer::{Event, Happening, Note as GoingNote, On, Reaction};
use std::collections::{HashMap, HashSet};

/// How reactions call notes.
const NOTE: &str = "Note";

/// Merge requests of a project.
pub fn requests(
    tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64,
) -> Result<Vec<(i64, Going<i64>)>> {
    let found = rows::requests_after(tx, project_id, after, limit)?;
    let mut beside = Beside::of(tx, &found)?;
    Ok(found.into_iter().map(|request| (request.id, beside.whole(request))).collect())
}

/// What stands beside some merge requests.
struct Beside {
    parts: Parts,
    labels: HashMap<i64, Vec<Label>>,
    milestones: HashMap<i64, Milestone>,
    versions: HashMap<i64, Vec<Version>>,
    approvals: HashMap<i64, Vec<given::Approval>>,
    reactions: HashMap<i64, Vec<Reaction<i64>>>,
}

impl Beside {
    fn of(tx: &mut Tx<'_>, found: &[MergeRequest]) -> Result<Beside> {
        let ids: Vec<i64> = found.iter().map(|request| request.id).collect();
        let goals: Vec<i64> = found.iter().filter_map(|request| request.milestone_id).collect();
        Ok(Beside {
            parts: parts_of(tx, &ids)?,
            labels: labels::of_requests(tx, &ids)?,
            milestones: milestones::by_ids(tx, &goals)?,
            versions: rows::versions(tx, &ids)?,
            approvals: given::of(tx, &ids)?,
            reactions: reactions(tx, MERGE_REQUEST, &ids)?,
        })
    }

    fn whole(&mut self, row: MergeRequest) -> Going<i64> {
        let id = row.id;
        let versions = self.versions.remove(&id).unwrap_or_default();
        let newest = versions.last().cloned();
        let sha = |of: fn(&Version) -> String| newest.as_ref().map(of);
        let reviewers = self.parts.reviewers.remove(&id).unwrap_or_default();
        let approvals = self.approvals.remove(&id).unwrap_or_default();
        let labels = self.labels.remove(&id).unwrap_or_default();
        let milestone = row.milestone_id.and_then(|goal| self.milestones.get(&goal));
        let brought = row.merge_commit_id.or(row.rebased_commit_id);
        Going {
            number: row.iid,
            source_branch: source_branch(&row),
            state: outcome(row.state),
            is_locked: row.is_locked(),
            removes_source_branch: row.removes_source_branch(),
            head: sha(|version| version.head_id.to_string())
                .or(row.head_id.map(|head| head.to_string())),
            start: sha(|version| version.start_id.to_string()),
            base: sha(|version| version.base_id.to_string()),
            versions: versions.iter().map(version).collect(),
            merge_commit: brought.map(|commit| commit.to_string()),
            squash_commit: row.squash_commit_id.map(|commit| commit.to_string()),
            merged_by: row.merge_user_id.filter(|_| row.state == State::Merged),
            assignees: self.parts.assignees.remove(&id).unwrap_or_default(),
            reviewers: reviewers
                .into_iter()
                .map(|one| Reviewer {
                    who: one.user_id,
                    state: Some(one.state.as_str().to_owned()),
                })
                .collect(),
            approvals: approvals
                .into_iter()
                .map(|one| Approval { by: one.user_id, at: one.created_at })
                .collect(),
            labels: labels.into_iter().map(|label| label.title).collect(),
            milestone: milestone.map(|milestone| milestone.title.clone()),
            reactions: self.reactions.remove(&id).unwrap_or_default(),
            title: row.title,
            description: row.description,
            author: row.author_id,
            is_draft: row.draft,
            target_branch: row.target_branch,
            is_squashed: row.squash,
            time_estimate: row.time_estimate,
            time_spent: row.time_spent,
            closed_at: row.closed_at,
            closed_by: row.closed_by_id,
            merged_at: row.merged_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// One that is merged at this moment is open until that is done.
fn outcome(state: State) -> Outcome {
    match state {
        State::Opened | State::Locked => Outcome::Opened,
        State::Closed => Outcome::Closed,
        State::Merged => Outcome::Merged,
    }
}

/// That of a fork has a name that no branch of the project has.
fn source_branch(row: &MergeRequest) -> String {
    match row.is_from_fork() {
        true => format!("merge-requests/{}/{}", row.iid, row.source_branch),
        false => row.source_branch.clone(),
    }
}

fn version(row: &Version) -> GoingVersion {
    GoingVersion {
        head: row.head_id.to_string(),
        start: row.start_id.to_string(),
        base: row.base_id.to_string(),
        created_at: row.created_at,
    }
}

/// Notes about merge requests of a project that stand in no code, those of the program among
/// them.
pub fn notes(
    tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64,
) -> Result<Vec<(i64, GoingNote<i64>)>> {
    let found = rows::notes(tx, project_id, false, (after, limit))?;
    let numbers = rows::numbers(tx, &about(&found))?;
    let mut reactions = reactions(tx, NOTE, &ids(&found))?;
    let note = |row: Note| {
        let number = *numbers.get(&row.noteable_id)?;
        let note = GoingNote {
            on: On::MergeRequest(number),
            key: row.id.to_string(),
            thread: row.in_thread.then_some(row.discussion_id),
            author: row.author_id,
            text: row.body,
            is_internal: row.internal,
            is_system: row.is_system,
            resolved_at: row.resolved_at,
            resolved_by: row.resolved_by_id,
            reactions: reactions.remove(&row.id).unwrap_or_default(),
            created_at: row.created_at,
            updated_at: row.updated_at,
        };
        Some((row.id, note))
    };
    Ok(found.into_iter().filter_map(note).collect())
}

/// Notes in the code of merge requests of a project; the first of each thread says where it
/// stood at first.
pub fn code_notes(
    tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64,
) -> Result<Vec<(i64, CodeNote<i64>)>> {
    let found = rows::notes(tx, project_id, true, (after, limit))?;
    let numbers = rows::numbers(tx, &about(&found))?;
    let mut reactions = reactions(tx, NOTE, &ids(&found))?;
    let threads: HashSet<String> = found.iter().map(|note| note.discussion_id.clone()).collect();
    let threads: Vec<String> = threads.into_iter().collect();
    let begins: HashSet<i64> = rows::beginning(tx, &threads)?.into_iter().collect();
    let spots: HashMap<String, Spot> = rows::originals(tx, &threads)?
        .into_iter()
        .filter_map(|row| Some((row.discussion_id, spot(&read(&row.original_position)?))))
        .collect();
    let note = |row: Note| {
        let number = *numbers.get(&row.noteable_id)?;
        let spot = spots.get(&row.discussion_id).filter(|_| begins.contains(&row.id));
        let note = CodeNote {
            number,
            key: row.id.to_string(),
            spot: spot.cloned(),
            thread: row.discussion_id,
            author: row.author_id,
            text: row.body,
            resolved_at: row.resolved_at,
            resolved_by: row.resolved_by_id,
            reactions: reactions.remove(&row.id).unwrap_or_default(),
            created_at: row.created_at,
            updated_at: row.updated_at,
        };
        Some((row.id, note))
    };
    Ok(found.into_iter().filter_map(note).collect())
}

/// What notes are about.
fn about(notes: &[Note]) -> Vec<i64> {
    notes.iter().map(|note| note.noteable_id).collect()
}

fn ids(notes: &[Note]) -> Vec<i64> {
    notes.iter().map(|note| note.id).collect()
}

/// A point of an image is all of it.
fn spot(position: &Position) -> Spot {
    let line = position.line();
    let first = match position.spot {
        Stood::Text { lines, .. } => lines.map(|lines| lines.start),
        Stood::Image(_) | Stood::File => None,
    };
    let shas = position.shas();
    Spot {
        head: Some(shas.head.to_string()),
        base: Some(shas.base.to_string()),
        start: Some(shas.start.to_string()),
        new_path: position.paths.new.clone(),
        old_path: Some(position.paths.old.clone()),
        new_line: line.and_then(Line::new_line),
        old_line: line.and_then(Line::old_line),
        first_new_line: first.and_then(Line::new_line),
        first_old_line: first.and_then(Line::old_line),
    }
}

/// What became of merge requests of a project.
pub fn events(
    tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64,
) -> Result<Vec<(i64, Event<i64>)>> {
    let event = |row: EventRow| {
        let event = Event {
            on: On::MergeRequest(row.iid),
            // Those of issues have ids of their own.
            key: format!("merge_request:{}", row.id),
            by: row.user_id,
            at: row.created_at,
            what: happening(&row)?,
        };
        Some((row.id, event))
    };
    let found = rows::events(tx, project_id, after, limit)?;
    Ok(found.into_iter().filter_map(event).collect())
}

fn happening(row: &EventRow) -> Option<Happening> {
    let adds = row.action == "add";
    Some(match row.kind {
        EventKind::State => match row.action.as_str() {
            "closed" => Happening::Closed,
            "reopened" => Happening::Reopened,
            "merged" => Happening::Merged,
            _ => return None,
        },
        EventKind::Label if adds => Happening::LabelAdded { label: row.label.clone()? },
        EventKind::Label => Happening::LabelRemoved { label: row.label.clone()? },
        EventKind::Milestone if adds => Happening::MilestoneAdded { title: row.milestone.clone()? },
        EventKind::Milestone => Happening::MilestoneRemoved { title: row.milestone.clone()? },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::{Kind, Lines, Paths, Shas};
    use repositories::formats::object_id::ObjectId;

    #[test]
    fn lines_are_told_by_the_sides_that_have_them() {
        let line = |kind, old, new| Line { kind, old, new };
        let id = ObjectId::ZERO;
        let position = |spot| Position {
            shas: Shas { base: id, start: id, head: id },
            paths: Paths { old: "a".to_owned(), new: "b".to_owned() },
            spot,
        };
        let end = line(Kind::Same, 4, 5);
        let lines = Some(Lines { start: line(Kind::Removed, 2, 3), end });
        let told = spot(&position(Stood::Text { line: end, lines }));
        assert_eq!((told.old_line, told.new_line), (Some(4), Some(5)));
        assert_eq!((told.first_old_line, told.first_new_line), (Some(2), None));
        assert_eq!((told.old_path.as_deref(), told.new_path.as_str()), (Some("a"), "b"));
        let told = spot(&position(Stood::File));
        assert_eq!((told.old_line, told.new_line, told.first_old_line), (None, None, None));
    }
}
