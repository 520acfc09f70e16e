//! Issues, labels, notes and to-dos in GraphQL (docs/interface/graphql.md 9). The rules and the
//! visible sets are those of REST: what is hidden there
//! is null here.
//!
//! Rooms above give their own types notes, to-dos and reactions by [`noteable`],
//! [`todoable`] and [`awardable`], and say where notes about them stand.

mod awards;
mod beside;
mod change;
mod enums;
pub mod epics;
mod filters;
mod issue;
pub mod items;
mod labels;
mod lists;
mod milestones;
mod notes;
mod planned;
mod prose;
mod resolving;
mod sorts;
mod standing;
mod taking_part;
mod todos;
mod write;

pub use awards::awardable;
pub use enums::chosen;
pub use filters::{bounded, staged, wildcard};
pub use issue::{Tasks, number, ticked};
pub use labels::worn;
pub use milestones::MilestonesOfThings;
pub use notes::noteable;
pub use prose::{Prose, referred, timed, written};
pub use sorts::{sort_of, time_sorts};
pub use standing::{In, Standing};
pub use taking_part::taking_part;
pub use todos::todoable;

use crate::guarded::Writer;
use crate::model::Issue;
use crate::store::issues as rows;
use crate::store::notes::Note;
use crate::store::places::Places;
use identity::graph::{caller, viewer};
use identity::viewer::Viewer;
use kernel::error::{Error, Result as Outcome};
use kernel::graph::context::Loader;
use kernel::graph::{
    Connection, Context, Fault, GlobalId, Graph, HasTypeRef, Owned, Window, argument, object,
};
use kernel::http::RequestContext;
use kernel::markup::{self, Rendering};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;
use spaces::graph::{NamespaceView, ProjectView};
use spaces::model::SourceKind;
use spaces::uploads::address;
use std::any::Any;
use std::collections::HashMap;
use std::fmt::Display;
use std::hash::Hash;
use std::str::FromStr;
use std::sync::Arc;
use store::Tx;

pub const ISSUE_ID: GlobalId = GlobalId::new("IssueID", "Issue");
pub const EPIC_ID: GlobalId = GlobalId::new("EpicID", "Epic");
pub const MILESTONE_ID: GlobalId = GlobalId::new("MilestoneID", "Milestone");
pub const NOTE_ID: GlobalId = GlobalId::new("NoteID", "Note");
pub const TODO_ID: GlobalId = GlobalId::new("TodoID", "Todo");

/// A link between epics.
const EPIC_LINK_ID: GlobalId = GlobalId::new("EpicLinkID", "Epic::RelatedEpicLink");
/// What work items are called in global IDs.
const WORK_ITEM: &str = "WorkItem";
/// The types of an issue: by itself, and as one of an epic.
const ISSUE_TYPES: [&str; 2] = ["Issue", "EpicIssue"];

pub fn graph(g: &mut Graph) {
    for id in [ISSUE_ID, EPIC_ID, MILESTONE_ID, NOTE_ID, TODO_ID] {
        id.register(g);
    }
    enums::graph(g);
    labels::graph(g);
    milestones::graph(g);
    notes::graph(g);
    awards::graph(g);
    issue::graph(g);
    epics::graph(g);
    items::graph(g);
    filters::graph(g);
    lists::graph(g);
    beside::graph(g);
    standing::graph(g);
    todos::graph(g);
    change::graph(g);
    issue::mutations(g);
    write::graph(g);
    g.node::<Issues, _>(ISSUE_ID, object("Issue"));
}

/// Projects as places, and the groups above them.
fn projects(of: &[Arc<ProjectView>]) -> (Places, Vec<i64>) {
    let above = of.iter().flat_map(|it| it.project.ancestors());
    let ids = of.iter().map(|it| it.project.id);
    (Places::Projects(ids.collect()), above.collect())
}

/// Groups as places, and the groups above them.
fn groups(of: &[Arc<NamespaceView>]) -> (Places, Vec<i64>) {
    let above = of.iter().flat_map(|it| it.namespace.ids());
    let ids = of.iter().map(|it| it.namespace.id);
    (Places::Groups(ids.collect()), above.collect())
}

