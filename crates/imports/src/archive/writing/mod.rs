//! Writes the file of a project: rows are read some at a time, each time in a transaction of
//! its own, and go through a [`Pipe`] into the blob store, as do repositories and files. So
//! memory does not grow with the project, and other requests get their turn between two reads.

mod contents;
mod lists;
mod people;

use super::blocking::ours;
use super::exports::model::{Export, file_name};
use super::exports::progress;
use super::format::{AboutProject, FORMAT, MANIFEST, Manifest, VERSION};
use super::out::Out;
use identity::Caller;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::blobs::Stored;
use kernel::error::{Error, Found, Result};
use kernel::http::params::FromParams;
use kernel::ids::Reference;
use kernel::pipe::{Pipe, pipe};
use people::People;
use serde_json::{Map, Value};
use spaces::access::{self, Purpose};
use spaces::entities;
use spaces::model::Project;
use spaces::rules::ProjectChange;
use std::io;
use std::sync::Arc;
use store::Tx;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Files that a server writes at once: each takes a core and some memory.
const TURNS: usize = 2;
/// Objects of one read.
pub(super) const MANY: i64 = 100;
/// Reads after which it is noted how far the file is.
const NOTED: u64 = 20;
/// What of a project is not for another one, is for its owners to say, or has another name.
const OWN: &[&str] = &[
    "name",
    "path",
    "default_branch",
    "repository_size_limit",
    "tag_list",
    "ci_pipeline_variables_minimum_override_role",
    "restrict_user_defined_variables",
];

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
        Fault::Passing(error)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Passing(ours(error).unwrap_or_else(Error::of_storage))
    }
}

/// A file whose bytes are kept, and that no row names yet.
#[derive(Debug)]
pub struct Written {
    pub name: String,
    pub stored: Stored,
}

/// Writes the file of an export.
pub async fn write(app: &App, export: Export, turn: Turn) -> Result<Written, Fault> {
    let (handle, of) = (app.clone(), export.clone());
    let (project, manifest) = app.read(move |tx| Ok(manifest(&handle, tx, &of))).await??;
    let name = file_name(&project.full_path, app.now());
    let (out, pieces) = pipe();
    let (handle, runtime) = (app.clone(), Handle::current());
    let work = move || {
        // Held until this ends, which may be after nobody waits for it any more.
        let _turn = turn;
        let reading = Reading {
            app: &handle,
            runtime: &runtime,
            project: &project,
            export: export.id,
            people: People::default(),
            objects: 0,
            reads: 0,
        };
        produce(reading, &manifest, out)
    };
    let produced = tokio::task::spawn_blocking(work);
    let received = app.blobs().receive(pieces, None).await;
    let produced = produced.await.map_err(|error| Fault::Passing(Error::internal(error)))?;
    // Where the pipe broke, nobody took what came out of it.
    let received = received?;
    produced?;
    let stored = app.blobs().keep(received).await?;
    Ok(Written { name, stored })
}

fn produce(mut reading: Reading<'_>, manifest: &Manifest, out: Pipe) -> Result<(), Fault> {
    let mut out = Out::begin(out, manifest.exported_at);
    let text = serde_json::to_vec_pretty(manifest).map_err(Error::internal)?;
    out.text(MANIFEST, &text)?;
    lists::write(&mut reading, &mut out)?;
    contents::write(&mut reading, &mut out)?;
    Ok(out.finish()?.close()?)
}

/// What the file begins with, for who may have it still.
fn manifest(app: &App, tx: &mut Tx<'_>, export: &Export) -> Result<(Project, Manifest), Fault> {
    let user = identity::users::find(tx, export.user_id)?.filter(|user| user.refusal().is_none());
    let gone = || Fault::Final("Who asked for it may not maintain the project any more.".into());
    let by = Caller {
        app: app.clone(),
        viewer: Viewer::addressed(user.ok_or_else(gone)?),
    };
    let reference = Reference::Id(export.project_id);
    let project = match access::project(tx, &by.viewer, &reference, Purpose::Update) {
        Err(Error::NotFound(_) | Error::Forbidden(_)) => return Err(gone()),
        found => found?,
    };
    let mut settings = settings(tx, &by, &project)?;
    if let Some(description) = &export.description {
        settings.insert("description".into(), Value::String(description.clone()));
    }
    let project_part = AboutProject {
        id: project.id,
        name: project.name.clone(),
        path: project.path.clone(),
        full_path: project.full_path.clone(),
        default_branch: project.default_branch.clone(),
        settings,
    };
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        version: VERSION,
        generator: format!("tenon {}", env!("CARGO_PKG_VERSION")),
        exported_at: tx.now(),
        host: app.host().to_owned(),
        project: project_part,
    };
    Ok((project, manifest))
}

/// What of a project can be set, as it is set.
fn settings(tx: &mut Tx<'_>, by: &Caller, project: &Project) -> Result<Map<String, Value>> {
    let entity = entities::one_project(tx, by, project, false)?;
    let entity = serde_json::to_value(entity).map_err(Error::internal)?;
    let shown = entity.as_object().found("Project")?;
    let names = ProjectChange::fields().into_iter().map(|field| field.name);
    let known = names.filter(|name| !OWN.contains(name));
    let set = known.filter_map(|name| Some((name, shown.get(name).filter(|it| !it.is_null())?)));
    Ok(set.map(|(name, value)| (name.to_owned(), value.clone())).collect())
}

/// Reads a project from a thread that may block.
struct Reading<'r> {
    app: &'r App,
    runtime: &'r Handle,
    project: &'r Project,
    export: i64,
    people: People,
    /// How many are written.
    objects: i64,
    reads: u64,
}

impl Reading<'_> {
    /// Reads something in a transaction.
    fn read<T: Send + 'static>(
        &mut self, read: impl FnOnce(&mut Tx<'_>, &mut People) -> Result<T> + Send + 'static,
    ) -> Result<T, Fault> {
        let mut people = std::mem::take(&mut self.people);
        let reading = self.app.read(move |tx| {
            let read = read(tx, &mut people)?;
            Ok((read, people))
        });
        let (read, people) = self.runtime.block_on(reading)?;
        self.people = people;
        self.note()?;
        Ok(read)
    }

    /// Notes now and then how far it is. Nothing goes on that nobody wants any more.
    fn note(&mut self) -> Result<(), Fault> {
        self.reads += 1;
        if !self.reads.is_multiple_of(NOTED) {
            return Ok(());
        }
        let (export, objects) = (self.export, self.objects);
        let noted = self.app.write(move |tx| progress(tx, export, objects));
        match self.runtime.block_on(noted)? {
            true => Ok(()),
            false => Err(Fault::Final("The export was given up.".into())),
        }
    }
}
