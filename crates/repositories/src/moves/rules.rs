//! How moves are scheduled, given to jobs, given up and ended.

use super::containers::{self, Named};
use super::model::{Container, Kind, State, StorageMove};
use super::settings;
use super::store::{self as rows, packs};
use super::tasks::MoveStorage;
use crate::storages;
use ::store::Tx;
use identity::viewer::Viewer;
use jiff::SignedDuration;
use kernel::app::App;
use kernel::audit::{self, Author};
use kernel::error::{Error, Found, Result};
use kernel::jobs::{self, Registry};
use serde_json::{Value, json};
use spaces::hooks::StorageMoves;
use spaces::model::Namespace;

/// What is not found where there is no such move.
pub const THING: &str = "Repository Storage Move";
/// How long nothing may be heard of a move before it is given to a job again.
const SILENCE: SignedDuration = SignedDuration::from_hours(6);
/// Moves that are looked after at once.
const TENDED: i64 = 100;
const CANCELED: &str = "It was canceled by an administrator.";

/// What keeps projects and groups from going while they move, for `spaces::hooks::Hooks`.
pub const HOOKS: StorageMoves = StorageMoves {
    of_project: |tx, id| check(tx, Container::Project(id)),
    of_group: |tx, group| check(tx, Container::Group(group.id)),
    below: check_below,
};

/// Refuses to take a snippet away whose repository moves.
pub fn check_snippet(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    check(tx, Container::Snippet(id))
}

fn check(tx: &mut Tx<'_>, container: Container) -> Result<()> {
    match rows::is_open(tx, container)? {
        true => Err(containers::moving(container)),
        false => Ok(()),
    }
}

fn check_below(tx: &mut Tx<'_>, group: &Namespace) -> Result<()> {
    match rows::is_open_below(tx, group)? {
        true => Err(containers::moving(Container::Group(group.id))),
        false => Ok(()),
    }
}

/// Refuses a name that is no storage's, in words for the parameter that had it.
fn check_name(app: &App, parameter: &str, name: &str) -> Result<()> {
    match app.blobs().storage_names().iter().any(|known| known == name) {
        true => Ok(()),
        false => Err(Error::invalid(parameter, "is not included in the list")),
    }
}

/// A move of this id.
pub fn find(tx: &mut Tx<'_>, id: i64) -> Result<StorageMove> {
    rows::find(tx, id)?.found(THING)
}

/// Has the repositories of a container moved, to a storage that is chosen by weight unless
/// it is said.
///
/// # Errors
///
/// `Invalid` of an unknown storage, or while there is an open move.
pub fn schedule(
    tx: &mut Tx<'_>, app: &App, by: &Viewer, named: &Named, destination: Option<&str>,
) -> Result<StorageMove> {
    settings::need(tx)?;
    let destination = match destination {
        Some(name) => {
            check_name(app, "destination_storage_name", name)?;
            name.to_owned()
        }
        None => storages::choose(tx)?,
    };
    let source = containers::repository(tx, named.container)?.storage;
    let id = rows::insert(tx, named.container, &source, &destination)?;
    let busy = || Error::invalid(named.container.kind().as_str(), "is read-only");
    let id = id.ok_or_else(busy)?;
    let details = json!({"id": id, "source": source, "destination": destination});
    audit::record(tx, by, "storage_move.schedule", named.target(), details)?;
    dispatch(tx, app.jobs())?;
    find(tx, id)
}

/// Which moves are scheduled together.
#[derive(Debug, Clone)]
pub struct Together {
    pub kind: Kind,
    pub source: String,
    pub destination: String,
}

/// Has all containers of a kind moved that have a repository in a storage, but for those
/// that move already; how many.
///
/// # Errors
///
/// `Invalid` of an unknown storage.
pub fn schedule_all(tx: &mut Tx<'_>, app: &App, by: &Viewer, all: &Together) -> Result<u64> {
    settings::need(tx)?;
    let Together { kind, source, destination } = all;
    check_name(app, "source_storage_name", source)?;
    check_name(app, "destination_storage_name", destination)?;
    let there = rows::count_on(tx, *kind, source)?.unsigned_abs();
    let count = rows::insert_all(tx, *kind, source, destination)?;
    tracing::info!(%kind, source, destination, count, skipped = there.saturating_sub(count),
        "moves of repositories are scheduled");
    let details = json!({"kind": kind, "destination": destination, "count": count});
    audit::record(tx, by, "storage_move.schedule_all", ("Storage", 0, source), details)?;
    dispatch(tx, app.jobs())?;
    Ok(count)
}

