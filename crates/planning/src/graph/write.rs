//! Mutations that write notes.

use super::epics::Epics;
use super::notes::{Discussions, of_interface};
use super::{NOTE_ID, Notes, caller, writer};
use crate::guarded::{self, Spot};
use crate::model::epics::EPIC;
use crate::rules::comments::{self, Comment, Said};
use crate::store::issues as rows;
use crate::store::notes::{ISSUE, Note};
use crate::store::threads::{self, Discussion};
use crate::targets::TargetKinds;
use kernel::error::{Error, Found};
use kernel::graph::{
    BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, MutationBuilder, STRING, named, object,
};
use kernel::graph_input;
use kernel::ids::Reference;
use std::sync::Arc;

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
    struct CreateDiscussion {
        /// What it is about.
        noteable_id: String = named("NoteableID").required(),
        /// The text of its first note, in Markdown.
        body: String = STRING.required(),
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

graph_input! {
    struct ToggleResolve {
        /// The discussion.
        id: String = named("DiscussionID").required(),
        /// Whether it is resolved.
        resolve: bool = BOOLEAN.required(),
    }
}

/// A discussion that was resolved or opened again.
struct Toggled(Arc<Discussion>);

fn written<'g>(
    g: &'g mut Graph, name: &'static str, text: &'static str,
) -> MutationBuilder<'g, Written> {
    g.mutation::<Written>(name, text)
        .answers("note", object::<Note>("Note"), |it| it.0.clone())
}

pub fn graph(g: &mut Graph) {
    written(g, "createNote", "Writes a note about something.").handle(create_note);
    written(g, "createDiscussion", "Begins a discussion of something.").handle(create_discussion);
    written(g, "updateNote", "Writes another text of a note.").handle(rewrite);
    written(g, "destroyNote", "Deletes a note.").handle(|it: DestroyNote, context| async move {
        let (app, viewer) = caller(&context)?;
        let spot = spot_of_note(it.id, &context).await?;
        guarded::destroy(&app, viewer, spot, it.id).await?;
        Ok(Done::from(Written(None)))
    });
    let text = "Resolves a discussion, or opens it again.";
    g.mutation::<Toggled>("discussionToggleResolve", text)
        .answers("discussion", object::<Discussion>("Discussion"), |it| Some(it.0.clone()))
        .handle(toggle_resolve);
}

async fn toggle_resolve(it: ToggleResolve, context: Context) -> Result<Done<Toggled>, Fault> {
    let (app, viewer) = caller(&context)?;
    let ids = [it.id.clone()];
    let found = context.load::<Discussions>(ids.clone()).await?.remove(&it.id);
    let found = found.ok_or_else(Fault::not_available)?;
    let spot = spot(&found.noteable_type, found.noteable_id, &context).await?;
    guarded::resolve(&app, viewer.clone(), spot, it.id, it.resolve).await?;
    let now = app.read(move |tx| threads::discussions_by_ids(tx, &viewer, &ids)).await?;
    let now = now.into_iter().next().ok_or_else(Fault::not_available)?;
    Ok(Done::from(Toggled(Arc::new(now))))
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
    if kind == EPIC {
        let epic = context.load::<Epics>([id]).await?.remove(&id);
        return epic.map(|epic| Spot::Epic(epic.place())).ok_or_else(Fault::not_available);
    }
    if kind != ISSUE {
        let thing = app.plugged::<TargetKinds>()?.thing(kind, id);
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
    let comment = Comment {
        body: it.body,
        internal: it.internal.or(it.confidential).unwrap_or(false),
        created_at: None,
        discussion_id: it.discussion_id,
        begins_thread: false,
    };
    say(&it.noteable_id, comment, context).await
}

async fn create_discussion(it: CreateDiscussion, context: Context) -> Result<Done<Written>, Fault> {
    let comment = Comment {
        body: it.body,
        internal: it.internal.or(it.confidential).unwrap_or(false),
        created_at: None,
        discussion_id: None,
        begins_thread: true,
    };
    say(&it.noteable_id, comment, context).await
}

async fn say(
    noteable_id: &str, comment: Comment, context: Context,
) -> Result<Done<Written>, Fault> {
    let (model, id) = of_interface(&context, noteable_id, "NoteableInterface")?;
    let spot = spot(&model, id, &context).await?;
    let (app, _) = caller(&context)?;
    let said = guarded::comment(&app, writer(&context)?, spot, comment, |_, _, said| Ok(said));
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
