//! Repositories: git beside its own program for HTTP, and how fast a long history is
//! read by REST and on pages.

mod backend;
pub mod git;
mod history;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use self::backend::Backend;
use super::load::{self, Request};
use super::report::{Bound, Line};
use super::{Bench, READERS, browser, seed};
use xtask::server::{self, Server};
use xtask::steps::{self, Outcome};

/// Clones at once that ask for the same.
const EQUAL: usize = 8;
/// Branches of the repository with many refs.
const MANY_REFS: usize = 100_000;
/// Bytes of the large push.
const LARGE_PUSH: u64 = 1 << 30;
/// Requests that are measured at once where each reads objects.
const FEW_READERS: usize = 8;

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let place = Place::begin(bench)?;
    let mut lines = place.against_backend(bench)?;
    lines.extend(place.reads(bench)?);
    lines.push(place.pages()?);
    lines.push(place.many_refs(bench)?);
    lines.extend(place.large_push()?);
    place.server.stop()?;
    Ok(lines)
}

/// The server with the long history in it, and the same on disk.
struct Place {
    server: Server,
    token: String,
    project: i64,
    folder: PathBuf,
    bare: PathBuf,
}

impl Place {
    fn begin(bench: &Bench<'_>) -> Result<Place, String> {
        let folder = server::fresh_directory("bench-git")?;
        steps::say(&format!("writing a history of {} commits", history::COMMITS));
        let bare = git::long_history(&folder)?;
        git::run(&bare, &["config", "http.receivepack", "true"])?;
        let server = bench.start(&server::fresh_directory("bench-repositories")?, &[])?;
        let token = server.root_token()?;
        let project = seed::project(server.url(), &token, "long")?;
        let place = Place { server, token, project, folder, bare };
        steps::say("pushing it");
        let all = ["push", "--quiet", "--mirror", &place.ours("long")];
        git::run(&place.bare, &all)?;
        Ok(place)
    }

    /// The address of a project of the administrator, with their token in it.
    fn ours(&self, name: &str) -> String {
        let host = self.server.url().trim_start_matches("http://");
        format!("http://root:{}@{host}/root/{name}.git", self.token)
    }

    /// Clones into an empty folder, once; how many a second that would be.
    fn clone_rate(&self, url: &str, further: &[&str]) -> Result<f64, String> {
        let target = self.folder.join("clones");
        git::empty(&target)?;
        let arguments = [&["clone", "--quiet", "--bare"], further, &[url, "one"]].concat();
        Ok(1.0 / git::timed(&target, &arguments)?.as_secs_f64())
    }

    /// The same by several at once.
    fn equal_rate(&self, url: &str) -> Result<f64, String> {
        let target = self.folder.join("clones");
        git::empty(&target)?;
        let begun = Instant::now();
        std::thread::scope(|scope| {
            let clones = (0..EQUAL).map(|number| {
                let (target, name) = (&target, format!("copy-{number}"));
                scope.spawn(move || {
                    let arguments = ["clone", "--quiet", "--bare", "--depth=1", url, &name];
                    git::run(target, &arguments).map(|_| ())
                })
            });
            let clones: Vec<_> = clones.collect();
            clones
                .into_iter()
                .try_for_each(|one| one.join().map_err(|_| "a clone panicked".to_owned())?)
        })?;
        Ok(EQUAL as f64 / begun.elapsed().as_secs_f64())
    }

    fn against_backend(&self, bench: &Bench<'_>) -> Result<Vec<Line>, String> {
        let backend = Backend::start(&self.folder)?;
        let (ours, theirs) = (self.ours("long"), format!("{}/long.git", backend.url()));
        steps::say("clones of the long history");
        let (rates, others) =
            bench.turns(|| self.clone_rate(&ours, &[]), || self.clone_rate(&theirs, &[]))?;
        let clones = Line::ratio(
            "clone of 20,000 commits, against git's http-backend",
            &rates,
            &others,
            Bound::AtLeast(0.91),
        );
        let (rates, others) =
            bench.turns(|| self.equal_rate(&ours), || self.equal_rate(&theirs))?;
        let equal = Line::ratio(
            "eight equal shallow clones, against git's http-backend",
            &rates,
            &others,
            Bound::AtLeast(2.0),
        );
        Ok(vec![
            clones,
            equal,
            self.pushes(bench, &ours, &theirs)?,
            self.nothing_new(bench, backend.url())?,
        ])
    }

