//! Pipelines: many runners that ask for work, jobs handed out of a short and of a long
//! queue, logs, and a pipeline of many jobs.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::load::{self, Exchange, Request};
use super::report::{Bound, Line};
use super::{Bench, WRITERS, seed};
use xtask::server::{self, Server};
use xtask::steps;

/// Runners that ask at once.
const RUNNERS: usize = 1_000;
/// Jobs of the pipeline with many.
const MANY: usize = 1_000;
/// Jobs that wait in the short queue, and in the long one.
const SHORT: usize = 10;
const LONG: usize = 10_000;
/// Jobs that are taken out of each queue in turn.
const TAKEN: usize = 5;
/// Bytes of a piece of a log.
const PIECE: usize = 4 << 10;

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let mut lines = vec![idle(bench)?, made(bench)?];
    lines.extend(taken(bench)?);
    lines.push(logs(bench)?);
    Ok(lines)
}

/// Runners for which there is nothing, each with a token and a connection of its own.
fn idle(bench: &Bench<'_>) -> Result<Line, String> {
    let place = Place::begin(bench, "bench-runners", 1)?;
    steps::say(&format!("{RUNNERS} runners with nothing to do"));
    let runners: Vec<String> =
        (0..RUNNERS).map(|_| place.runner("instance_type")).collect::<Result<_, _>>()?;
    let (url, runners) = (place.server.url(), Arc::new(runners));
    let ask = || {
        let (host, runners) = (load::host_of(url), Arc::clone(&runners));
        let bytes = move |connection: usize| {
            let token = runners.get(connection).ok_or("no runner for a connection")?;
            Ok(post(&host, "/api/v4/jobs/request", &asking(token)))
        };
        let time = Duration::from_secs(bench.options.seconds);
        load::rate_of(url, RUNNERS, time, Exchange { bytes, answered: |_, _: &[u8]| Ok(()) })
    };
    let liveness = Request::get("/-/liveness", "");
    let (rates, live) = bench.turns(ask, || bench.rate(&place.server, &liveness, RUNNERS))?;
    place.server.stop()?;
    let name = "questions of 1,000 runners with nothing to do, against liveness";
    Ok(Line::ratio(name, &rates, &live, Bound::AtLeast(0.5)))
}

/// How long it takes to begin a pipeline of many jobs, on the disk.
fn made(bench: &Bench<'_>) -> Result<Line, String> {
    let place = Place::begin(bench, "bench-pipeline", MANY)?;
    steps::say(&format!("a pipeline of {MANY} jobs"));
    let times: Result<Vec<Duration>, String> =
        (0..bench.options.rounds.max(1)).map(|_| timed(|| place.pipeline())).collect();
    place.server.stop()?;
    let name = "begin a pipeline of 1,000 jobs, median";
    Ok(Line::new(name, median(times?), Bound::AtMost(1.0), "s"))
}

/// What it takes to hand out a job while many wait, against a few: of pipelines as small,
/// and of large ones.
fn taken(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let short = Queue::fill(bench, "bench-short-queue", SHORT, SHORT)?;
    let mut lines = Vec::new();
    for (of_pipeline, name) in [
        (SHORT, "time to hand out a job of 10,000 that wait, against one of 10"),
        (
            MANY,
            "time to hand out a job of 10,000 of pipelines of 1,000, against one of 10",
        ),
    ] {
        let long = Queue::fill(bench, "bench-long-queue", of_pipeline, LONG)?;
        let (many, few) = bench.turns(|| long.seconds(), || short.seconds())?;
        long.place.server.stop()?;
        lines.push(Line::times(name, &many, &few, Bound::AtMost(1.5)));
    }
    short.place.server.stop()?;
    Ok(lines)
}

/// Logs of running jobs, each piece on the disk when it is answered.
fn logs(bench: &Bench<'_>) -> Result<Line, String> {
    let place = Place::begin(bench, "bench-logs", WRITERS)?;
    steps::say("logs of running jobs");
    place.pipeline()?;
    let runner = place.runner("project_type")?;
    let jobs: Vec<Log> = (0..WRITERS)
        .map(|_| place.take(&runner).and_then(Log::of))
        .collect::<Result<_, _>>()?;
    let (url, jobs) = (place.server.url(), Arc::new(jobs));
    let append = || {
        let (host, jobs, answered) = (load::host_of(url), Arc::clone(&jobs), Arc::clone(&jobs));
        let bytes = move |at: usize| Ok(log(&jobs, at)?.next(&host));
        let answered = move |at: usize, _: &[u8]| {
            log(&answered, at)?.size.fetch_add(PIECE as u64, Ordering::Relaxed);
            Ok(())
        };
        let time = Duration::from_secs(bench.options.seconds);
        load::rate_of(url, WRITERS, time, Exchange { bytes, answered })
    };
    let liveness = Request::get("/-/liveness", "");
    let (rates, live) = bench.turns(append, || bench.rate(&place.server, &liveness, WRITERS))?;
    place.server.stop()?;
    let name = "4 KiB more of the logs of 64 jobs, durable, against liveness";
    Ok(Line::ratio(name, &rates, &live, Bound::AtLeast(0.2)))
}

/// The job of a connection.
fn log(jobs: &[Log], connection: usize) -> Result<&Log, String> {
    jobs.get(connection)
        .ok_or_else(|| format!("no job for connection {connection}"))
}

/// A job whose log grows.
struct Log {
    id: i64,
    token: String,
    size: AtomicU64,
}

impl Log {
    fn of(job: Value) -> Result<Log, String> {
        let token = job["token"].as_str().ok_or_else(|| format!("no token in {job}"))?;
        Ok(Log {
            id: seed::id_of(&job)?,
            token: token.to_owned(),
            size: AtomicU64::new(0),
        })
    }

