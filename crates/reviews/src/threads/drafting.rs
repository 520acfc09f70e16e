//! Draft notes are written, changed and deleted by their author.

use super::finishing::own;
use super::model::{Draft, MOST_DRAFTS, Stored};
use super::rules::{Ground, keep};
use super::store::{self as rows, NewDraft};
use crate::access::check_open;
use crate::model::MergeRequest;
use crate::talk::thing;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use planning::access::ProjectAccess;
use planning::rules::comments::{Talk, check};
use planning::rules::topic::Topic;

/// A draft note as somebody wants it.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub body: String,
    /// What it answers.
    pub discussion_id: Option<String>,
    /// Whether it resolves that when it is published.
    pub resolves_discussion: bool,
    /// Where it stands, if it answers nothing.
    pub stored: Option<Stored>,
    pub commit_id: Option<String>,
}

/// Writes a draft note of the viewer, who may write notes about the merge request.
pub fn write(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest, wanted: &Wanted,
) -> Result<Draft> {
    check_open(here, request)?;
    check(&wanted.body)?;
    let author_id = viewer.signed_in()?.user.id;
    if rows::count_drafts(tx, request.id, author_id)? >= MOST_DRAFTS {
        let text = format!("There are {MOST_DRAFTS} draft notes already");
        return Err(Error::BadRequest(text));
    }
    if let Some(id) = &wanted.discussion_id {
        let talk = Talk::new(viewer, here, Topic::Thing(thing(request.id)));
        talk.answerable(tx, id)?;
    }
    keep_all(tx, request, wanted.stored.as_ref())?;
    let new = NewDraft {
        author_id,
        discussion_id: wanted.discussion_id.clone(),
        resolves_discussion: wanted.resolves_discussion,
        body: wanted.body.clone(),
        stored: wanted.stored.clone(),
        commit_id: wanted.commit_id.clone(),
    };
    rows::insert_draft(tx, request.id, &new)
}

fn keep_all(tx: &mut Tx<'_>, request: &MergeRequest, stored: Option<&Stored>) -> Result<()> {
    let Some(stored) = stored else {
        return Ok(());
    };
    match Ground::of(tx, request)? {
        Some(ground) => keep(tx, &ground.repository, stored),
        None => Ok(()),
    }
}

/// Writes another text of a draft note, or has it stand elsewhere; one of both is given.
pub fn rewrite(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest,
    (id, body, stored): (i64, Option<&str>, Option<&Stored>),
) -> Result<Draft> {
    check_open(here, request)?;
    let draft = own(tx, viewer, request, id)?;
    if body.is_none() && stored.is_none() {
        return Err(Error::BadRequest("Missing params to modify".into()));
    }
    if let Some(body) = body {
        check(body)?;
    }
    let stored = stored.filter(|_| draft.discussion_id.is_none());
    keep_all(tx, request, stored)?;
    rows::rewrite_draft(tx, draft.id, body, stored)?;
    own(tx, viewer, request, draft.id)
}

/// Deletes a draft note of the viewer.
pub fn discard(tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, id: i64) -> Result<()> {
    let draft = own(tx, viewer, request, id)?;
    rows::delete_drafts(tx, &[draft.id])
}