/// What a loader finds for the viewer, by key.
pub async fn by_key<R, K, V>(
    context: &Context, read: impl FnOnce(&mut Tx<'_>, &Viewer) -> Outcome<R> + Send + 'static,
    entry: impl Fn(R::Item) -> (K, V),
) -> Result<HashMap<K, Arc<V>>, Fault>
where
    R: IntoIterator + Send + 'static,
    K: Eq + Hash,
{
    let (app, viewer) = caller(context)?;
    let found = app.read(move |tx| read(tx, &viewer)).await?;
    let entries = found.into_iter().map(entry);
    Ok(entries.map(|(key, value)| (key, Arc::new(value))).collect())
}

/// In each of some places the one that is read for it, if there is one; `entry` tells the
/// place of a row.
pub async fn one_of_each<R: Send + 'static, T>(
    context: &Context, places: Vec<i64>,
    read: impl FnOnce(&mut Tx<'_>, &Viewer, &[i64]) -> Outcome<Vec<R>> + Send + 'static,
    entry: impl Fn(R) -> (i64, T),
) -> Result<Vec<Option<Arc<T>>>, Fault> {
    let asked = places.clone();
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer| read(tx, viewer, &asked);
    let found = by_key(context, read, entry).await?;
    Ok(places.iter().map(|id| found.get(id).cloned()).collect())
}

/// A page for each owner, of the rows that are read for the viewer.
pub async fn read_pages<T: Send + 'static>(
    context: &Context, window: Window, owners: &[i64],
    read: impl FnOnce(&mut Tx<'_>, &Viewer, &Window) -> Outcome<Vec<Owned<T>>> + Send + 'static,
    keys: impl Fn(&T) -> Vec<Json>,
) -> Result<Vec<Connection<T>>, Fault> {
    let (app, viewer) = caller(context)?;
    let work = app.read(move |tx| Ok((read(tx, &viewer, &window)?, window)));
    let (found, window) = work.await?;
    Ok(window.pages(owners, found, keys))
}

/// The page with other rows in their places, before it is counted; what is gone is left
/// out.
pub fn mapped<T, U>(page: Connection<T>, of: impl Fn(&T) -> Option<Arc<U>>) -> Connection<U> {
    let mut other = Connection::empty();
    other.next = page.next;
    other.previous = page.previous;
    let rows = page.rows.into_iter();
    other.rows = rows.filter_map(|(row, cursor)| Some((of(&row)?, cursor))).collect();
    other
}

/// The page of a list that is in memory whole, in the order it has there.
fn in_order<T>(window: &Window, whole: &[Arc<T>]) -> Connection<T> {
    let place = |it: &T| whole.iter().position(|one| std::ptr::eq(&**one, it));
    window.page_of_whole(whole, |it| place(it).map_or(0, |at| at as i64))
}

/// Pages of lists that are not counted.
pub fn uncounted<T>(pages: Vec<Connection<T>>) -> Vec<Option<Connection<T>>> {
    pages.into_iter().map(Some).collect()
}

/// A root field that finds an object by its global ID.
pub fn one_by_id<L, T>(
    g: &mut Graph, name: &'static str, of: &'static str, id: GlobalId, text: &'static str,
) where
    L: Loader<Key = i64, Value = Arc<T>>,
    T: Any + Send + Sync,
{
    g.query()
        .answer(name, object::<T>(of), |args, context| async move {
            let id: i64 = args.get("id")?;
            Ok(context.load::<L>([id]).await?.get(&id).cloned())
        })
        .describe(text)
        .arg(argument("id", id.required()).describe("Its global ID."));
}

pub struct Issues;

impl Loader for Issues {
    type Key = i64;
    type Value = Arc<Issue>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Issue>>, Fault> {
        let read = move |tx: &mut Tx<'_>, viewer: &Viewer| rows::visible_by_ids(tx, viewer, &ids);
        by_key(&context, read, |issue: Issue| (issue.id, issue)).await
    }
}

struct Notes;

impl Loader for Notes {
    type Key = i64;
    type Value = Arc<Note>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Note>>, Fault> {
        let app = context.app()?.clone();
        let read = move |tx: &mut Tx<'_>, viewer: &Viewer| {
            crate::notes::visible_by_ids(&app, tx, viewer, &ids)
        };
        by_key(&context, read, |note: Note| (note.id, note)).await
    }
}

/// A time or day of an argument, whose form its scalar has checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment<T>(pub T);

impl<'de, T: FromStr> Deserialize<'de> for Moment<T>
where
    T::Err: Display,
{
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map(Moment).map_err(D::Error::custom)
    }
}

/// Who changes something by this request.
pub fn writer(context: &Context) -> Result<Writer, Fault> {
    let request = context.get::<Arc<RequestContext>>().cloned();
    let request = request.ok_or_else(|| Error::internal("no request in the context"))?;
    Ok(Writer::by_api(viewer(context), request))
}

/// A page for each parent of a level, or nothing.
pub type Pages<T> = Result<Vec<Option<Connection<T>>>, Fault>;

/// A text, and what its files belong to.
type Written = (Option<String>, Option<(SourceKind, i64)>);

/// Markdown as HTML, off the workers that serve requests.
async fn html(texts: Vec<Written>) -> Result<Vec<Option<String>>, Fault> {
    let render = move || {
        let one = |(text, source): &Written| {
            let uploads = source.map(|(kind, id)| address("", kind, id)).unwrap_or_default();
            let rendering = Rendering { uploads: &uploads, ..Rendering::default() };
            text.as_deref().map(|text| rendering.html(text))
        };
        texts.iter().map(one).collect()
    };
    let _turn = markup::turn().await?;
    let rendered = tokio::task::spawn_blocking(render).await;
    rendered.map_err(|error| Error::internal(error).into())
}
