//! Merge requests: one, its changes and the list of them, in a small project and above a
//! long history; and how soon a very large one begins to be shown.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;
use xtask::server::{self, Server};
use xtask::steps;

use super::load::{self, Request};
use super::report::{Bound, Line};
use super::repositories::git;
use super::{Bench, READERS, browser, seed};

/// Files that the usual merge request changes, and lines that are new in each.
const FILES: usize = 20;
const LINES: usize = 30;
/// Merge requests of the list.
const LISTED: usize = 100;
/// Files of the widest one, and lines of the longest.
const WIDE: usize = 3_000;
const LONG: usize = 100_000;
/// Files that the lines of the longest are in.
const LONG_FILES: usize = 50;
const MIB: f64 = (1 << 20) as f64;

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let place = Place::begin(bench)?;
    let mut lines = place.against_liveness(bench)?;
    lines.extend(place.against_small(bench)?);
    lines.extend(place.very_large()?);
    place.server.stop()?;
    Ok(lines)
}

/// A server with merge requests, and the cookie of somebody who sees them.
struct Place {
    server: Server,
    token: String,
    cookie: String,
    folder: PathBuf,
    small: i64,
    long: i64,
}

impl Place {
    fn begin(bench: &Bench<'_>) -> Result<Place, String> {
        let folder = server::fresh_directory("bench-reviews-git")?;
        steps::say("writing and pushing a short and a long history");
        let bare = git::long_history(&folder)?;
        let server = bench.start(&server::fresh_directory("bench-reviews")?, &[])?;
        let token = server.root_token()?;
        let cookie = browser::cookie(server.url(), "root", server.root_password()?)?;
        let small = seed::project(server.url(), &token, "small")?;
        let long = seed::project(server.url(), &token, "long")?;
        let place = Place { server, token, cookie, folder, small, long };
        git::run(&bare, &["push", "--quiet", &place.url("long"), "main"])?;
        let working = place.folder.join("small");
        git::run(&place.folder, &["init", "--quiet", "--initial-branch=main", "small"])?;
        write(&working.join("README.md"), "Small\n")?;
        commit(&working, "Begin")?;
        git::run(&working, &["push", "--quiet", &place.url("small"), "main"])?;
        let long_working = place.folder.join("long");
        let depth = ["clone", "--quiet", "--depth=5", &place.url("long"), "long"];
        git::run(&place.folder, &depth)?;
        steps::say(&format!("{LISTED} merge requests"));
        place.request(&working, ("small", small), "usual", (FILES, LINES))?;
        place.request(&long_working, ("long", long), "usual", (FILES, LINES))?;
        for number in 1..LISTED {
            place.request(&working, ("small", small), &format!("listed-{number}"), (1, 1))?;
        }
        Ok(place)
    }

    /// The address of a project of the administrator, with their token in it.
    fn url(&self, name: &str) -> String {
        let host = self.server.url().trim_start_matches("http://");
        format!("http://root:{}@{host}/root/{name}.git", self.token)
    }

    /// Pushes a branch with new files and opens a merge request of it.
    fn request(
        &self, working: &Path, (name, project): (&str, i64), branch: &str,
        (files, lines): (usize, usize),
    ) -> Result<i64, String> {
        git::run(working, &["checkout", "--quiet", "-B", branch, "main"])?;
        for file in 0..files {
            let text = (0..lines).map(|line| format!("line {line} of file {file} on {branch}\n"));
            let path = working.join(format!("made/{branch}/{:02}", file % 30));
            fs::create_dir_all(&path).map_err(|error| error.to_string())?;
            write(&path.join(format!("file-{file}.txt")), &text.collect::<String>())?;
        }
        commit(working, "Change")?;
        git::run(working, &["push", "--quiet", &self.url(name), branch])?;
        git::run(working, &["checkout", "--quiet", "main"])?;
        let body = json!({"title": format!("Merge {branch}"), "source_branch": branch,
            "target_branch": "main"});
        let path = format!("/projects/{project}/merge_requests");
        let made = seed::post(self.server.url(), &self.token, &path, body.to_string())?;
        made["iid"].as_i64().ok_or_else(|| format!("no merge request: {made}"))
    }

    fn rest(&self, project: i64, rest: &str) -> Request {
        Request::get(&format!("/api/v4/projects/{project}/merge_requests{rest}"), &self.token)
    }

    fn page(&self, name: &str, iid: i64) -> Request {
        let target = format!("/root/{name}/-/merge_requests/{iid}/diffs");
        Request {
            headers: vec![self.cookie.clone()],
            ..Request::get(&target, "")
        }
    }

