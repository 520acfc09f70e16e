//! Files that somebody made to do harm.

use super::{Made, imported, issue, manifest, note, of_lines, send, unlimited};
use serde_json::{Value, json};
use tar::EntryType;
use testkit::{TestServer, files_below, sha256};

/// Sends a file; why it was refused, at once or by its import.
async fn refused(t: &TestServer, path: &str, file: &[u8]) -> String {
    let sent = send(&t.admin(), &[("path", path), ("namespace", "acme")], file).await;
    if sent.status != 201 {
        return sent.is(400).text();
    }
    t.settle().await;
    let shown = t.admin().get(format!("/projects/{}/import", sent.id())).await.is(200).json();
    assert_eq!(shown["import_status"], "failed", "{shown}");
    shown["import_error"].as_str().expect("a reason").to_owned()
}

#[testkit::story]
async fn no_file_leads_out_of_its_place(t: TestServer) {
    unlimited(&t).await;
    t.group("acme").await;
    let odd = [
        (EntryType::Symlink, &b"labels-000001.ndjson"[..]),
        (EntryType::Link, b"labels-000001.ndjson"),
        (EntryType::Char, b"device"),
        (EntryType::Fifo, b"pipe"),
        (EntryType::GNULongName, b"long"),
        (EntryType::XHeader, b"pax"),
        (EntryType::Regular, b"../../escape"),
        (EntryType::Regular, b"/tmp/escape"),
        (EntryType::Regular, b"a\\b"),
    ];
    for (at, (kind, name)) in odd.into_iter().enumerate() {
        let file = Made::begin().with_odd(kind, name).ended(2);
        let why = refused(&t, &format!("odd{at}"), &file).await;
        assert!(why.contains("no plain file"), "{kind:?} {why}");
    }
    let mut files = files_below(&t.app().config().cache_dir);
    files.retain(|file| file.ends_with("escape"));
    assert!(files.is_empty(), "{files:?}");
}

#[testkit::story]
async fn no_file_becomes_much_out_of_little(t: TestServer) {
    t.group("acme").await;
    let zeroes = "0".repeat(80 << 20);
    let file = Made::begin().with("issues-000001.ndjson", &zeroes).ended(2);
    assert!(file.len() < 1 << 20, "it is small");
    let why = refused(&t, "bomb", &file).await;
    assert!(why.contains("unpacks to more"), "{why}");

    let limit = json!({"max_decompressed_archive_size": 1});
    t.admin().put("/application/settings").json(&limit).await.is(200);
    let file = Made::begin().with("new/thing.bin", &noise(3 << 20)).ended(2);
    let why = refused(&t, "large", &file).await;
    assert!(why.contains("unpacks to more"), "{why}");

    let limit = json!({"max_import_size": 1});
    t.admin().put("/application/settings").json(&limit).await.is(200);
    let texts = [("path", "sent"), ("namespace", "acme")];
    send(&t.admin(), &texts, noise(3 << 20).as_bytes()).await.is(413);
}

/// A text that hardly gets smaller.
fn noise(length: usize) -> String {
    let digests = (0..length / 64 + 1).map(|number: usize| sha256(number.to_le_bytes()));
    digests.collect::<String>()[..length].to_owned()
}

#[testkit::story]
async fn what_is_no_whole_file_is_refused(t: TestServer) {
    unlimited(&t).await;
    t.group("acme").await;
    let whole = Made::begin().with("labels-000001.ndjson", &noise(100_000)).ended(2);
    let other = manifest().to_string().replace("tenon-project", "other");
    let newer = manifest().to_string().replace("\"version\":1", "\"version\":99");
    for (at, (file, told)) in [
        (b"no file at all".to_vec(), "damaged"),
        (Made::empty().packed(), "no export"),
        (Made::empty().with("x.json", "{}").ended(1), "no export"),
        (Made::empty().with("tenon-project.json", &other).ended(1), "no export"),
        (Made::empty().with("tenon-project.json", &newer).ended(1), "version 99"),
        (Made::empty().with("tenon-project.json", "[]").ended(1), "not what it has to be"),
        (whole[..whole.len() / 2].to_vec(), "damaged"),
        (Made::begin().packed(), "not whole"),
        (Made::begin().ended(7), "not whole"),
    ]
    .into_iter()
    .enumerate()
    {
        let why = refused(&t, &format!("cut{at}"), &file).await;
        assert!(why.contains(told), "{told}: {why}");
    }
    let texts = [("path", "none"), ("namespace", "acme")];
    let request = t.admin().post("/projects/import");
    let sent = crate::packages_formats::forms::multipart(request, &texts, &[]).await.is(400);
    assert!(sent.text().contains("file is missing"));
    t.admin().post("/projects/import").json(&json!({"path": "x"})).await.is(400);
}

