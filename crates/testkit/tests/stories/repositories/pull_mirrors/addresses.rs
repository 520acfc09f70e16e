//! What a mirror may be fetched from, and what a server may send.

use super::{Pair, outcome};
use crate::repositories::mirrors::addresses::leading_to;
use crate::repositories::mirrors::allow_local;
use repositories::mirrors::pull::PullLimits;
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use testkit::TestServer;

const BLOCKED: &[&str] = &[
    "127.0.0.1",
    "localhost",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "2130706433",
    "10.0.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "0.0.0.0",
];

#[testkit::story(noon)]
async fn nothing_is_fetched_from_the_own_network_by_default(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    allow_local(&t, false).await;
    for host in BLOCKED {
        for scheme in ["http", "ssh", "git"] {
            let url = format!("{scheme}://{host}:8080/x.git");
            let body = json!({"url": url, "enabled": true});
            let refused = t.admin().put(pair.mirror()).json(&body).await.is(400).json();
            let said = refused["message"]["url"][0].as_str().unwrap_or_default();
            assert!(said.starts_with("is blocked: "), "{url}: {refused}");
            let body = json!({"name": "imported", "import_url": url});
            let refused = t.admin().post("/projects").json(&body).await.is(400).json();
            let said = refused["message"]["import_url"][0].as_str().unwrap_or_default();
            assert!(said.starts_with("is blocked: "), "{url}: {refused}");
        }
    }
    t.admin().get(pair.mirror()).await.is(404);
    // What was allowed once is asked again each time.
    allow_local(&t, true).await;
    pair.follow(&t.admin(), json!({"enabled": false})).await;
    allow_local(&t, false).await;
    t.admin().put(pair.mirror()).json(&json!({"enabled": true})).await.is(200);
    t.settle().await;
    let told = pair.shown(&t).await;
    let (status, said) = outcome(&told);
    assert_eq!(status, "failed");
    assert!(said.starts_with("Requests to 127.0.0.1 are not allowed"), "{said}");
    assert!(told["last_successful_update_at"].is_null() && told["last_update_at"].is_string());
    allow_local(&t, true).await;
    assert!(pair.names_here().await.is_empty());
}

#[testkit::story]
async fn addresses_that_make_no_sense_are_refused(t: TestServer) {
    let pair = Pair::begin(&t).await;
    allow_local(&t, false).await;
    for (url, text) in [
        ("", "URI is invalid"),
        ("/srv/git/x.git", "URI is invalid"),
        ("file:///etc", "Only allowed schemes are http, https, ssh, git"),
        ("gopher://host.example/x", "Only allowed schemes are"),
        ("ext::sh -c touch", "URI is invalid"),
        ("--upload-pack=touch", "URI is invalid"),
        ("git@host.example:x.git", "URI is invalid"),
        ("ssh://-oProxyCommand=x/y", "Hostname or IP address invalid"),
        ("git://ada:secret@host.example/x", "URI is invalid"),
        ("http://host.example:25/x", "Only allowed ports are"),
        ("http://host.example@127.0.0.1/x", "are not allowed"),
        ("http://host.example\\@127.0.0.1/x", "URI is invalid"),
        ("http://*****:*****@host.example/x", "needs its user name and password again"),
    ] {
        let body = json!({"url": url});
        let refused = t.admin().put(pair.mirror()).json(&body).await.is(400);
        assert!(refused.text().contains(text), "{url}: {}", refused.text());
    }
}

#[testkit::story(noon)]
async fn names_are_held_to_what_they_were_resolved_to_and_lead_nowhere_else(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    let port = leading_to(pair.url());
    let url = format!("http://127.0.0.1:{port}/x.git");
    pair.follow(&t.admin(), json!({"url": url})).await;
    t.settle().await;
    let told = pair.shown(&t).await;
    let said = "The server redirects; give the address it leads to.";
    assert_eq!(outcome(&told), ("failed", said));
    assert!(pair.names_here().await.is_empty());
    let named = pair.url().replace("127.0.0.1", "localhost");
    t.admin().put(pair.mirror()).json(&json!({"url": named})).await.is(200);
    assert_eq!(outcome(&pair.again(&t).await), ("finished", ""));
    assert_eq!(pair.names_here().await, ["refs/heads/main"]);
}

/// A server that does this with each connection, once it has heard something; its address.
fn server(answer: fn(TcpStream)) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/x.git", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            std::thread::spawn(move || answer(socket));
        }
    });
    url
}

fn hear(socket: &mut TcpStream) {
    let mut asked = [0; 4096];
    let _ = socket.read(&mut asked);
}

/// Answers as a web server does that has pages.
fn page(mut socket: TcpStream) {
    hear(&mut socket);
    let page = "<html>\n<body>Sign in</body>\n</html>\n";
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close";
    let _ = write!(socket, "{head}\r\nContent-Length: {}\r\n\r\n{page}", page.len());
}

/// Tells of refs without end.
fn endless(mut socket: TcpStream) {
    hear(&mut socket);
    let kind = "application/x-git-upload-pack-advertisement";
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
    let mut sent = socket.write_all(head.as_bytes());
    sent = sent.and_then(|()| socket.write_all(b"001e# service=git-upload-pack\n0000"));
    for number in 0_u64.. {
        if sent.is_err() {
            return;
        }
        if number % 1000 == 0 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let line = format!("{} refs/heads/b{number:012}\n", "a".repeat(40));
        sent = write!(socket, "{:04x}{line}", line.len() + 4);
    }
}

