//! How many requests with alerts a project may send (docs/interface/monitoring.md 4): off unless
//! administrators turn it on, counted on each server.

use crate::alerts::limits::AlertLimits;
use kernel::app::App;
use kernel::limits::Limiter;
use std::sync::{Arc, Mutex, PoisonError};

/// The limit as it was last set.
#[derive(Default)]
struct Counted(Mutex<Option<(i64, i64, Arc<Limiter>)>>);

/// Counts a request; seconds until the next may come, if this one may not.
pub fn exceeded(app: &App, project_id: i64, limits: &AlertLimits) -> Option<u64> {
    if !limits.limited {
        return None;
    }
    let limiter = limiter(app, limits);
    let decision = limiter.check(&project_id.to_string(), app.now());
    (!decision.allowed).then_some(decision.retry_after)
}

fn limiter(app: &App, limits: &AlertLimits) -> Arc<Limiter> {
    let counted = app.kept::<Counted>();
    let mut known = counted.0.lock().unwrap_or_else(PoisonError::into_inner);
    let (requests, period) = (limits.requests, limits.period_seconds);
    match &*known {
        Some((of, within, limiter)) if (*of, *within) == (requests, period) => limiter.clone(),
        _ => {
            let (most, seconds) = (requests.unsigned_abs(), period.unsigned_abs());
            let limiter = Arc::new(Limiter::new("inbound_alerts", most, seconds));
            *known = Some((requests, period, limiter.clone()));
            limiter
        }
    }
}
