//! Mirrors that are fetched by git's other ways.

use super::{Pair, outcome};
use serde_json::json;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use testkit::{Git, TestServer};

const PAGE: &str = "/acme/anvil/-/settings/mirrors";

#[testkit::story(noon)]
async fn a_key_opens_a_mirror_over_ssh(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    let port = t.ssh().await;
    let smith = t.user("smith").await;
    pair.project.add(&smith, 40).await;
    let url = format!("ssh://git@127.0.0.1:{port}/acme/source.git");
    let made = pair.follow(&smith, json!({"url": url})).await;
    assert_eq!(made["url"], url);
    t.settle().await;
    let said = "The server does not let the key of this mirror in.";
    assert_eq!(outcome(&pair.shown(&t).await), ("failed", said));
    let page = t.browser("smith").await.get(PAGE).await.is(200).text();
    let key = page.split("ssh-ed25519 ").nth(1).and_then(|rest| rest.split(' ').next());
    let key = format!("ssh-ed25519 {}", key.expect("the key is shown"));
    let opened = json!({"title": "mirror", "key": key});
    t.admin().post(pair.upstream.at("/deploy_keys")).json(&opened).await.is(201);
    assert_eq!(outcome(&pair.again(&t).await), ("finished", ""));
    assert_eq!(pair.names_here().await, ["refs/heads/main"]);
    let page = t.browser("smith").await.get(PAGE).await.is(200).text();
    assert!(page.contains("Known by SHA256:"), "{page}");

    // What it showed first it has to show again.
    let other = Git::over_ssh(port, "ed25519").await.public_key();
    let change = json!({"host_keys": [other]});
    smith.put(pair.mirror()).json(&change).await.is(200);
    let said = "The server shows another key than it is known by.";
    assert_eq!(outcome(&pair.again(&t).await), ("failed", said));
    let left = t.app().config().cache_dir.join("pushes");
    let left = std::fs::read_dir(left).map_or(0, |found| {
        let names = found.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.filter(|name| name.starts_with("mirror-")).count()
    });
    assert_eq!(left, 0, "without a trace of the private half");
    let kept = t.app().read(|tx| {
        let rows: Vec<(Option<String>, Option<String>)> =
            tx.all(store::sql!("select sealed_key, last_error from pull_mirrors"), ())?;
        Ok(format!("{rows:?}"))
    });
    assert!(!kept.await.unwrap().contains("PRIVATE KEY"));
}

/// Git's own server, until this is dropped.
struct Daemon(Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[testkit::story(noon)]
async fn gits_own_protocol_is_spoken(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let base = pair.git.at("bare");
    pair.git.run(&["clone", "--quiet", "--bare", "one", "bare/x.git"]).await.done();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    drop(listener);
    // By itself: what git starts would outlive it.
    let programs = pair.git.run(&["--exec-path"]).await.done().said;
    let daemon = Command::new(Path::new(programs.trim()).join("git-daemon"))
        .args(["--export-all", "--reuseaddr", "--listen=127.0.0.1"])
        .arg(format!("--port={port}"))
        .arg(format!("--base-path={}", base.display()))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _daemon = Daemon(daemon.expect("git is there"));
    crate::alerts::until("it listens", async || {
        std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
    })
    .await;
    let url = format!("git://127.0.0.1:{port}/x.git");
    pair.follow(&t.admin(), json!({"url": url})).await;
    t.settle().await;
    let told = pair.shown(&t).await;
    assert_eq!((outcome(&told), &told["url"]), (("finished", ""), &json!(url)));
    let newest = pair.git.id("one", "main").await;
    assert_eq!(pair.id_here("refs/heads/main").await, Some(newest));
}