/// Holds the connection and says nothing.
fn silent(mut socket: TcpStream) {
    while socket.read(&mut [0; 4096]).is_ok_and(|length| length > 0) {}
}

async fn limit(t: &TestServer, limits: PullLimits) {
    let settings = t.app().settings().clone();
    let set = t.app().write(move |tx| settings.set(tx, &limits));
    set.await.expect("it is set");
}

#[testkit::story(noon)]
async fn servers_that_are_none_are_left(t: TestServer) {
    let pair = Pair::begin(&t).await;
    limit(&t, PullLimits { listing: 2, ..PullLimits::default() }).await;
    for (url, said) in [
        (server(page), "There is no git repository at this address."),
        (server(endless), "The server did not answer in time."),
        (server(silent), "The server did not answer in time."),
    ] {
        pair.follow(&t.admin(), json!({"url": url})).await;
        assert_eq!(outcome(&pair.again(&t).await), ("failed", said), "{url}");
    }
    assert!(pair.names_here().await.is_empty());
}

#[testkit::story(noon)]
async fn what_a_server_sends_is_bounded(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main", "main:refs/heads/two", "main:refs/heads/three"]).await;
    limit(&t, PullLimits { refs: 2, ..PullLimits::default() }).await;
    pair.follow(&t.admin(), json!({})).await;
    t.settle().await;
    let said = "The server has more branches and tags than are fetched.";
    assert_eq!(outcome(&pair.shown(&t).await), ("failed", said));
    limit(&t, PullLimits::default()).await;
    // Of random bytes, which do not become fewer when they are packed.
    let bytes: Vec<u8> = std::iter::repeat_with(kernel::secrets::random_bytes::<64>)
        .take(32 * 1024)
        .flatten()
        .collect();
    std::fs::write(pair.git.at("one").join("large.bin"), bytes).expect("a file");
    pair.git.run_in("one", &["add", "large.bin"]).await.done();
    pair.git.run_in("one", &["commit", "--quiet", "-m", "Large"]).await.done();
    pair.push(&["main"]).await;
    let small = json!({"receive_max_input_size": 1});
    t.admin().put("/application/settings").json(&small).await.is(200);
    let told = pair.again(&t).await;
    let (status, said) = outcome(&told);
    assert_eq!(status, "failed");
    assert!(said.contains("than this server takes"), "{said}");
    assert!(pair.names_here().await.is_empty());
    let usual = json!({"receive_max_input_size": 5120});
    t.admin().put("/application/settings").json(&usual).await.is(200);
    assert_eq!(outcome(&pair.again(&t).await), ("finished", ""));

    // What the project has room for bounds it, too.
    let narrow = json!({"repository_size_limit": 1024});
    t.admin().put(pair.project.at("")).json(&narrow).await.is(200);
    pair.git.commit("one", "more.txt", "two\n").await;
    pair.push(&["main"]).await;
    let before = pair.id_here("refs/heads/main").await;
    let told = pair.again(&t).await;
    let (status, said) = outcome(&told);
    assert_eq!(status, "failed");
    assert!(said.contains("exceeded its size limit"), "{said}");
    assert_eq!(pair.id_here("refs/heads/main").await, before);
}

#[testkit::story(noon)]
async fn what_proves_who_asks_is_seen_nowhere(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    let plain = pair.url().replace(&format!("anybody:{}@", t.admin().token().unwrap()), "");
    let given = json!({"url": plain, "auth_user": "ada", "auth_password": "glpat-s3cr3t/x"});
    let told = pair.follow(&t.admin(), given).await;
    let masked = plain.replace("http://", "http://*****:*****@");
    assert_eq!(told["url"], masked);
    t.settle().await;
    let told = pair.shown(&t).await;
    let (status, said) = outcome(&told);
    assert_eq!(status, "failed");
    assert!(said.contains("user name and"), "{said}");
    let kept = t.app().read(|tx| {
        let mirrors: Vec<(String, String, Option<String>, Option<String>)> = tx.all(
            store::sql!("select url, shown_url, sealed_credentials, last_error from pull_mirrors"),
            (),
        )?;
        let audited: Vec<(String,)> =
            tx.all(store::sql!("select cast(details as text) from audit_records"), ())?;
        let jobs: Vec<(String,)> =
            tx.all(store::sql!("select cast(payload as text) from jobs"), ())?;
        Ok(format!("{mirrors:?} {audited:?} {jobs:?}"))
    });
    let kept = kept.await.unwrap();
    assert!(kept.contains(&masked) && kept.contains(&plain), "{kept}");
    for secret in ["s3cr3t", "YWRh"] {
        assert!(!kept.contains(secret), "{kept}");
    }
    // A part of it may change, for the same server.
    let token = t.admin().token().unwrap().to_owned();
    let change = json!({"auth_password": token});
    assert_eq!(t.admin().put(pair.mirror()).json(&change).await.is(200).json()["url"], masked);
    assert_eq!(outcome(&pair.again(&t).await), ("finished", ""));
    let change = json!({"url": masked, "mirror_trigger_builds": true});
    assert_eq!(t.admin().put(pair.mirror()).json(&change).await.is(200).json()["url"], masked);
    assert_eq!(outcome(&pair.again(&t).await), ("finished", ""));
    // For another it is no password of anybody.
    let elsewhere = json!({"url": masked.replace("127.0.0.1", "localhost")});
    let refused = t.admin().put(pair.mirror()).json(&elsewhere).await.is(400).json();
    assert_eq!(refused["message"]["url"][0], "needs its user name and password again");
}
