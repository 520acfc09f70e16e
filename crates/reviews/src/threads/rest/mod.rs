//! REST of threads that may stand in code, and of draft notes.

mod drafts;

use super::model::Stored;
use super::rules::{Ground, commit_id, find, stand};
use crate::positions::{Placed, Sent};
use crate::rest::{At, one};
use kernel::error::Result;
use kernel::http::{Params, RequestContext, Response, Routes};
use kernel::time::Timestamp;
use planning::begin_thread;
use planning::guarded::NoteablePath;
use planning::rules::comments::Comment;
use std::sync::Arc;

pub fn routes(r: &mut Routes) {
    r.post(&one("/discussions"), begin)
        .named("merge_requests_begin")
        .summary("Begins a discussion of a merge request")
        .answers(201, "The note was made")
        .answers(202, "The note held commands alone, which were carried out");
    drafts::routes(r);
}

kernel::params! {
    struct BeginThread {
        /// The text, in Markdown.
        pub body: String,
        /// For reporters only.
        pub internal: Option<bool>,
        /// The same by its older name.
        pub confidential: Option<bool>,
        /// When it was written; for owners.
        pub created_at: Option<Timestamp>,
        /// The commit that it is about.
        pub commit_id: Option<String>,
        /// Where in what differs it stands.
        pub position: Option<Sent>,
    }
}

/// Finds what was sent, for who may write notes about the merge request.
async fn placed(at: &At, sent: Option<&Sent>) -> Result<Option<Placed>> {
    if sent.is_none() {
        return Ok(None);
    }
    let (app, viewer, place) = (&at.caller.app, at.caller.viewer.clone(), at.place.clone());
    let ground = app.read(move |tx| {
        let (_, request) = place.authorize(tx, &viewer)?;
        Ground::of(tx, &request)
    });
    find(app, ground.await?, sent).await
}

async fn begin(
    at: At, request: Arc<RequestContext>, Params(asked): Params<BeginThread>,
) -> Result<Response> {
    let commit = commit_id(asked.commit_id.as_deref())?;
    let placed = placed(&at, asked.position.as_ref()).await?;
    let stored = placed.as_ref().map(Stored::of);
    // Clients send positions in forms, which end lines with CR LF whatever the text has, and
    // look for what they wrote before.
    let comment = Comment {
        body: asked.body.replace("\r\n", "\n"),
        internal: asked.internal.or(asked.confidential).unwrap_or(false),
        created_at: asked.created_at,
        discussion_id: None,
        begins_thread: true,
    };
    begin_thread(at, request, comment, move |tx, found, note| match &stored {
        Some(stored) => {
            let by = (note.discussion_id.as_str(), note.author_id);
            stand(tx, found, by, stored, commit.as_deref())
        }
        None => Ok(()),
    })
    .await
}
