//! What notes and to-dos are about. Issues and epics are this room's own; rooms above
//! add their things to [`TargetKinds`] when the program is wired. In
//! GraphQL such a thing is a node under the same name and has its notes by
//! [`graph::noteable`](crate::graph::noteable).

use crate::access::{OwnedDesk, Scope, visible};
use crate::entity::epics;
use crate::store::issues as rows;
use crate::store::notes::{ISSUE, Note, Noteable};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::time::Timestamp;
use serde_json::Value;
use spaces::activity::Where;
use spaces::model::Project;
use std::collections::HashMap;
use store::{Fragment, Tx};

#[derive(Clone, Copy)]
pub struct TargetKind {
    /// As it is called on the wire and in global IDs, such as
    /// `AlertManagement::Alert`.
    pub name: &'static str,
    /// Condition: the thing with the id `todos.target_id` is one that the
    /// viewer may see.
    pub visible: fn(&Tx<'_>, &Viewer) -> Fragment,
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
    /// any, and what only reporters see.
    pub may_know: fn(&mut Tx<'_>, &User, i64, Option<&Project>) -> Result<bool>,
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
    /// Who made it.
    pub author: Option<i64>,
    pub assignees: Vec<i64>,
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

pub fn visible_todos(tx: &Tx<'_>, viewer: &Viewer) -> Result<Fragment> {
    let mut condition = Fragment::new("(1 = 0");
    for kind in &tx.plugged::<TargetKinds>()?.0 {
        condition
            .push(" or (todos.target_type = ", kind.name)
            .raw(" and ")
            .append((kind.visible)(tx, viewer))
            .raw(")");
    }
    condition.raw(")");
    Ok(condition)
}

pub fn read<'n>(
    app: &App, tx: &mut Tx<'_>, viewer: &Viewer, named: impl IntoIterator<Item = (&'n str, i64)>,
) -> Result<AllSeen> {
    let mut wanted: HashMap<&str, Vec<i64>> = HashMap::new();
    for (name, id) in named {
        wanted.entry(name).or_default().push(id);
    }
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

fn issue_is_visible(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut condition = Fragment::new(
        "exists (select 1 from issues join projects on projects.id = issues.project_id
            where issues.id = todos.target_id and ",
    );
    condition.append(visible(tx, viewer, &Scope::Everywhere)).raw(")");
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
