//! Notes and discussions, and the interface of what has them, which types of
//! rooms above implement as well.

use super::enums::chosen;
use super::epics::{EpicView, Epics};
use super::resolving::resolvable;
use super::standing::{In, InGroups, Standing};
use super::{NOTE_ID, Notes, Pages, WORK_ITEM, by_key, html, one_by_id, read_pages, uncounted};
use crate::model::epics::{EPIC, WORK_ITEMS};
use crate::model::note_actions::action;
use crate::store::notes::{self as rows, Activity, ISSUE, Note, Noteable};
use crate::store::threads::{self, Discussion};
use crate::targets;
use identity::graph::{People, Person, caller, viewer};
use identity::viewer::Viewer;
use kernel::graph::context::Loader;
use kernel::graph::scalars::split;
use kernel::graph::shape::Leaf;
use kernel::graph::{
    Args, Ask, BOOLEAN, Context, Cost, Fault, GlobalId, Graph, HasTypeRef, ID, Key, ObjectBuilder,
    Order, STRING, TIME, Window, any_of, argument, item, named, object,
};
use serde_json::{Value as Json, json};
use spaces::access::MAINTAINER;
use spaces::graph::{ProjectView as Project, Projects};
use spaces::model::SourceKind;
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

/// `DiscussionID`: the model and 40 hexadecimal digits.
const DISCUSSION_ID: Leaf<String> =
    Leaf::new("DiscussionID", |id| json!(format!("gid://service/Discussion/{id}")));

const NOTEABLE: &str = "NoteableInterface";

const METADATA_ID: GlobalId = GlobalId::new("SystemNoteMetadataID", "SystemNoteMetadata");

/// What a note of the program tells.
struct Metadata {
    note_id: i64,
    action: &'static str,
}

pub fn graph(g: &mut Graph) {
    let text = "A global ID of a discussion.";
    g.scalar("DiscussionID", text, |given| {
        let text = given.as_str().ok_or(None)?;
        match split(text).map_err(Some)? {
            ("Discussion", id) => Ok(json!(id)),
            _ => Err(Some(format!("{text:?} does not represent an instance of Discussion"))),
        }
    });
    let text = "A global ID of something that has notes, such as `gid://service/Issue/1`.";
    g.scalar("NoteableID", text, named_id);
    let activities = vec![
        item("ALL_NOTES", "Of people and of the program."),
        item("ONLY_COMMENTS", "Of people."),
        item("ONLY_ACTIVITY", "Of the program."),
    ];
    g.enumeration("NotesFilterType", "Which notes.", activities);
    let interface = g.interface::<Noteable>(NOTEABLE, "What has notes.");
    lists(interface, |it| *it);
    g.object::<Metadata>("SystemNoteMetadata", "What a note of the program tells.")
        .field("id", ID.required(), |it| METADATA_ID.of(it.note_id))
        .describe("Global ID.")
        .field("action", STRING, |it| Some(it.action.to_owned()))
        .describe("In a word: `title`, `approved`, `reviewer`.");
    note(g.object::<Note>("Note", "What somebody wrote, or the program tells."));
    permissions(g);
    discussion(g.object::<Discussion>("Discussion", "Notes that answer one another."));
    g.node::<Notes, _>(NOTE_ID, object("Note"));
    let text = "One note; null unless the caller may see it.";
    one_by_id::<Notes, _>(g, "note", "Note", NOTE_ID, text);
}

/// An ID whose model is one of several; as an argument it stays as it is.
pub fn named_id(given: &Json) -> Result<Json, Option<String>> {
    let text = given.as_str().ok_or(None)?;
    split(text).map_err(Some)?;
    Ok(given.clone())
}

/// Model and number of an ID of [`named_id`] whose object type is one of
/// `name`.
pub fn of_interface(context: &Context, text: &str, name: &str) -> Result<(String, i64), Fault> {
    let (model, id) = split(text).map_err(Fault::argument)?;
    let id = id.parse().unwrap_or(0);
    // Work items are what stands behind them, and snippets are of one kind.
    let (model, id) = match model {
        WORK_ITEM if id > WORK_ITEMS => (EPIC, id - WORK_ITEMS),
        WORK_ITEM => (ISSUE, id),
        "PersonalSnippet" | "ProjectSnippet" => ("Snippet", id),
        model => (model, id),
    };
    let ty = context.table.node_type(model);
    if !ty.is_some_and(|ty| context.table.is_a(ty, name)) {
        let name = name.trim_end_matches("Interface");
        let text = format!("{text:?} does not represent an instance of {name}");
        return Err(Fault::argument(text));
    }
    Ok((model.to_owned(), id))
}

