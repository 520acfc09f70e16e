//! Files that are fetched: only over https, and never from where the server may not go.

use super::unlimited;
use serde_json::{Value, json};
use testkit::TestServer;

fn wanted(more: Value) -> Value {
    let mut body = json!({"path": "anvil", "namespace": "acme"});
    for (key, value) in more.as_object().expect("fields") {
        body[key] = value.clone();
    }
    body
}

fn in_bucket() -> Value {
    wanted(json!({
        "region": "eu-west-1", "bucket_name": "files", "file_key": "a/b.tar.gz",
        "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "very-secret-key",
    }))
}

#[testkit::story]
async fn addresses_are_https_and_not_local(t: TestServer) {
    unlimited(&t).await;
    t.group("acme").await;
    for (url, told) in [
        ("http://files.example/a.tar.gz", "Only allowed schemes are https"),
        ("ftp://files.example/a", "Only allowed schemes are https"),
        ("file:///etc/passwd", "Only allowed schemes are https"),
        ("nonsense", "URI is invalid"),
        ("https://127.0.0.1/a.tar.gz", "url is blocked"),
        ("https://169.254.169.254/latest/meta-data", "url is blocked"),
        ("https://[::ffff:127.0.0.1]/a", "url is blocked"),
        ("https://2130706433/a", "url is blocked"),
        ("https://user:very-secret-key@localhost/a", "url is blocked"),
    ] {
        let body = wanted(json!({"url": url}));
        let sent = t.admin().post("/projects/remote-import").json(&body).await.is(400).text();
        assert!(sent.contains(told) && !sent.contains("very-secret-key"), "{url}: {sent}");
    }
    t.admin().get("/projects/acme%2Fanvil").await.is(404);
}

#[testkit::story]
async fn places_in_buckets_are_checked(t: TestServer) {
    unlimited(&t).await;
    t.group("acme").await;
    for (field, value) in [
        ("region", "evil.example/"),
        ("bucket_name", "a/b"),
        ("bucket_name", "x.evil.example#"),
        ("file_key", ""),
        ("access_key_id", "a b"),
    ] {
        let mut body = in_bucket();
        body[field] = json!(value);
        let sent = t.admin().post("/projects/remote-import-s3").json(&body).await.is(400).text();
        assert!(sent.contains(field) && !sent.contains("very-secret-key"), "{field}: {sent}");
    }
    let mut body = in_bucket();
    body.as_object_mut().expect("fields").remove("region");
    // Some clients ask for files in buckets where those at addresses are.
    for path in ["/projects/remote-import-s3", "/projects/remote-import"] {
        let sent = t.admin().post(path).json(&body).await.is(400).text();
        assert!(sent.contains("region"), "{sent}");
    }
    let nothing = t.admin().post("/projects/remote-import").json(&wanted(json!({}))).await;
    assert!(nothing.is(400).text().contains("url is missing"));
}

#[testkit::story]
async fn who_may_not_import_learns_nothing_of_addresses(t: TestServer) {
    let (dev, group) = (t.user("dev").await, t.group("acme").await);
    group.add(&dev, 20).await;
    let body = wanted(json!({"url": "https://127.0.0.1/a.tar.gz"}));
    t.anonymous().post("/projects/remote-import").json(&body).await.is(401);
    let sent = dev.post("/projects/remote-import").json(&body).await.is(403).text();
    assert!(!sent.contains("blocked"), "{sent}");
    let stranger = t.user("stranger").await;
    stranger.post("/projects/remote-import").json(&body).await.is(404);
    let off = json!({"import_sources": ["git"]});
    t.admin().put("/application/settings").json(&off).await.is(200);
    for path in ["/projects/remote-import", "/projects/remote-import-s3"] {
        let body = if path.ends_with("s3") {
            in_bucket()
        } else {
            body.clone()
        };
        let sent = t.admin().post(path).json(&body).await.is(403).text();
        assert!(sent.contains("project_file import source is disabled"), "{sent}");
    }
}
