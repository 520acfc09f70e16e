//! Notes of people about merge requests: who writes and sees them, and what mail tells.
//! The notes themselves are those of planning.

use crate::access::{self, is_visible, user_sees};
use crate::activity;
use crate::entity;
use crate::model::MergeRequest;
use crate::noteable::MERGE_REQUEST;
use crate::rules::commands;
use crate::store as rows;
use crate::suggestions;
use crate::threads;
use ::store::{Fragment, Tx};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use planning::access::OwnedDesk;
use planning::store::notes::Note;
use planning::targets::{Discussion, NoteableRow, NoteableSummary, Seen, TargetKind};
use spaces::access::{REPORTER, role_in_project};
use spaces::activity::Where;
use spaces::model::Project;
use std::collections::HashMap;

/// What notes and to-dos are about, for `planning::targets::TargetKinds`.
pub const KIND: TargetKind = TargetKind {
    name: MERGE_REQUEST,
    visible: is_visible,
    read: seen,
    talk: Some(TALK),
};

const TALK: Discussion = Discussion {
    enter,
    may_know,
    has_internal: true,
    told,
    touch: rows::touch,
    said,
    unsaid,
    threads: Some(threads::PLUG),
    commands: Some(commands::of_note),
};

pub fn thing(id: i64) -> NoteableRow {
    NoteableRow { kind: MERGE_REQUEST, id, talk: TALK }
}

/// The project of a merge request, for who may write notes about it.
fn enter(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<OwnedDesk> {
    let request = rows::by_id(tx, id)?.found("")?;
    let place = Reference::Id(request.target_project_id);
    let here = access::desk_to_write(tx, viewer, &place)?;
    let request = access::find(tx, viewer, &here, request.iid)?;
    access::check_open(&here, &request)?;
    Ok(OwnedDesk::Project(here))
}

/// Internal notes are for reporters, the author and the assignees; what somebody wrote who
/// was banned is for administrators.
fn may_know(
    tx: &mut Tx<'_>, user: &User, id: i64, project: Option<&Project>, internal: bool,
) -> Result<bool> {
    let Some(project) = project else {
        return Ok(false);
    };
    let Some(request) = rows::by_id(tx, id)? else {
        return Ok(false);
    };
    let hides = access::is_hidden(tx, &Viewer::addressed(user.clone()), &request)?;
    if hides || !user_sees(tx, user, project)? {
        return Ok(false);
    }
    if !internal || user.is_admin || role_in_project(tx, user.id, project)? >= REPORTER {
        return Ok(true);
    }
    let assignees = rows::people::assignees_of_one(tx, id)?;
    Ok(request.author_id == Some(user.id) || assignees.contains(&user.id))
}

fn told(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, NoteableSummary>> {
    let requests = rows::by_ids(tx, ids, Fragment::new("1 = 1"))?;
    let known: Vec<i64> = requests.iter().map(|request| request.id).collect();
    let mut assignees = rows::people::assignees_of(tx, &known)?;
    let mut reviewers = rows::people::reviewers_of(tx, &known)?;
    let told = requests.into_iter().map(|request| {
        let assignees = assignees.remove(&request.id).unwrap_or_default();
        let reviewers = reviewers.remove(&request.id).unwrap_or_default();
        let reviewers = reviewers.into_iter().map(|one| one.user_id).collect();
        (request.id, summary(request, assignees, reviewers))
    });
    Ok(told.collect())
}

fn summary(request: MergeRequest, assignees: Vec<i64>, reviewers: Vec<i64>) -> NoteableSummary {
    NoteableSummary {
        noun: "merge request",
        place: Where::Project(request.target_project_id),
        reference: request.reference(),
        path: request.path(),
        text: request.text().to_owned(),
        place_path: request.project_path,
        title: request.title,
        updated_at: request.updated_at,
        state: request.state.to_string(),
        author: request.author_id,
        assignees,
        reviewers,
    }
}

fn said(tx: &mut Tx<'_>, id: i64, note: &Note) -> Result<()> {
    let request = rows::by_id(tx, id)?.found("")?;
    rows::count_note(tx, id, note.internal, 1)?;
    suggestions::said(tx, note)?;
    match note.internal {
        true => Ok(()),
        false => activity::said(tx, &request, note),
    }
}

fn unsaid(tx: &mut Tx<'_>, note: &Note) -> Result<()> {
    if !note.is_system {
        rows::count_note(tx, note.noteable_id, note.internal, -1)?;
    }
    threads::unsaid(tx, note)?;
    activity::unsaid(tx, note)
}

fn seen(app: &App, tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<HashMap<i64, Seen>> {
    let condition = access::visible(tx, viewer, &access::Scope::Everywhere);
    let requests = rows::by_ids(tx, ids, condition)?;
    let shown = entity::singles(app, tx, viewer, &requests)?;
    let seen = requests.into_iter().zip(shown).map(|(request, shown)| {
        let seen = Seen {
            project_id: Some(request.target_project_id),
            path: request.path(),
            title: request.title,
            entity: serde_json::to_value(shown).map_err(Error::internal)?,
        };
        Ok((request.id, seen))
    });
    seen.collect()
}
