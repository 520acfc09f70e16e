//! Pages as somebody sees them who is signed in: a long issue, a list, home.

use std::path::Path;

use rusqlite::params;

use super::load::{self, Request, Stream};
use super::report::{Bound, Line};
use super::{Bench, READERS, browser, seed};
use std::time::Duration;
use xtask::server::{self, Server};
use xtask::steps;

/// Notes of the issue, and issues of the list.
const NOTES: i64 = 100;
const ISSUES: i64 = 50;
/// Pages a second whose times are looked at, one after the other, and for how
/// long.
const STEADY: f64 = 20.0;
const STEADY_SECONDS: u64 = 4;
/// What somebody writes in a note.
const TEXT: &str = "It squeaks **only** when cold, see `door.rs` and https://example.org/doors:\n\n\
    ```rust\nfn open(&self) -> bool {\n    self.hinge.turn(90) // slowly\n}\n```\n\n\
    - [x] oil\n- [ ] try again\n";

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let data = server::fresh_directory("bench-pages")?;
    let server = bench.start(&data, &[])?;
    let password = server.root_password()?.to_owned();
    let token = server.root_token()?;
    let project = seed::project(server.url(), &token, "pages")?;
    let issues = format!("/projects/{project}/issues");
    let issue = r#"{"title":"The door","description":"It **squeaks**.","labels":"door,bug",
        "assignee_id":1}"#;
    seed::post(server.url(), &token, &issues, issue.into())?;
    let note = serde_json::json!({"body": TEXT}).to_string();
    seed::post(server.url(), &token, &format!("{issues}/1/notes"), note)?;
    server.stop()?;
    fill(&data, project)?;

    let server = bench.start(&data, &[])?;
    let cookie = browser::cookie(server.url(), "root", &password)?;
    let page = |path: &str| Request { headers: vec![cookie.clone()], ..Request::get(path, "") };
    let mut lines = Vec::new();
    for (names, path, mark) in [
        (
            ["page of an issue of 100 notes, against liveness", "one of them alone"],
            "/root/pages/-/issues/1",
            "id=\"note_",
        ),
        (
            ["page of a list of 50 issues, against liveness", "one of these alone"],
            "/root/pages/-/issues?per_page=50",
            "/-/issues/50\"",
        ),
        (["home, against liveness", "home alone"], "/", "The door"),
    ] {
        lines.extend(measure(bench, &server, names, &page(path), mark)?);
    }
    server.stop()?;
    Ok(lines)
}

/// A page against liveness, and how long one takes where nobody else asks.
fn measure(
    bench: &Bench<'_>, server: &Server, [many, alone]: [&'static str; 2], page: &Request,
    mark: &str,
) -> Result<[Line; 2], String> {
    let shown = load::once(server.url(), page)?;
    if !shown.contains(mark) {
        return Err(format!("{}: the page has no {mark}", page.target));
    }
    steps::say(&format!("{many} ({} bytes)", shown.len()));
    let liveness = Request::get("/-/liveness", "");
    let (rates, live) = bench
        .turns(|| bench.rate(server, page, READERS), || bench.rate(server, &liveness, READERS))?;
    let steady = Stream { request: page, connections: 1, per_second: STEADY };
    let time = Duration::from_secs(STEADY_SECONDS);
    let mut times = load::times(server.url(), &steady, None, time)?;
    times.sort();
    let middle = times.get(times.len() / 2).copied().unwrap_or_default();
    Ok([
        Line::ratio(many, &rates, &live, Bound::AtLeast(0.10)),
        Line::new(alone, middle.as_secs_f64() * 1000.0, Bound::AtMost(10.0), "ms"),
    ])
}

/// Copies the project's one issue with its people and labels, and its one note,
/// straight into the database of a stopped server.
fn fill(data: &Path, project: i64) -> Result<(), String> {
    seed::fill(data, |transaction| {
        transaction.execute(
            "with recursive numbers (n) as
                (select 2 union all select n + 1 from numbers where n < ?2)
             insert into issues (project_id, iid, title, title_folded, description, state, kind,
                severity, author_id, confidential, created_at, updated_at)
             select project_id, n, title || ' ' || n, title_folded || ' ' || n, description, state,
                kind, severity, author_id, confidential, created_at + n, updated_at + n
             from issues, numbers where project_id = ?1 and iid = 1",
            params![project, ISSUES],
        )?;
        for copied in [
            "insert into issue_labels (issue_id, label_id)
             select others.id, label_id from issue_labels
             join issues on issues.id = issue_labels.issue_id and issues.iid = 1
             join issues others on others.project_id = issues.project_id and others.iid > 1
             where issues.project_id = ?1",
            "insert into issue_assignees (issue_id, user_id)
             select others.id, user_id from issue_assignees
             join issues on issues.id = issue_assignees.issue_id and issues.iid = 1
             join issues others on others.project_id = issues.project_id and others.iid > 1
             where issues.project_id = ?1",
        ] {
            transaction.execute(copied, params![project])?;
        }
        transaction.execute(
            "with recursive numbers (n) as
                (select 2 union all select n + 1 from numbers where n < ?2)
             insert into notes (project_id, noteable_type, noteable_id, discussion_id, in_thread,
                body, author_id, is_system, internal, created_at, updated_at, begins,
                begins_in_public)
             select project_id, noteable_type, noteable_id, printf('%040x', n), in_thread,
                body || n, author_id, is_system, internal, created_at + n, updated_at + n, begins,
                begins_in_public
             from notes, numbers where project_id = ?1 and not is_system",
            params![project, NOTES],
        )?;
        Ok(())
    })
}
