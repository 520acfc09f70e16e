//! How often somebody may search in a minute, counted on each server.

use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::limits::{SetLimits, address_key};
use std::net::IpAddr;

/// Seconds that a limit is for.
const PERIOD: i64 = 60;
/// Most searches of a minute that may be set.
const MOST: i64 = 1_000_000;

kernel::setting! {
    /// Searches of a minute: of a user, and of an address without one. 0 for any
    /// number.
    #[derive(PartialEq, Eq)]
    pub struct SearchLimits = "search" {
        pub per_minute: i64 = 300,
        pub per_minute_of_strangers: i64 = 100,
    }
}

identity::settings_part! {
    SearchLimits {
        /// Searches of a user in a minute; 0 for any number.
        search_rate_limit: i64 => per_minute,
        /// Searches in a minute from one address without signing in; 0 for any number.
        search_rate_limit_unauthenticated: i64 => per_minute_of_strangers,
    } sealed {}
}

impl SearchLimits {
    fn validate(&self) -> Result<()> {
        for (key, value) in [
            ("search_rate_limit", self.per_minute),
            ("search_rate_limit_unauthenticated", self.per_minute_of_strangers),
        ] {
            if !(0..=MOST).contains(&value) {
                return Err(Error::invalid(key, format!("must be between 0 and {MOST}")));
            }
        }
        Ok(())
    }
}

/// Counts a search, and refuses one too many.
pub async fn count(app: &App, viewer: &Viewer, address: IpAddr) -> Result<()> {
    let limits: SearchLimits = app.settings().get(app).await?;
    let (name, most, key) = match viewer.user_id() {
        Some(id) => ("search", limits.per_minute, id.to_string()),
        None => ("search_unauthenticated", limits.per_minute_of_strangers, address_key(address)),
    };
    if most == 0 {
        return Ok(());
    }
    match app.kept::<SetLimits>().exceeded(name, (most, PERIOD), &key, app.now()) {
        None => Ok(()),
        Some(seconds) => Err(Error::Limited(seconds)),
    }
}
