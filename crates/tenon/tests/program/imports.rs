//! An import whose server is killed again and again.

use crate::place::{Place, Server, until};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};
use store::sql;
use testkit::{Client, run};

/// Bytes that a server may take more while it imports.
const MOST_GROWN: u64 = 128 << 20;
/// How long the rest of an import may take.
const PATIENCE: Duration = Duration::from_secs(600);
/// Things of a page that is looked at.
const PAGE: i64 = 100;
/// Issues whose notes are looked at.
const LOOKED_AT: usize = 100;

/// How much there is, and how often the server is killed.
#[derive(Clone, Copy)]
struct Size {
    issues: i64,
    pulls: i64,
    comments: i64,
    kills: usize,
}

const USUAL: Size = Size { issues: 120, pulls: 30, comments: 600, kills: 6 };
const WHOLE: Size = Size { issues: 2_000, pulls: 500, comments: 10_000, kills: 30 };

#[test]
fn an_import_outlives_its_server() {
    // So many instead, to look for what is seldom.
    let said = std::env::var("TENON_TEST_KILLS").ok();
    let kills: Option<usize> = said.and_then(|text| text.parse().ok());
    let size = Size { kills: kills.unwrap_or(USUAL.kills).min(100), ..USUAL };
    for place in Place::both() {
        run(outlives(place, size));
    }
}

#[test]
#[ignore = "thirty kills of a large import on each engine: part of a full check"]
fn a_large_import_outlives_its_server() {
    for place in Place::both() {
        run(outlives(place, WHOLE));
    }
}

/// A server of provider A with one repository, until this is dropped.
struct Upstream {
    child: Child,
    url: String,
}

