//! To-dos: the type, whose they are, and marking them as done.

use super::enums::{ACTION, TODO_STATE, chosen};
use super::notes::{named_id, of_interface};
use super::{Pages, TODO_ID, by_key, caller, one_by_id, read_pages, uncounted};
use crate::rules::todos as rules;
use crate::store::notes::Noteable;
use crate::store::todos::{self as rows, Action, State, Todo, TodoFilter};
use crate::targets;
use identity::graph::{People, Person, USER_ID, viewer};
use identity::viewer::Viewer;
use kernel::error::Found;
use kernel::graph::context::Loader;
use kernel::graph::{
    Args, Ask, Connection, Context, Done, Fault, GlobalId, Graph, HasTypeRef, ID, Key,
    ObjectBuilder, Order, STRING, TIME, Window, any_of, argument, enumeration, item, named, object,
};
use serde_json::Value as Json;
use spaces::graph::{
    GROUP_ID, Groups, NamespaceView, PROJECT_ID, ProjectView as Project, Projects,
};
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

const TODOABLE: &str = "Todoable";
/// Most to-dos that one mutation restores.
const MOST: usize = 100;

/// Kinds of targets: on the wire, in the enum, and what they are.
const TARGETS: &[(&str, &str, &str)] = &[
    ("Issue", "ISSUE", "An issue."),
    ("Epic", "EPIC", "An epic."),
    ("AlertManagement::Alert", "ALERT", "An alert."),
    ("MergeRequest", "MERGEREQUEST", "A merge request."),
    ("Commit", "COMMIT", "A commit."),
];

pub fn graph(g: &mut Graph) {
    let text = "A global ID of something that to-dos are about, such as `gid://service/Issue/1`.";
    g.scalar("TodoableID", text, named_id);
    let kinds = TARGETS.iter().map(|(_, name, text)| item(name, text));
    g.enumeration("TodoTargetEnum", "What a to-do is about.", kinds.collect());
    g.interface::<Noteable>(TODOABLE, "What to-dos are about.")
        .field("webUrl", STRING, |_| None)
        .describe("Its page.");
    described(g.object::<Todo>("Todo", "Something that somebody should look at."));
    g.node::<Todos, _>(TODO_ID, object("Todo"));
    g.on::<Person>("User")
        .connections("todos", object::<Todo>("Todo"), of_users)
        .describe("What they have to do, the newest first; null but for themselves.")
        .args::<Filters>();
    one_by_id::<Todos, _>(g, "todo", "Todo", TODO_ID, "One of the caller's to-dos.");
    mutations(g);
}

/// Gives an object type, which has a `webUrl`, the to-dos of the caller about
/// it under this name, and makes it something that to-dos are about. The type
/// is a node under [`Noteable::kind`], and the kind is among
/// [`targets::TargetKinds`].
pub fn todoable<'g, T: Any + Send + Sync>(
    builder: ObjectBuilder<'g, T>, name: &str, of: fn(&T) -> Noteable,
) -> ObjectBuilder<'g, T> {
    builder
        .implements(TODOABLE)
        .connections(
            name,
            object::<Todo>("Todo"),
            move |parents: Vec<Arc<T>>, ask, args, context| async move {
                let things = parents.iter().map(|it| of(it)).collect();
                about(things, ask, args, context).await
            },
        )
        .describe("The caller's to-dos about it.")
        .arg(argument("state", named("TodoStateEnum")).describe("Only in this state."))
}

fn described(it: ObjectBuilder<'_, Todo>) {
    it.field("id", TODO_ID.node().required(), |it| it.id)
        .describe("Global ID.")
        .field("action", ACTION.required(), |it| it.action)
        .describe("Why it is there.")
        .field("state", TODO_STATE.required(), |it| it.state)
        .describe("Whether it is done.")
        .field("targetType", enumeration("TodoTargetEnum").required(), |it| {
            let kind = TARGETS.iter().find(|(kind, _, _)| *kind == it.target_type);
            kind.map_or("ISSUE", |kind| kind.1)
        })
        .describe("What kind of thing it is about.")
        .level("target", any_of(TODOABLE), |todos: Vec<Arc<Todo>>, _, context| async move {
            let of = |it: &Arc<Todo>| (it.target_type.clone(), it.target_id);
            let named: Vec<(String, i64)> = todos.iter().map(of).collect();
            let named: Vec<(&str, i64)> =
                named.iter().map(|(kind, id)| (kind.as_str(), *id)).collect();
            let found = context.nodes(&named).await?;
            Ok(found.into_iter().map(Some).collect())
        })
        .describe("What it is about; null if the caller no longer sees it.")
        .level("targetUrl", STRING, |todos: Vec<Arc<Todo>>, _, context| async move {
            let told = context.load::<TodoBody>(todos.iter().map(|it| it.id)).await?;
            Ok(todos.iter().map(|it| Some(told.get(&it.id)?.url.clone())).collect())
        })
        .describe("The page of what it is about.")
        .level("body", STRING.required(), |todos: Vec<Arc<Todo>>, _, context| async move {
            let told = context.load::<TodoBody>(todos.iter().map(|it| it.id)).await?;
            let of = |it: &Arc<Todo>| told.get(&it.id).map(|told| told.body.clone());
            Ok(todos.iter().map(|it| of(it).unwrap_or_default()).collect())
        })
        .describe("The note it is about, or the title.")
        .load::<People, _>("author", object::<Person>("UserCore"), |it| it.author_id)
        .describe("Who caused it; null if it was nobody, or their account is gone.")
        .load::<Projects, _>("project", object::<Project>("Project"), |it| it.project_id)
        .describe("The project of what it is about.")
        .load::<Groups, _>("group", object::<NamespaceView>("Group"), |it| it.group_id)
        .describe("The group of what it is about, if that is of no project.")
        .field("createdAt", TIME.required(), |it| it.created_at)
        .describe("When it was made.");
}

