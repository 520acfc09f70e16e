//! Whole things as they come from elsewhere, one by one. What names others by title or number
//! is resolved before; texts are those that are stored.

use super::discussion_id;
use super::model::{Issue, Label, Milestone, Note, Reaction};
use super::store as rows;
use super::texts::{label_title, line, prose};
use crate::access::Parent;
use crate::formats::tasks;
use crate::model::{
    self, IssueKind, IssueState, LinkType, MAX_LABEL_TEXT, MAX_NAMED, MilestoneState, color,
    text_error,
};
use crate::rules::awards::name as emoji;
use crate::rules::issues::MAX_IID;
use crate::rules::notes::new_discussion;
use crate::store::awards::{self, Awardable};
use crate::store::internal_ids::{self, Usage};
use crate::store::linked_pairs::{ISSUE_LINKS, MOST};
use crate::store::notes::{self as note_rows, NewNote, Noteable, can_be_resolved};
use crate::store::{issues, labels, milestones};
use kernel::error::{Error, Found, Result};
use store::Tx;

/// Most reactions to one thing.
const MOST_REACTIONS: usize = 1_000;

/// Makes a label, unless the place can use one of its title already; its id.
///
/// # Errors
///
/// What the database refuses.
pub fn label(tx: &mut Tx<'_>, project: &Parent, label: &Label) -> Result<i64> {
    let title = label_title(&label.name);
    if let Some(id) = usable_label(tx, project, &title)? {
        return Ok(id);
    }
    let row = colored(label, model::Label { title, ..model::Label::default() });
    let id = labels::insert(tx, project, &row)?.found("Label")?;
    rank(tx, project, id, label)?;
    Ok(id)
}

/// Writes a label anew that came before, unless it is that of a group.
///
/// # Errors
///
/// What the database refuses.
pub fn update_label(tx: &mut Tx<'_>, project: &Parent, id: i64, label: &Label) -> Result<()> {
    let Some(found) = labels::by_ids(tx, &[id])?.pop() else {
        return Ok(());
    };
    if found.project_id.is_some() && found.project_id == project.project_id() {
        labels::update(tx, &colored(label, found))?;
    }
    rank(tx, project, id, label)
}

/// A row that says what a label does.
fn colored(label: &Label, row: model::Label) -> model::Label {
    let text = label.description.as_deref().map(prose).unwrap_or_default();
    let text: String = text.chars().take(MAX_LABEL_TEXT).collect();
    model::Label {
        color: color::parse(&label.color).unwrap_or_else(|| color::DEFAULT.to_owned()),
        description: Some(text).filter(|text| !text.is_empty()),
        ..row
    }
}

/// Gives a label its place among those of the project.
fn rank(tx: &mut Tx<'_>, project: &Parent, id: i64, label: &Label) -> Result<()> {
    let priority = label.priority.filter(|priority| *priority >= 0);
    match (project.project_id(), priority) {
        (Some(project), Some(_)) => labels::prioritize(tx, (project, id), priority),
        _ => Ok(()),
    }
}

fn usable_label(tx: &mut Tx<'_>, project: &Parent, title: &str) -> Result<Option<i64>> {
    let titles = [title.to_owned()];
    let found = labels::ids_of(tx, project, &titles, &[])?;
    Ok(found.into_iter().next().map(|(id, _)| id))
}

/// The label of a name that something wears; made where there is none.
///
/// # Errors
///
/// What the database refuses.
pub fn label_named(tx: &mut Tx<'_>, project: &Parent, name: &str) -> Result<i64> {
    let bare = Label {
        name: name.to_owned(),
        color: color::DEFAULT.to_owned(),
        description: None,
        priority: None,
    };
    label(tx, project, &bare)
}

/// Makes a milestone of a project, unless it has one of its title already; its id.
///
/// # Errors
///
/// `Conflict` where another has its number, `Invalid` where it can be none.
pub fn milestone(tx: &mut Tx<'_>, project: &Parent, milestone: &Milestone) -> Result<i64> {
    check_number(milestone.number)?;
    let project_id = project.project_id().found("Project")?;
    let title = line(&milestone.title);
    if let Some(id) = own_milestone(tx, project, &title)? {
        return Ok(id);
    }
    let row = dated(
        milestone,
        model::Milestone {
            project_id: Some(project_id),
            iid: milestone.number,
            title,
            created_at: milestone.created_at,
            updated_at: milestone.updated_at,
            ..model::Milestone::default()
        },
    )?;
    let id = rows::insert_milestone(tx, &row)?.ok_or_else(|| taken('%', milestone.number))?;
    internal_ids::reach(tx, Usage::ProjectMilestones, project_id, milestone.number)?;
    Ok(id)
}