    fn against_liveness(&self, bench: &Bench<'_>) -> Result<Vec<Line>, String> {
        let liveness = Request::get("/-/liveness", "");
        let compare = |name, request: &Request, mark: &str, least| -> Result<Line, String> {
            steps::say(name);
            self.shows(request, mark)?;
            let (rates, live) = bench.turns(
                || bench.rate(&self.server, request, READERS),
                || bench.rate(&self.server, &liveness, READERS),
            )?;
            Ok(Line::ratio(name, &rates, &live, Bound::AtLeast(least)))
        };
        Ok(vec![
            compare(
                "one merge request, against liveness",
                &self.rest(self.small, "/1"),
                "diff_refs",
                0.1,
            )?,
            compare(
                "page of changes of 20 files, against liveness",
                &self.page("small", 1),
                "file-19.txt",
                0.05,
            )?,
            compare(
                "list of 20 of 100 merge requests, against liveness",
                &self.rest(self.small, "?per_page=20"),
                "source_branch",
                0.1,
            )?,
        ])
    }

    /// The same above 20,000 commits, against few.
    fn against_small(&self, bench: &Bench<'_>) -> Result<Vec<Line>, String> {
        let compare = |name, long: &Request, small: &Request| -> Result<Line, String> {
            steps::say(name);
            let (rates, others) = bench.turns(
                || bench.rate(&self.server, long, READERS),
                || bench.rate(&self.server, small, READERS),
            )?;
            Ok(Line::ratio(name, &rates, &others, Bound::AtLeast(0.67)))
        };
        Ok(vec![
            compare(
                "one merge request above 20,000 commits, against above one",
                &self.rest(self.long, "/1"),
                &self.rest(self.small, "/1"),
            )?,
            compare(
                "page of its changes above 20,000 commits, against above one",
                &self.page("long", 1),
                &self.page("small", 1),
            )?,
        ])
    }

    /// Fails unless an answer is what it is to be.
    fn shows(&self, request: &Request, mark: &str) -> Result<(), String> {
        let shown = load::once(self.server.url(), request)?;
        match shown.contains(mark) {
            true => Ok(()),
            false => Err(format!("{}: there is no {mark}", request.target)),
        }
    }

    fn very_large(&self) -> Result<Vec<Line>, String> {
        steps::say("merge requests of 3,000 files and of 100,000 lines");
        let limits = json!({"diff_max_files": WIDE, "diff_max_lines": LONG}).to_string();
        let path = "/api/v4/application/settings".to_owned();
        let set = Request::json("PUT", path, std::slice::from_ref(&self.token), limits);
        load::once(self.server.url(), &set)?;
        let working = self.folder.join("small");
        let of = ("small", self.small);
        let wide = self.request(&working, of, "wide", (WIDE, 1))?;
        let long = self.request(&working, of, "long", (LONG_FILES, LONG / LONG_FILES))?;
        self.server.forget_peak()?;
        let before = self.server.resident_bytes()?;
        let line = |name, seconds| Line::new(name, seconds, Bound::AtMost(1.0), "s");
        let mut lines = vec![
            line("first byte of the page of 3,000 files", self.first_byte(wide)?),
            line("first byte of the page of 100,000 lines", self.first_byte(long)?),
        ];
        let grown = self.server.peak_bytes()?.saturating_sub(before) as f64 / MIB;
        lines.push(Line::new("growth while both are shown", grown, Bound::AtMost(128.0), "MiB"));
        Ok(lines)
    }

    /// Seconds until the page of changes begins; it is read to its end.
    fn first_byte(&self, iid: i64) -> Result<f64, String> {
        let host = load::host_of(self.server.url());
        let page = self.page("small", iid);
        let head = format!(
            "GET {} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{}\r\n\r\n",
            page.target, self.cookie
        );
        let begun = Instant::now();
        let read = || -> std::io::Result<(f64, Vec<u8>)> {
            let mut stream = TcpStream::connect(&host)?;
            stream.write_all(head.as_bytes())?;
            let mut first = [0];
            stream.read_exact(&mut first)?;
            let took = begun.elapsed().as_secs_f64();
            let mut rest = first.to_vec();
            stream.read_to_end(&mut rest)?;
            Ok((took, rest))
        };
        let (took, page) = read().map_err(|error| error.to_string())?;
        steps::say(&format!("{} bytes, the first after {:.3} s", page.len(), took));
        match page.starts_with(b"HTTP/1.1 200") {
            true => Ok(took),
            false => Err(String::from_utf8_lossy(&page).chars().take(200).collect()),
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn commit(working: &Path, message: &str) -> Result<(), String> {
    git::run(working, &["add", "--all"])?;
    git::run(working, &["commit", "--quiet", "--message", message]).map(drop)
}