#[derive(Clone)]
struct TodoBody {
    url: String,
    body: String,
}

impl Loader for TodoBody {
    type Key = i64;
    type Value = TodoBody;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, TodoBody>, Fault> {
        let todos = context.load::<Todos>(ids).await?;
        let (app, viewer) = caller(&context)?;
        let handle = app.clone();
        let found = app.read(move |tx| {
            let todos: Vec<Todo> = todos.values().map(|todo| (**todo).clone()).collect();
            let named = todos.iter().map(|it| (it.target_type.as_str(), it.target_id));
            let seen = targets::read(&handle, tx, &viewer, named)?;
            let bodies = rows::bodies(tx, &todos)?;
            let of = |it: &Todo| {
                let seen = seen.get(&it.target_type, it.target_id)?;
                let url = handle.url(&seen.path);
                let body = it.note_id.and_then(|note| bodies.get(&note).cloned());
                let told = TodoBody {
                    url: match it.note_id {
                        Some(note) => format!("{url}#note_{note}"),
                        None => url,
                    },
                    body: body.unwrap_or_else(|| seen.title.clone()),
                };
                Some((it.id, told))
            };
            Ok(todos.iter().filter_map(of).collect())
        });
        Ok(found.await?)
    }
}

struct Todos;

impl Loader for Todos {
    type Key = i64;
    type Value = Arc<Todo>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Todo>>, Fault> {
        let Some(user_id) = viewer(&context).user_id() else {
            return Ok(HashMap::new());
        };
        let read = move |tx: &mut Tx<'_>, _: &Viewer| rows::by_ids(tx, user_id, &ids);
        by_key(&context, read, |todo: Todo| (todo.id, todo)).await
    }
}

kernel::graph_input! {
    struct Filters {
        /// Only for these reasons.
        action: Option<Vec<String>> = named("TodoActionEnum").required().list(),
        /// Only in these states; pending ones unless told.
        state: Option<Vec<String>> = named("TodoStateEnum").required().list(),
        /// Only about such things.
        kind as "type": Option<Vec<String>> = named("TodoTargetEnum").required().list(),
        /// Only caused by these users.
        author_id: Option<Vec<String>> = ID.required().list(),
        /// Only of these projects.
        project_id: Option<Vec<String>> = ID.required().list(),
        /// Only of projects below these groups.
        group_id: Option<Vec<String>> = ID.required().list(),
    }
}

/// The numbers of IDs, which may be bare numbers.
fn numbers(ids: Option<Vec<String>>, of: GlobalId) -> Result<Option<Vec<i64>>, Fault> {
    let read = |text: &String| match text.parse::<i64>() {
        Ok(id) => Ok(id),
        Err(_) => of.read(text).map_err(Fault::argument),
    };
    ids.map(|all| all.iter().map(read).collect()).transpose()
}

fn all_chosen<T>(names: Option<Vec<String>>, read: fn(&str) -> Option<T>) -> Option<Vec<T>> {
    let one = |name| chosen(Some(name), read);
    names.map(|all| all.into_iter().filter_map(one).collect())
}

fn filter(args: &Args) -> Result<TodoFilter, Fault> {
    let wanted: Filters = args.read()?;
    let of_target = |name: String| {
        let known = TARGETS.iter().find(|(_, known, _)| *known == name);
        known.map(|known| known.0.to_owned())
    };
    let states = all_chosen(wanted.state, State::from_text);
    Ok(TodoFilter {
        states: Some(states.unwrap_or_else(|| vec![State::Pending])),
        actions: all_chosen(wanted.action, Action::from_text),
        author_ids: numbers(wanted.author_id, USER_ID)?,
        project_ids: numbers(wanted.project_id, PROJECT_ID)?,
        group_ids: numbers(wanted.group_id, GROUP_ID)?,
        kinds: wanted.kind.map(|all| all.into_iter().filter_map(of_target).collect()),
    })
}

const KEYS: [Key; 1] = [Key::int("todos.id", Order::Desc)];

fn keys(todo: &Todo) -> Vec<Json> {
    vec![todo.id.into()]
}

