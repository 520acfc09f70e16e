//! How often somebody may have archives made, counted on each server.

use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::limits::{Limiter, address_key};
use serde_json::json;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Seconds that the limit is for.
const PERIOD: u64 = 60;
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

/// Who made how many, while the limit was this one.
#[derive(Default)]
struct Counted(Mutex<Option<(i64, Arc<Limiter>)>>);

impl Counted {
    fn limiter(&self, limit: i64) -> Arc<Limiter> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, limiter)) = known.as_ref().filter(|(of, _)| *of == limit) {
            return limiter.clone();
        }
        let limiter = Arc::new(Limiter::new("archives", limit.unsigned_abs(), PERIOD));
        *known = Some((limit, limiter.clone()));
        limiter
    }
}

/// Counts an archive, and refuses one too many.
pub async fn count_archive(app: &App, viewer: &Viewer, address: IpAddr) -> Result<()> {
    let limits: ArchiveLimits = app.settings().get(app).await?;
    if limits.archive_requests_per_minute == 0 {
        return Ok(());
    }
    let who = match viewer.user_id() {
        Some(id) => id.to_string(),
        None => address_key(address),
    };
    let limiter = app.kept::<Counted>().limiter(limits.archive_requests_per_minute);
    match limiter.check(&who, app.now()).allowed {
        true => Ok(()),
        false => {
            let text = "This archive has been requested too many times. Try again later.";
            Err(Error::Exact(429, json!({"message": {"error": text}})))
        }
    }
}
