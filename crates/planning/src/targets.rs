//! What notes and to-dos are about. Issues and epics are this room's own; rooms above
//! add their things to [`TargetKinds`] when the program is wired. In
//! GraphQL such a thing is a node under the same name and has its notes by
//! [`graph::noteable`](crate::graph::noteable).

use crate::access::{self, Desk, OwnedDesk, Scope};
use crate::entity::epics;
use crate::formats::quick_actions::Action;
use crate::rules::commands::Outcome;
use crate::store::issues as rows;
use crate::store::notes::{ISSUE, Note, Noteable};
use crate::store::threads::Resolves;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::time::Timestamp;
use serde_json::Value;
use spaces::activity::Where;
use spaces::model::Project;
use std::collections::{HashMap, HashSet};
use store::{Fragment, Tx, grouped};

#[derive(Clone, Copy)]
pub struct TargetKind {
    /// As it is called on the wire and in global IDs, such as
    /// `AlertManagement::Alert`.
    pub name: &'static str,
    /// Condition: the thing of the id in this column is one that the viewer may
    /// see.
    pub visible: fn(&Tx<'_>, &Viewer, &str) -> Fragment,
    /// Those of these ids that the viewer may see, in a constant number of
    /// statements.
    pub read: Read,
    /// How people write notes about it; nothing where only the program does,
    /// and of issues, which have their own ways.
    pub talk: Option<Discussion>,
}

/// What notes by people ask of the room that a thing belongs to.
#[derive(Clone, Copy)]
pub struct Discussion {
    /// Where it is, for somebody signed in who may write notes about it.
    pub enter: fn(&mut Tx<'_>, &Viewer, i64) -> Result<OwnedDesk>,
    /// Whether a user may see the thing of this id, which is in this project if it is in
    /// any, and notes about it that are internal, where that is asked.
    pub may_know: fn(&mut Tx<'_>, &User, i64, Option<&Project>, bool) -> Result<bool>,
    /// Whether some notes about it are for reporters alone.
    pub has_internal: bool,
    /// What mail tells of these, in a constant number of statements; nothing of what is
    /// gone.
    pub told: fn(&mut Tx<'_>, &[i64]) -> Result<HashMap<i64, NoteableSummary>>,
    /// Notes that somebody wrote about it.
    pub touch: fn(&mut Tx<'_>, i64) -> Result<()>,
    /// Writes down that somebody wrote this note about it, as far as lists of activity
    /// tell that.
    pub said: fn(&mut Tx<'_>, i64, &Note) -> Result<()>,
    /// A note about it is about to go.
    pub unsaid: fn(&mut Tx<'_>, &Note) -> Result<()>,
    /// How its threads are resolved; nothing where they cannot be.
    pub threads: Option<Threads>,
    /// Carries out the commands of a note about it that its writer wrote; nothing where
    /// they are text.
    pub commands: Option<Commands>,
}

/// Carries out commands on the thing of an id, for who may write notes about it there.
pub type Commands = fn(&mut Tx<'_>, &Viewer, Desk<'_>, i64, &[Action]) -> Result<Outcome>;

/// What threads that can be resolved ask of the room that a thing belongs to. Their notes
/// may be resolved one by one.
#[derive(Clone, Copy)]
pub struct Threads {
    /// Which of them somebody may resolve who may write notes about the thing of this id.
    pub resolves: fn(&mut Tx<'_>, &Viewer, Desk<'_>, i64) -> Result<Resolves>,
    /// Of which of these things a user may resolve all threads, each with the user's level
    /// where it is; in a constant number of statements.
    pub resolving: fn(&mut Tx<'_>, i64, &[(i64, i64)]) -> Result<HashSet<i64>>,
    /// Somebody resolved one about the thing of this id, or a note of it.
    pub resolved: fn(&mut Tx<'_>, Option<i64>, i64) -> Result<()>,
    /// Where those of these notes stand that stand somewhere, by their ids, in a constant
    /// number of statements.
    pub placed: fn(&mut Tx<'_>, &[Note]) -> Result<HashMap<i64, Placement>>,
    /// A note has another text now.
    pub reworded: fn(&mut Tx<'_>, &Note) -> Result<()>,
    /// What stands with those of these notes that are more than a text, by their ids, on a
    /// page of the thing with this address and this token of forms; in a constant number of
    /// statements.
    pub beside: ReadBeside,
}

pub type ReadBeside =
    fn(&mut Tx<'_>, &Viewer, (&str, &str), &[&Note]) -> Result<HashMap<i64, Beside>>;

/// What a page shows of a note that is more than a text.
#[derive(Debug, Clone)]
pub struct Beside {
    /// What is shown in place of its text.
    pub text: String,
    /// Parts below that, as safe HTML.
    pub parts: Vec<String>,
}

/// Where in code a note stands.
#[derive(Debug, Clone)]
pub struct Placement {
    pub commit_id: Option<String>,
    /// As REST shows it.
    pub position: Value,
    /// Changes that it suggests, as REST shows them.
    pub suggestions: Vec<Value>,
}

/// Where those of these notes stand that stand somewhere, by their ids; all are about
/// things of one kind.
pub fn placed(tx: &mut Tx<'_>, notes: &[Note]) -> Result<HashMap<i64, Placement>> {
    match threads_of(tx, notes.first())? {
        Some(threads) => (threads.placed)(tx, notes),
        None => Ok(HashMap::new()),
    }
}

/// What stands with those of these notes that are more than a text, by their ids; all are
/// about things of one kind. The address is that of the thing, with the token of forms.
pub fn beside(
    tx: &mut Tx<'_>, viewer: &Viewer, at: (&str, &str), notes: &[&Note],
) -> Result<HashMap<i64, Beside>> {
    match threads_of(tx, notes.first().copied())? {
        Some(threads) => (threads.beside)(tx, viewer, at, notes),
        None => Ok(HashMap::new()),
    }
}

fn threads_of(tx: &mut Tx<'_>, note: Option<&Note>) -> Result<Option<Threads>> {
    match note {
        Some(note) => threads_of_kind(tx, &note.noteable_type),
        None => Ok(None),
    }
}

fn threads_of_kind(tx: &mut Tx<'_>, kind: &str) -> Result<Option<Threads>> {
    let kind = tx.plugged::<TargetKinds>()?.named(kind);
    Ok(kind.and_then(|kind| kind.talk).and_then(|talk| talk.threads))
}

/// Those of these things of one kind, each with a user's level where it is, all threads of
/// which the user may resolve; none of a kind whose threads cannot be.
pub fn resolving(
    tx: &mut Tx<'_>, user_id: i64, kind: &str, things: &[(i64, i64)],
) -> Result<HashSet<i64>> {
    match threads_of_kind(tx, kind)? {
        Some(threads) => (threads.resolving)(tx, user_id, things),
        None => Ok(HashSet::new()),
    }
}

#[derive(Debug, Clone)]
pub struct NoteableSummary {
    pub noun: &'static str,
    /// The project or group it is in, and its path.
    pub place: Where,
    pub place_path: String,
    /// How texts name it there, `#3`.
    pub reference: String,
    pub title: String,
    pub text: String,
    /// Path of its page, from the instance's address on.
    pub path: String,
    pub updated_at: Timestamp,
    /// How it stands, in a word.
    pub state: String,
    /// Who made it.
    pub author: Option<i64>,
    pub assignees: Vec<i64>,
    /// Who is asked for a review.
    pub reviewers: Vec<i64>,
}

#[derive(Clone, Copy)]
pub struct NoteableRow {
    pub kind: &'static str,
    pub id: i64,
    pub talk: Discussion,
}

pub type Read = fn(&App, &mut Tx<'_>, &Viewer, &[i64]) -> Result<HashMap<i64, Seen>>;

#[derive(Debug, Clone)]
pub struct Seen {
    pub project_id: Option<i64>,
    pub title: String,
    /// Path of its page, from the instance's address on.
    pub path: String,
    /// As to-dos show it; unused of issues, which REST shows whole.
    pub entity: Value,
}

const ISSUES: TargetKind = TargetKind {
    name: ISSUE,
    visible: issue_is_visible,
    read: read_issues,
    talk: None,
};

/// Every kind; it must be among the store's plugs.
pub struct TargetKinds(Vec<TargetKind>);

impl TargetKinds {
    pub fn with(others: impl IntoIterator<Item = TargetKind>) -> TargetKinds {
        TargetKinds([ISSUES, epics::KIND].into_iter().chain(others).collect())
    }

    pub fn named(&self, name: &str) -> Option<&TargetKind> {
        self.0.iter().find(|kind| kind.name == name)
    }

    /// A thing by kind and id, whoever sees it; nothing of a kind that people
    /// do not write notes about here.
    pub fn thing(&self, name: &str, id: i64) -> Option<NoteableRow> {
        let kind = self.named(name)?;
        Some(NoteableRow { kind: kind.name, id, talk: kind.talk? })
    }
}

#[derive(Debug, Default)]
pub struct AllSeen(HashMap<&'static str, HashMap<i64, Seen>>);

impl AllSeen {
    pub fn get(&self, kind: &str, id: i64) -> Option<&Seen> {
        self.0.get(kind)?.get(&id)
    }
}

/// Condition on `todos`: the viewer may see what they are about.
pub fn visible_todos(tx: &Tx<'_>, viewer: &Viewer) -> Result<Fragment> {
    visible(tx, viewer, "todos.target_type", "todos.target_id")
}

/// The same on `notes`.
pub(crate) fn visible_notes(tx: &Tx<'_>, viewer: &Viewer) -> Result<Fragment> {
    visible(tx, viewer, "notes.noteable_type", "notes.noteable_id")
}

/// Condition on two columns: the thing of this kind and id is one that the viewer may see.
fn visible(tx: &Tx<'_>, viewer: &Viewer, kind_column: &str, id_column: &str) -> Result<Fragment> {
    let mut condition = Fragment::new("(1 = 0");
    for kind in &tx.plugged::<TargetKinds>()?.0 {
        condition
            .push(&format!(" or ({kind_column} = "), kind.name)
            .raw(" and ")
            .append((kind.visible)(tx, viewer, id_column))
            .raw(")");
    }
    condition.raw(")");
    Ok(condition)
}

pub fn read<'n>(
    app: &App, tx: &mut Tx<'_>, viewer: &Viewer, named: impl IntoIterator<Item = (&'n str, i64)>,
) -> Result<AllSeen> {
    let mut wanted = grouped(named);
    let mut found = AllSeen::default();
    for kind in &tx.plugged::<TargetKinds>()?.0 {
        if let Some(mut ids) = wanted.remove(kind.name) {
            ids.sort_unstable();
            ids.dedup();
            let seen = (kind.read)(app, tx, viewer, &ids)?;
            found.0.insert(kind.name, seen);
        }
    }
    Ok(found)
}

/// One thing, if the viewer may see it, and what it is called.
pub fn find(
    app: &App, tx: &mut Tx<'_>, viewer: &Viewer, name: &str, id: i64,
) -> Result<Option<(Noteable, Seen)>> {
    let Some(kind) = tx.plugged::<TargetKinds>()?.named(name) else {
        return Ok(None);
    };
    let mut found = (kind.read)(app, tx, viewer, &[id])?;
    Ok(found.remove(&id).map(|seen| {
        let noteable = Noteable { kind: kind.name, id, project_id: seen.project_id };
        (noteable, seen)
    }))
}

fn issue_is_visible(tx: &Tx<'_>, viewer: &Viewer, column: &str) -> Fragment {
    let mut condition = Fragment::new(
        "exists (select 1 from issues join projects on projects.id = issues.project_id
            where issues.id = ",
    );
    condition
        .raw(column)
        .raw(" and ")
        .append(access::visible(tx, viewer, &Scope::Everywhere))
        .raw(")");
    condition
}

fn read_issues(
    _: &App, tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64],
) -> Result<HashMap<i64, Seen>> {
    let issues = rows::visible_by_ids(tx, viewer, ids)?;
    let seen = issues.into_iter().map(|issue| {
        let seen = Seen {
            project_id: Some(issue.project_id),
            path: issue.path(),
            title: issue.title,
            entity: Value::Null,
        };
        (issue.id, seen)
    });
    Ok(seen.collect())
}