/// Writes a milestone anew that came before and was changed there since it was changed here.
///
/// # Errors
///
/// `Invalid` where its text is too long.
pub fn update_milestone(
    tx: &mut Tx<'_>, project: &Parent, id: i64, milestone: &Milestone,
) -> Result<()> {
    let Some(found) = milestones::by_ids(tx, &[id])?.remove(&id) else {
        return Ok(());
    };
    if found.updated_at >= milestone.updated_at {
        return Ok(());
    }
    let wanted = line(&milestone.title);
    let is_free = own_milestone(tx, project, &wanted)?.is_none_or(|other| other == id);
    let title = if is_free { wanted } else { found.title.clone() };
    milestones::update(tx, &dated(milestone, model::Milestone { title, ..found })?)?;
    rows::milestone_changed(tx, id, milestone.updated_at)
}

/// A row that says what a milestone does.
fn dated(milestone: &Milestone, row: model::Milestone) -> Result<model::Milestone> {
    let state = match milestone.is_closed {
        true => MilestoneState::Closed,
        false => MilestoneState::Active,
    };
    Ok(model::Milestone {
        description: text(milestone.description.as_deref())?,
        state,
        start_on: milestone.start_date,
        due_on: milestone.due_date,
        ..row
    })
}

fn own_milestone(tx: &mut Tx<'_>, project: &Parent, title: &str) -> Result<Option<i64>> {
    let found = milestones::find_by_title(tx, project, title)?;
    let own = found.filter(|found| found.project_id == project.project_id());
    Ok(own.map(|found| found.id))
}

/// The milestone of a title that something has; made where there is none.
///
/// # Errors
///
/// What the database refuses.
pub fn milestone_named(tx: &mut Tx<'_>, project: &Parent, title: &str) -> Result<i64> {
    let title = line(title);
    if let Some(found) = milestones::find_by_title(tx, project, &title)? {
        return Ok(found.id);
    }
    let row = model::Milestone { title, ..model::Milestone::default() };
    milestones::insert(tx, project, &row)?.found("Milestone")
}

/// What an issue has that others have, too: by their ids.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    pub labels: Vec<i64>,
    pub milestone_id: Option<i64>,
    /// What it comes from, in the words that are shown; none of files.
    pub imported_from: Option<String>,
}

/// Makes an issue with its number; its id.
///
/// # Errors
///
/// `Conflict` where another has its number, `Invalid` where it can be none.
pub fn issue(tx: &mut Tx<'_>, project_id: i64, issue: &Issue<i64>, marks: &Marks) -> Result<i64> {
    check_number(issue.number)?;
    let row = said(
        issue,
        marks,
        model::Issue {
            project_id,
            iid: issue.number,
            author_id: issue.author,
            imported_from: marks.imported_from.clone(),
            created_at: issue.created_at,
            ..model::Issue::default()
        },
    )?;
    let id = issues::insert(tx, &row)?.ok_or_else(|| taken('#', issue.number))?;
    internal_ids::reach(tx, Usage::Issues, project_id, issue.number)?;
    beside(tx, (project_id, id), issue, marks)?;
    react(tx, Awardable::Issue(id), &issue.reactions)?;
    Ok(id)
}

/// Writes an issue anew that came before and was changed there since it was changed here.
///
/// # Errors
///
/// `Invalid` where its text is too long.
pub fn update_issue(tx: &mut Tx<'_>, id: i64, issue: &Issue<i64>, marks: &Marks) -> Result<()> {
    let Some(found) = issues::by_id(tx, id)? else {
        return Ok(());
    };
    if found.updated_at >= issue.updated_at {
        return Ok(());
    }
    let project_id = found.project_id;
    issues::update(tx, &said(issue, marks, found)?)?;
    for gone in issues::assignees_of_one(tx, id)? {
        if !issue.assignees.contains(&gone) {
            issues::unassign(tx, id, gone)?;
        }
    }
    for gone in issues::label_ids(tx, id)? {
        if !marks.labels.contains(&gone) {
            issues::remove_label(tx, id, gone)?;
        }
    }
    beside(tx, (project_id, id), issue, marks)?;
    react(tx, Awardable::Issue(id), &issue.reactions)
}

/// A row that says what an issue does.
fn said(issue: &Issue<i64>, marks: &Marks, row: model::Issue) -> Result<model::Issue> {
    let description = text(issue.description.as_deref())?;
    let (task_count, task_completed_count) =
        tasks::count(description.as_deref().unwrap_or_default());
    let (state, closed_at) = match issue.is_closed {
        true => (IssueState::Closed, Some(issue.closed_at.unwrap_or(issue.updated_at))),
        false => (IssueState::Opened, None),
    };
    let kind = issue.issue_type.as_deref().and_then(IssueKind::from_text);
    Ok(model::Issue {
        title: line(&issue.title),
        description,
        state,
        kind: kind.unwrap_or(row.kind),
        closed_by_id: issue.closed_by.filter(|_| issue.is_closed),
        milestone_id: marks.milestone_id,
        confidential: issue.is_confidential,
        discussion_locked: issue.is_locked.then_some(true),
        due_on: issue.due_date,
        weight: issue.weight.filter(|weight| *weight >= 0),
        task_count,
        task_completed_count,
        closed_at,
        updated_at: issue.updated_at,
        ..row
    })
}

