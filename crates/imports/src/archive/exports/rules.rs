//! Exports of projects are asked for, written, and end.

use super::model::{Export, Exports, KEPT, LONGEST, MOST_TRIES, Status};
use super::store::{self, NewExport};
use super::target::Target;
use super::tasks::{SendProjectFile, WriteProjectFile};
use ::store::Tx;
use identity::Caller;
use kernel::audit;
use kernel::blobs::Stored;
use kernel::error::{Error, Result};
use kernel::jobs::{Registry, enqueue};
use kernel::time::Timestamp;
use serde_json::json;
use spaces::model::{MAX_DESCRIPTION, Project};

/// What is said of one that took longer than it may.
const TOO_LONG: &str = "It could not be written in time.";
/// What is said of one that could not be written, and nobody but us can tell why.
const NOT_WRITTEN: &str = "It could not be written.";

pub use super::store::{by_id, of_project};

/// Has the file of a project written, for who maintains it; what there is of it now. While
/// one is being written, that one is what was asked for.
///
/// # Errors
///
/// 400 for a description that is too long.
pub fn create(
    tx: &mut Tx<'_>, by: &Caller, project: &Project, description: Option<&str>,
    target: Option<&Target>,
) -> Result<Exports> {
    let user_id = by.viewer.signed_in()?.user.id;
    let description = description.filter(|text| !text.is_empty());
    if description.is_some_and(|text| text.chars().count() > MAX_DESCRIPTION) {
        let text = format!("is too long (maximum is {MAX_DESCRIPTION} characters)");
        return Err(Error::invalid("description", text));
    }
    let new = NewExport {
        project_id: project.id,
        user_id,
        description: description.map(str::to_owned),
        sealed_target: target.map(|target| target.sealed(by.app.secrets())),
        expires_at: kept_until(tx.now()),
    };
    if let Some(made) = store::insert(tx, &new)? {
        enqueue(tx, by.app.jobs(), &WriteProjectFile { export: made.id })?;
        let target = ("Project", project.id, project.full_path.as_str());
        let details = json!({"is_sent": new.sealed_target.is_some()});
        audit::record(tx, &by.viewer, "project.export", target, details)?;
    }
    of_project(tx, project.id)
}

/// The export, which is written from now on; none if nothing is left to do.
pub fn begin(tx: &mut Tx<'_>, id: i64) -> Result<Option<Export>> {
    let now = tx.now();
    let Some(export) = unended(tx, id)? else {
        return Ok(None);
    };
    if export.created_at + LONGEST <= now {
        fail(tx, id, TOO_LONG)?;
        return Ok(None);
    }
    store::begin(tx, id)?;
    Ok(Some(Export { status: Status::Started, objects: 0, ..export }))
}

/// Its file is kept: no change where another worker was first, whose file counts.
pub fn finish(tx: &mut Tx<'_>, registry: &Registry, id: i64, file: (&str, &Stored)) -> Result<()> {
    let Some(export) = unended(tx, id)? else {
        return Ok(());
    };
    let until = kept_until(tx.now());
    store::finish(tx, &export, file, until)?;
    spaces::hooks::blobs_unnamed(tx)?;
    match export.sealed_target {
        Some(_) => enqueue(tx, registry, &SendProjectFile { export: id }),
        None => Ok(()),
    }
}

/// Nothing comes of it, for this reason.
pub fn fail(tx: &mut Tx<'_>, id: i64, problem: &str) -> Result<()> {
    if unended(tx, id)?.is_none() {
        return Ok(());
    }
    let until = kept_until(tx.now());
    store::fail(tx, id, problem, until)
}

/// An attempt did not work; whether there may be another.
pub fn try_again(tx: &mut Tx<'_>, id: i64) -> Result<bool> {
    let Some(export) = unended(tx, id)? else {
        return Ok(false);
    };
    if export.tries + 1 >= MOST_TRIES {
        fail(tx, id, NOT_WRITTEN)?;
        return Ok(false);
    }
    store::put_back(tx, id)?;
    Ok(true)
}

/// Gives up some of those that have not ended in time; how many.
pub fn give_up(tx: &mut Tx<'_>, most: i64) -> Result<usize> {
    let before = tx.now().saturating_sub(LONGEST).unwrap_or(Timestamp::MIN);
    let late = store::unfinished_since(tx, before, most)?;
    for export in &late {
        fail(tx, *export, TOO_LONG)?;
    }
    Ok(late.len())
}

fn unended(tx: &mut Tx<'_>, id: i64) -> Result<Option<Export>> {
    Ok(store::by_id(tx, id)?.filter(|export| !export.status.has_ended()))
}

fn kept_until(now: Timestamp) -> Timestamp {
    now.saturating_add(KEPT).unwrap_or(Timestamp::MAX)
}
