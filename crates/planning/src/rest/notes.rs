//! Notes and discussions of issues.

use super::issues::{found, found_to_write, spam_subject};
use crate::access::Desk;
use crate::entity::notes::{DiscussionEntity, NoteEntity, discussion, note};
use crate::model::Issue;
use crate::rules::comments::{self as rules, Comment, Said};
use crate::rules::issues::noteable;
use crate::store::notes::{Note, shown};
use crate::store::pages::{self, KeyType, List, Order, time_key};
use ::http::StatusCode;
use identity::entities::load_basic;
use identity::model::User;
use identity::spam::{Subject, guard};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::reply::json;
use kernel::http::{Asked, Created, NoContent, Ok200, Paged, Paging, Params, Response, Routes};
use kernel::ids::Reference;
use kernel::time::Timestamp;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;
use store::{Fragment, Tx};

const ISSUE: &str = "/projects/{id}/issues/{issue_iid}";

pub(super) fn routes(r: &mut Routes) {
    let at = |rest: &str| format!("{ISSUE}/{rest}");
    r.get(&at("notes"), list)
        .summary("Lists the notes of an issue");
    r.post(&at("notes"), create)
        .summary("Writes a note about an issue")
        .answers(201, "The note was made")
        .answers(202, "The note held commands alone, which were carried out");
    r.get(&at("notes/{note_id}"), show)
        .summary("Shows a note of an issue");
    r.put(&at("notes/{note_id}"), update)
        .summary("Changes a note of an issue");
    r.delete(&at("notes/{note_id}"), destroy)
        .summary("Deletes a note of an issue");
    r.get(&at("discussions"), discussions)
        .summary("Lists the discussions of an issue");
    r.post(&at("discussions"), begin)
        .summary("Begins a discussion of an issue")
        .answers(201, "The note was made")
        .answers(202, "The note held commands alone, which were carried out");
    r.get(&at("discussions/{discussion_id}"), show_discussion)
        .summary("Shows a discussion of an issue");
    r.put(&at("discussions/{discussion_id}"), resolve)
        .summary("Refuses to resolve a discussion of an issue");
    r.post(&at("discussions/{discussion_id}/notes"), answer)
        .summary("Answers in a discussion of an issue")
        .answers(201, "The note was made")
        .answers(202, "The note held commands alone, which were carried out");
    r.get(&at("discussions/{discussion_id}/notes/{note_id}"), show_in)
        .summary("Shows a note of a discussion");
    r.put(
        &at("discussions/{discussion_id}/notes/{note_id}"),
        update_in,
    )
    .summary("Changes a note of a discussion");
    r.delete(
        &at("discussions/{discussion_id}/notes/{note_id}"),
        destroy_in,
    )
    .summary("Deletes a note of a discussion");
}

kernel::choices! {
    /// Orders of notes.
    pub enum NoteOrder { CreatedAt = "created_at", UpdatedAt = "updated_at" }
}

kernel::choices! {
    /// Direction of a list.
    pub enum Sort { Asc = "asc", Desc = "desc" }
}

kernel::choices! {
    /// Which notes.
    pub enum Activity {
        All = "all_notes",
        Comments = "only_comments",
        System = "only_activity",
    }
}

kernel::params! {
    /// An issue and the order of its notes.
    pub struct ListNotes {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the issue.
        pub issue_iid: i64,
        /// What to sort by.
        pub order_by: Option<NoteOrder>,
        /// Direction.
        pub sort: Option<Sort>,
        /// Of people, of the program, or both.
        pub activity_filter: Option<Activity>,
    }
}

kernel::params! {
    /// An issue and what is said about it.
    pub struct CreateNote {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the issue.
        pub issue_iid: i64,
        /// The text, in Markdown.
        pub body: String,
        /// For reporters only.
        pub internal: Option<bool>,
        /// The same by its older name.
        pub confidential: Option<bool>,
        /// When it was written; for owners.
        pub created_at: Option<Timestamp>,
    }
}

kernel::params! {
    /// A note.
    pub struct NotePath {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the issue.
        pub issue_iid: i64,
        /// Id of the note.
        pub note_id: i64,
    }
}

kernel::params! {
    /// A note and its new text.
    pub struct UpdateNote {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the issue.
        pub issue_iid: i64,
        /// Id of the note.
        pub note_id: i64,
        /// The text, in Markdown.
        pub body: String,
    }
}

kernel::params! {
    /// An issue.
    pub struct ListDiscussions {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the issue.
        pub issue_iid: i64,
    }
}

