//! Whole things as they go elsewhere, page by page.

use super::model::{Event, Happening, Issue, IssueLink, Label, Milestone, Note, On, Reaction};
use super::store::{self as rows, EventRow, LinkRow, ReactionRow};
use crate::model::{self, EventKind, LinkType, MilestoneState};
use crate::store::milestones::by_ids;
use crate::store::notes::ISSUE;
use crate::store::{issues, labels as label_rows};
use kernel::error::Result;
use std::collections::HashMap;
use store::Tx;

/// How reactions call notes.
const NOTE: &str = "Note";

/// Labels of a project, and those of groups that are on its issues, after this id; each with
/// its id.
pub fn labels(
    tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64,
) -> Result<Vec<(i64, Label)>> {
    let found = rows::labels(tx, project_id, after, limit)?;
    let label = |row: rows::LabelRow| {
        let label = Label {
            name: row.title,
            color: row.color,
            description: row.description,
            priority: row.priority,
        };
        (row.id, label)
    };
    Ok(found.into_iter().map(label).collect())
}

/// Milestones of a project itself after this number, by number.
pub fn milestones(
    tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64,
) -> Result<Vec<Milestone>> {
    let found = rows::milestones(tx, project_id, after, limit)?;
    Ok(found.into_iter().map(milestone).collect())
}

