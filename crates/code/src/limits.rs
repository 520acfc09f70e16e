//! How often somebody may have archives made, counted on each server.

use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::limits::{SetLimits, address_key};
use serde_json::json;
use std::net::IpAddr;

/// Seconds that the limit is for.
const PERIOD: i64 = 60;
/// Most archives of a minute that may be set.
const MOST: i64 = 1_000_000;

kernel::setting! {
    /// How often archives are made.
    #[derive(Copy)]
    pub struct ArchiveLimits = "code.archives" {
        /// Requests of a user, or of an address without one, a minute; 0 for any number.
        pub archive_requests_per_minute: i64 = 120,
    }
}

identity::settings_part! {
    ArchiveLimits {
        /// Archives of code that a user may ask for in a minute; 0 for any number.
        archive_requests_per_minute: i64 => archive_requests_per_minute,
    } sealed {}
}

impl ArchiveLimits {
    fn validate(self) -> Result<()> {
        if (0..=MOST).contains(&self.archive_requests_per_minute) {
            return Ok(());
        }
        let text = format!("must be between 0 and {MOST}");
        Err(Error::invalid("archive_requests_per_minute", text))
    }
}

/// Counts an archive, and refuses one too many.
pub async fn count_archive(app: &App, viewer: &Viewer, address: IpAddr) -> Result<()> {
    let limits: ArchiveLimits = app.settings().get(app).await?;
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
