//! Mutations that write issues and notes.

use super::change::{At, Changed, edit, one, said};
use super::enums::chosen;
use super::labels::numbers;
use super::notes::of_interface;
use super::{IssueView, MILESTONE_ID, Moment, Notes, caller, writer};
use crate::guarded::{self, NoteablePath, Place};
use crate::model::IssueKind;
use crate::rules::comments::{self, Comment, Said};
use crate::rules::issues::{Assignees, IssueInput, StateEvent};
use crate::store::issues as rows;
use crate::store::notes::{ISSUE, Note};
use crate::targets::{Kinds, NoteableRow};
use identity::graph::USER_ID;
use kernel::error::{Error, Found};
use kernel::graph::{
    BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, ID, INT, STRING, TIME, argument, named,
    object,
};
use kernel::http::Patch;
use kernel::ids::Reference;
use kernel::time::{Date, Timestamp};
use serde::Deserialize;
use serde_json::Value as Json;
use std::sync::Arc;

pub fn graph(g: &mut Graph) {
    create(g);
    update(g);
    notes(g);
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreateIssue {
    project_path: String,
    title: String,
    description: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    confidential: Option<bool>,
    locked: Option<bool>,
    due_date: Option<Moment<Date>>,
    labels: Option<Vec<String>>,
    label_ids: Option<Vec<Json>>,
    assignee_ids: Option<Vec<i64>>,
    milestone_id: Option<i64>,
    iid: Option<i64>,
    created_at: Option<Moment<Timestamp>>,
    weight: Option<i64>,
}

fn given<T>(value: Option<T>) -> Patch<T> {
    value.map_or(Patch::Absent, Patch::Value)
}

fn kind(name: Option<String>) -> Result<Option<IssueKind>, Fault> {
    let known = chosen(name.clone(), IssueKind::from_text);
    match name.is_some() && known.is_none() {
        true => Err(Error::invalid("type", "is not supported").into()),
        false => Ok(known),
    }
}

impl CreateIssue {
    fn input(self) -> Result<IssueInput, Fault> {
        Ok(IssueInput {
            title: Some(self.title),
            description: given(self.description),
            kind: kind(self.kind)?,
            confidential: self.confidential,
            discussion_locked: given(self.locked),
            due_on: given(self.due_date.map(|day| day.0)),
            labels: self.labels,
            label_ids: numbers(self.label_ids)?,
            assignees: self.assignee_ids.map(Assignees::Set),
            milestone_id: given(self.milestone_id),
            iid: self.iid,
            created_at: self.created_at.map(|at| at.0),
            weight: given(self.weight),
            ..IssueInput::default()
        })
    }
}

fn create(g: &mut Graph) {
    g.mutation::<Changed>("createIssue", "Makes an issue.")
        .input(said(
            "projectPath",
            ID.required(),
            "Full path of the project.",
        ))
        .input(said("title", STRING.required(), "Its title."))
        .input(said("description", STRING, "Its description, in Markdown."))
        .input(said("type", named("IssueType"), "What it is about."))
        .input(said("confidential", BOOLEAN, "Whether few see it."))
        .input(said("locked", BOOLEAN, "Whether only members comment."))
        .input(said("dueDate", named("ISO8601Date"), "The day it is due."))
        .input(said(
            "labels",
            STRING.required().list(),
            "Titles of labels.",
        ))
        .input(said(
            "labelIds",
            named("LabelID").required().list(),
            "Global IDs of labels.",
        ))
        .input(said(
            "assigneeIds",
            USER_ID.required().list(),
            "Who is assigned.",
        ))
        .input(said(
            "milestoneId",
            MILESTONE_ID,
            "What it is to be done for.",
        ))
        .input(said("iid", INT, "Its number; for owners."))
        .input(said("createdAt", TIME, "When it was made; for owners."))
        .input(said("weight", INT, "How heavy it is."))
        .answers("issue", object::<IssueView>("Issue"), |it| {
            Some(it.0.clone())
        })
        .run(|it: CreateIssue, context| async move {
            let (app, _) = caller(&context)?;
            let project = Reference::Path(it.project_path.clone());
            let (writer, wanted) = (writer(&context)?, it.input()?);
            let made = guarded::open(&app, writer, project, wanted, |_, _, issue| Ok(issue));
            let issue = made.await?.mutated()?;
            Ok(Done::from(Changed(Arc::new(IssueView::new(&app, issue)))))
        });
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UpdateIssue {
    #[serde(flatten)]
    at: At,
    title: Option<String>,
    #[serde(default)]
    description: Patch<String>,
    state_event: Option<String>,
    confidential: Option<bool>,
    locked: Option<bool>,
    #[serde(default)]
    due_date: Patch<Moment<Date>>,
    label_ids: Option<Vec<Json>>,
    add_label_ids: Option<Vec<Json>>,
    remove_label_ids: Option<Vec<Json>>,
    #[serde(default)]
    milestone_id: Patch<i64>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    weight: Patch<i64>,
}

impl UpdateIssue {
    fn input(self) -> Result<IssueInput, Fault> {
        Ok(IssueInput {
            title: self.title,
            description: self.description,
            state_event: chosen(self.state_event, StateEvent::from_text),
            confidential: self.confidential,
            discussion_locked: given(self.locked),
            due_on: self.due_date.map(|day| day.0),
            label_ids: numbers(self.label_ids)?,
            add_label_ids: numbers(self.add_label_ids)?.unwrap_or_default(),
            remove_label_ids: numbers(self.remove_label_ids)?.unwrap_or_default(),
            milestone_id: self.milestone_id,
            kind: kind(self.kind)?,
            weight: self.weight,
            ..IssueInput::default()
        })
    }
}

fn update(g: &mut Graph) {
    // Labels of updates come as IDs of either kind, or as bare numbers.
    let labels = |name: &str, text: &str| argument(name, ID.required().list()).describe(text);
    one(g, "updateIssue", "Changes an issue.")
        .input(said("title", STRING, "Another title."))
        .input(said(
            "description",
            STRING,
            "Another description; null for none.",
        ))
        .input(said(
            "stateEvent",
            named("IssueStateEvent"),
            "Close it or open it again.",
        ))
        .input(said("confidential", BOOLEAN, "Whether few see it."))
        .input(said("locked", BOOLEAN, "Whether only members comment."))
        .input(said(
            "dueDate",
            named("ISO8601Date"),
            "The day it is due; null for none.",
        ))
        .input(labels("labelIds", "These labels and no others."))
        .input(labels("addLabelIds", "These labels, too."))
        .input(labels("removeLabelIds", "These labels no longer."))
        .input(said(
            "milestoneId",
            MILESTONE_ID,
            "What it is to be done for; null for nothing.",
        ))
        .input(said("type", named("IssueType"), "What it is about."))
        .input(said("weight", INT, "How heavy it is; null for nothing."))
        .run(|it: UpdateIssue, context| async move {
            let place = it.at.place();
            edit(place, it.input()?, context).await
        });
}

/// What a mutation of a note shows: nothing of one that is gone.
struct Written(Option<Arc<Note>>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreateNote {
    noteable_id: String,
    body: String,
    discussion_id: Option<String>,
    internal: Option<bool>,
    confidential: Option<bool>,
}

#[derive(Deserialize)]
struct UpdateNote {
    id: i64,
    body: String,
}

#[derive(Deserialize)]
struct DestroyNote {
    id: i64,
}

fn notes(g: &mut Graph) {
    g.mutation::<Written>("createNote", "Writes a note about something.")
        .input(said(
            "noteableId",
            named("NoteableID").required(),
            "What it is about.",
        ))
        .input(said("body", STRING.required(), "The text, in Markdown."))
        .input(said(
            "discussionId",
            named("DiscussionID"),
            "The discussion it answers in.",
        ))
        .input(said(
            "internal",
            BOOLEAN,
            "Whether it is for reporters only.",
        ))
        .input(said(
            "confidential",
            BOOLEAN,
            "Whether it is for reporters only.",
        ))
        .answers("note", object::<Note>("Note"), |it| it.0.clone())
        .run(create_note);
    g.mutation::<Written>("updateNote", "Writes another text of a note.")
        .input(said("id", super::NOTE_ID.required(), "The note."))
        .input(said("body", STRING.required(), "The text, in Markdown."))
        .answers("note", object::<Note>("Note"), |it| it.0.clone())
        .run(|it: UpdateNote, context| async move {
            match spot_of_note(it.id, &context).await? {
                SpotOfNote::Issue(place) => rewrite(it, place, context).await,
                SpotOfNote::Thing(thing) => rewrite(it, thing, context).await,
            }
        });
    g.mutation::<Written>("destroyNote", "Deletes a note.")
        .input(said("id", super::NOTE_ID.required(), "The note."))
        .answers("note", object::<Note>("Note"), |it| it.0.clone())
        .run(|it: DestroyNote, context| async move {
            let (app, viewer) = caller(&context)?;
            match spot_of_note(it.id, &context).await? {
                SpotOfNote::Issue(place) => guarded::destroy(&app, viewer, place, it.id).await?,
                SpotOfNote::Thing(thing) => guarded::destroy(&app, viewer, thing, it.id).await?,
            }
            Ok(Done::from(Written(None)))
        });
}

/// A refusal of a note's text, which REST puts in words of its own.
fn sentence(error: Error) -> Fault {
    match comments::refused_text(&error) {
        Some(problem) => Error::invalid("note", problem).into(),
        None => error.into(),
    }
}

/// What a note is about.
pub enum SpotOfNote {
    Issue(Place),
    /// A thing of a room above.
    Thing(NoteableRow),
}

/// What a note that the caller sees is about.
pub async fn spot_of_note(id: i64, context: &Context) -> Result<SpotOfNote, Fault> {
    let note = context.load::<Notes>([id]).await?.remove(&id);
    let note = note.ok_or_else(Fault::not_available)?;
    match note.noteable_type == ISSUE {
        true => {
            let place = place_of_issue(note.noteable_id, context).await?;
            Ok(SpotOfNote::Issue(place))
        }
        false => {
            let thing = thing(&note.noteable_type, note.noteable_id, context)?;
            Ok(SpotOfNote::Thing(thing))
        }
    }
}

async fn rewrite<S: NoteablePath>(
    it: UpdateNote,
    spot: S,
    context: Context,
) -> Result<Done<Written>, Fault> {
    let (app, _) = caller(&context)?;
    let (writer, which) = (writer(&context)?, (it.id, None));
    let note = guarded::rewrite(&app, writer, spot, which, it.body, |_, _, note| Ok(note));
    let note = note.await.map_err(sentence)?.mutated()?;
    Ok(Done::from(Written(Some(Arc::new(note)))))
}

/// Where an issue is, whoever sees it.
pub async fn place_of_issue(id: i64, context: &Context) -> Result<Place, Fault> {
    let (app, _) = caller(context)?;
    let issue = app.read(move |tx| rows::by_id(tx, id)?.found("")).await?;
    Ok((Reference::Id(issue.project_id), issue.iid))
}

async fn create_note(it: CreateNote, context: Context) -> Result<Done<Written>, Fault> {
    let (model, id) = of_interface(&context, &it.noteable_id, "NoteableInterface")?;
    let comment = Comment {
        body: it.body,
        internal: it.internal.or(it.confidential).unwrap_or(false),
        created_at: None,
        discussion_id: it.discussion_id,
        begins_thread: false,
    };
    if model == ISSUE {
        let place = place_of_issue(id, &context).await?;
        return write(place, comment, context).await;
    }
    let thing = thing(&model, id, &context)?;
    write(thing, comment, context).await
}

fn thing(kind: &str, id: i64, context: &Context) -> Result<NoteableRow, Fault> {
    let (app, _) = caller(context)?;
    let thing = app.plugged::<Kinds>()?.thing(kind, id);
    thing.ok_or_else(Fault::not_available)
}

async fn write<S: NoteablePath>(
    spot: S,
    comment: Comment,
    context: Context,
) -> Result<Done<Written>, Fault> {
    let (app, _) = caller(&context)?;
    let said = guarded::comment(&app, writer(&context)?, spot, comment, |_, _, said| {
        Ok(said)
    });
    Ok(match said.await.map_err(sentence)?.mutated()? {
        Said::Note(note, _) => Done::from(Written(Some(Arc::new(*note)))),
        // Commands alone leave no note behind.
        Said::Commands(outcome) => Done {
            errors: match outcome.summary.is_empty() {
                true => vec!["Commands could not be applied".to_owned()],
                false => Vec::new(),
            },
            payload: Some(Written(None)),
        },
    })
}
