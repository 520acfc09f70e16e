//! A project that follows the stock git's own server, while its server is killed.

use crate::place::{Place, project, until};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::sql;
use testkit::{Git, run};

/// Git's own server, until this is dropped.
struct Daemon {
    child: Child,
    port: u16,
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Daemon {
    /// Serves what is below a folder.
    async fn begin(git: &Git, base: &Path) -> Daemon {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let programs = git.run(&["--exec-path"]).await.done().said;
        let child = Command::new(Path::new(programs.trim()).join("git-daemon"))
            .args(["--export-all", "--reuseaddr", "--listen=127.0.0.1"])
            .arg(format!("--port={port}"))
            .arg(format!("--base-path={}", base.display()))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let daemon = Daemon { child: child.expect("git is there"), port };
        let listens = async || TcpStream::connect(("127.0.0.1", port)).is_ok();
        until("git's server listens", listens).await;
        daemon
    }
}

/// Stands before a server and hands on what it hears, once it is open; until then it holds
/// whoever comes. The port that it stands at.
fn gate(to: u16, is_open: Arc<AtomicBool>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for client in listener.incoming().flatten() {
            match is_open.load(Ordering::Relaxed) {
                true => join(client, TcpStream::connect(("127.0.0.1", to)).expect("it listens")),
                false => held.push(client),
            }
        }
    });
    port
}

fn join(client: TcpStream, server: TcpStream) {
    let twice = |socket: &TcpStream| socket.try_clone().expect("a socket");
    for (from, to) in [(twice(&client), twice(&server)), (server, client)] {
        std::thread::spawn(move || hand_on(from, to));
    }
}

fn hand_on(mut from: TcpStream, mut to: TcpStream) {
    let mut bytes = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        if to.write_all(&bytes[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Write);
}

#[test]
fn a_run_that_a_crash_cut_off_is_taken_up() {
    run(async {
        for place in Place::both() {
            taken_up(place).await;
        }
    });
}

async fn taken_up(place: Place) {
    let server = place.serve();
    let token = place.token();
    let client = server.client(&token);
    let project = project(&client).await;
    let local = json!({"allow_local_requests_from_web_hooks_and_services": true});
    client.put("/application/settings").json(&local).await.is(200);
    let git = Git::of(&client);
    git.begin("one", "acme/anvil").await;
    git.run(&["clone", "--quiet", "--bare", "one", "bare/x.git"]).await.done();
    let tip = git.id("one", "main").await;
    let daemon = Daemon::begin(&git, &git.at("bare")).await;
    let is_open = Arc::new(AtomicBool::new(false));
    let port = gate(daemon.port, is_open.clone());

    let mirror = format!("{project}/mirror/pull");
    let body = json!({"url": format!("git://127.0.0.1:{port}/x.git"), "enabled": true});
    client.put(&mirror).json(&body).await.is(200);
    let has_begun = async || client.get(&mirror).await.json()["update_status"] == "started";
    until("the project begins to follow", has_begun).await;
    server.kill();
    is_open.store(true, Ordering::Relaxed);
    // What leased the job is gone: its lease ends a minute later.
    place
        .within(|tx| {
            tx.execute(sql!("update jobs set lease_until = created_at where state = 'running'"), ())
        })
        .await;
    let server = place.serve();
    let client = server.client(&token);
    let followed = async || client.get(&mirror).await.json()["update_status"] == "finished";
    until("the project has followed", followed).await;
    let git = Git::of(&client);
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "copy"]).await.done();
    assert_eq!(git.id("copy", "HEAD").await, tip);
    drop(server);
    place.succeeds(&["check", "--contents"]);
}