kernel::params! {
    /// A discussion.
    pub struct DiscussionPath {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the issue.
        pub issue_iid: i64,
        /// Id of the discussion.
        pub discussion_id: String,
    }
}

kernel::params! {
    /// A discussion and an answer in it.
    pub struct AnswerNote {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the issue.
        pub issue_iid: i64,
        /// Id of the discussion.
        pub discussion_id: String,
        /// The text, in Markdown.
        pub body: String,
        /// When it was written; for owners.
        pub created_at: Option<Timestamp>,
    }
}

kernel::params! {
    /// A note of a discussion.
    pub struct NoteInPath {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the issue.
        pub issue_iid: i64,
        /// Id of the discussion.
        pub discussion_id: String,
        /// Id of the note.
        pub note_id: i64,
    }
}

kernel::params! {
    /// A note of a discussion and its new text.
    pub struct UpdateNoteIn {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the issue.
        pub issue_iid: i64,
        /// Id of the discussion.
        pub discussion_id: String,
        /// Id of the note.
        pub note_id: i64,
        /// The text, in Markdown.
        pub body: String,
    }
}

/// Notes with who wrote them, rendered after the transaction.
struct Shown {
    issue: Issue,
    notes: Vec<Note>,
    users: HashMap<i64, User>,
}

impl Shown {
    fn read(tx: &mut Tx<'_>, issue: Issue, notes: Vec<Note>) -> Result<Shown> {
        let mut ids: Vec<i64> = notes.iter().filter_map(|note| note.author_id).collect();
        ids.sort_unstable();
        ids.dedup();
        let users = load_basic(tx, &ids)?;
        Ok(Shown {
            issue,
            notes,
            users,
        })
    }

    fn one(&self, app: &App, changes: Map<String, Value>) -> Result<NoteEntity> {
        let first = self.notes.first().ok_or(Error::NotFound("Note"))?;
        Ok(note(app, first, &self.issue, &self.users, changes))
    }
}

async fn list(
    app: App,
    viewer: Viewer,
    params: Params<ListNotes>,
    paging: Paging,
) -> Result<Paged<NoteEntity>> {
    let by = params.order_by.unwrap_or(NoteOrder::CreatedAt);
    let (page, issue, users) = app
        .read(move |tx| {
            let (desk, issue) = found(tx, &viewer, &params.id, params.issue_iid)?;
            let mut condition = shown(noteable(&issue), desk.is_reporter());
            match params.activity_filter {
                Some(Activity::Comments) => condition.raw(" and not notes.is_system"),
                Some(Activity::System) => condition.raw(" and notes.is_system"),
                _ => &mut condition,
            };
            let list = List {
                select: Fragment::new("select notes.*"),
                from: Fragment::new("notes"),
                condition,
                order: Order {
                    by: format!("notes.{by}"),
                    key: Some(KeyType::Time),
                    id: "notes.id",
                    descending: params.sort != Some(Sort::Asc),
                },
            };
            let page = pages::page(tx, list, paging, |note: &Note| {
                let at = match by {
                    NoteOrder::CreatedAt => note.created_at,
                    NoteOrder::UpdatedAt => note.updated_at,
                };
                (time_key(at), note.id)
            })?;
            let ids: Vec<i64> = page
                .items
                .iter()
                .filter_map(|note| note.author_id)
                .collect();
            let users = load_basic(tx, &ids)?;
            Ok((page, issue, users))
        })
        .await?;
    Ok(page.map(|one| note(&app, &one, &issue, &users, Map::new())))
}

/// Writes a note that the spam rules let pass.
async fn write(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    place: (Reference, i64),
    comment: Comment,
) -> Result<std::result::Result<(Shown, Map<String, Value>), Response>> {
    let (who, (id, iid)) = (viewer.clone(), place.clone());
    app.read(move |tx| found_to_write(tx, &who, &id, iid).map(drop))
        .await?;
    let subject = Subject {
        target_type: "Note",
        noun: "note",
        ..spam_subject(&viewer, &asked, "create_note", "", &comment.body)?
    };
    let said = guard(&app, &subject, move |tx| {
        let (desk, issue) = found_to_write(tx, &viewer, &place.0, place.1)?;
        match rules::write(tx, &viewer, &desk, &issue, &comment)? {
            Said::Note(note, outcome) => {
                let changes = outcome.map(|outcome| outcome.changes).unwrap_or_default();
                let shown = Shown::read(tx, issue, vec![*note])?;
                Ok(Ok((shown, changes)))
            }
            Said::Commands(outcome) => Ok(Err(outcome)),
        }
    })
    .await?
    .rest()?;
    match said {
        Ok(made) => Ok(Ok(made)),
        Err(outcome) => {
            let body = serde_json::json!({
                "commands_changes": outcome.changes,
                "summary": outcome.summary,
            });
            json(StatusCode::ACCEPTED, &body).map(Err)
        }
    }
}