fn milestone(row: model::Milestone) -> Milestone {
    Milestone {
        number: row.iid,
        title: row.title,
        description: row.description,
        is_closed: row.state == MilestoneState::Closed,
        start_date: row.start_on,
        due_date: row.due_on,
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}

/// Issues of a project after this number, by number; each with its id. A link between two is
/// told by that of the higher number.
pub fn issues(
    tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64,
) -> Result<Vec<(i64, Issue<i64>)>> {
    let found = rows::issues(tx, project_id, after, limit)?;
    let ids: Vec<i64> = found.iter().map(|issue| issue.id).collect();
    let mut beside = Beside::of(tx, &found, &ids)?;
    Ok(found.into_iter().map(|row| (row.id, beside.issue(row))).collect())
}

/// What stands beside some issues.
struct Beside {
    labels: HashMap<i64, Vec<model::Label>>,
    milestones: HashMap<i64, model::Milestone>,
    assignees: HashMap<i64, Vec<i64>>,
    links: HashMap<i64, Vec<IssueLink>>,
    reactions: HashMap<i64, Vec<Reaction<i64>>>,
}

impl Beside {
    fn of(tx: &mut Tx<'_>, found: &[model::Issue], ids: &[i64]) -> Result<Beside> {
        let milestones: Vec<i64> = found.iter().filter_map(|issue| issue.milestone_id).collect();
        Ok(Beside {
            labels: label_rows::of_issues(tx, ids)?,
            milestones: by_ids(tx, &milestones)?,
            assignees: issues::assignees_of(tx, ids)?,
            links: told_by_the_later(rows::links(tx, ids)?),
            reactions: reactions(tx, ISSUE, ids)?,
        })
    }

    fn issue(&mut self, row: model::Issue) -> Issue<i64> {
        let labels = self.labels.remove(&row.id).unwrap_or_default();
        let milestone = row.milestone_id.and_then(|id| self.milestones.get(&id));
        Issue {
            number: row.iid,
            milestone: milestone.map(|milestone| milestone.title.clone()),
            labels: labels.into_iter().map(|label| label.title).collect(),
            assignees: self.assignees.remove(&row.id).unwrap_or_default(),
            links: self.links.remove(&row.iid).unwrap_or_default(),
            reactions: self.reactions.remove(&row.id).unwrap_or_default(),
            is_closed: !row.is_open(),
            is_locked: row.is_locked(),
            issue_type: row.named_kind().map(|kind| kind.as_str().to_owned()),
            title: row.title,
            description: row.description,
            author: row.author_id,
            closed_at: row.closed_at,
            closed_by: row.closed_by_id,
            is_confidential: row.confidential,
            weight: row.weight,
            due_date: row.due_on,
            time_estimate: row.time_estimate,
            time_spent: row.time_spent,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// Links by the higher number of the two, seen from that.
fn told_by_the_later(links: Vec<LinkRow>) -> HashMap<i64, Vec<IssueLink>> {
    let mut by_number: HashMap<i64, Vec<IssueLink>> = HashMap::new();
    for link in links {
        let (later, number, link_type) = match (link.source > link.target, link.link_type) {
            (true, link_type) => (link.source, link.target, link_type),
            (false, LinkType::Blocks) => (link.target, link.source, LinkType::IsBlockedBy),
            (false, link_type) => (link.target, link.source, link_type),
        };
        let told = IssueLink { number, link_type: link_type.as_str().to_owned() };
        by_number.entry(later).or_default().push(told);
    }
    by_number
}

/// The reactions to things of a kind, by the ids of these.
pub fn reactions(
    tx: &mut Tx<'_>, kind: &str, ids: &[i64],
) -> Result<HashMap<i64, Vec<Reaction<i64>>>> {
    let reaction = |row: ReactionRow| {
        let reaction = Reaction { by: Some(row.user_id), name: row.name, at: row.created_at };
        (row.awardable_id, reaction)
    };
    let found = rows::reactions(tx, kind, ids)?;
    Ok(::store::grouped(found.into_iter().map(reaction)))
}

/// Notes about these things of a kind, after this id, in the order they were written down;
/// each with its discussion. Its key is its id.
pub fn notes(
    tx: &mut Tx<'_>, kind: &str, on: &HashMap<i64, On>, after: i64, limit: i64,
) -> Result<Vec<(String, Note<i64>)>> {
    let about: Vec<i64> = on.keys().copied().collect();
    let found = rows::notes(tx, kind, &about, after, limit)?;
    let ids: Vec<i64> = found.iter().map(|note| note.id).collect();
    let mut reactions = reactions(tx, NOTE, &ids)?;
    let mut notes = Vec::with_capacity(found.len());
    for row in found {
        let Some(on) = on.get(&row.noteable_id) else { continue };
        let note = Note {
            on: *on,
            key: row.id.to_string(),
            thread: row.in_thread.then(|| row.discussion_id.clone()),
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
        notes.push((row.discussion_id, note));
    }
    Ok(notes)
}

/// What became of these issues, after this id; the key of each is its id.
pub fn events(
    tx: &mut Tx<'_>, on: &HashMap<i64, On>, after: i64, limit: i64,
) -> Result<Vec<Event<i64>>> {
    let about: Vec<i64> = on.keys().copied().collect();
    let found = rows::events(tx, &about, after, limit)?;
    let event = |row: EventRow| {
        let on = *on.get(&row.issue_id)?;
        let (key, by, at) = (row.id.to_string(), row.user_id, row.created_at);
        Some(Event { on, key, by, at, what: happening(row)? })
    };
    Ok(found.into_iter().filter_map(event).collect())
}

/// None of what is about something that is gone.
fn happening(row: EventRow) -> Option<Happening> {
    let adds = row.action == "add";
    Some(match row.kind {
        EventKind::State if row.action == "closed" => Happening::Closed,
        EventKind::State => Happening::Reopened,
        EventKind::Label if adds => Happening::LabelAdded { label: row.label? },
        EventKind::Label => Happening::LabelRemoved { label: row.label? },
        EventKind::Milestone if adds => Happening::MilestoneAdded { title: row.milestone? },
        EventKind::Milestone => Happening::MilestoneRemoved { title: row.milestone? },
        EventKind::Weight => Happening::Weight { weight: row.weight },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_of_two_issues_tells_their_link() {
        let link = |source, target, link_type| LinkRow { source, target, link_type };
        let told = told_by_the_later(vec![
            link(1, 2, LinkType::Blocks),
            link(3, 2, LinkType::Blocks),
            link(1, 3, LinkType::RelatesTo),
        ]);
        let of = |number: i64| -> Vec<(i64, &str)> {
            told[&number].iter().map(|one| (one.number, one.link_type.as_str())).collect()
        };
        assert_eq!(of(2), [(1, "is_blocked_by")]);
        assert_eq!(of(3), [(2, "blocks"), (1, "relates_to")]);
        assert!(!told.contains_key(&1));
    }
}
