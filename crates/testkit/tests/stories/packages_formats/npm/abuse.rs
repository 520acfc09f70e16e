//! What nobody should send.

use super::{at, publish, send};
use crate::packages_formats::registry::{Registry, rows};
use serde_json::{Value, json};
use testkit::npm;

#[testkit::story]
async fn paths_lead_to_packages_only(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 20).await;
    publish(&t.admin(), &r, "hammer", "1.0.0").await.is(200);
    for path in [
        "..%2f..%2fetc",
        "%2e%2e%2fx",
        "@acme%252fhammer",
        "a%5cb",
        "@acme",
        "hammer/-/..%2fx.tgz",
        "hammer/-/hammer-1.0.0.tgz/..",
        "hammer/-/",
        "-/nothing",
        "hammer%00",
        "hammer%0d%0a",
        "hammer/x",
        "@a/b/c",
        "hammer/-rev/1",
        "hammer/-/anvil-1.0.0.tgz",
    ] {
        let there = r.at(&format!("/npm/{path}"));
        for reply in [
            t.admin().get(&there).await,
            t.admin().put(&there).json(&json!({})).await,
            t.admin().delete(&there).await,
        ] {
            assert!([400, 404, 405, 409].contains(&reply.status), "{path}: {reply:?}");
        }
    }
    let long = r.at(&format!("/npm/{}", "a".repeat(300)));
    t.admin().get(&long).await.is(404);
    assert_eq!(rows(&t).await.0, 1);
}

#[testkit::story]
async fn archives_are_looked_into_with_care(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let manifest = json!({"name": "hammer", "version": "1.0.0"});
    let text = manifest.to_string();
    let deep = "[".repeat(100_000);
    let many: Vec<u8> = vec![0; 40 * 1024 * 1024];
    let archives: Vec<(Vec<u8>, &str)> = vec![
        (b"not an archive".to_vec(), "cannot be read"),
        (npm::archive(&[]), "empty"),
        (npm::archive(&[("package/index.js", b"x")]), "no package.json"),
        (npm::archive(&[("package/package.json", b"{")]), "cannot be read"),
        (npm::archive(&[("package/package.json", deep.as_bytes())]), "cannot be read"),
        (npm::archive(&[("package/package.json", b"\xff{}")]), "cannot be read"),
        (
            npm::archive(&[("package/zeros", &many), ("package/package.json", text.as_bytes())]),
            "expands to too many bytes",
        ),
    ];
    for (archive, reason) in archives {
        let body = npm::publication(&manifest, &archive, "latest");
        let refused = send(&t.admin(), &r, "hammer", &body).await.is(400);
        assert!(
            refused.json()["error"].as_str().unwrap_or_default().contains(reason),
            "{refused:?}"
        );
    }
    assert_eq!(rows(&t).await, (0, 0, 0));
    let spool = t.app().config().data_dir.join("blobs/tmp");
    assert!(testkit::files_below(&spool).is_empty());
}

#[testkit::story]
async fn bodies_that_are_no_publication_are_refused(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let path = at(&r, "hammer");
    let broken = ["", "{", "[]", "null", "\"x\"", "{\"a\":1}}", "{]", "\u{0}", "{\"versions\": 5}"];
    let deep = "[".repeat(100_000);
    let long = format!("{{\"name\": \"{}\"}}", "a".repeat(9 * 1024 * 1024));
    let many: Vec<String> = (0..20_000).map(|n| format!("\"{n}.0.0\":{{}}")).collect();
    let many = format!("{{\"versions\": {{{}}}}}", many.join(","));
    for body in broken.into_iter().chain([deep.as_str(), &long, &many]) {
        let begin = &body[..body.len().min(40)];
        for command in ["publish", "deprecate"] {
            let reply = t
                .admin()
                .put(&path)
                .header("content-type", "application/json")
                .header("npm-command", command)
                .bytes(body.to_owned())
                .await;
            assert_eq!(reply.status, 400, "{begin} {reply:?}");
        }
        let there = format!("{path}/-rev/1");
        let reply = t
            .admin()
            .put(there)
            .header("content-type", "application/json")
            .bytes(body.to_owned())
            .await;
        assert!([400, 404].contains(&reply.status), "{begin} {reply:?}");
    }
    assert_eq!(rows(&t).await, (0, 0, 0));
}

#[testkit::story]
async fn a_cut_upload_leaves_nothing(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let body = npm::plain("hammer", "1.0.0").to_string();
    for end in [1, 30, body.len() / 2, body.len() - 20, body.len() - 1] {
        let cut = t
            .admin()
            .put(at(&r, "hammer"))
            .header("content-type", "application/json")
            .bytes(body[..end].to_owned())
            .await;
        assert_eq!(cut.status, 400, "{end}");
    }
    assert_eq!(rows(&t).await, (0, 0, 0));
    t.admin().get(at(&r, "hammer")).await.is(404);
}

#[testkit::story]
async fn texts_of_packages_stay_texts(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 20).await;
    let evil = "</script>\r\nSet-Cookie: a=b\u{2028}\"}},{";
    let manifest = json!({"name": "hammer", "version": "1.0.0", "description": evil,
        "keywords": [evil], "homepage": "javascript:alert(1)", evil: evil});
    let body = npm::publication(&manifest, &npm::archive_of(&manifest), "latest");
    send(&t.admin(), &r, "hammer", &body).await.is(200);
    let shown = t.anonymous().get(at(&r, "hammer")).await.is(200);
    assert_eq!(shown.header("x-content-type-options"), "nosniff");
    let shown: Value = shown.json();
    assert_eq!(shown["versions"]["1.0.0"]["description"], evil);
    assert_eq!(shown["versions"]["1.0.0"][evil], evil);
}