/// Gives an object type `notes` and `discussions`, and with them the noteable
/// interface. The type is a node under [`Noteable::kind`], and the kind is
/// among [`targets::TargetKinds`].
pub fn noteable<T: Any + Send + Sync>(
    builder: ObjectBuilder<'_, T>, of: fn(&T) -> Noteable,
) -> ObjectBuilder<'_, T> {
    lists(builder.implements(NOTEABLE), of)
}

fn lists<T: Any + Send + Sync>(
    builder: ObjectBuilder<'_, T>, of: fn(&T) -> Noteable,
) -> ObjectBuilder<'_, T> {
    let filter = || {
        argument("filter", named("NotesFilterType"))
            .default("ALL_NOTES")
            .describe("Of people, of the program, or both.")
    };
    builder
        .connections(
            "notes",
            object::<Note>("Note"),
            move |parents: Vec<Arc<T>>, ask, args, context| async move {
                notes(things(&parents, of), ask, args, context).await
            },
        )
        .describe("Its notes that the caller may see, oldest first.")
        .never_null()
        .arg(filter())
        .connections(
            "discussions",
            object::<Discussion>("Discussion"),
            move |parents: Vec<Arc<T>>, ask, args, context| async move {
                discussions(things(&parents, of), ask, args, context).await
            },
        )
        .describe("Its discussions that the caller may see, in the order they began.")
        .never_null()
        .arg(filter())
}

/// The kind of things of one type, and their ids.
fn things<T>(parents: &[Arc<T>], of: fn(&T) -> Noteable) -> (&'static str, Vec<i64>) {
    let things: Vec<Noteable> = parents.iter().map(|it| of(it)).collect();
    let kind = things.first().map_or("", |first| first.kind);
    (kind, things.iter().map(|thing| thing.id).collect())
}

fn activity(args: &Args) -> Result<Activity, Fault> {
    let filter = chosen(args.get("filter")?, Activity::from_text);
    Ok(filter.unwrap_or(Activity::All))
}

const KEYS: [Key; 2] =
    [Key::time("notes.created_at", Order::Asc), Key::int("notes.id", Order::Asc)];

fn keys(note: &Note) -> Vec<Json> {
    vec![Key::instant(note.created_at), note.id.into()]
}

async fn notes(
    (kind, ids): (&'static str, Vec<i64>), ask: Ask, args: Args, context: Context,
) -> Pages<Note> {
    let activity = activity(&args)?;
    let window = ask.window(&context, "notes", &KEYS)?;
    let parents = ids.clone();
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        rows::pages_of(tx, viewer, kind, &parents, activity, window)
    };
    Ok(uncounted(read_pages(&context, window, &ids, read, keys).await?))
}

pub async fn discussions(
    (kind, ids): (&'static str, Vec<i64>), ask: Ask, args: Args, context: Context,
) -> Pages<Discussion> {
    let activity = activity(&args)?;
    let key = Key::int("discussions.first_id", Order::Asc);
    let window = ask.window(&context, "discussions", &[key])?;
    let parents = ids.clone();
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        threads::discussion_pages(tx, viewer, kind, &parents, activity, window)
    };
    let keys = |it: &Discussion| vec![it.first_id.into()];
    Ok(uncounted(read_pages(&context, window, &ids, read, keys).await?))
}

