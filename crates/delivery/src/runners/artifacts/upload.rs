//! A runner brings a file.

use super::kinds::{self, DOTENV, Kind, METADATA};
use crate::pipelines::model::Job;
use crate::runners::settings::RunnerSettings;
use crate::runners::store::artifacts::{self, NewArtifact};
use crate::runners::store::dotenv;
use ::store::Tx;
use flate2::read::MultiGzDecoder;
use jiff::{SignedDuration, Timestamp};
use kernel::app::App;
use kernel::blobs::{Received, Stored};
use kernel::error::{Error, Result};
use kernel::secrets::Secrets;
use pipeline_file::dotenv::{Most, parse};
use pipeline_file::durations;
use serde_json::json;
use spaces::plan_limits::PlanLimits;
use std::io::Read;

/// Days that files are kept where nobody says how long.
const USUAL_DAYS: i64 = 30;
const TAKEN: &str = "another artifact of the same type already exists";
const MIB: u64 = 1024 * 1024;

pub fn refused(status: u16, text: &str) -> Error {
    Error::Exact(status, json!({"message": text}))
}

/// Most bytes of a file.
pub async fn limit(app: &App) -> Result<u64> {
    let settings: RunnerSettings = app.settings().get(app).await?;
    Ok(settings.max_artifacts_size.unsigned_abs().saturating_mul(MIB))
}

pub fn too_large() -> Error {
    refused(413, "file size has reached maximum size limit")
}

/// What a runner says of a file.
///
/// # Errors
///
/// 400 for types that there are not, and for another format than the type's.
pub fn kind(file_type: Option<&str>, format: Option<&str>) -> Result<&'static Kind> {
    let text = "artifact_type does not have a valid value";
    let wrong = || Error::Parameters(vec![text.to_owned()]);
    let kind = kinds::find(file_type.unwrap_or(kinds::ARCHIVE)).ok_or_else(wrong)?;
    match format {
        Some(format) if format != kind.format => {
            Err(refused(400, "Invalid file format with specified file type"))
        }
        _ => Ok(kind),
    }
}

/// When a file goes that came now.
pub fn expires_at(text: Option<&str>, now: Timestamp) -> Result<Option<Timestamp>> {
    let lasting = match text.map(str::trim) {
        None | Some("") => Some(SignedDuration::from_hours(24 * USUAL_DAYS)),
        Some("never") => None,
        Some(text) => {
            let invalid = || Error::Parameters(vec!["expire_in is invalid".to_owned()]);
            let seconds = durations::parse(text).map_err(|_| invalid())?;
            seconds.map(|it| SignedDuration::from_secs(it.min(i64::MAX as u64) as i64))
        }
    };
    Ok(lasting.map(|it| now.saturating_add(it).unwrap_or(Timestamp::MAX)))
}

/// The pairs of a report of variables.
pub fn pairs(received: &Received, limits: &PlanLimits) -> Result<Vec<(String, String)>> {
    let most = Most::new(limits.dotenv_size, limits.dotenv_variables);
    let mut text = Vec::new();
    let unreadable = |_| refused(400, "Invalid Format");
    MultiGzDecoder::new(received.open()?)
        .take(most.bytes as u64 + 1)
        .read_to_end(&mut text)
        .map_err(unreadable)?;
    let text = String::from_utf8(text).map_err(|_| refused(400, "Invalid Format"))?;
    parse(&text, most).map_err(|problem| refused(400, &problem))
}

/// A file whose bytes are kept, with what is said of it.
#[derive(Debug, Clone)]
pub struct Brought {
    pub new: NewArtifact,
    pub stored: Stored,
    /// What it hands on, of a report of variables.
    pub pairs: Vec<(String, String)>,
}

/// Notes a file of a job; the same one again is no change.
///
/// # Errors
///
/// 400 where the job has another one of this type.
pub fn add(tx: &mut Tx<'_>, secrets: &Secrets, job: &Job, brought: &Brought) -> Result<()> {
    let file_type = brought.new.file_type;
    match artifacts::of_type(tx, job.id, file_type)? {
        Some(known) if known.sha256 == brought.stored.sha256 => return Ok(()),
        Some(_) => return Err(refused(400, TAKEN)),
        None => artifacts::insert(tx, &brought.new, &brought.stored)?,
    }
    match file_type {
        DOTENV => dotenv::set(tx, secrets, job.id, &brought.pairs),
        _ => Ok(()),
    }
}

/// The list of an archive's files, which comes beside it.
pub fn metadata() -> &'static Kind {
    kinds::find(METADATA).expect("it is one of the kinds")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_kept_as_long_as_is_said() {
        let now: Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
        let days = |days| Some(now + SignedDuration::from_hours(24 * i64::from(days)));
        for (text, wanted) in [
            (None, days(30)),
            (Some(""), days(30)),
            (Some("1 day"), days(1)),
            (Some("1 week"), days(7)),
            (Some("never"), None),
        ] {
            assert_eq!(expires_at(text, now).unwrap(), wanted, "{text:?}");
        }
        assert!(expires_at(Some("soon"), now).is_err());
    }

    #[test]
    fn a_type_has_one_format() {
        assert!(kind(None, None).is_ok());
        assert!(kind(Some("junit"), Some("gzip")).is_ok());
        assert!(kind(Some("junit"), Some("zip")).is_err());
        assert!(kind(Some("nothing"), None).is_err());
    }
}
