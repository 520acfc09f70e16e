//! Notes of people about snippets: who writes and sees them, and what mail tells. The
//! notes themselves are those of planning.

use crate::access::{self, is_visible};
use crate::activity;
use crate::entity;
use crate::model::Snippet;
use crate::store as rows;
use ::store::{Fragment, Tx};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use planning::access::OwnedDesk;
use planning::store::notes::{Note, Noteable};
use planning::targets::{Discussion, NoteableRow, NoteableSummary, Seen, TargetKind};
use spaces::activity::Where;
use spaces::model::Project;
use spaces::store::people::namespaces_of;
use std::collections::HashMap;

/// What notes call their kind.
pub const SNIPPET: &str = "Snippet";

/// What notes and to-dos are about, for `planning::targets::TargetKinds`.
pub const KIND: TargetKind = TargetKind {
    name: SNIPPET,
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
    unsaid: activity::unsaid,
    threads: None,
    commands: None,
};

pub fn thing(id: i64) -> NoteableRow {
    NoteableRow { kind: SNIPPET, id, talk: TALK }
}

pub fn noteable(snippet: &Snippet) -> Noteable {
    Noteable {
        kind: SNIPPET,
        id: snippet.id,
        project_id: snippet.project_id,
    }
}

/// Where it is, for who may write notes about it.
fn enter(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<OwnedDesk> {
    viewer.signed_in()?;
    let found = access::find(tx, viewer, None, id)?;
    match found.may_comment(viewer) {
        true => found.desk(tx, viewer),
        false => Err(Error::forbidden("")),
    }
}

fn may_know(tx: &mut Tx<'_>, user: &User, id: i64, _: Option<&Project>, _: bool) -> Result<bool> {
    if user.refusal().is_some() {
        return Ok(false);
    }
    let viewer = Viewer::addressed(user.clone());
    let condition = access::visible(tx, &viewer);
    Ok(!rows::by_ids(tx, &[id], condition)?.is_empty())
}

fn told(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, NoteableSummary>> {
    let snippets = rows::by_ids(tx, ids, Fragment::new("snippets.is_written"))?;
    let authors: Vec<i64> = snippets.iter().filter_map(|one| one.author_id).collect();
    let namespaces = namespaces_of(tx, &authors)?;
    let told = snippets.into_iter().filter_map(|snippet| {
        let own = || namespaces.get(&snippet.author_id?).copied();
        let place = match snippet.project_id {
            Some(id) => Where::Project(id),
            None => Where::Group(own()?),
        };
        Some((snippet.id, summary(snippet, place)))
    });
    Ok(told.collect())
}

fn summary(snippet: Snippet, place: Where) -> NoteableSummary {
    NoteableSummary {
        noun: "snippet",
        place,
        place_path: snippet.project_path.clone().unwrap_or_default(),
        reference: snippet.reference(),
        path: snippet.path(),
        text: snippet.text().to_owned(),
        title: snippet.title,
        updated_at: snippet.updated_at,
        state: String::new(),
        author: snippet.author_id,
        assignees: Vec::new(),
        reviewers: Vec::new(),
    }
}

fn said(tx: &mut Tx<'_>, id: i64, note: &Note) -> Result<()> {
    let snippet = rows::by_id(tx, id)?.found("Snippet")?;
    activity::said(tx, &snippet, note)
}

fn seen(app: &App, tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<HashMap<i64, Seen>> {
    let condition = access::visible(tx, viewer);
    let snippets = rows::by_ids(tx, ids, condition)?;
    let authors = entity::authors(tx, &snippets)?;
    let seen = snippets.into_iter().map(|snippet| {
        let shown = entity::snippet(app, &snippet, &authors);
        let seen = Seen {
            project_id: snippet.project_id,
            path: snippet.path(),
            title: snippet.title,
            entity: serde_json::to_value(shown).map_err(Error::internal)?,
        };
        Ok((snippet.id, seen))
    });
    seen.collect()
}
