//! Errors as SDKs report them, beside another receiver, and in a project that
//! has many.

use serde_json::{Value, json};

use super::load::{self, Request};
use super::peer::Peer;
use super::report::{Bound, Line};
use super::{Bench, READERS, WRITERS, seed};
use std::time::Duration;
use xtask::server::{self, Server};
use xtask::steps;

/// Bytes of an envelope, about.
const ENVELOPE: usize = 10 * 1024;
/// Errors in both projects that are compared: a page of a list, and many.
const FEW: i64 = 20;
const MANY: i64 = 10_000;
/// What a server with many events keeps of the speed of an empty one: it takes
/// at most 1.5 times as long.
const KEEPS: f64 = 0.67;

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let mut lines = reports(bench)?;
    lines.extend(many(bench)?);
    Ok(lines)
}

/// Reporting errors, against liveness and another receiver.
fn reports(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let server = bench.start(&server::fresh_directory("bench-errors")?, &[])?;
    let tracker = Tracker::make(&server)?;
    let report = tracker.report();
    let liveness = Request::get("/-/liveness", "");
    steps::say("error envelopes and liveness");
    let (rates, live) = bench.turns(
        || bench.rate(&server, &report, WRITERS),
        || bench.rate(&server, &liveness, WRITERS),
    )?;
    let alone = Line::ratio(
        "error envelopes of 10 KiB by 64 clients, against liveness",
        &rates,
        &live,
        Bound::AtLeast(0.1),
    );
    steps::say("starting bugsink");
    let peer = Peer::bugsink()?;
    let key = peer.said()["key"].as_str().unwrap_or_default();
    let theirs = envelope(&format!("/api/1/envelope/?sentry_key={key}"), ENVELOPE);
    let time = Duration::from_secs(bench.options.seconds);
    steps::say("error envelopes, and those of bugsink");
    let (rates, others) = bench.turns(
        || bench.rate(&server, &report, WRITERS),
        || load::rate(peer.url(), &theirs, WRITERS, time),
    )?;
    server.stop()?;
    let beside = Line::ratio(
        "error envelopes of 10 KiB by 64 clients, against bugsink",
        &rates,
        &others,
        Bound::AtLeast(10.0),
    );
    Ok(vec![alone, beside])
}

/// A list, a detail and a report where there are many events, against a
/// server that has few.
fn many(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let (empty, small) = filled(bench, "bench-errors-few", FEW, FEW)?;
    let events = bench.options.events;
    steps::say(&format!("seeding {events} events"));
    let (full, large) = filled(bench, "bench-errors-many", MANY, events)?;
    let compare = |name, of: fn(&Tracker) -> Request, clients| -> Result<Line, String> {
        steps::say(name);
        let (one, other) = (of(&large), of(&small));
        let (rates, others) = bench
            .turns(|| bench.rate(&full, &one, clients), || bench.rate(&empty, &other, clients))?;
        Ok(Line::ratio(name, &rates, &others, Bound::AtLeast(KEEPS)))
    };
    let lines = vec![
        compare("list of 20 errors among many events, against few", Tracker::list, READERS)?,
        compare(
            "an error with its stack among many events, against few",
            Tracker::detail,
            READERS,
        )?,
        compare(
            "error envelopes of 10 KiB among many events, against few",
            Tracker::report,
            WRITERS,
        )?,
    ];
    empty.stop()?;
    full.stop()?;
    Ok(lines)
}

/// A server whose project has so many errors and events.
fn filled(
    bench: &Bench<'_>, name: &str, errors: i64, events: i64,
) -> Result<(Server, Tracker), String> {
    let data = server::fresh_directory(name)?;
    let server = bench.start(&data, &[])?;
    let mut tracker = Tracker::make(&server)?;
    load::once(server.url(), &envelope(&tracker.path, 512))?;
    tracker.error = tracker.newest(&server)?;
    server.stop()?;
    seed::events(&data, tracker.project, errors, events)?;
    Ok((bench.start(&data, &[])?, tracker))
}

