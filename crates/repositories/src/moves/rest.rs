//! `/project_repository_storage_moves`, `/projects/:id/repository_storage_moves`, and the
//! same of groups and snippets, for administrators.

use super::containers::{self, Named};
use super::entity::{self, GroupMoveEntity, ProjectMoveEntity, SnippetMoveEntity};
use super::model::{Kind, StorageMove};
use super::rules::{self, THING, Together};
use super::settings;
use super::store::{self as rows, Filter};
use ::store::Tx;
use identity::Caller;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::params::FromParams;
use kernel::http::{Accepted, Created, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) fn routes(r: &mut Routes) {
    r.below("/project_repository_storage_moves", "of_projects", declare::<Projects>);
    r.below("/group_repository_storage_moves", "of_groups", declare::<Groups>);
    r.below("/snippet_repository_storage_moves", "of_snippets", declare::<Snippets>);
    let own = "/projects/{id}/repository_storage_moves";
    r.below(own, "of_project", declare_own::<Projects>);
    r.below("/groups/{id}/repository_storage_moves", "of_group", declare_own::<Groups>);
    let own = "/snippets/{snippet_id}/repository_storage_moves";
    r.below(own, "of_snippet", declare_own::<Snippets>);
}

/// Of all containers of a kind.
fn declare<K: Moved>(r: &mut Routes) {
    let (one, all) = K::WORDS;
    let at = |rest: &str| format!("/{{repository_storage_move_id}}{rest}");
    r.get("", list::<K>)
        .summary(format!("Lists moves of {all} between storages, the newest first"));
    r.post("", schedule_all::<K>)
        .summary(format!("Has all {all} on a storage moved to another one"));
    r.get(&at(""), show::<K>).summary(format!("Shows a move of {one}"));
    r.post(&at("/cancel"), cancel::<K>)
        .summary(format!("Gives a move of {one} up that has not moved yet"));
    r.post(&at("/retry"), retry::<K>)
        .summary(format!("Begins a move of {one} again, or its clean-up"));
}

/// Of one.
fn declare_own<K: Moved>(r: &mut Routes) {
    let (one, _) = K::WORDS;
    r.get("", list_own::<K>)
        .summary(format!("Lists the moves of {one} between storages"));
    r.post("", create::<K>).summary(format!("Has {one} moved to another storage"));
    r.get("/{repository_storage_move_id}", show_own::<K>)
        .summary(format!("Shows one of the moves of {one}"));
}