    /// The request that brings the next piece.
    fn next(&self, host: &str) -> Vec<u8> {
        let begin = self.size.load(Ordering::Relaxed);
        let (id, token, end) = (self.id, &self.token, begin + PIECE as u64 - 1);
        let head = format!(
            "PATCH /api/v4/jobs/{id}/trace HTTP/1.1\r\nhost: {host}\r\njob-token: {token}\r\n\
             content-range: {begin}-{end}\r\ncontent-type: text/plain\r\n\
             content-length: {PIECE}\r\n\r\n"
        );
        let number = usize::try_from(begin).unwrap_or_default() / PIECE;
        [head.as_bytes(), &PIECES[number % PIECES.len()]].concat()
    }
}

/// What a build writes, in pieces that differ; made once, since making them takes longer
/// than storing them.
static PIECES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| (1..=251).map(piece).collect());

/// Lines that have words of the others, and a digest of their own.
fn piece(seed: u64) -> Vec<u8> {
    let mut text = String::with_capacity(PIECE + 80);
    let mut digest = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    while text.len() < PIECE {
        digest ^= digest << 13;
        digest ^= digest >> 7;
        digest ^= digest << 17;
        let (part, version) = (digest % 997, seed % 61);
        let _ = writeln!(text, "   Compiling part-{part} v1.{version}.0 ({digest:016x})");
    }
    text.truncate(PIECE);
    text.into_bytes()
}

/// Jobs that wait, and who takes them.
struct Queue {
    place: Place,
    runner: String,
    /// Whether it stays as long as it is: a short one is filled again.
    refill: bool,
}

impl Queue {
    fn fill(
        bench: &Bench<'_>, name: &str, of_pipeline: usize, wanted: usize,
    ) -> Result<Queue, String> {
        let place = Place::begin(bench, name, of_pipeline)?;
        steps::say(&format!("a queue of {wanted} jobs"));
        for _ in 0..wanted / of_pipeline {
            place.pipeline()?;
        }
        let runner = place.runner("project_type")?;
        Ok(Queue { place, runner, refill: of_pipeline == wanted })
    }

    /// Seconds for one job.
    fn seconds(&self) -> Result<f64, String> {
        let times: Result<Vec<Duration>, String> = (0..TAKEN)
            .map(|_| timed(|| self.place.take(&self.runner).map(|_| ())))
            .collect();
        if self.refill {
            self.place.cancel()?;
            self.place.pipeline()?;
        }
        Ok(median(times?))
    }
}

/// A server with a project whose pipelines have so many jobs.
struct Place {
    server: Server,
    token: String,
    project: i64,
}

impl Place {
    fn begin(bench: &Bench<'_>, name: &str, jobs: usize) -> Result<Place, String> {
        // All runners come from one address here.
        let many = [("TENON_MAX_CONNECTIONS_PER_ADDRESS", "2048")];
        let server = bench.start(&server::fresh_directory(name)?, &many)?;
        let token = server.root_token()?;
        let project = seed::project(server.url(), &token, "forge")?;
        let place = Place { server, token, project };
        let mut file = String::from("default: {tags: []}\n");
        for job in 0..jobs {
            let _ = writeln!(file, "job-{job}: {{script: make part-{job}}}");
        }
        let commit =
            json!({"branch": "main", "commit_message": "Begin [skip ci]", "content": file});
        place.post("/repository/files/.gitlab-ci.yml", &commit)?;
        Ok(place)
    }

    fn post(&self, below: &str, body: &Value) -> Result<Value, String> {
        let path = format!("/projects/{}{below}", self.project);
        seed::post(self.server.url(), &self.token, &path, body.to_string())
    }

    fn pipeline(&self) -> Result<(), String> {
        self.post("/pipeline", &json!({"ref": "main"})).map(|_| ())
    }

    /// Ends all that waits or runs in the newest pipeline.
    fn cancel(&self) -> Result<(), String> {
        let latest = Request::get(
            &format!("/api/v4/projects/{}/pipelines/latest?ref=main", self.project),
            &self.token,
        );
        let found = load::once(self.server.url(), &latest)?;
        let found: Value = serde_json::from_str(&found).map_err(|error| error.to_string())?;
        self.post(&format!("/pipelines/{}/cancel", seed::id_of(&found)?), &json!({}))
            .map(|_| ())
    }

    /// Makes a runner and answers its token.
    fn runner(&self, kind: &str) -> Result<String, String> {
        let mut wanted = json!({"runner_type": kind});
        if kind == "project_type" {
            wanted["project_id"] = self.project.into();
        }
        let (url, body) = (self.server.url(), wanted.to_string());
        let made = seed::post(url, &self.token, "/user/runners", body)?;
        let token = made["token"].as_str();
        token.map(str::to_owned).ok_or_else(|| format!("no token in {made}"))
    }

    /// The next job, as its runner is given it.
    fn take(&self, runner: &str) -> Result<Value, String> {
        let target = "/api/v4/jobs/request".to_owned();
        let asked = Request::json("POST", target, &[], asking(runner));
        let answer = load::once(self.server.url(), &asked)?;
        serde_json::from_str(&answer).map_err(|error| format!("no job: {answer}: {error}"))
    }
}

fn asking(runner: &str) -> String {
    json!({"token": runner, "system_id": "s_1"}).to_string()
}

fn post(host: &str, target: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST {target} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

fn timed(run: impl FnOnce() -> Result<(), String>) -> Result<Duration, String> {
    let begun = Instant::now();
    run()?;
    Ok(begun.elapsed())
}

/// In seconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(f64::NAN, Duration::as_secs_f64)
}