/// A project that receives errors.
struct Tracker {
    project: i64,
    token: String,
    /// Where programs report.
    path: String,
    /// One of its errors.
    error: i64,
}

impl Tracker {
    /// Makes one with quotas that are not reached.
    fn make(server: &Server) -> Result<Tracker, String> {
        let token = server.root_token()?;
        let url = server.url();
        let project = seed::project(url, &token, "anvil")?;
        let put = |target: String, body: Value| {
            let request =
                Request::json("PUT", target, std::slice::from_ref(&token), body.to_string());
            load::once(url, &request).map(drop)
        };
        let quotas = json!({
            "error_tracking_events_per_five_minutes": 10_000_000,
            "error_tracking_events_per_hour": 100_000_000,
        });
        put("/api/v4/application/settings".to_owned(), quotas)?;
        let settings = format!("/api/v4/projects/{project}/error_tracking/settings");
        put(settings, json!({"active": true, "integrated": true}))?;
        let keys = format!("/projects/{project}/error_tracking/client_keys");
        let made = seed::post(url, &token, &keys, "{}".to_owned())?;
        let key = made["public_key"].as_str().unwrap_or_default();
        let path =
            format!("/api/v4/error_tracking/collector/api/{project}/envelope/?sentry_key={key}");
        Ok(Tracker { project, token, path, error: 0 })
    }

    fn newest(&self, server: &Server) -> Result<i64, String> {
        let found = load::once(server.url(), &self.list())?;
        let errors: Value = serde_json::from_str(&found).map_err(|error| error.to_string())?;
        seed::id_of(&errors[0])
    }

    fn list(&self) -> Request {
        let project = self.project;
        let target = format!("/api/v4/projects/{project}/error_tracking/errors?per_page=20");
        Request::get(&target, &self.token)
    }

    /// All that the page of an error shows.
    fn detail(&self) -> Request {
        let id = format!("gid://service/Service::ErrorTracking::DetailedError/{}", self.error);
        let query = format!(
            "{{ project(fullPath: \"root/anvil\") {{ trackerErrors {{ \
                detailedError(id: \"{id}\") {{ title count userCount frequency {{ time count }} }} \
                errorStackTrace(id: \"{id}\") {{ stackTraceEntries {{ function fileName line }} }} \
            }} }} }}"
        );
        let body = json!({"query": query}).to_string();
        Request {
            headers: vec![format!("authorization: Bearer {}", self.token)],
            ..Request::json("POST", "/api/graphql".to_owned(), &[], body)
        }
    }

    fn report(&self) -> Request {
        envelope(&self.path, ENVELOPE)
    }
}

/// An exception with its stack and lines of source, of about this size.
fn envelope(target: &str, size: usize) -> Request {
    let frame = json!({
        "function": "heat", "module": "furnace", "filename": "furnace/heat.py",
        "abs_path": "/srv/app/furnace/heat.py", "lineno": 12, "in_app": true,
        "pre_context": ["def heat(degrees):", "    thermometer = find(room)"],
        "context_line": "    raise TooHot(degrees)",
        "post_context": ["", "def cool():"],
    });
    let count = (size / frame.to_string().len()).max(1);
    let event = json!({
        "event_id": "{id}", "platform": "python", "level": "error", "release": "1.4.2",
        "timestamp": now(), "user": {"id": "7"}, "tags": {"room": "forge"},
        "exception": {"values": [{"type": "TooHot", "value": "{n} degrees",
            "stacktrace": {"frames": vec![frame; count]}}]},
    });
    let body = format!("{{\"event_id\":\"{{id}}\"}}\n{{\"type\":\"event\"}}\n{event}\n");
    Request {
        content_type: "application/x-sentry-envelope",
        ..Request::json("POST", target.to_owned(), &[], body)
    }
}

/// Seconds of now.
fn now() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap_or_default().as_secs()
}
