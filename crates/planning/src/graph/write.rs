//! Mutations that write issues and notes.

use super::change::{At, edit, one, shown};
use super::enums::chosen;
use super::labels::numbers;
use super::notes::of_interface;
use super::{MILESTONE_ID, Moment, NOTE_ID, Notes, caller, writer};
use crate::guarded::{self, Spot};
use crate::model::IssueKind;
use crate::rules::comments::{self, Comment, Said};
use crate::rules::issues::{Assignees, IssueInput, StateEvent};
use crate::store::issues as rows;
use crate::store::notes::{ISSUE, Note};
use crate::targets::Kinds;
use identity::graph::USER_ID;
use kernel::error::{Error, Found};
use kernel::graph::{
    BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, ID, INT, MutationBuilder, STRING, TIME,
    named, object,
};
use kernel::graph_input;
use kernel::http::Patch;
use kernel::ids::Reference;
use kernel::time::{Date, Timestamp};
use serde_json::Value as Json;
use std::sync::Arc;

pub fn graph(g: &mut Graph) {
    create(g);
    update(g);
    notes(g);
}

graph_input! {
    struct CreateIssue {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// Its title.
        title: String = STRING.required(),
        /// Its description, in Markdown.
        description: Option<String> = STRING,
        /// What it is about.
        kind as "type": Option<String> = named("IssueType"),
        /// Whether few see it.
        confidential: Option<bool> = BOOLEAN,
        /// Whether only members comment.
        locked: Option<bool> = BOOLEAN,
        /// The day it is due.
        due_date: Option<Moment<Date>> = named("ISO8601Date"),
        /// Titles of labels.
        labels: Option<Vec<String>> = STRING.required().list(),
        /// Global IDs of labels.
        label_ids: Option<Vec<Json>> = named("LabelID").required().list(),
        /// Who is assigned.
        assignee_ids: Option<Vec<i64>> = USER_ID.required().list(),
        /// What it is to be done for.
        milestone_id: Option<i64> = MILESTONE_ID,
        /// Its number; for owners.
        iid: Option<i64> = INT,
        /// When it was made; for owners.
        created_at: Option<Moment<Timestamp>> = TIME,
        /// How heavy it is.
        weight: Option<i64> = INT,
    }
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
    one(g, "createIssue", "Makes an issue.").handle(|it: CreateIssue, context| async move {
        let (app, _) = caller(&context)?;
        let project = Reference::Path(it.project_path.clone());
        let (writer, wanted) = (writer(&context)?, it.input()?);
        let made = guarded::open(&app, writer, project, wanted, |_, _, issue| Ok(issue));
        Ok(shown(&app, made.await?.mutated()?))
    });
}

// Labels of updates come as IDs of either kind, or as bare numbers.
graph_input! {
    struct UpdateIssue {
        ..at: At,
        /// Another title.
        title: Option<String> = STRING,
        /// Another description; null for none.
        #[serde(default)]
        description: Patch<String> = STRING,
        /// Close it or open it again.
        state_event: Option<String> = named("IssueStateEvent"),
        /// Whether few see it.
        confidential: Option<bool> = BOOLEAN,
        /// Whether only members comment.
        locked: Option<bool> = BOOLEAN,
        /// The day it is due; null for none.
        #[serde(default)]
        due_date: Patch<Moment<Date>> = named("ISO8601Date"),
        /// These labels and no others.
        label_ids: Option<Vec<Json>> = ID.required().list(),
        /// These labels, too.
        add_label_ids: Option<Vec<Json>> = ID.required().list(),
        /// These labels no longer.
        remove_label_ids: Option<Vec<Json>> = ID.required().list(),
        /// What it is to be done for; null for nothing.
        #[serde(default)]
        milestone_id: Patch<i64> = MILESTONE_ID,
        /// What it is about.
        kind as "type": Option<String> = named("IssueType"),
        /// How heavy it is; null for nothing.
        #[serde(default)]
        weight: Patch<i64> = INT,
    }
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
    one(g, "updateIssue", "Changes an issue.").handle(|it: UpdateIssue, context| async move {
        let place = it.at.place();
        edit(place, it.input()?, context).await
    });
}

/// What a mutation of a note shows: nothing of one that is gone.
struct Written(Option<Arc<Note>>);

graph_input! {
    struct CreateNote {
        /// What it is about.
        noteable_id: String = named("NoteableID").required(),
        /// The text, in Markdown.
        body: String = STRING.required(),
        /// The discussion it answers in.
        discussion_id: Option<String> = named("DiscussionID"),
        /// Whether it is for reporters only.
        internal: Option<bool> = BOOLEAN,
        /// Whether it is for reporters only.
        confidential: Option<bool> = BOOLEAN,
    }
}

graph_input! {
    struct UpdateNote {
        /// The note.
        id: i64 = NOTE_ID.required(),
        /// The text, in Markdown.
        body: String = STRING.required(),
    }
}

graph_input! {
    struct DestroyNote {
        /// The note.
        id: i64 = NOTE_ID.required(),
    }
}

fn written<'g>(
    g: &'g mut Graph,
    name: &'static str,
    text: &'static str,
) -> MutationBuilder<'g, Written> {
    g.mutation::<Written>(name, text)
        .answers("note", object::<Note>("Note"), |it| it.0.clone())
}

fn notes(g: &mut Graph) {
    written(g, "createNote", "Writes a note about something.").handle(create_note);
    written(g, "updateNote", "Writes another text of a note.").handle(rewrite);
    written(g, "destroyNote", "Deletes a note.").handle(|it: DestroyNote, context| async move {
        let (app, viewer) = caller(&context)?;
        let spot = spot_of_note(it.id, &context).await?;
        guarded::destroy(&app, viewer, spot, it.id).await?;
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

pub async fn spot_of_note(id: i64, context: &Context) -> Result<Spot, Fault> {
    let note = context.load::<Notes>([id]).await?.remove(&id);
    let note = note.ok_or_else(Fault::not_available)?;
    spot(&note.noteable_type, note.noteable_id, context).await
}

/// Where something that has notes is, whoever sees it.
pub async fn spot(kind: &str, id: i64, context: &Context) -> Result<Spot, Fault> {
    let (app, _) = caller(context)?;
    if kind != ISSUE {
        let thing = app.plugged::<Kinds>()?.thing(kind, id);
        return thing.map(Spot::Thing).ok_or_else(Fault::not_available);
    }
    let issue = app.read(move |tx| rows::by_id(tx, id)?.found("")).await?;
    Ok(Spot::Issue((Reference::Id(issue.project_id), issue.iid)))
}

async fn rewrite(it: UpdateNote, context: Context) -> Result<Done<Written>, Fault> {
    let spot = spot_of_note(it.id, &context).await?;
    let (app, _) = caller(&context)?;
    let (writer, which) = (writer(&context)?, (it.id, None));
    let note = guarded::rewrite(&app, writer, spot, which, it.body, |_, _, note| Ok(note));
    let note = note.await.map_err(sentence)?.mutated()?;
    Ok(Done::from(Written(Some(Arc::new(note)))))
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
    let spot = spot(&model, id, &context).await?;
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