fn note(it: ObjectBuilder<'_, Note>) {
    it.field("id", NOTE_ID.node().required(), |it| it.id)
        .describe("Global ID.")
        .field("body", STRING.required(), |it| it.body.clone())
        .describe("The text, in Markdown.")
        .level("bodyHtml", STRING, |notes, _, context| rendered(notes, context))
        .describe("The text as HTML.")
        .cost(Cost::RENDERED)
        .load::<People, _>("author", object::<Person>("UserCore"), |it| it.author_id)
        .describe("Who wrote it; null if it was nobody, or their account is gone.")
        .field("system", BOOLEAN.required(), |it| it.is_system)
        .describe("Whether the program tells what happened.")
        .field("systemNoteMetadata", object::<Metadata>("SystemNoteMetadata"), metadata)
        .describe("What the program tells, where there is a word for it.")
        .field("internal", BOOLEAN, |it| Some(it.internal))
        .describe("Whether it is for reporters only.")
        .field("confidential", BOOLEAN, |it| Some(it.internal))
        .describe("Whether it is for reporters only.")
        .field("resolvable", BOOLEAN.required(), |it| it.is_resolvable())
        .describe("Whether it can be resolved.")
        .field("resolved", BOOLEAN.required(), |it| it.is_resolved())
        .describe("Whether it is resolved.")
        .load::<People, _>("resolvedBy", object::<Person>("UserCore"), |it| it.resolved_by_id)
        .describe("Who resolved it.")
        .field("resolvedAt", TIME, |it| it.resolved_at)
        .describe("When it was resolved.")
        .level("url", STRING, |notes, _, context| urls(notes, context))
        .describe("Where it stands on a page.")
        .field("createdAt", TIME.required(), |it| it.created_at)
        .describe("When it was written.")
        .field("updatedAt", TIME.required(), |it| it.updated_at)
        .describe("When it last changed.")
        .load::<Discussions, _>("discussion", object::<Discussion>("Discussion"), |it| {
            Some(it.discussion_id.clone())
        })
        .describe("The discussion it is in.")
        .load::<Projects, _>("project", object::<Project>("Project"), |it| it.project_id)
        .describe("The project it is in.");
}

fn metadata(note: &Note) -> Option<Arc<Metadata>> {
    let action = action(&note.body).filter(|_| note.is_system)?;
    Some(Arc::new(Metadata { note_id: note.id, action }))
}

/// The epics that some of these notes are about.
async fn epics_of(
    notes: &[Arc<Note>], context: &Context,
) -> Result<HashMap<i64, Arc<EpicView>>, Fault> {
    let about = notes.iter().filter(|it| it.noteable_type == EPIC);
    context.load::<Epics>(about.map(|it| it.noteable_id)).await
}

async fn rendered(notes: Vec<Arc<Note>>, context: Context) -> Result<Vec<Option<String>>, Fault> {
    let epics = epics_of(&notes, &context).await?;
    let source = |it: &Note| match it.project_id {
        Some(id) => Some((SourceKind::Project, id)),
        None => epics.get(&it.noteable_id).map(|epic| (SourceKind::Group, epic.group_id)),
    };
    html(notes.iter().map(|it| (Some(it.body.clone()), source(it))).collect()).await
}

async fn urls(notes: Vec<Arc<Note>>, context: Context) -> Result<Vec<Option<String>>, Fault> {
    let (app, viewer) = caller(&context)?;
    let (handle, asked) = (app.clone(), notes.clone());
    let seen = app.read(move |tx| {
        let named = asked.iter().map(|it| (it.noteable_type.as_str(), it.noteable_id));
        targets::read(&handle, tx, &viewer, named)
    });
    let seen = seen.await?;
    let of = |it: &Arc<Note>| {
        let path = &seen.get(&it.noteable_type, it.noteable_id)?.path;
        Some(format!("{}#note_{}", app.url(path), it.id))
    };
    Ok(notes.iter().map(of).collect())
}

struct Permissions {
    standing: In,
    signed_in: bool,
    own: bool,
    system: bool,
    /// Of its thread.
    resolves: bool,
}

