//! How many requests with alerts a project may send (docs/interface/monitoring.md 4): off unless
//! administrators turn it on, counted on each server.

use crate::alerts::limits::AlertLimits;
use kernel::app::App;
use kernel::limits::SetLimits;

/// Counts a request; seconds until the next may come, if this one may not.
pub fn exceeded(app: &App, project_id: i64, limits: &AlertLimits) -> Option<u64> {
    if !limits.limited {
        return None;
    }
    let (limit, key) = ((limits.requests, limits.period_seconds), project_id.to_string());
    app.kept::<SetLimits>().exceeded("inbound_alerts", limit, &key, app.now())
}