#[testkit::story]
async fn what_cannot_be_read_is_told_and_the_rest_comes(t: TestServer) {
    // Texts stay as they are; what shows them makes them harmless.
    let script = "**bold** <script>alert(1)</script>";
    let mut odd = issue(3, "Odd");
    odd["description"] = json!("a\0b");
    let mut wrong = issue(4, "Wrong");
    wrong["title"] = json!({"no": "text"});
    let issues = [
        of_lines(&[issue(1, "Good"), issue(0, "Zero"), issue(-4, "Less"), odd, wrong]),
        "{\"type\":\"issue\"\n[]\nnull\n".to_owned(),
        of_lines(&[note("n1", 1, "in the wrong list"), issue(2, "Last")]),
    ];
    let notes = of_lines(&[note("n1", 1, script), note("n2", 99, "of none")]);
    let file = Made::begin()
        .with("issues-000001.ndjson", &issues.concat())
        .with("notes-000001.ndjson", &notes)
        .with("new/thing.json", "{}")
        .ended(4);
    let (id, shown) = imported(&t, &t.admin(), "acme/anvil", &file).await;
    assert_eq!(shown["import_status"], "finished", "{shown}");
    let failed = shown["failed_relations"].as_array().expect("a list").len();
    assert_eq!(failed, 8, "{shown}");
    for (number, title) in [(1, "Good"), (2, "Last"), (3, "Odd")] {
        let path = format!("/projects/{id}/issues/{number}");
        assert_eq!(t.admin().get(path).await.is(200).json()["title"], title);
    }
    let issues = t.admin().get(format!("/projects/{id}/issues")).await.is(200);
    assert_eq!(issues.each("iid").len(), 3);
    let odd = t.admin().get(format!("/projects/{id}/issues/3")).await.is(200).json();
    assert_eq!(odd["description"], "ab");
    let notes = t.admin().get(format!("/projects/{id}/issues/1/notes")).await.is(200);
    assert_eq!(notes.each("body"), [json!("**bold** <script>alert(1)</script>")]);
}

#[testkit::story]
async fn bundles_that_are_none_end_an_import(t: TestServer) {
    t.group("acme").await;
    let id = "0".repeat(40);
    for (at, text) in [
        "no bundle",
        "# v2 git bundle\n",
        &format!("# v2 git bundle\n{id} refs/heads/main\n\nPACK"),
        &format!("# v2 git bundle\n-{id} before\n{id} refs/heads/main\n\n"),
    ]
    .into_iter()
    .enumerate()
    {
        let file = Made::begin().with("repository.bundle", text).ended(2);
        let why = refused(&t, &format!("code{at}"), &file).await;
        assert!(why.starts_with("Failed to import the repository: "), "{why}");
    }
}

#[testkit::story]
async fn bytes_are_those_of_their_digest(t: TestServer) {
    let secret = "0123456789abcdef0123456789abcdef";
    let at = "2020-01-01T00:00:00Z";
    let good = sha256("good");
    let upload = |secret: &str, name: &str, digest: &str| json!({"secret": secret, "name": name, "sha256": digest, "created_at": at});
    let uploads = [
        upload(secret, "a.txt", &good),
        upload("../../x", "a.txt", &good),
        upload(&secret.replace('0', "1"), "../a.txt", &good),
        upload(&secret.replace('0', "2"), "b.txt", &sha256("missing")),
        upload(&secret.replace('0', "3"), "c.txt", &sha256("bad")),
    ];
    let large = [json!({"oid": good, "size": 4}), json!({"oid": sha256("bad"), "size": 5})];
    let bad = format!("uploads/{}", sha256("bad"));
    let file = Made::begin()
        .with("uploads-000001.ndjson", &of_lines(&uploads))
        .with("lfs_objects-000001.ndjson", &of_lines(&large))
        .with(&format!("uploads/{good}"), "good")
        .with(&bad, "other")
        .with(&format!("lfs/{good}"), "good")
        .with(&format!("lfs/{}", sha256("bad")), "other")
        .ended(7);
    let (id, shown) = imported(&t, &t.admin(), "acme/anvil", &file).await;
    assert_eq!(shown["import_status"], "finished", "{shown}");
    assert_eq!(shown["failed_relations"].as_array().map(Vec::len), Some(5), "{shown}");
    let kept = t.admin().get(format!("/projects/{id}/uploads/{secret}/a.txt")).await.is(200);
    assert_eq!(kept.text(), "good");
    let uploads = t.admin().get(format!("/projects/{id}/uploads")).await.is(200);
    assert_eq!(uploads.each("filename"), [json!("a.txt")]);
    assert_eq!(shown["stats"]["imported"]["lfs_object"], 1);
}

#[testkit::story]
async fn a_file_makes_nobody_an_owner(t: TestServer) {
    let victim = t.user("victim").await;
    let member = json!({
        "type": "member", "access_level": 50,
        "who": {"id": victim.id.to_string(), "username": "victim", "email": "victim@example.com"},
    });
    let mut host = manifest();
    host["host"] = Value::from(t.app().host());
    let mut of_victim = issue(1, "By whom?");
    of_victim["author"] = member["who"].clone();
    let file = Made::empty()
        .with("tenon-project.json", &host.to_string())
        .with("members-000001.ndjson", &of_lines(&[member]))
        .with("issues-000001.ndjson", &of_lines(&[of_victim]))
        .ended(3);
    let smith = t.user("smith").await;
    let group = t.group("acme").await;
    group.add(&smith, 40).await;
    let (id, shown) = imported(&t, &smith, "acme/anvil", &file).await;
    assert_eq!(shown["import_status"], "finished", "{shown}");
    let issue = t.admin().get(format!("/projects/{id}/issues/1")).await.is(200).json();
    assert_ne!(issue["author"]["id"], victim.id, "a file says nothing of who is who here");
    victim.get(format!("/projects/{id}")).await.is(404);
}