/// What a rule does to a move.
type Change = fn(&mut Tx<'_>, &App, &Viewer, StorageMove) -> Result<StorageMove>;

/// How moves are told.
type Entities<E> = fn(&App, &mut Tx<'_>, &[StorageMove]) -> Result<Vec<E>>;

/// A kind of containers.
trait Moved: Send + Sync + 'static {
    const KIND: Kind;
    /// One of them, and all.
    const WORDS: (&str, &str);
    type At: FromParams + Clone + Send + Sync + 'static;
    type Entity: Serialize + JsonSchema + Send + 'static;
    /// The one that is named, for an administrator.
    fn find(tx: &mut Tx<'_>, viewer: &Viewer, at: &Self::At) -> Result<Named>;
    const ENTITIES: Entities<Self::Entity>;
}

kernel::params! {
    /// A project or group.
    struct OfSpace {
        /// Id or path of the project or group.
        pub id: Reference,
    }
}

kernel::params! {
    /// A snippet.
    struct OfSnippet {
        /// Id of the snippet, of a person or a project.
        pub snippet_id: i64,
    }
}

kernel::params! {
    /// A move.
    struct OneMove {
        /// Id of the move.
        pub repository_storage_move_id: i64,
    }
}

kernel::params! {
    /// Where something is moved to.
    struct Destination {
        /// The name of a storage; by weight unless given.
        pub destination_storage_name: Option<String>,
    }
}

kernel::params! {
    /// From where to where all are moved.
    struct FromTo {
        /// The name of the storage that they leave.
        pub source_storage_name: String,
        /// The name of the storage that they go to.
        pub destination_storage_name: String,
    }
}

struct Projects;

impl Moved for Projects {
    const KIND: Kind = Kind::Project;
    const WORDS: (&str, &str) = ("a project", "projects");
    type At = OfSpace;
    type Entity = ProjectMoveEntity;
    fn find(tx: &mut Tx<'_>, viewer: &Viewer, at: &OfSpace) -> Result<Named> {
        containers::project(tx, viewer, &at.id)
    }
    const ENTITIES: Entities<ProjectMoveEntity> = entity::of_projects;
}

struct Groups;

impl Moved for Groups {
    const KIND: Kind = Kind::Group;
    const WORDS: (&str, &str) = ("the wiki of a group", "wikis of groups");
    type At = OfSpace;
    type Entity = GroupMoveEntity;
    fn find(tx: &mut Tx<'_>, viewer: &Viewer, at: &OfSpace) -> Result<Named> {
        containers::group(tx, viewer, &at.id)
    }
    const ENTITIES: Entities<GroupMoveEntity> = entity::of_groups;
}

struct Snippets;

impl Moved for Snippets {
    const KIND: Kind = Kind::Snippet;
    const WORDS: (&str, &str) = ("a snippet", "snippets");
    type At = OfSnippet;
    type Entity = SnippetMoveEntity;
    fn find(tx: &mut Tx<'_>, _: &Viewer, at: &OfSnippet) -> Result<Named> {
        containers::snippet(tx, at.snippet_id)
    }
    const ENTITIES: Entities<SnippetMoveEntity> = entity::of_snippets;
}

/// One on the wire.
fn shown<K: Moved>(app: &App, tx: &mut Tx<'_>, row: StorageMove) -> Result<K::Entity> {
    let entity = (K::ENTITIES)(app, tx, &[row])?.pop();
    entity.ok_or(Error::NotFound(THING))
}

/// A page of them.
async fn listed<K: Moved>(
    by: Caller, paging: Paging,
    filter: impl FnOnce(&mut Tx<'_>, &Viewer) -> Result<Filter> + Send + 'static,
) -> Result<Paged<K::Entity>> {
    by.viewer.admin()?;
    let app = by.app.clone();
    Paged::read(&app, paging, move |tx, paging| {
        let filter = filter(tx, &by.viewer)?;
        settings::need(tx)?;
        let (rows, total) = rows::page(tx, &filter, paging)?;
        Ok(((K::ENTITIES)(&by.app, tx, &rows)?, total))
    })
    .await
}

async fn list<K: Moved>(by: Caller, paging: Paging) -> Result<Paged<K::Entity>> {
    listed::<K>(by, paging, |_, _| Ok(Filter::of_kind(K::KIND))).await
}

async fn list_own<K: Moved>(
    by: Caller, at: Params<K::At>, paging: Paging,
) -> Result<Paged<K::Entity>> {
    let filter =
        move |tx: &mut Tx<'_>, viewer: &Viewer| Ok(Filter::of(K::find(tx, viewer, &at)?.container));
    listed::<K>(by, paging, filter).await
}

/// A move of this kind.
fn find<K: Moved>(tx: &mut Tx<'_>, id: i64) -> Result<StorageMove> {
    let row = rules::find(tx, id)?;
    match row.kind == K::KIND {
        true => Ok(row),
        false => Err(Error::NotFound(THING)),
    }
}

async fn show<K: Moved>(by: Caller, one: Params<OneMove>) -> Result<Ok200<K::Entity>> {
    by.viewer.admin()?;
    by.read(move |tx, by| {
        let row = find::<K>(tx, one.repository_storage_move_id)?;
        settings::need(tx)?;
        shown::<K>(&by.app, tx, row).map(Ok200)
    })
    .await
}

async fn show_own<K: Moved>(
    by: Caller, at: Params<K::At>, one: Params<OneMove>,
) -> Result<Ok200<K::Entity>> {
    by.viewer.admin()?;
    by.read(move |tx, by| {
        let container = K::find(tx, &by.viewer, &at)?.container;
        let row = find::<K>(tx, one.repository_storage_move_id)?;
        settings::need(tx)?;
        match row.container() == container {
            true => shown::<K>(&by.app, tx, row).map(Ok200),
            false => Err(Error::NotFound(THING)),
        }
    })
    .await
}

async fn create<K: Moved>(
    by: Caller, at: Params<K::At>, to: Params<Destination>,
) -> Result<Created<K::Entity>> {
    by.viewer.admin()?;
    by.write(move |tx, by| {
        let named = K::find(tx, &by.viewer, &at)?;
        let destination = to.destination_storage_name.as_deref();
        let row = rules::schedule(tx, &by.app, &by.viewer, &named, destination)?;
        shown::<K>(&by.app, tx, row).map(Created)
    })
    .await
}

async fn schedule_all<K: Moved>(by: Caller, all: Params<FromTo>) -> Result<Accepted> {
    by.viewer.admin()?;
    let Params(FromTo { source_storage_name, destination_storage_name }) = all;
    let all = Together {
        kind: K::KIND,
        source: source_storage_name,
        destination: destination_storage_name,
    };
    by.write(move |tx, by| rules::schedule_all(tx, &by.app, &by.viewer, &all))
        .await?;
    Ok(Accepted)
}

/// Has a rule do something to a move.
async fn changed<K: Moved>(by: Caller, one: Params<OneMove>, change: Change) -> Result<K::Entity> {
    by.viewer.admin()?;
    by.write(move |tx, by| {
        let row = find::<K>(tx, one.repository_storage_move_id)?;
        let row = change(tx, &by.app, &by.viewer, row)?;
        shown::<K>(&by.app, tx, row)
    })
    .await
}

async fn cancel<K: Moved>(by: Caller, one: Params<OneMove>) -> Result<Ok200<K::Entity>> {
    changed::<K>(by, one, rules::cancel).await.map(Ok200)
}

async fn retry<K: Moved>(by: Caller, one: Params<OneMove>) -> Result<Created<K::Entity>> {
    changed::<K>(by, one, rules::retry).await.map(Created)
}
