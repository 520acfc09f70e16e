//! Searching a million issues, by words that few, some and all of them have.

use std::path::Path;

use rusqlite::params;

use super::load::{self, Request};
use super::report::{Bound, Line};
use super::{Bench, READERS, browser, seed};
use xtask::server;
use xtask::steps;

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let data = server::fresh_directory("bench-search")?;
    let server = bench.start(&data, &[])?;
    let password = server.root_password()?.to_owned();
    let token = server.root_token()?;
    let project = seed::project(server.url(), &token, "large")?;
    let path = format!("/projects/{project}/issues");
    seed::post(server.url(), &token, &path, r#"{"title":"first"}"#.into())?;
    let settings = "/api/v4/application/settings".to_owned();
    let unlimited = r#"{"search_rate_limit":0}"#;
    let unlimited = Request::json("PUT", settings, std::slice::from_ref(&token), unlimited);
    load::once(server.url(), &unlimited)?;
    let user = seed::user_token(server.url(), &token, "reader")?;
    server.stop()?;
    let issues = bench.options.issues;
    steps::say(&format!("seeding {issues} issues"));
    fill(&data, project, issues)?;

    let server = bench.start(&data, &[])?;
    let cookie = browser::cookie(server.url(), "root", &password)?;
    let page = |words: &str| Request {
        headers: vec![cookie.clone()],
        ..Request::get(&format!("/search?q={words}"), "")
    };
    let rest = |words: &str, token: &str| {
        Request::get(&format!("/api/v4/search?scope=issues&search={words}"), token)
    };
    let rare = format!("rare{}", issues - 1);
    let searches = [
        ("search for one of 1,000,000 issues, against liveness", rest(&rare, &token)),
        ("for a word that all of them have", rest("number", &token)),
        ("for two words that 1,000 of them have", rest("issue+word7", &token)),
        ("for a word by somebody who sees none of them", rest("number", &user)),
        ("page of a search for one of 1,000,000 issues, against liveness", page(&rare)),
        ("page for a word that all of them have", page("number")),
    ];
    let liveness = Request::get("/-/liveness", "");
    let mut lines = Vec::new();
    for (name, search) in searches {
        steps::say(name);
        let (rates, live) = bench.turns(
            || bench.rate(&server, &search, READERS),
            || bench.rate(&server, &liveness, READERS),
        )?;
        lines.push(Line::ratio(name, &rates, &live, Bound::AtLeast(0.10)));
    }
    server.stop()?;
    Ok(lines)
}

/// Copies the project's one issue, straight into the database of a stopped
/// server, with the index that the server would have written.
fn fill(data: &Path, project: i64, count: i64) -> Result<(), String> {
    seed::fill(data, |transaction| {
        transaction.execute(
            "with recursive numbers (n) as
                (select 2 union all select n + 1 from numbers where n < ?2)
             insert into issues (project_id, iid, title, title_folded, state, kind, severity,
                author_id, confidential, created_at, updated_at)
             select project_id, n, printf('Issue number %d of word%d rare%d', n, n % 1000, n),
                printf('issue number %d of word%d rare%d', n, n % 1000, n), state, kind, severity,
                author_id, confidential, created_at + n, updated_at + n
             from issues, numbers where project_id = ?1 and iid = 1",
            params![project, count],
        )?;
        transaction.execute(
            "insert or replace into search_issues (rowid, terms)
             select id, title_folded || printf(' %s%d %s%d', char(57344), project_id,
                char(57345), iid) from issues where project_id = ?1",
            params![project],
        )?;
        Ok(())
    })
}
