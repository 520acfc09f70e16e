//! Exports are asked for, written, and end.

use super::model::{
    ASK_AGAIN, Export, ExportType, KEPT, LONGEST, MOST_RUNNING, MOST_TRIES, Parent, Status,
};
use super::store::{self, NewExport};
use super::tasks::{TellOfExport, WriteExport};
use ::store::Tx;
use jiff::Timestamp;
use kernel::blobs::Stored;
use kernel::error::{Error, Result};
use kernel::jobs::{Registry, enqueue, enqueue_at};

/// What is said of one that took longer than it may.
const TOO_LONG: &str = "It could not be written within a day.";
/// What is said of one that could not be written, and nobody but us can tell why.
const NOT_WRITTEN: &str = "It could not be written.";

/// What somebody asks for.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    pub user_id: i64,
    pub parent: Parent,
    pub export_type: ExportType,
    pub send_email: bool,
}

/// Makes an export and has it written: it runs from now on.
///
/// # Errors
///
/// 400 for a format that the parent does not have, 429 where too many of the user run.
pub fn create(tx: &mut Tx<'_>, registry: &Registry, asked: Asked) -> Result<Export> {
    if !asked.export_type.fits(asked.parent.kind) {
        let text = "export_type does not have a valid value";
        return Err(Error::Parameters(vec![text.to_owned()]));
    }
    if store::count_running(tx, asked.user_id)? >= MOST_RUNNING {
        return Err(Error::Limited(ASK_AGAIN));
    }
    let new = NewExport {
        user_id: asked.user_id,
        parent: asked.parent,
        export_type: asked.export_type,
        send_email: asked.send_email,
        expires_at: kept_until(tx.now()),
    };
    let made = store::insert(tx, new)?;
    enqueue(tx, registry, &WriteExport { export: made.id })?;
    begin(tx, made)
}

/// An export is written from now on; one that has ended stays as it is.
pub fn begin(tx: &mut Tx<'_>, export: Export) -> Result<Export> {
    if !export.status.may_become(Status::Running) {
        return Ok(export);
    }
    store::begin(tx, export.id)?;
    let started_at = Some(tx.now());
    Ok(Export { status: Status::Running, started_at, ..export })
}

/// Its file is kept: no change where another worker was first, whose file counts.
pub fn finish(tx: &mut Tx<'_>, id: i64, file: (&str, &Stored)) -> Result<()> {
    let Some(export) = unended(tx, id)? else {
        return Ok(());
    };
    let until = kept_until(tx.now());
    store::finish(tx, id, file, until)?;
    tell(tx, &export)
}

/// Nothing comes of it, for this reason.
pub fn fail(tx: &mut Tx<'_>, id: i64, problem: &str) -> Result<()> {
    let Some(export) = unended(tx, id)? else {
        return Ok(());
    };
    let until = kept_until(tx.now());
    store::fail(tx, id, problem, until)?;
    tell(tx, &export)
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
        fail(tx, export.id, TOO_LONG)?;
    }
    Ok(late.len())
}

/// It took longer than it may.
pub fn fail_late(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    fail(tx, id, TOO_LONG)
}

fn unended(tx: &mut Tx<'_>, id: i64) -> Result<Option<Export>> {
    Ok(store::by_id(tx, id)?.filter(|export| !export.status.has_finished()))
}

/// Has somebody told who wants that.
fn tell(tx: &mut Tx<'_>, export: &Export) -> Result<()> {
    if !export.send_email {
        return Ok(());
    }
    let now = tx.now();
    enqueue_at(tx, &TellOfExport { export: export.id }, now)
}

fn kept_until(now: Timestamp) -> Timestamp {
    now.saturating_add(KEPT).unwrap_or(Timestamp::MAX)
}