/// Writes what stands beside an issue.
fn beside(
    tx: &mut Tx<'_>, (project_id, id): (i64, i64), issue: &Issue<i64>, marks: &Marks,
) -> Result<()> {
    let (estimate, spent) = (issue.time_estimate.max(0), issue.time_spent.max(0));
    if (estimate, spent) != (0, 0) {
        rows::set_times(tx, id, estimate, spent)?;
    }
    for user in issue.assignees.iter().take(MAX_NAMED) {
        issues::assign(tx, id, *user)?;
    }
    for label in marks.labels.iter().take(MAX_NAMED) {
        issues::add_label(tx, id, *label)?;
    }
    link(tx, (project_id, id), issue)
}

/// Links an issue to those before it that it names.
fn link(tx: &mut Tx<'_>, (project_id, id): (i64, i64), issue: &Issue<i64>) -> Result<()> {
    let most = usize::try_from(MOST).unwrap_or(usize::MAX);
    for link in issue.links.iter().take(most) {
        let Some(link_type) = LinkType::from_text(&link.link_type) else {
            continue;
        };
        let Some(other) = issues::find(tx, project_id, link.number)? else {
            continue;
        };
        let (source, target, stored) = match link_type {
            LinkType::IsBlockedBy => (other.id, id, LinkType::Blocks),
            link_type => (id, other.id, link_type),
        };
        let turns = stored == LinkType::Blocks && ISSUE_LINKS.reaches(tx, target, source)?;
        if source != target && !turns {
            ISSUE_LINKS.insert(tx, (source, target), stored)?;
        }
    }
    Ok(())
}

/// Writes a note about something; its id. The other counts of what it is about are those of
/// its room.
///
/// # Errors
///
/// `Invalid` where it is too long.
pub fn note(tx: &mut Tx<'_>, about: Noteable, note: &Note<i64>) -> Result<i64> {
    let thread = note.thread.as_deref().filter(|_| !note.is_system);
    let is_settled = thread.is_some() && can_be_resolved(about.kind);
    let resolved_at = note.resolved_at.filter(|_| is_settled);
    let new = NewNote {
        noteable: about,
        author_id: note.author,
        body: text(Some(&note.text))?.unwrap_or_default(),
        discussion_id: thread.map_or_else(new_discussion, |thread| discussion_id(about, thread)),
        in_thread: thread.is_some(),
        is_system: note.is_system,
        internal: note.is_internal,
        names_issue_id: named_issue(tx, about, note)?,
        created_at: note.created_at,
        resolved: (resolved_at, note.resolved_by.filter(|_| resolved_at.is_some())),
    };
    let made = note_rows::insert(tx, &new)?;
    if note.updated_at > note.created_at {
        rows::note_changed(tx, made.id, note.updated_at)?;
    }
    react(tx, Awardable::Note(made.id), &note.reactions)?;
    Ok(made.id)
}

/// Writes a note anew that came before and was changed there since it was changed here.
///
/// # Errors
///
/// `Invalid` where it is too long.
pub fn update_note(tx: &mut Tx<'_>, id: i64, note: &Note<i64>) -> Result<()> {
    let Some(found) = note_rows::by_id(tx, id)? else {
        return Ok(());
    };
    if found.updated_at < note.updated_at {
        note_rows::rewrite(tx, id, &text(Some(&note.text))?.unwrap_or_default())?;
        rows::note_changed(tx, id, note.updated_at)?;
    }
    react(tx, Awardable::Note(id), &note.reactions)
}

/// The issue whose number a note of the program ends with: only who sees that sees the note.
fn named_issue(tx: &mut Tx<'_>, about: Noteable, note: &Note<i64>) -> Result<Option<i64>> {
    let Some(project_id) = about.project_id.filter(|_| note.is_system) else {
        return Ok(None);
    };
    let digits = note.text.rsplit_once('#').map(|(_, digits)| digits.parse::<i64>());
    match digits {
        Some(Ok(number)) => Ok(issues::find(tx, project_id, number)?.map(|issue| issue.id)),
        _ => Ok(None),
    }
}

/// Writes reactions to a thing; those of emoji that nobody knows here are left out.
///
/// # Errors
///
/// What the database refuses.
pub fn react(tx: &mut Tx<'_>, to: Awardable, reactions: &[Reaction<i64>]) -> Result<()> {
    for reaction in reactions.iter().take(MOST_REACTIONS) {
        if let (Some(user_id), Some(name)) = (reaction.by, emoji(&reaction.name)) {
            awards::insert_at(tx, user_id, to, name, reaction.at)?;
        }
    }
    Ok(())
}

/// A text as it is stored; none where it says nothing.
fn text(text: Option<&str>) -> Result<Option<String>> {
    let text = prose(text.unwrap_or_default());
    match text_error(&text) {
        Some(problem) => Err(Error::invalid("text", problem)),
        None => Ok(Some(text).filter(|text| !text.is_empty())),
    }
}

/// Refuses numbers that nothing here can have.
fn check_number(number: i64) -> Result<()> {
    match (1..=MAX_IID).contains(&number) {
        true => Ok(()),
        false => Err(Error::invalid("number", "is out of range")),
    }
}

fn taken(sign: char, number: i64) -> Error {
    Error::Conflict(format!("Something else has the number {sign}{number} already"))
}
