//! Alerts of monitoring tools, each answered when it is on the disk.

use std::fmt::Write;
use std::time::Duration;

use super::load::{self, Request};
use super::peer::Peer;
use super::report::{Bound, Line};
use super::{Bench, WRITERS, seed};
use xtask::cluster::Cluster;
use xtask::server::{self, Server};
use xtask::{steps, tools};

/// Alerts in one request of the metrics tool.
const GROUP: usize = 50;

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let server = bench.start(&server::fresh_directory("bench-monitoring")?, &[])?;
    let endpoint = Endpoint::make(&server)?;
    let (single, groups) = (endpoint.post(single()), endpoint.post(group()));
    let mut lines = against_liveness(bench, &server, &single, &groups)?;
    lines.extend(beside_alerta(bench, &server, &single, &groups)?);
    server.stop()?;
    Ok(lines)
}

fn against_liveness(
    bench: &Bench<'_>, server: &Server, single: &Request, groups: &Request,
) -> Result<Vec<Line>, String> {
    let liveness = Request::get("/-/liveness", "");
    let compare = |name, request: &Request, least| -> Result<Line, String> {
        steps::say(name);
        let (rates, live) = bench.turns(
            || bench.rate(server, request, WRITERS),
            || bench.rate(server, &liveness, WRITERS),
        )?;
        Ok(Line::ratio(name, &rates, &live, Bound::AtLeast(least)))
    };
    Ok(vec![
        compare("new alerts of 64 senders, durable, against liveness", single, 0.15)?,
        compare(
            "groups of 50 new alerts of 64 senders, durable, against liveness",
            groups,
            0.005,
        )?,
    ])
}

/// The same alerts sent to alerta-server, whose database waits for no disk.
fn beside_alerta(
    bench: &Bench<'_>, server: &Server, single: &Request, groups: &Request,
) -> Result<Vec<Line>, String> {
    steps::say("starting alerta-server");
    tools::postgres()?;
    let cluster = Cluster::start()?;
    let peer = Peer::alerta(cluster.url())?;
    let time = Duration::from_secs(bench.options.seconds);
    let compare = |name, ours: &Request, target: &str| -> Result<Line, String> {
        let theirs = Request {
            target: target.to_owned(),
            headers: Vec::new(),
            ..ours.clone()
        };
        steps::say(name);
        let (rates, others) = bench.turns(
            || bench.rate(server, ours, WRITERS),
            || load::rate(peer.url(), &theirs, WRITERS, time),
        )?;
        Ok(Line::ratio(name, &rates, &others, Bound::AtLeast(10.0)))
    };
    Ok(vec![
        compare("new alerts of 64 senders, against alerta-server", single, "/alert")?,
        compare(
            "groups of 50 new alerts of 64 senders, against alerta-server",
            groups,
            "/webhooks/prometheus",
        )?,
    ])
}

/// Where a project receives alerts.
struct Endpoint {
    target: String,
    key: String,
}

impl Endpoint {
    fn make(server: &Server) -> Result<Endpoint, String> {
        let token = server.root_token()?;
        let project = seed::project(server.url(), &token, "alerts")?;
        let integration = seed::post(
            server.url(),
            &token,
            &format!("/projects/{project}/alert_management/http_integrations"),
            r#"{"name":"bench","active":true}"#.to_owned(),
        )?;
        let text = |key: &str| integration[key].as_str().unwrap_or_default();
        Ok(Endpoint {
            target: text("url").trim_start_matches(server.url()).to_owned(),
            key: text("token").to_owned(),
        })
    }

    fn post(&self, body: String) -> Request {
        Request {
            headers: vec![format!("authorization: Bearer {}", self.key)],
            ..Request::json("POST", self.target.clone(), &[], body)
        }
    }
}

/// An alert that no other request has, in words that both receivers know:
/// ours reads title and fingerprint, the other one resource and event.
fn single() -> String {
    r#"{"title":"Furnace too hot","severity":"critical","fingerprint":"{n}","resource":"furnace-{n}","event":"TooHot","environment":"Production","service":["forge"],"text":"Furnace too hot"}"#.to_owned()
}

/// A group of alerts, none of which any other request has.
fn group() -> String {
    let mut items = String::new();
    for at in 0..GROUP {
        let between = if at == 0 { "" } else { "," };
        let _ = write!(
            items,
            r#"{between}{{"status":"firing","fingerprint":"{{n}}-{at}","startsAt":"2025-05-05T10:00:00.123456789Z","endsAt":"0001-01-01T00:00:00Z","labels":{{"alertname":"TooHot","severity":"critical","instance":"furnace-{{n}}-{at}"}},"annotations":{{"summary":"Furnace {at} is too hot"}},"generatorURL":"http://metrics.example/graph?g0.expr=heat+%3E+1500&g0.tab=1"}}"#
        );
    }
    format!(
        r#"{{"version":"4","groupKey":"x","truncatedAlerts":0,"status":"firing","receiver":"tenon","groupLabels":{{}},"commonLabels":{{}},"commonAnnotations":{{}},"externalURL":"http://metrics.example","alerts":[{items}]}}"#
    )
}
