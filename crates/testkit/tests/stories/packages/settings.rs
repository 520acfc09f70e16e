//! Duplicate settings of groups, and what clients declare of their files.

use crate::packages::registry::{Registry, put, rows};
use serde_json::json;
use testkit::{TestServer, sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// A project two groups deep; ids of the group, the subgroup and the project.
async fn nested(t: &TestServer) -> (i64, i64, i64) {
    let project = t.project("acme/tools/anvil").await;
    let group = t.group("acme").await;
    let subgroup = t.group("acme/tools").await;
    (group.id, subgroup.id, project.id)
}

#[testkit::story]
async fn the_nearest_settings_hold(t: TestServer) {
    let (group, subgroup, project) = nested(&t).await;
    let file = format!("/projects/{project}/packages/generic/hammer/1.0/a");
    let allow = async |group: i64, allowed: bool| {
        let change = json!({"generic_duplicates_allowed": allowed});
        t.admin()
            .put(format!("/groups/{group}/package_settings"))
            .json(&change)
            .await
            .is(200);
    };
    put(&t.admin(), &file, "1").await.is(201);
    put(&t.admin(), &file, "2").await.is(201);

    allow(group, false).await;
    put(&t.admin(), &file, "3").await.is(400);
    allow(subgroup, true).await;
    put(&t.admin(), &file, "3").await.is(201);
    allow(subgroup, false).await;
    allow(group, true).await;
    put(&t.admin(), &file, "4").await.is(400);
    assert_eq!(t.admin().get(&file).await.is(200).text(), "3");
}

#[testkit::story]
async fn settings_are_shown_whole_and_for_maintainers(t: TestServer) {
    let (group, _, _) = nested(&t).await;
    let path = format!("/groups/{group}/package_settings");
    let developer = t.user("developer").await;
    let maintainer = t.user("maintainer").await;
    let members = t.group("acme").await;
    members.add(&developer, 30).await;
    members.add(&maintainer, 40).await;

    let shown = maintainer.get(&path).await.is(200).json();
    assert_eq!(
        shown,
        json!({
            "maven_duplicates_allowed": true, "maven_duplicate_exception_regex": "",
            "generic_duplicates_allowed": true, "generic_duplicate_exception_regex": "",
            "nuget_duplicates_allowed": true, "nuget_duplicate_exception_regex": "",
            "terraform_module_duplicates_allowed": false,
            "terraform_module_duplicate_exception_regex": "",
        })
    );
    developer.get(&path).await.is(403);
    developer
        .put(&path)
        .json(&json!({"generic_duplicates_allowed": false}))
        .await
        .is(403);
    let outsider = t.user("outsider").await;
    outsider.get(&path).await.is(404);
    t.anonymous().get(&path).await.is(401);
    for (field, kind) in [
        ("maven", "long"),
        ("generic", "("),
        ("nuget", "(?=x)"),
        ("terraform_module", "((a{1000}){1000}){1000}"),
    ] {
        let pattern = if kind == "long" {
            "a".repeat(256)
        } else {
            kind.to_owned()
        };
        let change = json!({format!("{field}_duplicate_exception_regex"): pattern});
        maintainer.put(&path).json(&change).await.is(400);
    }
    assert_eq!(maintainer.get(&path).await.is(200).json(), shown);
}

#[testkit::story]
async fn hostile_patterns_cost_nothing(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let change = json!({"generic_duplicates_allowed": false,
        "generic_duplicate_exception_regex": "(a|aa|a*)*(a+)+b"});
    let settings = format!("/groups/{}/package_settings", r.namespace);
    t.admin().put(&settings).json(&change).await.is(200);
    let name = "a".repeat(255);

    // A backtracking engine would not answer within the age of the world.
    r.publish(&t, &format!("{name}/1.0/f"), "1").await;
    put(&t.admin(), &r.generic(&format!("{name}/1.0/f")), "2").await.is(400);
    r.publish(&t, "aab/1.0/f", "1").await;
    r.publish(&t, "aab/1.0/f", "2").await;
}

#[testkit::story]
async fn another_digest_than_declared_is_refused(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let path = r.generic("hammer/1.0/a");
    let send = |name: &str, digest: &str| put(&t.admin(), &path, "abc").header(name, digest);
    let wrong = sha256("abd");

    let refused = send("x-checksum-sha256", &wrong).await.is(400).json();
    assert_eq!(
        refused,
        json!({"message":
        "400 Bad request - X-Checksum-SHA256 is not the digest of the bytes received"})
    );
    send("x-checksum-sha1", &wrong).await.is(400);
    send("x-checksum-md5", "").await.is(400);
    send("x-checksum-sha512", &wrong).await.is(400);
    assert_eq!(rows(&t).await, (0, 0, 0));
    let blobs = t.app().config().data_dir.join("blobs");
    assert_eq!(testkit::files_below(&blobs), Vec::<std::path::PathBuf>::new());

    send("x-checksum-sha256", &sha256("abc").to_uppercase()).await.is(201);
    send("x-checksum-md5", "900150983cd24fb0d6963f7d28e17f72").await.is(201);
}

#[testkit::story]
async fn a_raw_body_is_a_file_whatever_its_type(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    for (number, kind) in [
        "application/x-www-form-urlencoded",
        "application/json",
        "text/plain; charset=utf-16",
        "nonsense",
    ]
    .into_iter()
    .enumerate()
    {
        let path = r.generic(&format!("hammer/1.0/{number}"));
        let bytes = "status=hidden&{\"select\": 1}%00";
        put(&t.admin(), &path, bytes).header("content-type", kind).await.is(201);
        assert_eq!(t.admin().get(&path).await.is(200).text(), bytes);
    }
    r.publish(&t, "hammer/1.0/empty", "").await;
    let empty = t.admin().get(r.generic("hammer/1.0/empty")).await.is(200);
    assert_eq!((empty.text(), empty.header("content-length")), (String::new(), "0"));
}

#[testkit::story]
async fn who_expects_to_continue_is_told_before_sending(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let token = t.admin().token().expect("a token").to_owned();
    let ask = async |length: u64| {
        let path = format!("/api/v4{}", r.generic("hammer/1.0/a"));
        let head = format!(
            "PUT {path} HTTP/1.1\r\nHost: x\r\nPRIVATE-TOKEN: {token}\r\n\
            Expect: 100-continue\r\nContent-Length: {length}\r\n\r\n"
        );
        let address = t.url().replace("http://", "");
        let mut stream = tokio::net::TcpStream::connect(address).await.expect("it listens");
        stream.write_all(head.as_bytes()).await.expect("sent");
        let mut said = vec![0; 64];
        let read = stream.read(&mut said).await.expect("an answer");
        (String::from_utf8_lossy(&said[..read]).into_owned(), stream)
    };

    // More than the limit is refused without a byte of it.
    let (said, _) = ask(6 << 30).await;
    assert!(said.starts_with("HTTP/1.1 400"), "{said}");

    let (said, mut stream) = ask(3).await;
    assert!(said.starts_with("HTTP/1.1 100"), "{said}");
    stream.write_all(b"abc").await.expect("sent");
    let mut said = vec![0; 64];
    let read = stream.read(&mut said).await.expect("an answer");
    assert!(said[..read].starts_with(b"HTTP/1.1 201"));
    assert_eq!(r.get(&t, "hammer/1.0/a").await, "abc");
}
