//! A database that says nothing or is gone, and a disk that is full.
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use crate::place::{Place, Server, project, until};
use crate::siege::{Answer, BAD, PROMISE, address, all, ask, is_put_off, request};
use serde_json::json;
use std::fs::File;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use store::sql;
use testkit::postgres::Cluster;
use testkit::run;

/// The processes of a PostgreSQL server, which go on when this is dropped.
struct Frozen(Vec<i64>);

impl Frozen {
    /// Stops the server where it stands.
    async fn at(place: &Place) -> Frozen {
        let file: String = place.row(sql!("select pg_read_file('postmaster.pid')")).await;
        let first: i64 = file.lines().next().unwrap().parse().unwrap();
        let mut frozen = Frozen(vec![first]);
        frozen.signal("STOP");
        frozen.0.extend(children(first));
        frozen.signal("STOP");
        frozen
    }

    fn signal(&self, name: &str) {
        let numbers = self.0.iter().map(i64::to_string);
        let signal = Command::new("kill").arg(format!("-{name}")).args(numbers).status();
        // A process of the server may have ended meanwhile.
        signal.expect("kill runs");
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        self.signal("CONT");
    }
}

/// The processes whose parent is this one.
fn children(of: i64) -> Vec<i64> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_child = |number: &i64| {
        let status = std::fs::read_to_string(format!("/proc/{number}/status"));
        let line = format!("PPid:\t{of}");
        status.is_ok_and(|status| status.lines().any(|found| found == line))
    };
    numbers.filter(is_child).collect()
}

async fn get(server: &Server, path: &str, head: &str) -> Answer {
    let request = request("GET", path, head, "");
    ask(server, Ipv4Addr::LOCALHOST, &request).await.unwrap()
}

/// Requests of every kind that need the database.
fn kinds(project: &str, token: &str) -> Vec<Vec<u8>> {
    let head = format!("private-token: {token}\r\n");
    let json = format!("{head}content-type: application/json\r\n");
    let form = "content-type: application/x-www-form-urlencoded\r\n";
    let query = json!({"query": "{ currentUser { id } }"}).to_string();
    let grant = "grant_type=password&username=root&password=some+password";
    let envelope =
        "{\"event_id\":\"0123456789abcdef0123456789abcdef\"}\n{\"type\":\"event\"}\n{}\n";
    let key = "x-sentry-auth: Sentry sentry_key=0123456789abcdef0123456789abcdef\r\n";
    let collector = format!(
        "/api/v4/error_tracking/collector/api/{}/envelope",
        project.rsplit('/').next().unwrap()
    );
    vec![
        request("GET", &format!("/api/v4{project}"), &head, ""),
        request("POST", &format!("/api/v4{project}/issues?title=a"), &head, ""),
        request("POST", "/api/graphql", &json, &query),
        request("POST", "/oauth/token", form, grant),
        request("POST", &collector, key, envelope),
        request("PUT", &format!("/api/v4{project}/packages/generic/a/1.0/a"), &head, "bytes"),
        request("GET", "/acme/anvil", "", ""),
    ]
}

#[test]
fn a_silent_or_lost_database_is_told_in_time() {
    let Ok(cluster) = Cluster::start() else {
        eprintln!("PostgreSQL is not installed: skipped");
        return;
    };
    let place = Place::sqlite().at(cluster.url());
    run(async {
        let server = Arc::new(place.serve());
        let token = place.token();
        let client = server.client(&token);
        let project = project(&client).await;
        let kinds = kinds(&project, &token);
        let idle = server.memory("VmRSS");
        let frozen = Frozen::at(&place).await;

        put_off(&server, &kinds).await;
        let ready = get(&server, "/-/readiness", "").await;
        assert_eq!(ready.status, 503);
        is_put_off(&ready);
        for path in ["/-/liveness", "/-/metrics"] {
            let got = get(&server, path, "").await;
            assert!(got.status == 200 && got.took <= PROMISE, "{path}: {}", got.head);
        }
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
        let threads = status.lines().find_map(|line| line.strip_prefix("Threads:"));
        let threads: u32 = threads.unwrap().trim().parse().unwrap();
        assert!(threads < BAD / 2, "{threads} threads wait");
        assert!(server.memory("VmRSS") < idle + (100 << 20));

        drop(frozen);
        until("it serves again", async || get(&server, "/-/readiness", "").await.status == 200)
            .await;
        client.get(&project).await.is(200);

        drop(cluster);
        put_off(&server, &kinds).await;
        assert_eq!(get(&server, "/-/readiness", "").await.status, 503);
    });
}

/// Everybody is told in time that it cannot be now.
async fn put_off(server: &Arc<Server>, kinds: &[Vec<u8>]) {
    let answers = all(BAD, |number| {
        let request = kinds[number as usize % kinds.len()].clone();
        let server = server.clone();
        async move { (number, ask(&server, address(number), &request).await.unwrap()) }
    });
    for (number, got) in answers.await {
        let asked = &kinds[number as usize % kinds.len()];
        let asked = String::from_utf8_lossy(asked).lines().next().unwrap_or_default().to_owned();
        assert_eq!(got.status, 503, "{asked}: {}", String::from_utf8_lossy(&got.body));
        is_put_off(&got);
    }
}

/// A small file system of its own, where this may be made.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: PathBuf) -> Option<Disk> {
        std::fs::create_dir_all(&at).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=24m", "tmpfs"])
            .arg(&at)
            .output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Disk(at))
    }

    /// Leaves not one byte.
    fn fill(&self) {
        use std::io::Write;
        let filler = self.0.join("filler");
        let mut file = File::options().append(true).create(true).open(filler).unwrap();
        for size in [1 << 20, 1 << 12, 1] {
            while file.write_all(&vec![1; size]).is_ok() {}
        }
    }

    fn empty(&self) {
        std::fs::remove_file(self.0.join("filler")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.0).status().ok();
    }
}

#[test]
fn a_full_disk_is_told_and_reads_go_on() {
    run(async {
        let place = Place::sqlite();
        let Some(disk) = Disk::mount(place.path().join("data")) else {
            eprintln!("no file system can be mounted: skipped");
            return;
        };
        let mut server = place.serve();
        let token = place.token();
        let project = project(&server.client(&token)).await;
        let file = format!("{project}/packages/generic/hammer/1.0/a");
        server.client(&token).put(&file).bytes("kept").await.is(201);
        disk.fill();

        for round in ["it fills up", "it starts full", "it starts full again"] {
            let client = server.client(&token);
            let issues = format!("{project}/issues");
            let large = "x".repeat(1 << 20);
            let new = format!("{project}/packages/generic/hammer/2.0/{}", round.len());
            until(round, async || {
                // A little may still fit.
                let text = json!({"title": "a", "description": &large[..100_000]});
                client.post(&issues).json(&text).await.status == 503
            })
            .await;
            client.put(&new).bytes(large).await.is(503);
            assert_eq!(get(&server, "/-/readiness", "").await.status, 503);
            assert_eq!(client.get(&file).await.is(200).text(), "kept");
            client.get(&issues).await.is(200);
            match round {
                // Its database has no neighbours then.
                "it fills up" => drop(server.terminate()),
                _ => drop(server.kill()),
            }
            disk.fill();
            server = place.serve();
        }

        disk.empty();
        let client = server.client(&token);
        until("it is ready", async || get(&server, "/-/readiness", "").await.status == 200).await;
        client.post(format!("{project}/issues?title=b")).await.is(201);
        client.put(format!("{file}2")).bytes("new").await.is(201);
        drop(server);
        place.succeeds(&["check", "--contents"]);
    });
}