fn comment(params: &CreateNote, begins_thread: bool) -> Comment {
    Comment {
        body: params.body.clone(),
        internal: params.internal.or(params.confidential).unwrap_or(false),
        created_at: params.created_at,
        discussion_id: None,
        begins_thread,
    }
}

async fn create(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    params: Params<CreateNote>,
) -> Result<Response> {
    let comment = comment(&params, false);
    let place = (params.id.clone(), params.issue_iid);
    match write(app.clone(), viewer, asked, place, comment).await? {
        Ok((shown, changes)) => json(StatusCode::CREATED, &shown.one(&app, changes)?),
        Err(response) => Ok(response),
    }
}

async fn begin(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    params: Params<CreateNote>,
) -> Result<Response> {
    let comment = comment(&params, true);
    let place = (params.id.clone(), params.issue_iid);
    match write(app.clone(), viewer, asked, place, comment).await? {
        Ok((shown, _)) => {
            let whole = discussion(&app, &shown.notes, &shown.issue, &shown.users);
            json(StatusCode::CREATED, &whole)
        }
        Err(response) => Ok(response),
    }
}

async fn answer(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    params: Params<AnswerNote>,
) -> Result<Response> {
    let comment = Comment {
        body: params.body.clone(),
        internal: false,
        created_at: params.created_at,
        discussion_id: Some(params.discussion_id.clone()),
        begins_thread: false,
    };
    let place = (params.id.clone(), params.issue_iid);
    match write(app.clone(), viewer, asked, place, comment).await? {
        Ok((shown, changes)) => json(StatusCode::CREATED, &shown.one(&app, changes)?),
        Err(response) => Ok(response),
    }
}

/// A note, which belongs to this discussion if one is named.
fn one(
    tx: &mut Tx<'_>,
    desk: &Desk,
    issue: &Issue,
    id: i64,
    discussion_id: Option<&str>,
) -> Result<Note> {
    let note = rules::find(tx, desk, issue, id)?;
    match discussion_id {
        Some(discussion) if note.discussion_id != discussion => Err(Error::NotFound("Note")),
        _ => Ok(note),
    }
}

async fn shown_one(
    app: App,
    viewer: Viewer,
    path: NotePath,
    within: Option<String>,
) -> Result<Ok200<NoteEntity>> {
    let shown = app
        .read(move |tx| {
            let (desk, issue) = found(tx, &viewer, &path.id, path.issue_iid)?;
            let note = one(tx, &desk, &issue, path.note_id, within.as_deref())?;
            Shown::read(tx, issue, vec![note])
        })
        .await?;
    Ok(Ok200(shown.one(&app, Map::new())?))
}

async fn rewritten(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    path: NotePath,
    within: Option<String>,
    body: String,
) -> Result<Ok200<NoteEntity>> {
    let (who, at, inside) = (viewer.clone(), path.clone(), within.clone());
    app.read(move |tx| {
        let (desk, issue) = found_to_write(tx, &who, &at.id, at.issue_iid)?;
        one(tx, &desk, &issue, at.note_id, inside.as_deref()).map(drop)
    })
    .await?;
    let subject = Subject {
        target_type: "Note",
        noun: "note",
        ..spam_subject(&viewer, &asked, "update_note", "", &body)?
    };
    let shown = guard(&app, &subject, move |tx| {
        let (desk, issue) = found_to_write(tx, &viewer, &path.id, path.issue_iid)?;
        one(tx, &desk, &issue, path.note_id, within.as_deref())?;
        let note = rules::rewrite(tx, &viewer, &desk, &issue, path.note_id, &body)?;
        Shown::read(tx, issue, vec![note])
    })
    .await?
    .rest()?;
    Ok(Ok200(shown.one(&app, Map::new())?))
}

async fn removed(
    app: App,
    viewer: Viewer,
    path: NotePath,
    within: Option<String>,
) -> Result<NoContent> {
    app.write(move |tx| {
        let (desk, issue) = found_to_write(tx, &viewer, &path.id, path.issue_iid)?;
        one(tx, &desk, &issue, path.note_id, within.as_deref())?;
        rules::destroy(tx, &viewer, &desk, &issue, path.note_id)?;
        Ok(NoContent)
    })
    .await
}

fn path_of(path: &NoteInPath) -> NotePath {
    NotePath {
        id: path.id.clone(),
        issue_iid: path.issue_iid,
        note_id: path.note_id,
    }
}