fn permissions(g: &mut Graph) {
    g.object::<Permissions>("NotePermissions", "What the caller may do with a note.")
        .field("readNote", BOOLEAN.required(), |_| true)
        .describe("See it.")
        .field("createNote", BOOLEAN.required(), |it| it.signed_in && !it.standing.archived)
        .describe("Answer it.")
        .field("awardEmoji", BOOLEAN.required(), |it| it.signed_in && !it.standing.archived)
        .describe("React to it.")
        .field("adminNote", BOOLEAN.required(), |it| {
            let may = it.own || it.standing.level >= MAINTAINER;
            it.signed_in && !it.standing.archived && !it.system && may
        })
        .describe("Change it.")
        .field("resolveNote", BOOLEAN.required(), |it| {
            it.signed_in && !it.standing.archived && it.resolves
        })
        .describe("Resolve it.");
    g.on::<Note>("Note")
        .level(
            "userPermissions",
            object::<Permissions>("NotePermissions").required(),
            |notes: Vec<Arc<Note>>, _, context| async move {
                let projects = notes.iter().filter_map(|it| it.project_id);
                let found = context.load::<Standing>(projects).await?;
                let epics = epics_of(&notes, &context).await?;
                let groups = epics.values().map(|epic| epic.group_id);
                let in_groups = context.load::<InGroups>(groups).await?;
                let of_epic = |it: &Note| {
                    let epic = epics.get(&it.noteable_id).filter(|_| it.noteable_type == EPIC)?;
                    in_groups.get(&epic.group_id).copied()
                };
                let user = viewer(&context).user_id();
                let resolvable = resolvable(&notes, &context).await?;
                let of = |it: &Arc<Note>| {
                    let standing = match it.project_id {
                        Some(id) => found.get(&id).copied(),
                        None => of_epic(it),
                    };
                    let standing = standing.unwrap_or_default();
                    Arc::new(Permissions {
                        standing,
                        signed_in: user.is_some(),
                        own: user.is_some() && it.author_id == user,
                        system: it.is_system,
                        resolves: resolvable.contains(&it.id),
                    })
                };
                Ok(notes.iter().map(of).collect())
            },
        )
        .describe("What the caller may do with it.");
}

fn discussion(it: ObjectBuilder<'_, Discussion>) {
    it.field("id", DISCUSSION_ID.required(), |it| it.discussion_id.clone())
        .describe("Global ID.")
        .field("replyId", DISCUSSION_ID.required(), |it| it.discussion_id.clone())
        .describe("What an answer names.")
        .field("resolvable", BOOLEAN.required(), Discussion::is_resolvable)
        .describe("Whether it can be resolved.")
        .field("resolved", BOOLEAN.required(), Discussion::is_resolved)
        .describe("Whether it is resolved.")
        .load::<People, _>("resolvedBy", object::<Person>("UserCore"), |it| it.resolved_by_id)
        .describe("Who resolved it.")
        .field("resolvedAt", TIME, |it| it.resolved_at)
        .describe("When it was resolved.")
        .field("createdAt", TIME.required(), |it| it.created_at)
        .describe("When it began.")
        .level(
            "noteable",
            any_of(NOTEABLE),
            |discussions: Vec<Arc<Discussion>>, _, context| async move {
                let named: Vec<_> = discussions
                    .iter()
                    .map(|it| (it.noteable_type.as_str(), it.noteable_id))
                    .collect();
                let found = context.nodes(&named).await?;
                Ok(found.into_iter().map(Some).collect())
            },
        )
        .describe("What it is about.")
        .connections("notes", object::<Note>("Note"), |discussions, ask, _, context| {
            of_discussions(discussions, ask, context)
        })
        .describe("Its notes, oldest first.")
        .never_null();
}

async fn of_discussions(
    discussions: Vec<Arc<Discussion>>, ask: Ask, context: Context,
) -> Pages<Note> {
    let window = ask.window(&context, "notes", &KEYS)?;
    let firsts: Vec<i64> = discussions.iter().map(|it| it.first_id).collect();
    let parents = firsts.clone();
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        rows::pages_of_discussions(tx, viewer, &parents, window)
    };
    Ok(uncounted(read_pages(&context, window, &firsts, read, keys).await?))
}

pub(super) struct Discussions;

impl Loader for Discussions {
    type Key = String;
    type Value = Arc<Discussion>;

    async fn load(
        context: Context, ids: Vec<String>,
    ) -> Result<HashMap<String, Arc<Discussion>>, Fault> {
        let read =
            move |tx: &mut Tx<'_>, viewer: &Viewer| threads::discussions_by_ids(tx, viewer, &ids);
        by_key(&context, read, |it: Discussion| (it.discussion_id.clone(), it)).await
    }
}
