//! Notes of people about commits: who writes and sees them, and what mail tells.

use super::access::{desk_to_write, is_visible, visible};
use super::activity;
use super::model::DiscussedCommit;
use super::store as rows;
use crate::access::user_reads;
use crate::threads::model::shown;
use ::store::{Fragment, Tx};
use identity::model::User;
use identity::users::confirmed_owners;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::ids::{Reference, fold};
use planning::access::{Desk, OwnedDesk};
use planning::store::notes::{COMMIT, Note, threads_of};
use planning::store::threads::Resolves;
use planning::targets::{
    Beside, Discussion, NoteableRow, NoteableSummary, Placement, Seen, TargetKind, Threads,
};
use spaces::activity::Where;
use spaces::model::Project;
use std::collections::{HashMap, HashSet};

/// What notes and to-dos are about, for `planning::targets::TargetKinds`.
pub const KIND: TargetKind = TargetKind {
    name: COMMIT,
    visible: is_visible,
    read: seen,
    talk: Some(TALK),
};

const TALK: Discussion = Discussion {
    enter,
    may_know,
    has_internal: false,
    told,
    touch: rows::touch,
    said,
    unsaid,
    threads: Some(THREADS),
    commands: None,
};

/// They stand in code, and nobody resolves them.
const THREADS: Threads = Threads { resolves, resolving, resolved, placed, reworded, beside };

pub fn thing(id: i64) -> NoteableRow {
    NoteableRow { kind: COMMIT, id, talk: TALK }
}

/// The project of a commit, for who may write notes about it.
fn enter(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<OwnedDesk> {
    let commit = rows::by_id(tx, id)?.found("Commit")?;
    let here = desk_to_write(tx, viewer, &Reference::Id(commit.project_id))?;
    Ok(OwnedDesk::Project(here))
}

fn may_know(
    tx: &mut Tx<'_>, user: &User, _: i64, project: Option<&Project>, _: bool,
) -> Result<bool> {
    match project {
        Some(project) => user_reads(tx, user, project),
        None => Ok(false),
    }
}

/// Whoever has the address of its author is told like the author of an issue.
fn told(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, NoteableSummary>> {
    let commits = rows::by_ids(tx, ids, Fragment::new("1 = 1"))?;
    let addresses = commits.values().map(|commit| fold(&commit.author_email));
    let addresses: Vec<String> = addresses.filter(|address| !address.is_empty()).collect();
    let owners = match addresses.is_empty() {
        true => HashMap::new(),
        false => confirmed_owners(tx, &addresses)?,
    };
    let told = commits.into_iter().map(|(id, commit)| {
        let author = owners.get(&fold(&commit.author_email)).copied();
        (id, summary(commit, author))
    });
    Ok(told.collect())
}

fn summary(commit: DiscussedCommit, author: Option<i64>) -> NoteableSummary {
    NoteableSummary {
        noun: "commit",
        place: Where::Project(commit.project_id),
        reference: format!("@{}", commit.reference()),
        path: commit.path(),
        text: String::new(),
        place_path: commit.project_path,
        title: commit.title,
        updated_at: commit.updated_at,
        state: String::new(),
        author,
        assignees: Vec::new(),
        reviewers: Vec::new(),
    }
}

fn said(tx: &mut Tx<'_>, id: i64, note: &Note) -> Result<()> {
    let commit = rows::by_id(tx, id)?.found("Commit")?;
    activity::said(tx, &commit, note)
}

fn unsaid(tx: &mut Tx<'_>, note: &Note) -> Result<()> {
    rows::forget_after(tx, &note.discussion_id, note.id)?;
    activity::unsaid(tx, note)
}

fn seen(app: &App, tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<HashMap<i64, Seen>> {
    let condition = visible(tx, viewer);
    let commits = rows::by_ids(tx, ids, condition)?;
    let seen = commits.into_iter().map(|(id, commit)| {
        let path = commit.path();
        let seen = Seen {
            project_id: Some(commit.project_id),
            entity: commit.entity(&app.url(&path)),
            title: commit.title,
            path,
        };
        (id, seen)
    });
    Ok(seen.collect())
}

fn resolves(_: &mut Tx<'_>, _: &Viewer, _: Desk<'_>, _: i64) -> Result<Resolves> {
    Ok(Resolves::None)
}

fn resolving(_: &mut Tx<'_>, _: i64, _: &[(i64, i64)]) -> Result<HashSet<i64>> {
    Ok(HashSet::new())
}

fn resolved(_: &mut Tx<'_>, _: Option<i64>, _: i64) -> Result<()> {
    Ok(())
}

fn reworded(_: &mut Tx<'_>, _: &Note) -> Result<()> {
    Ok(())
}

fn beside(
    _: &mut Tx<'_>, _: &Viewer, _: (&str, &str), _: &[&Note],
) -> Result<HashMap<i64, Beside>> {
    Ok(HashMap::new())
}

fn placed(tx: &mut Tx<'_>, notes: &[Note]) -> Result<HashMap<i64, Placement>> {
    let threads = rows::threads(tx, &threads_of(notes))?.into_iter().filter_map(|thread| {
        let placement = Placement {
            commit_id: Some(thread.sha),
            position: shown(&thread.position?),
            suggestions: Vec::new(),
        };
        Some((thread.discussion_id, placement))
    });
    let threads: HashMap<String, Placement> = threads.collect();
    let of = |note: &Note| Some((note.id, threads.get(&note.discussion_id)?.clone()));
    Ok(notes.iter().filter_map(of).collect())
}