async fn show(app: App, viewer: Viewer, path: Params<NotePath>) -> Result<Ok200<NoteEntity>> {
    shown_one(app, viewer, path.0, None).await
}

async fn show_in(app: App, viewer: Viewer, path: Params<NoteInPath>) -> Result<Ok200<NoteEntity>> {
    shown_one(app, viewer, path_of(&path), Some(path.0.discussion_id)).await
}

async fn update(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    params: Params<UpdateNote>,
) -> Result<Ok200<NoteEntity>> {
    let path = NotePath {
        id: params.id.clone(),
        issue_iid: params.issue_iid,
        note_id: params.note_id,
    };
    rewritten(app, viewer, asked, path, None, params.0.body).await
}

async fn update_in(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    params: Params<UpdateNoteIn>,
) -> Result<Ok200<NoteEntity>> {
    let path = NotePath {
        id: params.id.clone(),
        issue_iid: params.issue_iid,
        note_id: params.note_id,
    };
    let within = Some(params.discussion_id.clone());
    rewritten(app, viewer, asked, path, within, params.0.body).await
}

async fn destroy(app: App, viewer: Viewer, path: Params<NotePath>) -> Result<NoContent> {
    removed(app, viewer, path.0, None).await
}

async fn destroy_in(app: App, viewer: Viewer, path: Params<NoteInPath>) -> Result<NoContent> {
    removed(app, viewer, path_of(&path), Some(path.0.discussion_id)).await
}

async fn discussions(
    app: App,
    viewer: Viewer,
    path: Params<ListDiscussions>,
    paging: Paging,
) -> Result<Paged<DiscussionEntity>> {
    let (page, shown) = app
        .read(move |tx| {
            let (desk, issue) = found(tx, &viewer, &path.id, path.issue_iid)?;
            let condition = shown_discussions(&desk, &issue);
            let list = List {
                select: Fragment::new("select discussion_id, first_id"),
                from: condition,
                condition: Fragment::new("true"),
                order: Order {
                    by: "first_id".into(),
                    key: Some(KeyType::Int),
                    id: "first_id",
                    descending: false,
                },
            };
            let page: Paged<(String, i64)> =
                pages::page(tx, list, paging, |(_, first): &(String, i64)| {
                    (serde_json::json!(first), *first)
                })?;
            let ids: Vec<String> = page.items.iter().map(|(id, _)| id.clone()).collect();
            let mut query = Fragment::new("select notes.* from notes where ");
            query
                .append(self::shown(noteable(&issue), desk.is_reporter()))
                .raw(" and")
                .in_list("notes.discussion_id", ids)
                .raw(" order by notes.created_at, notes.id");
            let notes: Vec<Note> = tx.query(query)?;
            Ok((page, Shown::read(tx, issue, notes)?))
        })
        .await?;
    Ok(page.map(|(id, _)| {
        let of = |note: &&Note| note.discussion_id == id;
        let notes: Vec<Note> = shown.notes.iter().filter(of).cloned().collect();
        discussion(&app, &notes, &shown.issue, &shown.users)
    }))
}

/// The discussions of an issue with the first note of each.
fn shown_discussions(desk: &Desk, issue: &Issue) -> Fragment {
    let mut from =
        Fragment::new("(select notes.discussion_id, min(notes.id) as first_id from notes where ");
    from.append(shown(noteable(issue), desk.is_reporter()))
        .raw(" group by notes.discussion_id) as discussions");
    from
}

async fn show_discussion(
    app: App,
    viewer: Viewer,
    path: Params<DiscussionPath>,
) -> Result<Ok200<DiscussionEntity>> {
    let shown = app
        .read(move |tx| {
            let (desk, issue) = found(tx, &viewer, &path.id, path.issue_iid)?;
            let notes = rules::discussion(tx, &desk, &issue, &path.discussion_id)?;
            Shown::read(tx, issue, notes)
        })
        .await?;
    let whole = discussion(&app, &shown.notes, &shown.issue, &shown.users);
    Ok(Ok200(whole))
}

/// Discussions of issues are never resolved.
async fn resolve(
    app: App,
    viewer: Viewer,
    path: Params<DiscussionPath>,
) -> Result<Created<DiscussionEntity>> {
    app.read(move |tx| {
        let (desk, issue) = found_to_write(tx, &viewer, &path.id, path.issue_iid)?;
        rules::discussion(tx, &desk, &issue, &path.discussion_id)?;
        Err(Error::BadRequest("Note is not resolvable".into()))
    })
    .await
}
