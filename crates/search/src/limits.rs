//! How often somebody may search in a minute, counted on each server.

use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::limits::{Limiter, address_key};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Seconds that a limit is for.
const PERIOD: u64 = 60;
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

/// The limits as they were last set.
#[derive(Default)]
struct Counted(Mutex<Option<(SearchLimits, Arc<[Limiter; 2]>)>>);

/// Counts a search, and refuses one too many.
pub async fn count(app: &App, viewer: &Viewer, address: IpAddr) -> Result<()> {
    let limits: SearchLimits = app.settings().get(app).await?;
    let (most, key, which) = match viewer.user_id() {
        Some(id) => (limits.per_minute, id.to_string(), 0),
        None => (limits.per_minute_of_strangers, address_key(address), 1),
    };
    if most == 0 {
        return Ok(());
    }
    let decision = limiters(app, limits)[which].check(&key, app.now());
    match decision.allowed {
        true => Ok(()),
        false => Err(Error::Limited(decision.retry_after)),
    }
}

fn limiters(app: &App, limits: SearchLimits) -> Arc<[Limiter; 2]> {
    let counted = app.kept::<Counted>();
    let mut known = counted.0.lock().unwrap_or_else(PoisonError::into_inner);
    match &*known {
        Some((of, limiters)) if *of == limits => limiters.clone(),
        _ => {
            let most = [limits.per_minute, limits.per_minute_of_strangers];
            let limiter = |most: i64| Limiter::new("search", most.unsigned_abs(), PERIOD);
            let limiters = Arc::new(most.map(limiter));
            *known = Some((limits, limiters.clone()));
            limiters
        }
    }
}
