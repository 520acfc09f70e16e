//! A hundred thousand events: pages at the beginning of a list and far down.

use std::path::Path;

use rusqlite::{Connection, params};

use super::load::{self, Request};
use super::report::{Bound, Line};
use super::{Bench, READERS, seed};
use xtask::server;
use xtask::steps;

const EVENTS: i64 = 100_000;
/// The part of the rate of the first page that the thousandth has at least: it takes
/// no more than 1.5 times as long.
const DEEP: f64 = 0.67;

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let data = server::fresh_directory("bench-activity")?;
    let server = bench.start(&data, &[])?;
    let token = server.root_token()?;
    let project = seed::project(server.url(), &token, "busy")?;
    let issues = format!("/projects/{project}/issues");
    seed::post(server.url(), &token, &issues, r#"{"title":"The door"}"#.into())?;
    server.stop()?;
    fill(&data, project)?;

    let server = bench.start(&data, &[])?;
    let page = |path: &str, page: i64| Request::get(&format!("/api/v4{path}?page={page}"), &token);
    let of_project = format!("/projects/{project}/events");
    let lists = [
        (
            "first page of 100,000 events of one's own, against liveness",
            "the thousandth page, against the first",
            "/events",
        ),
        (
            "first page of 100,000 events of a project, against liveness",
            "its thousandth page, against its first",
            of_project.as_str(),
        ),
    ];
    let liveness = Request::get("/-/liveness", "");
    let mut lines = Vec::new();
    for (name, deep, path) in lists {
        steps::say(name);
        let (first, thousandth) = (page(path, 1), page(path, 1_000));
        load::once(server.url(), &thousandth)?;
        let (rates, live) = bench.turns(
            || bench.rate(&server, &first, READERS),
            || bench.rate(&server, &liveness, READERS),
        )?;
        lines.push(Line::ratio(name, &rates, &live, Bound::AtLeast(0.2)));
        let (rates, firsts) = bench.turns(
            || bench.rate(&server, &thousandth, READERS),
            || bench.rate(&server, &first, READERS),
        )?;
        lines.push(Line::ratio(deep, &rates, &firsts, Bound::AtLeast(DEEP)));
    }
    server.stop()?;
    Ok(lines)
}

/// Copies what was done to the project's one issue, straight into the database of a
/// stopped server.
fn fill(data: &Path, project: i64) -> Result<(), String> {
    let path = seed::database(data)?;
    let fill = || -> rusqlite::Result<usize> {
        Connection::open(&path)?.execute(
            "with recursive numbers (n) as
                (select 1 union all select n + 1 from numbers where n < ?2)
             insert into activity_events (project_id, author_id, action, target_type,
                target_id, created_at)
             select project_id, author_id, action, target_type, target_id, created_at + n
             from activity_events, numbers
             where project_id = ?1 and target_type = 'Issue'",
            params![project, EVENTS],
        )
    };
    fill().map(drop).map_err(|error| format!("{}: {error}", path.display()))
}