/// Gives a move up that has not moved yet.
///
/// # Errors
///
/// `BadRequest` of another one.
pub fn cancel(tx: &mut Tx<'_>, app: &App, by: &Viewer, row: StorageMove) -> Result<StorageMove> {
    settings::need(tx)?;
    if !row.state.may_fail() {
        return Err(too_late("canceled", &row));
    }
    note(tx, by, "storage_move.cancel", &row, json!({}))?;
    fail(tx, row, CANCELED).and_then(|row| dispatch(tx, app.jobs()).map(|()| row))
}

/// Begins a move again that failed, or removes again what is left of the old copy.
///
/// # Errors
///
/// `BadRequest` of another one; those of [`schedule`].
pub fn retry(tx: &mut Tx<'_>, app: &App, by: &Viewer, row: StorageMove) -> Result<StorageMove> {
    settings::need(tx)?;
    match row.state {
        State::Failed => {
            let named = containers::named(tx, row.container())?.found(THING)?;
            schedule(tx, app, by, &named, Some(&row.destination))
        }
        State::CleanupFailed => {
            note(tx, by, "storage_move.retry", &row, json!({}))?;
            let row = StorageMove { state: State::Replicated, is_dispatched: true, ..row };
            if rows::is_open(tx, row.container())? {
                return Err(Error::invalid(row.kind.as_str(), "is read-only"));
            }
            rows::write(tx, &row)?;
            jobs::enqueue(tx, app.jobs(), &MoveStorage { storage_move: row.id })?;
            Ok(row)
        }
        _ => Err(too_late("retried", &row)),
    }
}

fn too_late(what: &str, row: &StorageMove) -> Error {
    Error::BadRequest(format!("The move cannot be {what} because it is {}", row.state))
}

/// Ends a move that has not moved: its repositories stay where they are, nothing names what
/// was copied of them, and they are written to again.
pub fn fail(tx: &mut Tx<'_>, row: StorageMove, why: &str) -> Result<StorageMove> {
    let repositories = repositories(tx, row.container())?;
    packs::forget_copies(tx, &repositories)?;
    rows::set_read_only(tx, &repositories, None)?;
    let now = tx.now();
    let row = StorageMove { state: State::Failed, error: Some(why.to_owned()), ..row }.opened(now);
    rows::write(tx, &row)?;
    let details = json!({"error": why});
    note(tx, Author::default(), "storage_move.fail", &row, details)?;
    Ok(row)
}

/// Ends a move whose repositories lie elsewhere by now; `left` says why something of the
/// old copy is left, if so.
pub fn finish(tx: &mut Tx<'_>, row: StorageMove, left: Option<String>) -> Result<()> {
    let state = match left {
        Some(_) => State::CleanupFailed,
        None => State::Finished,
    };
    let row = StorageMove { state, error: left, ..row };
    rows::write(tx, &row)?;
    let details = json!({"state": state, "read_only_ms": row.read_only_ms});
    note(tx, Author::default(), "storage_move.finish", &row, details)
}

/// The ids of what a container has.
pub fn repositories(tx: &mut Tx<'_>, container: Container) -> Result<Vec<i64>> {
    Ok(rows::repositories_of(tx, container)?.into_iter().map(|it| it.id).collect())
}

fn note(
    tx: &mut Tx<'_>, by: impl Into<Author>, action: &'static str, row: &StorageMove,
    mut details: Value,
) -> Result<()> {
    let Some(named) = containers::named(tx, row.container())? else {
        return Ok(());
    };
    details["id"] = row.id.into();
    details["source"] = row.source.as_str().into();
    details["destination"] = row.destination.as_str().into();
    audit::record(tx, by, action, named.target(), details)
}

/// Gives jobs to moves that wait, as many as may be under way at once.
pub fn dispatch(tx: &mut Tx<'_>, registry: &Registry) -> Result<()> {
    let free = settings::at_once(tx)? - rows::under_way(tx)?;
    if free <= 0 {
        return Ok(());
    }
    for storage_move in rows::dispatch(tx, free)? {
        jobs::enqueue(tx, registry, &MoveStorage { storage_move })?;
    }
    Ok(())
}

/// Gives a job again to moves of which nothing was heard for long, and to those that wait.
pub fn tend(tx: &mut Tx<'_>, registry: &Registry) -> Result<()> {
    let since = tx.now() - SILENCE;
    for storage_move in rows::silent(tx, since, TENDED)? {
        jobs::enqueue(tx, registry, &MoveStorage { storage_move })?;
    }
    dispatch(tx, registry)
}
