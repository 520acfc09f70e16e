//! How imports begin, are given up, begin again and end.

use super::model::{Credentials, Import, NewImport, told};
use super::seals;
use super::tasks::StepImport;
use crate::settings;
use crate::store::{self as rows, Asked};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::audit::{self, Author};
use kernel::error::{Error, Found, Result};
use kernel::jobs;
use serde_json::json;
use spaces::imports::{self, ImportStatus};
use spaces::model::Project;
use spaces::rules::of_project;

/// What is not found where a project came by no import.
pub const THING: &str = "Import";

/// The import of a project, if it came by one of ours.
pub fn find(tx: &mut Tx<'_>, project: &Project) -> Result<Option<Import>> {
    rows::of_project(tx, project.id)
}

/// The last import of a part into a project.
pub fn find_part(tx: &mut Tx<'_>, project: &Project) -> Result<Option<Import>> {
    rows::last_part(tx, project.id)
}

/// Has a project be brought from elsewhere.
///
/// # Errors
///
/// `Forbidden` where administrators switched the source off; `Conflict` while the project is
/// being imported.
pub fn begin(
    tx: &mut Tx<'_>, app: &App, by: &Viewer, project: &Project, new: &NewImport,
) -> Result<Import> {
    if let Some(before) = rows::of_project(tx, project.id)? {
        if before.is_open() {
            return Err(Error::Conflict("The project is being imported already.".into()));
        }
        rows::delete(tx, before.id)?;
    }
    start(tx, app, (by, project, None), new)
}

/// Has a part be brought into a project that is there. How far the project itself came says
/// nothing of that; the imports of parts before it are forgotten.
///
/// # Errors
///
/// `Forbidden` where administrators switched the source off.
pub fn begin_part(
    tx: &mut Tx<'_>, app: &App, (by, project): (&Viewer, &Project), relation: &str, new: &NewImport,
) -> Result<Import> {
    rows::delete_parts(tx, project.id)?;
    start(tx, app, (by, project, Some(relation)), new)
}

fn start(
    tx: &mut Tx<'_>, app: &App, (by, project, relation): (&Viewer, &Project, Option<&str>),
    new: &NewImport,
) -> Result<Import> {
    settings::need(tx, new.source)?;
    let sealed = new.credentials.as_ref();
    let asked = Asked {
        project_id: project.id,
        relation,
        user_id: by.signed_in()?.user.id,
        sealed_credentials: sealed
            .map(|it| seals::seal(app.secrets(), project.id, it))
            .transpose()?,
    };
    let id = rows::insert(tx, &asked, new)?.found(THING)?;
    let import = rows::find(tx, id)?.found(THING)?;
    say(tx, &import, None)?;
    note(tx, by, "import.start", project, &import)?;
    jobs::enqueue(tx, app.jobs(), &StepImport { import: import.id })?;
    Ok(import)
}

/// Has the project show how far it is.
pub(super) fn say(tx: &mut Tx<'_>, import: &Import, error: Option<&str>) -> Result<()> {
    match import.relation {
        None => imports::note(tx, import.project_id, import.status, error),
        Some(_) => Ok(()),
    }
}

/// Gives an import up. What came stays.
///
/// # Errors
///
/// 400 of one that has ended.
pub fn cancel(tx: &mut Tx<'_>, by: &Viewer, project: &Project, import: Import) -> Result<Import> {
    if !import.is_open() {
        return Err(too_late("canceled", import.status));
    }
    note(tx, by, "import.cancel", project, &import)?;
    end(tx, import, ImportStatus::Canceled, None)
}

