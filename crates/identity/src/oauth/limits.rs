//! How often one address may try (docs/interface/identity.md 8.2: always on here).
//!
//! Counted per node and in memory: what is guessed at has 256 bits, and user
//! codes and passwords are counted in the database besides.

use super::refusal::{Refusal, Result};
use kernel::app::App;
use kernel::error::Error;
use kernel::http::RequestContext;
use kernel::limits::{Limiter, address_key};
use kernel::time::Timestamp;
use std::sync::Arc;

pub struct Limits {
    /// Refused grants: 600 a minute.
    pub failed_grants: Limiter,
    /// Device grants begun: 60 a minute.
    pub devices: Limiter,
    /// Applications registered by themselves: 10 an hour.
    pub registrations: Limiter,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            failed_grants: Limiter::new("oauth_failed_grants", 600, 60),
            devices: Limiter::new("oauth_devices", 60, 60),
            registrations: Limiter::new("oauth_registrations", 10, 3_600),
        }
    }
}

pub fn of(app: &App) -> Arc<Limits> {
    app.kept()
}

/// Refuses an address that is over the limit, without counting.
pub fn check(limit: &Limiter, request: &RequestContext, now: Timestamp) -> Result<()> {
    let decision = limit.peek(&address_key(request.peer), now);
    if decision.allowed {
        return Ok(());
    }
    Err(Refusal::Other(Error::Limited(decision.retry_after)))
}

pub fn count(limit: &Limiter, request: &RequestContext, now: Timestamp) {
    limit.check(&address_key(request.peer), now);
}

/// Counts one try and refuses those over the limit.
pub fn spend(limit: &Limiter, request: &RequestContext, now: Timestamp) -> Result<()> {
    let decision = limit.check(&address_key(request.peer), now);
    if decision.allowed {
        return Ok(());
    }
    Err(Refusal::Other(Error::Limited(decision.retry_after)))
}