impl Drop for Upstream {
    fn drop(&mut self) {
        // It ends with its input, and takes away what it wrote.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

impl Upstream {
    fn begin(size: Size) -> Upstream {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/doubles/many.py");
        let mut child = Command::new("python3")
            .arg(script)
            .args(["--issues", &size.issues.to_string()])
            .args(["--pulls", &size.pulls.to_string()])
            .args(["--comments", &size.comments.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 is there");
        let output = child.stdout.take().expect("it is piped");
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).expect("text");
        let said: Value = serde_json::from_str(&line).expect("it listens");
        Upstream {
            child,
            url: said["url"].as_str().expect("an address").to_owned(),
        }
    }

    /// How often it was asked for something.
    async fn asked(&self) -> i64 {
        let told = Client::nobody(&self.url).at("/asked").await.is(200).json();
        told["asked"].as_i64().expect("a number")
    }
}

impl Size {
    /// How often upstream is asked at least, one by one for each thing.
    fn requests(self) -> i64 {
        self.issues + self.pulls + self.pulls + self.pulls / 2
    }

    /// After so many requests the server is killed, in order, and each time later by some
    /// thousandths of a second.
    fn points(self, seed: u64) -> Vec<(i64, Duration)> {
        let mut chance = Chance(seed | 1);
        let mut points = BTreeSet::new();
        while points.len() < self.kills {
            points.insert(2 + chance.below(self.requests() - 2));
        }
        let later = |point| (point, Duration::from_millis(chance.below(30).unsigned_abs()));
        points.into_iter().map(later).collect()
    }
}

/// Numbers that nobody knows before (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i64::try_from(self.0 % most.unsigned_abs()).expect("it is small")
    }
}

async fn outlives(place: Place, size: Size) {
    let upstream = Upstream::begin(size);
    let mut server = place.serve();
    let token = place.token();
    let project = begin(&server.client(&token), &upstream).await;
    let since = SystemTime::UNIX_EPOCH.elapsed().expect("it is later").as_nanos();
    let seed = u64::try_from(since % u128::from(u64::MAX)).expect("it is small");
    let mut grown = 0;
    for (number, (point, later)) in size.points(seed).into_iter().enumerate() {
        let before = server.memory("VmRSS");
        server.forget_peak();
        let what = format!("request {point} of import {seed}, kill {number}");
        until(&what, async || upstream.asked().await >= point).await;
        tokio::time::sleep(later).await;
        grown = grown.max(server.memory("VmHWM").saturating_sub(before));
        server.kill();
        // A job is its server's for a minute, also of one that was killed.
        place
            .within(|tx| tx.execute(sql!("update jobs set lease_until = created_at"), ()))
            .await;
        server = place.serve();
    }
    let (before, client) = (server.memory("VmRSS"), server.client(&token));
    server.forget_peak();
    let told = end(&client, project).await;
    grown = grown.max(server.memory("VmHWM").saturating_sub(before));
    assert!(grown < MOST_GROWN, "it grew by {} MiB", grown >> 20);
    is_complete(&told, size, seed);
    nothing_came_twice(&place, size).await;
    is_in_order(&client, project, size).await;
    stop(server);
    place.succeeds(&["check", "--contents"]);
}

fn stop(server: Server) {
    let (code, said) = server.terminate();
    assert_eq!(code, Some(0), "{said:#?}");
    let broken = said.iter().find(|line| line.contains("panicked"));
    assert!(broken.is_none(), "{broken:?}");
}

/// Begins the import; its project.
async fn begin(client: &Client, upstream: &Upstream) -> i64 {
    let near = json!({"allow_local_requests_from_web_hooks_and_services": true});
    client.put("/application/settings").json(&near).await.is(200);
    client
        .post("/groups")
        .json(&json!({"name": "acme", "path": "acme"}))
        .await
        .is(201);
    let wanted = json!({
        "personal_access_token": "upstream-token",
        "repo_id": 1,
        "target_namespace": "acme",
        "provider_a_hostname": upstream.url,
    });
    client.post("/import/provider_a").json(&wanted).await.is(201).id()
}

/// Waits until the import has come through; what is told of it then.
async fn end(client: &Client, project: i64) -> Value {
    let limit = Instant::now() + PATIENCE;
    loop {
        let told = client.get(format!("/projects/{project}/import")).await.is(200).json();
        match told["import_status"].as_str() {
            Some("finished") => return told,
            Some("scheduled" | "started") => assert!(Instant::now() < limit, "{told}"),
            _ => panic!("it does not go on: {told}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Each thing was counted once, whatever was asked for twice.
fn is_complete(told: &Value, size: Size, seed: u64) {
    assert_eq!(told["failed_relations_count"], 0, "{told}");
    let wanted = [
        ("label", 1),
        ("issue", size.issues),
        ("pull_request", size.pulls),
        ("pull_request_merged_by", size.pulls / 2),
        ("note", size.comments),
        ("issue_event", size.issues + size.pulls),
    ];
    for (kind, count) in wanted {
        let of = |what: &str| told["stats"][what][kind].as_i64().unwrap_or_default();
        assert_eq!(
            (of("fetched"), of("imported")),
            (count, count),
            "{kind} of import {seed}: {told}"
        );
    }
}

async fn nothing_came_twice(place: &Place, size: Size) {
    let issues: i64 = place.row(sql!("select count(*) from issues")).await;
    let requests: i64 = place.row(sql!("select count(*) from merge_requests")).await;
    let notes: i64 = place.row(sql!("select count(*) from notes where not is_system")).await;
    assert_eq!((issues, requests, notes), (size.issues, size.pulls, size.comments));
    let texts = sql!(
        "select count(*) from (select distinct body from notes where not is_system) as bodies"
    );
    assert_eq!(place.row::<i64>(texts).await, size.comments);
    let kept = sql!("select count(*) from imports where sealed_credentials is not null");
    assert_eq!(place.row::<i64>(kept).await, 0);
}

/// A time upstream, as it is told here.
fn at(seconds: i64) -> Value {
    let begun: Timestamp = "2020-01-01T00:00:00Z".parse().expect("a time");
    let at = begun + SignedDuration::from_secs(seconds);
    at.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string().into()
}

/// Numbers and times of all are those of upstream; so are texts and order of notes.
async fn is_in_order(client: &Client, project: i64, size: Size) {
    let here = format!("/projects/{project}");
    let all = size.issues + size.pulls;
    for (list, first, last) in
        [("issues", 1, size.issues), ("merge_requests", size.issues + 1, all)]
    {
        let mut number = first;
        for page in 1..=(last - first) / PAGE + 1 {
            let query = "state=all&order_by=created_at&sort=asc";
            let path = format!("{here}/{list}?{query}&per_page={PAGE}&page={page}");
            for one in client.get(path).await.is(200).json().as_array().expect("a list") {
                let seen = (&one["iid"], &one["created_at"], &one["updated_at"]);
                assert_eq!(seen, (&json!(number), &at(number), &at(number)), "{one}");
                assert_eq!(one["title"], format!("Thing {number}"));
                number += 1;
            }
        }
        assert_eq!(number, last + 1, "{list}");
    }
    let step = usize::try_from(size.issues).expect("it is small").div_ceil(LOOKED_AT);
    for issue in (1..=size.issues).step_by(step) {
        let path = format!("{here}/issues/{issue}/notes?sort=asc&order_by=created_at&per_page=100");
        let told = client.get(path).await.is(200).json();
        let notes = told.as_array().expect("a list").iter().filter(|note| note["system"] == false);
        let seen: Vec<(Value, Value)> =
            notes.map(|note| (note["body"].clone(), note["created_at"].clone())).collect();
        let step = usize::try_from(all).expect("it is small");
        let wanted: Vec<(Value, Value)> = (issue..=size.comments)
            .step_by(step)
            .map(|comment| (json!(format!("Comment {comment}")), at(comment)))
            .collect();
        assert_eq!(seen, wanted, "notes of issue {issue}");
    }
}