/// Has an import that failed go on where it stood, or one that finished bring again what it
/// could not bring, with what proves upstream who asks, which was erased.
///
/// # Errors
///
/// 400 of one that goes on, or was given up, or without credentials.
pub fn retry(
    tx: &mut Tx<'_>, app: &App, (by, project): (&Viewer, &Project), import: Import,
    credentials: Option<&Credentials>,
) -> Result<Import> {
    settings::need(tx, import.source)?;
    if !matches!(import.status, ImportStatus::Failed | ImportStatus::Finished) {
        return Err(too_late("retried", import.status));
    }
    if credentials.is_none() && import.source.needs_credentials() {
        return Err(Error::missing("personal_access_token"));
    }
    let sealed = credentials.map(|it| seals::seal(app.secrets(), project.id, it)).transpose()?;
    let begins_anew = import.status == ImportStatus::Finished;
    let import = Import {
        status: ImportStatus::Scheduled,
        sealed_credentials: sealed,
        stage: import.stage.filter(|_| !begins_anew),
        cursor: import.cursor.filter(|_| !begins_anew),
        // What people changed here since then stays.
        round: if begins_anew { 0 } else { import.round },
        attempts: 0,
        waits_until: None,
        last_error: None,
        progressed_at: tx.now(),
        ended_at: None,
        ..import
    };
    rows::write(tx, &import)?;
    say(tx, &import, None)?;
    note(tx, by, "import.retry", project, &import)?;
    jobs::hasten(tx, app.jobs(), &StepImport { import: import.id })?;
    Ok(import)
}

/// Has an import that keeps following bring what is still missing, and end then.
///
/// # Errors
///
/// 400 of one that does not.
pub fn cut_over(
    tx: &mut Tx<'_>, app: &App, (by, project): (&Viewer, &Project), import: Import,
) -> Result<Import> {
    if !import.is_open() || !import.is_live {
        let text = "The import does not keep following, so there is nothing to cut over.";
        return Err(exact(text));
    }
    let import = Import {
        is_live: false,
        cut_over_at: Some(tx.now()),
        waits_until: None,
        ..import
    };
    rows::write(tx, &import)?;
    note(tx, by, "import.cut_over", project, &import)?;
    jobs::hasten(tx, app.jobs(), &StepImport { import: import.id })?;
    Ok(import)
}

/// Ends an import that cannot go on, for a reason that people read.
pub(super) fn fail(tx: &mut Tx<'_>, import: Import, reason: &str) -> Result<Import> {
    let reason = told(reason);
    let import = end(tx, import, ImportStatus::Failed, Some(&reason))?;
    tell(tx, "import.fail", &import)?;
    Ok(import)
}

/// Ends an import that came through.
pub(super) fn finish(tx: &mut Tx<'_>, import: Import) -> Result<Import> {
    let import = end(tx, import, ImportStatus::Finished, None)?;
    spaces::store::projects::touch(tx, import.project_id)?;
    tell(tx, "import.finish", &import)?;
    Ok(import)
}

/// Ends an import: what proves upstream who asks is erased.
fn end(
    tx: &mut Tx<'_>, import: Import, status: ImportStatus, error: Option<&str>,
) -> Result<Import> {
    let import = Import {
        status,
        sealed_credentials: None,
        is_live: false,
        waits_until: None,
        last_error: error.map(str::to_owned),
        ended_at: Some(tx.now()),
        ..import
    };
    rows::write(tx, &import)?;
    say(tx, &import, error)?;
    Ok(import)
}

fn too_late(what: &str, status: ImportStatus) -> Error {
    exact(&format!("The import cannot be {what} because it is {status}"))
}

/// 400 with this very message, which clients compare.
fn exact(message: &str) -> Error {
    Error::Exact(400, json!({ "message": message }))
}

fn note(
    tx: &mut Tx<'_>, by: &Viewer, action: &'static str, project: &Project, import: &Import,
) -> Result<()> {
    audit::record(tx, by, action, of_project(project), details(import))
}

/// Notes what became of an import by itself.
fn tell(tx: &mut Tx<'_>, action: &'static str, import: &Import) -> Result<()> {
    let project = spaces::access::find_project(tx, &kernel::ids::Reference::Id(import.project_id))?;
    match project {
        Some(project) => {
            audit::record(tx, Author::default(), action, of_project(&project), details(import))
        }
        None => Ok(()),
    }
}

fn details(import: &Import) -> serde_json::Value {
    json!({"source": import.source, "host": import.host, "origin": import.origin})
}
