//! Alerts of monitoring tools, each answered when it is on the disk.

use super::load::{Request, Values};
use super::report::{Bound, Line};
use super::{Bench, WRITERS, seed};
use crate::server;
use crate::steps;
use std::fmt::Write;

/// Alerts in one request of the metrics tool.
const GROUP: usize = 50;

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let server = bench.start(&server::fresh_directory("bench-monitoring")?, &[])?;
    let token = server.root_token()?;
    let project = seed::project(server.url(), &token, "alerts")?;
    let integration = seed::post(
        server.url(),
        &token,
        &format!("/projects/{project}/alert_management/http_integrations"),
        r#"{"name":"bench","active":true}"#.to_owned(),
    )?;
    let text = |key: &str| integration[key].as_str().unwrap_or_default();
    let target = text("url").trim_start_matches(server.url());
    let post = |body: String| Request {
        method: "POST",
        target: target.to_owned(),
        headers: vec![format!("authorization: Bearer {}", text("token"))],
        body,
        content_type: "application/json",
        values: Values::None,
    };
    let liveness = Request::get("/-/liveness", "");
    let mut lines = Vec::new();
    for (name, request, least) in [
        (
            "new alerts of 64 senders, durable, against liveness",
            post(r#"{"title":"Furnace too hot","severity":"high","fingerprint":"{n}"}"#.to_owned()),
            0.05,
        ),
        (
            "groups of 50 new alerts of 64 senders, durable, against liveness",
            post(group()),
            0.002,
        ),
    ] {
        steps::say(name);
        let (rates, live) = bench.turns(
            || bench.rate(&server, &request, WRITERS),
            || bench.rate(&server, &liveness, WRITERS),
        )?;
        lines.push(Line::ratio(name, &rates, &live, Bound::AtLeast(least)));
    }
    server.stop()?;
    Ok(lines)
}

/// A group of alerts, none of which any other request has.
fn group() -> String {
    let mut items = String::new();
    for at in 0..GROUP {
        let between = if at == 0 { "" } else { "," };
        let _ = write!(
            items,
            r#"{between}{{"status":"firing","fingerprint":"{{n}}-{at}","startsAt":"2025-05-05T10:00:00.123456789Z","endsAt":"0001-01-01T00:00:00Z","labels":{{"alertname":"TooHot","severity":"page","instance":"furnace-{at}"}},"annotations":{{"summary":"Furnace {at} is too hot"}},"generatorURL":"http://metrics.example/graph?g0.expr=heat+%3E+1500&g0.tab=1"}}"#
        );
    }
    format!(
        r#"{{"version":"4","groupKey":"x","truncatedAlerts":0,"status":"firing","receiver":"tenon","groupLabels":{{}},"commonLabels":{{}},"commonAnnotations":{{}},"externalURL":"http://metrics.example","alerts":[{items}]}}"#
    )
}
