//! A large repository is imported from a server beside ours.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use xtask::server::{self, Server};
use xtask::steps::{self, Outcome};

use super::load::{self, Request};
use super::peer::Peer;
use super::report::{Bound, Line};
use super::{Bench, seed};

/// Issues, pull requests and comments of the repository; each thing has an event.
const COUNTS: [u64; 3] = [10_000, 0, 20_000];
/// How often it is asked whether the import has ended.
const OFTEN: Duration = Duration::from_millis(100);

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    steps::say("an import of 10,000 issues");
    let there = Peer::provider_a(COUNTS)?;
    let server = bench.start(&server::fresh_directory("bench-imports")?, &[])?;
    let token = server.root_token()?;
    reach_this_machine(&server, &token)?;
    let before = server.resident_bytes()?;
    let begun = Instant::now();
    let import = begin(&server, &token, there.url())?;
    let objects = end(&server, &token, import)?;
    let rate = objects as f64 / begun.elapsed().as_secs_f64();
    let grown = server.peak_bytes()?.saturating_sub(before) as f64 / f64::from(1 << 20);
    server.stop()?;
    Ok(vec![
        Line::new(
            "import of 10,000 issues with 20,000 notes, objects",
            rate,
            Bound::AtLeast(500.0),
            "/s",
        ),
        Line::new("memory that an import of them takes", grown, Bound::AtMost(128.0), "MiB"),
    ])
}

/// Lets the server ask what runs beside it.
fn reach_this_machine(server: &Server, token: &str) -> Outcome {
    let near = json!({"allow_local_requests_from_web_hooks_and_services": true}).to_string();
    let target = "/api/v4/application/settings".to_owned();
    let request = Request::json("PUT", target, &[token.to_owned()], near);
    load::once(server.url(), &request).map(drop)
}

/// Begins the import; the id of its project.
fn begin(server: &Server, token: &str, there: &str) -> Result<i64, String> {
    let body = json!({
        "personal_access_token": "bench",
        "repo_id": 1,
        "target_namespace": "root",
        "provider_a_hostname": there,
    });
    let made = seed::post(server.url(), token, "/import/provider_a", body.to_string())?;
    seed::id_of(&made)
}

/// Waits until an import has come through; how many objects came.
fn end(server: &Server, token: &str, project: i64) -> Result<i64, String> {
    let asked = Request::get(&format!("/api/v4/projects/{project}/import"), token);
    loop {
        let answer = load::once(server.url(), &asked)?;
        let told: Value = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
        match told["import_status"].as_str() {
            Some("finished") => return came(&told),
            Some("scheduled" | "started") => std::thread::sleep(OFTEN),
            _ => return Err(format!("it was not imported: {answer}")),
        }
    }
}

/// How many objects came, which have to be all.
fn came(told: &Value) -> Result<i64, String> {
    let imported = told["stats"]["imported"].as_object().into_iter().flatten();
    let objects: i64 = imported.filter_map(|(_, count)| count.as_i64()).sum();
    let [issues, pulls, comments] = COUNTS;
    // An event of each thing, and the label.
    let all = 2 * (issues + pulls) + comments + 1;
    match u64::try_from(objects) == Ok(all) {
        true => Ok(objects),
        false => Err(format!("{objects} of {all} objects came: {told}")),
    }
}
