//! What could not be brought, and how it is tried again alone.

use super::bring::{Load, bring};
use super::model::{Import, Lost, Stage, told};
use super::rules::THING;
use crate::model::{Kind, Object};
use crate::store::failures::{self as rows, FailedRelation, NewFailure};
use crate::writers::{Prepared, prepare};
use crate::{ledger, store};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use serde_json::{Value, json};
use spaces::model::Project;
use spaces::rules::of_project;

/// Failures of an import that are noted.
const MOST: i64 = 10_000;
/// Bytes of an object that is stored to be tried again.
const LARGEST: usize = 256 * 1024;
/// Bytes of a key.
const LONGEST_KEY: usize = 500;
/// What is told of what went wrong here.
const OURS: &str = "This server could not write it.";
const UPSTREAM: &str = "UpstreamError";

/// Notes an object that could not be written.
pub(super) fn of_object(
    tx: &mut Tx<'_>, import: &mut Import, stage: Stage, object: &Object, error: &Error,
) -> Result<()> {
    let (class, message) = described(error);
    let key = short(&object.key());
    let new = NewFailure {
        stage,
        kind: object.kind(),
        key: &key,
        exception_class: class,
        message: &message,
        object: storable(object)?,
    };
    note(tx, import, new)
}

/// Notes a thing that could not be read.
pub(super) fn of_lost(
    tx: &mut Tx<'_>, import: &mut Import, stage: Stage, lost: &Lost,
) -> Result<()> {
    let (key, message) = (short(&lost.key), told(&lost.reason));
    let new = NewFailure {
        stage,
        kind: lost.kind,
        key: &key,
        exception_class: UPSTREAM,
        message: &message,
        object: None,
    };
    note(tx, import, new)
}

fn note(tx: &mut Tx<'_>, import: &mut Import, new: NewFailure<'_>) -> Result<()> {
    let keys = [new.key.to_owned()];
    let failed_before = rows::among(tx, import.id, new.kind, &keys)?.contains(new.key);
    if !failed_before && ledger::local(tx, import.id, new.kind, new.key)?.is_none() {
        import.stats.0.fetched(new.kind, 1);
    }
    if !failed_before && import.failures >= MOST {
        let (import, key) = (import.id, new.key);
        tracing::warn!(import, key, "an import has too many failures to note another");
        return Ok(());
    }
    import.failures += i64::from(!failed_before);
    rows::note(tx, import.id, new)
}

/// What is told of a refusal: its class and its text.
fn described(error: &Error) -> (&'static str, String) {
    let (class, text) = match error {
        Error::Invalid(fields) => {
            let one = |(field, messages): &(String, Vec<String>)| {
                format!("{field} {}", messages.join(", "))
            };
            ("RecordInvalid", fields.iter().map(one).collect::<Vec<_>>().join("; "))
        }
        Error::Parameters(texts) => ("RecordInvalid", texts.join(", ")),
        Error::BadRequest(text)
        | Error::Conflict(text)
        | Error::Forbidden(text)
        | Error::NotFoundText(text)
        | Error::Unprocessable(text) => ("RecordInvalid", text.clone()),
        Error::NotFound(thing) => ("RecordNotFound", format!("{thing} is not there")),
        error => {
            tracing::error!(%error, "an imported object could not be written");
            ("ServerError", OURS.to_owned())
        }
    };
    (class, told(&text))
}

/// An object as it is stored, unless it is too large, or holds what no database takes.
fn storable(object: &Object) -> Result<Option<Value>> {
    let text = serde_json::to_string(object).map_err(Error::internal)?;
    match text.len() > LARGEST || text.contains("\\u0000") {
        true => Ok(None),
        false => serde_json::from_str(&text).map(Some).map_err(Error::internal),
    }
}

/// A key that every database takes.
fn short(key: &str) -> String {
    let key = key.replace('\0', " ");
    key[..key.floor_char_boundary(LONGEST_KEY)].to_owned()
}

/// What one that failed was to be.
fn object_of(failed: &mut FailedRelation) -> Result<Object> {
    let Some(object) = failed.object.take() else {
        let text = "It was never read, so the import as a whole has to be tried again.";
        return Err(Error::BadRequest(text.into()));
    };
    serde_json::from_value(object).map_err(Error::internal)
}

fn find(tx: &mut Tx<'_>, import: &Import, id: i64) -> Result<FailedRelation> {
    rows::find(tx, import.id, id)?.found("Failed relation")
}

/// Asks git what has to be known before one is tried again.
///
/// # Errors
///
/// As [`retry_one`].
pub async fn prepare_one(app: &App, import: &Import, id: i64) -> Result<Prepared> {
    let of = import.clone();
    let mut failed = app.read(move |tx| find(tx, &of, id)).await?;
    prepare(app, import, &[object_of(&mut failed)?]).await
}

/// Tries one again alone, without asking upstream.
///
/// # Errors
///
/// 404 of one that is not there (any more); 400 where there is nothing to try again; 422 where
/// it fails again.
pub fn retry_one(
    tx: &mut Tx<'_>, (by, project): (&Viewer, &Project), mut import: Import, id: i64,
    prepared: &Prepared,
) -> Result<Import> {
    let mut failed = find(tx, &import, id)?;
    let objects = [object_of(&mut failed)?];
    let load = Load { stage: failed.stage, objects: &objects, prepared };
    match bring(tx, &mut import, project, load) {
        Ok(()) => {}
        Err(Error::Unavailable(text)) => return Err(Error::Unavailable(text)),
        Err(error) => return Err(Error::Unprocessable(described(&error).1)),
    }
    forget(tx, &mut import, failed.kind, failed.key)?;
    store::write(tx, &import)?;
    let details = json!({"kind": failed.kind, "origin": import.origin});
    audit::record(tx, by, "import.retry_relation", of_project(project), details)?;
    store::find(tx, import.id)?.found(THING)
}

/// Forgets one whose key is no longer as it was noted.
fn forget(tx: &mut Tx<'_>, import: &mut Import, kind: Kind, key: String) -> Result<()> {
    rows::forget(tx, import.id, kind, &[key])?;
    import.failures = rows::count(tx, import.id)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use planning::transfer::Label;

    #[test]
    fn refusals_are_told_and_our_own_failures_are_not() {
        let invalid = Error::invalid("title", "is too long");
        assert_eq!(described(&invalid), ("RecordInvalid", "title is too long".into()));
        let ours = described(&Error::internal("disk 7 is on fire"));
        assert_eq!(ours, ("ServerError", OURS.into()));
        assert_eq!(described(&Error::NotFound("Issue")).1, "Issue is not there");
    }

    #[test]
    fn what_no_database_takes_is_not_stored() {
        let label = |name: &str| {
            Object::Label(Label {
                name: name.into(),
                color: "#ffffff".into(),
                description: None,
                priority: None,
            })
        };
        assert!(storable(&label("bug")).is_ok_and(|stored| stored.is_some()));
        assert!(storable(&label("a\0b")).is_ok_and(|stored| stored.is_none()));
        assert!(storable(&label(&"x".repeat(LARGEST))).is_ok_and(|stored| stored.is_none()));
        assert_eq!(short("a\0b"), "a b");
        assert_eq!(short(&"x".repeat(600)).len(), LONGEST_KEY);
    }
}