    fn pushes(&self, bench: &Bench<'_>, ours: &str, theirs: &str) -> Result<Line, String> {
        steps::say("pushes of one commit");
        let working = self.working(theirs)?;
        let push = |url: &str| -> Result<f64, String> {
            let branch = committed(&working)?;
            let taken = git::timed(&working, &["push", "--quiet", url, &branch])?;
            Ok(1.0 / taken.as_secs_f64())
        };
        let (rates, others) = bench.turns(|| push(ours), || push(theirs))?;
        Ok(Line::ratio(
            "push of one commit, against git's http-backend",
            &rates,
            &others,
            Bound::AtLeast(0.77),
        ))
    }

    /// A folder with the files of the long history.
    fn working(&self, url: &str) -> Result<PathBuf, String> {
        let working = self.folder.join("working");
        git::run(&self.folder, &["clone", "--quiet", "--depth=50", url, "working"])?;
        Ok(working)
    }

    /// What git asks when there is nothing new for it.
    fn nothing_new(&self, bench: &Bench<'_>, theirs: &str) -> Result<Line, String> {
        steps::say("fetches with nothing new");
        let ask = |target: &str, line: &str| {
            let mut asks = Request::json("POST", format!("{target}/git-upload-pack"), &[], LIST);
            asks.content_type = "application/x-git-upload-pack-request";
            asks.headers = vec![format!("git-protocol: version=2{line}")];
            asks
        };
        let line = format!("\r\nprivate-token: {}", self.token);
        let (here, there) = (ask("/root/long.git", &line), ask("/long.git", ""));
        let time = Duration::from_secs(bench.options.seconds);
        let (rates, others) = bench.turns(
            || bench.rate(&self.server, &here, READERS),
            || load::rate(theirs, &there, READERS, time),
        )?;
        Ok(Line::ratio(
            "fetch with nothing new, against git's http-backend",
            &rates,
            &others,
            Bound::AtLeast(20.0),
        ))
    }

    fn reads(&self, bench: &Bench<'_>) -> Result<Vec<Line>, String> {
        let liveness = Request::get("/-/liveness", "");
        let compare = |name, path: &str| -> Result<Line, String> {
            steps::say(name);
            let target = format!("/api/v4/projects/{}/repository/{path}", self.project);
            let request = Request::get(&target, &self.token);
            let (rates, live) = bench.turns(
                || bench.rate(&self.server, &request, FEW_READERS),
                || bench.rate(&self.server, &liveness, FEW_READERS),
            )?;
            Ok(Line::ratio(name, &rates, &live, Bound::AtLeast(0.1)))
        };
        Ok(vec![
            compare("tree of a long history, against liveness", "tree?path=src&ref=main")?,
            compare(
                "raw file of a long history, against liveness",
                "files/README.md/raw?ref=main",
            )?,
            compare("commits of a long history, against liveness", "commits?ref_name=main")?,
        ])
    }

    /// The page that takes longest when it is asked for first.
    fn pages(&self) -> Result<Line, String> {
        steps::say("pages of a long history");
        let password = self.server.root_password()?;
        let cookie = browser::cookie(self.server.url(), "root", password)?;
        let mut longest = (Duration::ZERO, "");
        for path in PAGES {
            let page = Request {
                headers: vec![cookie.clone()],
                ..Request::get(&format!("/root/long{path}"), "")
            };
            let begun = Instant::now();
            let shown = load::once(self.server.url(), &page)?;
            let took = begun.elapsed();
            steps::say(&format!("{} ms, {} bytes: {path}", took.as_millis(), shown.len()));
            longest = longest.max((took, path));
        }
        steps::say(&format!("the slowest: {}", longest.1));
        let seconds = longest.0.as_secs_f64();
        Ok(Line::new("slowest page of a long history", seconds, Bound::AtMost(1.0), "s"))
    }

    /// A push of one branch where there are many, against one where there are few.
    fn many_refs(&self, bench: &Bench<'_>) -> Result<Line, String> {
        steps::say(&format!("pushing {MANY_REFS} branches"));
        for name in ["many", "few"] {
            seed::project(self.server.url(), &self.token, name)?;
        }
        let (many, few) = (self.ours("many"), self.ours("few"));
        let working = self.folder.join("refs");
        git::run(&self.folder, &["init", "--quiet", "--initial-branch=main", "refs"])?;
        committed(&working)?;
        git::run(&working, &["push", "--quiet", &few, "HEAD:refs/heads/main"])?;
        make_branches(&working)?;
        git::run(&working, &["push", "--quiet", "--mirror", &many])?;
        let push = |url: &str| -> Result<f64, String> {
            let branch = committed(&working)?;
            let taken = git::timed(&working, &["push", "--quiet", url, &branch])?;
            Ok(1.0 / taken.as_secs_f64())
        };
        let (rates, others) = bench.turns(|| push(&many), || push(&few))?;
        Ok(Line::ratio(
            "push beside 100,000 branches, against beside one",
            &rates,
            &others,
            Bound::AtLeast(0.5),
        ))
    }

