//! Draft notes, which are their author's alone.

use super::placed;
use crate::model::ReviewState;
use crate::positions::{PositionEntity, Sent};
use crate::rest::{At, one};
use crate::threads::drafting::{self, Wanted};
use crate::threads::finishing::{self, own};
use crate::threads::model::{Draft, Stored, shown};
use crate::threads::publishing::Closing;
use crate::threads::rules::commit_id;
use crate::threads::store as rows;
use identity::Caller;
use kernel::error::{Error, Result};
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, RequestContext, Routes};
use planning::guarded::Writer;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes) {
    r.get(&one("/draft_notes"), list)
        .named("list_draft_notes")
        .summary("Lists the caller's draft notes of a merge request");
    r.post(&one("/draft_notes"), create)
        .named("create_draft_note")
        .summary("Writes a draft note about a merge request");
    r.post(&one("/draft_notes/bulk_publish"), publish_all)
        .named("publish_draft_notes")
        .summary("Publishes the caller's draft notes of a merge request");
    r.get(&one("/draft_notes/{draft_note_id}"), show)
        .named("show_draft_note")
        .summary("Shows a draft note");
    r.put(&one("/draft_notes/{draft_note_id}"), update)
        .named("update_draft_note")
        .summary("Changes a draft note");
    r.post(&one("/draft_notes/{draft_note_id}"), update)
        .named("update_draft_note_too")
        .summary("Changes a draft note");
    r.delete(&one("/draft_notes/{draft_note_id}"), destroy)
        .named("delete_draft_note")
        .summary("Deletes a draft note");
    r.put(&one("/draft_notes/{draft_note_id}/publish"), publish_one)
        .named("publish_draft_note")
        .summary("Publishes a draft note");
}

kernel::params! {
    struct DraftPath {
        /// Id of the draft note.
        pub draft_note_id: i64,
    }
}

kernel::params! {
    struct CreateDraft {
        /// The text, in Markdown.
        pub note: String,
        /// Id of the discussion that it answers.
        pub in_reply_to_discussion_id: Option<String>,
        /// The commit that it is about.
        pub commit_id: Option<String>,
        /// Whether it resolves what it answers.
        pub resolve_discussion: Option<bool>,
        /// Where in what differs it stands.
        pub position: Option<Sent>,
    }
}

kernel::params! {
    struct UpdateDraft {
        pub draft_note_id: i64,
        /// The text, in Markdown.
        pub note: Option<String>,
        /// Where in what differs it stands.
        pub position: Option<Sent>,
    }
}

kernel::choices! {
    /// What a reviewer says with a review.
    pub enum Verdict as "DraftNotesReviewerState" {
        RequestedChanges = "requested_changes",
        Reviewed = "reviewed",
    }
}

kernel::params! {
    struct PublishDrafts {
        /// What the caller says as a reviewer.
        pub reviewer_state: Option<Verdict>,
        /// A note about the whole.
        pub note: Option<String>,
        /// Whether that is for reporters only.
        pub internal: Option<bool>,
    }
}

/// A note that is not published yet.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct DraftNoteEntity {
    id: i64,
    author_id: i64,
    /// Global id of the merge request.
    merge_request_id: i64,
    resolve_discussion: bool,
    discussion_id: Option<String>,
    note: String,
    commit_id: Option<String>,
    line_code: Option<String>,
    position: Value,
}

fn entity(draft: &Draft) -> Result<DraftNoteEntity> {
    let position = match &draft.position {
        Some(position) => shown(position),
        None => serde_json::to_value(PositionEntity::nowhere()).map_err(Error::internal)?,
    };
    Ok(DraftNoteEntity {
        id: draft.id,
        author_id: draft.author_id,
        merge_request_id: draft.merge_request_id,
        resolve_discussion: draft.resolves_discussion,
        discussion_id: draft.discussion_id.clone(),
        note: draft.body.clone(),
        commit_id: draft.commit_id.clone(),
        line_code: draft.line_code.clone(),
        position,
    })
}

async fn list(at: At, paging: Paging) -> Result<Paged<DraftNoteEntity>> {
    at.read(move |tx, by, _, request| {
        let user_id = by.viewer.signed_in()?.user.id;
        let page = rows::list_drafts(tx, request.id, user_id, paging)?;
        let shown = page.items.iter().map(entity).collect::<Result<Vec<_>>>()?;
        Ok(page.replace(|_| shown))
    })
    .await
}

async fn show(at: At, path: Params<DraftPath>) -> Result<Ok200<DraftNoteEntity>> {
    at.read(move |tx, by, _, request| {
        entity(&own(tx, &by.viewer, &request, path.draft_note_id)?).map(Ok200)
    })
    .await
}

async fn create(at: At, Params(asked): Params<CreateDraft>) -> Result<Created<DraftNoteEntity>> {
    let commit_id = commit_id(asked.commit_id.as_deref())?;
    let sent = asked.position.as_ref().filter(|_| asked.in_reply_to_discussion_id.is_none());
    let stored = placed(&at, sent).await?.as_ref().map(Stored::of);
    let wanted = Wanted {
        body: asked.note,
        discussion_id: asked.in_reply_to_discussion_id,
        resolves_discussion: asked.resolve_discussion.unwrap_or(false),
        stored,
        commit_id,
    };
    at.write(move |tx, by, here, request| {
        entity(&drafting::write(tx, &by.viewer, &here, &request, &wanted)?).map(Created)
    })
    .await
}

async fn update(at: At, Params(asked): Params<UpdateDraft>) -> Result<Ok200<DraftNoteEntity>> {
    let stored = placed(&at, asked.position.as_ref()).await?.as_ref().map(Stored::of);
    at.write(move |tx, by, here, request| {
        let change = (asked.draft_note_id, asked.note.as_deref(), stored.as_ref());
        entity(&drafting::rewrite(tx, &by.viewer, &here, &request, change)?).map(Ok200)
    })
    .await
}

async fn destroy(at: At, path: Params<DraftPath>) -> Result<NoContent> {
    at.write(move |tx, by, _, request| {
        drafting::discard(tx, &by.viewer, &request, path.draft_note_id)?;
        Ok(NoContent)
    })
    .await
}

/// Publishes what the spam rules let pass.
async fn published(
    at: At, context: Arc<RequestContext>, one: Option<i64>, closing: Closing,
) -> Result<NoContent> {
    let Caller { app, viewer } = at.caller;
    let writer = Writer::by_api(viewer, context);
    finishing::publish(&app, writer, at.place, one, closing).await?.rest()?;
    Ok(NoContent)
}

async fn publish_one(
    at: At, context: Arc<RequestContext>, path: Params<DraftPath>,
) -> Result<NoContent> {
    published(at, context, Some(path.draft_note_id), Closing::default()).await
}

async fn publish_all(
    at: At, context: Arc<RequestContext>, Params(asked): Params<PublishDrafts>,
) -> Result<NoContent> {
    let closing = Closing {
        summary: asked.note.filter(|note| !note.trim().is_empty()),
        internal: asked.internal.unwrap_or(false),
        state: asked.reviewer_state.map(|verdict| match verdict {
            Verdict::RequestedChanges => ReviewState::RequestedChanges,
            Verdict::Reviewed => ReviewState::Reviewed,
        }),
    };
    published(at, context, None, closing).await
}
