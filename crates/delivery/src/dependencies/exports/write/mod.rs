//! Writes the file of an export: rows are read some at a time, each time in a transaction of
//! its own, and go through a format and a [`Pipe`] into the blob store. So memory does not
//! grow with the list, and other requests get their turn between two reads.

mod bills;
mod plan;
mod rows;

use super::access::Subject;
use super::formats::array::Array;
use super::formats::bom::Bill;
use super::formats::csv::Csv;
use super::formats::list::List;
use super::model::{Export, ExportType, file_name};
use kernel::app::App;
use kernel::blobs::Stored;
use kernel::error::{Error, Result};
use kernel::pipe::{Pipe, pipe};
use plan::Plan;
use rows::Wanted;
use std::cell::Cell;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Exports that a server writes at once: each takes a core and some memory.
const TURNS: usize = 2;
/// How often one is begun anew because its list was replaced meanwhile.
const BEGINNINGS: usize = 3;

/// Who may write now.
pub struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Turns {
        Turns(Arc::new(Semaphore::new(TURNS)))
    }
}

/// The right to write, until it is dropped.
pub struct Turn(#[expect(dead_code, reason = "held until it is dropped")] OwnedSemaphorePermit);

impl Turns {
    /// A turn, unless all are taken.
    pub fn try_take(&self) -> Option<Turn> {
        self.0.clone().try_acquire_owned().ok().map(Turn)
    }
}

/// Why a file could not be written.
#[derive(Debug)]
pub enum Fault {
    /// It never can be, for this reason.
    Final(String),
    /// Another attempt may work.
    Passing(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        match error {
            // What was to be exported, or the right to it, is gone.
            Error::Forbidden(_) | Error::NotFound(_) => {
                Fault::Final("You may not read these dependencies any more.".to_owned())
            }
            other => Fault::Passing(other),
        }
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Fault {
        Fault::Passing(error.into())
    }
}

/// A file whose bytes are kept, and that no row names yet.
#[derive(Debug)]
pub struct Written {
    pub name: String,
    pub stored: Stored,
    /// Statements that its rows took.
    pub statements: u64,
}

/// Writes the file of an export.
pub async fn write(app: &App, export: Export, turn: Turn) -> Result<Written, Fault> {
    let mut left = BEGINNINGS;
    let turn = Arc::new(turn);
    loop {
        left -= 1;
        match attempt(app, &export, turn.clone()).await {
            Err(Interrupted::Replaced) if left > 0 => {}
            Err(Interrupted::Replaced) => {
                let text = "the list was replaced again and again".to_owned();
                return Err(Fault::Passing(Error::Unavailable(text)));
            }
            Err(Interrupted::By(fault)) => return Err(fault),
            Ok(written) => return Ok(written),
        }
    }
}

/// Why a file was not written to its end.
#[derive(Debug)]
enum Interrupted {
    /// A newer list took the place of the one that was being read.
    Replaced,
    By(Fault),
}

impl From<Fault> for Interrupted {
    fn from(fault: Fault) -> Interrupted {
        Interrupted::By(fault)
    }
}

impl From<Error> for Interrupted {
    fn from(error: Error) -> Interrupted {
        Interrupted::By(error.into())
    }
}

impl From<std::io::Error> for Interrupted {
    fn from(error: std::io::Error) -> Interrupted {
        Interrupted::By(error.into())
    }
}

async fn attempt(app: &App, export: &Export, turn: Arc<Turn>) -> Result<Written, Interrupted> {
    let (handle, of) = (app.clone(), export.clone());
    let plan = app.read(move |tx| Plan::read(&handle, tx, &of)).await?;
    let name = file_name(export.export_type, export.parent(), plan.subject.slug(), app.now());
    let (out, pieces) = pipe();
    let (handle, runtime, format) = (app.clone(), Handle::current(), export.export_type);
    let work = move || {
        // Held until this ends, which may be after nobody waits for it any more.
        let _turn = turn;
        let reading = Reading { app: &handle, runtime: &runtime, statements: Cell::new(0) };
        produce(&reading, plan, format, out)?;
        Ok(reading.statements.get())
    };
    let produced = tokio::task::spawn_blocking(work);
    let received = app.blobs().receive(pieces, None).await;
    let produced = produced.await.map_err(|error| Fault::Passing(Error::internal(error)))?;
    let (received, statements) = match (received, produced) {
        (Ok(received), Ok(statements)) => (received, statements),
        // The pipe broke since nobody takes what comes out of it.
        (Err(error), _) => return Err(Fault::Passing(error).into()),
        (Ok(_), Err(why)) => return Err(why),
    };
    let stored = app.blobs().keep(received).await.map_err(Fault::Passing)?;
    tracing::debug!(export = export.id, size = stored.size, statements, "an export is written");
    Ok(Written { name, stored, statements })
}

/// Reads the database from a thread that may block.
struct Reading<'r> {
    app: &'r App,
    runtime: &'r Handle,
    statements: Cell<u64>,
}

fn produce(
    reading: &Reading<'_>, plan: Plan, format: ExportType, out: Pipe,
) -> Result<(), Interrupted> {
    let all = |wanted, bill| rows::all(reading, &plan, wanted, bill, Bill::batch);
    let out = match format {
        ExportType::DependencyList => {
            let list = List::begin(out)?;
            let list = rows::all(reading, &plan, Wanted::Vulnerabilities, list, List::batch)?;
            let is_empty = list.is_empty();
            list.finish(&plan.report(reading, is_empty)?)?
        }
        ExportType::JsonArray => {
            let array = Array::begin(out)?;
            rows::all(reading, &plan, Wanted::Nothing, array, Array::batch)?.finish()?
        }
        ExportType::Csv => {
            let table = Csv::begin(out)?;
            rows::all(reading, &plan, Wanted::Vulnerabilities, table, Csv::batch)?.finish()
        }
        ExportType::CycloneDx => {
            all(Wanted::Nothing, Bill::cyclonedx(out, &plan.about)?)?.finish()?
        }
        ExportType::Spdx => all(Wanted::Nothing, Bill::spdx(out, &plan.about)?)?.finish()?,
        ExportType::Vex => all(Wanted::Findings, Bill::vex(out, &plan.about)?)?.finish()?,
        ExportType::Sbom => match &plan.subject {
            Subject::Pipeline(_, pipeline) => bills::merge(reading, &plan, pipeline, out)?,
            Subject::Project(_) | Subject::Group(_) => out,
        },
    };
    Ok(out.close()?)
}