    /// What the server takes of memory while a gigabyte comes and goes.
    fn large_push(&self) -> Result<[Line; 2], String> {
        steps::say("pushing and cloning 1 GiB");
        seed::project(self.server.url(), &self.token, "large")?;
        let url = self.ours("large");
        let working = self.folder.join("large");
        git::run(&self.folder, &["init", "--quiet", "--initial-branch=main", "large"])?;
        write_noise(&working.join("noise.bin"), LARGE_PUSH)?;
        git::run(&working, &["add", "noise.bin"])?;
        git::run(&working, &["commit", "--quiet", "--message", "Noise"])?;
        let grown = |does: &dyn Fn() -> Outcome| -> Result<f64, String> {
            self.server.forget_peak()?;
            let before = self.server.resident_bytes()?;
            does()?;
            let grown = self.server.peak_bytes()?.saturating_sub(before);
            Ok(grown as f64 / f64::from(1 << 20))
        };
        let pushed = grown(&|| git::run(&working, &["push", "--quiet", &url, "main"]).map(|_| ()))?;
        let cloned = grown(&|| self.clone_rate(&url, &[]).map(|_| ()))?;
        let line = |name, value| Line::new(name, value, Bound::AtMost(64.0), "MiB");
        Ok([
            line("memory of the server for a push of 1 GiB", pushed),
            line("memory of the server for a clone of 1 GiB", cloned),
        ])
    }
}

/// `ls-refs` of protocol 2, as git asks it before a fetch.
const LIST: &str = "0014command=ls-refs\n0016object-format=sha100010009peel\n000csymrefs\n\
                    001bref-prefix refs/heads/\n001aref-prefix refs/tags/\n0000";

/// Pages below the project, each as it is first asked for.
const PAGES: &[&str] = &[
    "",
    "/-/tree/main",
    "/-/tree/main/src",
    "/-/tree/v3.0/src/part_03/3",
    "/-/blob/main/README.md",
    "/-/blame/main/README.md",
    "/-/raw/main/README.md",
    "/-/find_file/main",
    "/-/commits/main",
    "/-/commits/main?page=200",
    "/-/commits/main/src/part_03",
    "/-/commits/main?search=change%2019",
    "/-/commit/v40.0",
    "/-/compare/v95.0...v99.0",
    "/-/compare/v1.0...main",
    "/-/branches",
    "/-/tags",
    "/-/tags/v7.0",
    "/-/network/main",
    "/-/graphs/main",
];

/// Adds one commit to a new branch; its name.
fn committed(working: &Path) -> Result<String, String> {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let branch = format!("push-{number}");
    git::run(working, &["checkout", "--quiet", "-B", &branch])?;
    fs::write(working.join("count.txt"), format!("{number}\n")).map_err(|it| it.to_string())?;
    git::run(working, &["add", "count.txt"])?;
    git::run(working, &["commit", "--quiet", "--message", "Count"])?;
    Ok(branch)
}

fn make_branches(working: &Path) -> Outcome {
    let mut update = git::git(working)
        .args(["update-ref", "--stdin"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .map_err(|error| format!("git update-ref: {error}"))?;
    let stream = update.stdin.take().ok_or("git update-ref takes no stream")?;
    let mut stream = std::io::BufWriter::new(stream);
    let tip = git::run(working, &["rev-parse", "HEAD"])?;
    for number in 0..MANY_REFS - 2 {
        let made = writeln!(stream, "create refs/heads/of/{number:06} {tip}");
        made.map_err(|error| error.to_string())?;
    }
    drop(stream);
    update.wait().map_err(|error| error.to_string())?;
    git::run(working, &["pack-refs", "--all"]).map(|_| ())
}

/// Writes so many bytes that cannot be packed.
pub fn write_noise(path: &Path, bytes: u64) -> Outcome {
    let from = fs::File::open("/dev/urandom").map_err(|error| error.to_string())?;
    let mut to = fs::File::create(path).map_err(|error| error.to_string())?;
    std::io::copy(&mut std::io::Read::take(from, bytes), &mut to)
        .map(|_| ())
        .map_err(|error| error.to_string())
}