async fn of_users(people: Vec<Arc<Person>>, ask: Ask, args: Args, context: Context) -> Pages<Todo> {
    let filter = filter(&args)?;
    let window = ask.window(&context, "todos", &KEYS)?;
    let own = viewer(&context).user_id();
    let is_own = |it: &Arc<Person>| own == Some(it.user.id);
    let Some(user_id) = own.filter(|_| people.iter().any(is_own)) else {
        return Ok(people.iter().map(|_| None).collect());
    };
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        rows::pages_of(tx, viewer, user_id, &filter, window)
    };
    let mut pages = read_pages(&context, window, &[user_id], read, keys).await?;
    // The caller may stand in several places, of which one has the page.
    let mut page = pages.pop();
    Ok(people.iter().map(|it| page.take_if(|_| is_own(it))).collect())
}

/// The caller's to-dos about each of these things of one kind.
pub async fn about(things: Vec<Noteable>, ask: Ask, args: Args, context: Context) -> Pages<Todo> {
    let state: Option<String> = args.get("state")?;
    let state = chosen(state, State::from_text);
    let window = ask.window(&context, "todos", &KEYS)?;
    let ids: Vec<i64> = things.iter().map(|thing| thing.id).collect();
    let kind = things.first().map_or("", |first| first.kind);
    let Some(user_id) = viewer(&context).user_id() else {
        return Ok(ids.iter().map(|_| Some(Connection::empty())).collect());
    };
    let targets = ids.clone();
    let read = move |tx: &mut Tx<'_>, _: &Viewer, window: &Window| {
        rows::pages_about(tx, user_id, kind, &targets, state, window)
    };
    Ok(uncounted(read_pages(&context, window, &ids, read, keys).await?))
}

struct One(Arc<Todo>);
struct Several(Vec<Arc<Todo>>);

kernel::graph_input! {
    struct OfOne {
        /// The to-do.
        id: i64 = TODO_ID.required(),
    }
}

kernel::graph_input! {
    struct OfMany {
        /// At most 100.
        ids: Vec<i64> = TODO_ID.required().list().required(),
    }
}

kernel::graph_input! {
    struct Target {
        /// What.
        target_id: String = named("TodoableID").required(),
    }
}

kernel::graph_input! {
    struct MaybeTarget {
        /// Only those about this.
        target_id: Option<String> = named("TodoableID"),
    }
}

fn mutations(g: &mut Graph) {
    for (name, text, state) in [
        ("todoMarkDone", "Marks a to-do as done.", State::Done),
        ("todoRestore", "Marks a to-do as pending again.", State::Pending),
    ] {
        g.mutation::<One>(name, text)
            .answers("todo", object::<Todo>("Todo"), |it| Some(it.0.clone()))
            .handle(move |input: OfOne, context| async move {
                let mut done = set(vec![input.id], state, context).await?;
                Ok(Done::from(One(done.remove(0))))
            });
    }
    let todos = || object::<Todo>("Todo").required().list();
    g.mutation::<Several>("todoRestoreMany", "Marks to-dos as pending again.")
        .answers("todos", todos(), |it| Some(it.0.clone()))
        .handle(|input: OfMany, context| async move {
            if input.ids.len() > MOST {
                return Err(Fault::argument("ids cannot have more than 100 entries"));
            }
            Ok(Done::from(Several(set(input.ids, State::Pending, context).await?)))
        });
    g.mutation::<Several>(
        "todosMarkAllDone",
        "Marks all of the caller's to-dos as done, or those about one thing.",
    )
    .answers("todos", todos(), |it| Some(it.0.clone()))
    .handle(|input: MaybeTarget, context| async move {
        let target = match &input.target_id {
            Some(text) => Some(of_interface(&context, text, TODOABLE)?),
            None => None,
        };
        let (app, viewer) = caller(&context)?;
        let work = app.write(move |tx| {
            let user_id = viewer.signed_in()?.user.id;
            rows::finish_those(tx, user_id, target.as_ref())
        });
        let done = work.await?.into_iter().map(Arc::new);
        Ok(Done::from(Several(done.collect())))
    });
    g.mutation::<One>("todoCreate", "Puts something among the caller's to-dos.")
        .answers("todo", object::<Todo>("Todo"), |it| Some(it.0.clone()))
        .handle(create);
}

async fn set(ids: Vec<i64>, state: State, context: Context) -> Result<Vec<Arc<Todo>>, Fault> {
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| {
        let one = |id: &i64| rules::set_state(tx, &viewer, *id, state);
        ids.iter().map(one).collect::<kernel::error::Result<Vec<_>>>()
    });
    Ok(work.await?.into_iter().map(Arc::new).collect())
}

async fn create(input: Target, context: Context) -> Result<Done<One>, Fault> {
    let (model, id) = of_interface(&context, &input.target_id, TODOABLE)?;
    let (app, viewer) = caller(&context)?;
    let handle = app.clone();
    let work = app.write(move |tx| {
        let found = targets::find(&handle, tx, &viewer, &model, id)?;
        let (target, _) = found.found("")?;
        rules::mark(tx, &viewer, target)
    });
    Ok(match work.await? {
        Some(todo) => Done::from(One(Arc::new(todo))),
        None => Done {
            errors: vec!["There is such a to-do already".to_owned()],
            payload: None,
        },
    })
}
