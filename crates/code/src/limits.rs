//! How often somebody may have archives made and files sent, counted on each server.

use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::limits::{SetLimits, address_key};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::net::IpAddr;

/// Seconds that the limit is for.
const PERIOD: i64 = 60;
/// Files that a stranger may ask for as often as anybody may ask for one.
const STRANGERS: i64 = 10;
/// Most requests of a minute that may be set.
const MOST: i64 = 1_000_000;

kernel::setting! {
    /// How often code is asked for in ways that cost much.
    #[derive(Copy)]
    pub struct CodeLimits = "code.archives" {
        /// Requests of a user, or of an address without one, a minute; 0 for any number.
        pub archive_requests_per_minute: i64 = 120,
        /// Requests for the bytes of one path of a project a minute; 0 for any number.
        pub raw_blob_request_limit: i64 = 300,
    }
}

identity::settings_part! {
    CodeLimits {
        /// Archives of code that a user may ask for in a minute; 0 for any number.
        archive_requests_per_minute: i64 => archive_requests_per_minute,
        /// How often the bytes of one file are sent by its page in a minute; 0 for any
        /// number.
        raw_blob_request_limit: i64 => raw_blob_request_limit,
    } sealed {}
}

impl CodeLimits {
    fn validate(self) -> Result<()> {
        for (name, number) in [
            ("archive_requests_per_minute", self.archive_requests_per_minute),
            ("raw_blob_request_limit", self.raw_blob_request_limit),
        ] {
            if !(0..=MOST).contains(&number) {
                return Err(Error::invalid(name, format!("must be between 0 and {MOST}")));
            }
        }
        Ok(())
    }
}

/// Counts a request for the bytes of a file; whether it is one too many is said, not
/// refused.
pub async fn is_raw_allowed(
    app: &App, (viewer, address): (&Viewer, IpAddr), project: i64, path: &str,
) -> Result<bool> {
    let limits: CodeLimits = app.settings().get(app).await?;
    let (counted, now) = (app.kept::<SetLimits>(), app.now());
    let exceeded = |name, most, key: &str| {
        most > 0 && counted.exceeded(name, (most, PERIOD), key, now).is_some()
    };
    // Paths are long, and keys are remembered.
    let key = format!("{project}:{}", hex::encode(&Sha256::digest(path)[..12]));
    let of_path = exceeded("raw", limits.raw_blob_request_limit, &key);
    // Strangers do not go from file to file for ever.
    let most = limits.raw_blob_request_limit.saturating_mul(STRANGERS);
    let by_address =
        viewer.user_id().is_none() && exceeded("raw-strangers", most, &address_key(address));
    Ok(!of_path && !by_address)
}

/// Counts an archive, and refuses one too many.
pub async fn count_archive(app: &App, viewer: &Viewer, address: IpAddr) -> Result<()> {
    let limits: CodeLimits = app.settings().get(app).await?;
    let most = limits.archive_requests_per_minute;
    if most == 0 {
        return Ok(());
    }
    let key = viewer.user_id().map_or_else(|| address_key(address), |id| id.to_string());
    match app.kept::<SetLimits>().exceeded("archives", (most, PERIOD), &key, app.now()) {
        None => Ok(()),
        Some(_) => {
            let text = "This archive has been requested too many times. Try again later.";
            Err(Error::Exact(429, json!({"message": {"error": text}})))
        }
    }
}
