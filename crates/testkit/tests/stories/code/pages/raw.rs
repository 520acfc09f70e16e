//! Bytes of files, and archives.

use super::{developer, with_files};
use serde_json::json;
use testkit::{Git, TestServer};

#[testkit::story]
async fn bytes_are_sent_as_what_they_are_and_never_run(t: TestServer) {
    let (project, git) = with_files(
        &t,
        &[
            ("page.html", b"<script>alert(1)</script>"),
            ("drawing.svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script/></svg>"),
            ("pixels.png", b"\x89PNG\0\0"),
            ("data.bin", b"\0\x01"),
        ],
    )
    .await;
    let browser = developer(&t, &project).await;
    let at = |path: &str| format!("/acme/anvil/-/raw/main/{path}");
    for (path, kind, shown) in [
        ("page.html", "text/plain; charset=utf-8", "inline"),
        ("drawing.svg", "image/svg+xml", "attachment"),
        ("pixels.png", "image/png", "inline"),
        ("data.bin", "application/octet-stream", "attachment"),
        ("page.html?inline=false", "text/plain; charset=utf-8", "attachment"),
    ] {
        let reply = browser.get(&at(path)).await.is(200);
        assert_eq!(reply.header("content-type"), kind, "{path}");
        assert!(reply.header("content-disposition").starts_with(shown), "{path}");
        assert_eq!(reply.header("content-security-policy"), "default-src 'none'; sandbox");
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
    }
    let blob = git.id("one", "main:data.bin").await;
    let reply = browser.get(&at("data.bin")).await.is(200);
    assert_eq!(reply.body.as_ref(), b"\0\x01");
    assert_eq!(reply.header("etag"), format!("\"{blob}\""));
    assert_eq!(
        reply.header("cache-control"),
        "max-age=60, private, must-revalidate, stale-while-revalidate=60, stale-if-error=300, s-maxage=60"
    );
    let tag = format!("\"{blob}\"");
    let again = browser.request(http::Method::GET, &at("data.bin"));
    let known = again.header("if-none-match", &tag).await.is(304);
    assert!(known.body.is_empty() && known.header("etag") == tag);
    let id = git.id("one", "main").await;
    let fixed = browser.get(&format!("/acme/anvil/-/raw/{id}/data.bin")).await.is(200);
    assert!(fixed.header("cache-control").starts_with("max-age=3600, private"));
    for nowhere in ["src", "none", "../x", "%2e%2e/x"] {
        browser.get(&at(nowhere)).await.is(404);
    }
}

#[testkit::story]
async fn a_large_file_of_lfs_is_sent_itself(t: TestServer) {
    let project = t.project("acme/anvil").await;
    crate::lfs::send(&t, &t.admin(), "acme/anvil", "a large file").await;
    let oid = testkit::sha256("a large file");
    let pointer =
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 12\n");
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.commit("one", "large.bin", &pointer).await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let browser = developer(&t, &project).await;

    let reply = browser.get("/acme/anvil/-/raw/main/large.bin").await.is(200);
    assert_eq!(reply.text(), "a large file");
    assert!(reply.header("content-disposition").starts_with("attachment"));
    let page = browser.get("/acme/anvil/-/blob/main/large.bin").await.is(200).text();
    assert!(page.contains("A large file of 12"), "{page}");
}

#[testkit::story(noon)]
async fn one_file_is_not_asked_for_too_often(t: TestServer) {
    let (project, _) = with_files(&t, &[("a.txt", b"a"), ("b.txt", b"b")]).await;
    let browser = developer(&t, &project).await;
    let limit = json!({"raw_blob_request_limit": 2});
    t.admin().put("/application/settings").json(&limit).await.is(200);
    for status in [200, 200, 429] {
        browser.get("/acme/anvil/-/raw/main/a.txt").await.is(status);
    }
    let refused = browser.get("/acme/anvil/-/raw/main/a.txt").await.is(429);
    assert_eq!(refused.text(), "You cannot access the raw file. Please wait a minute.");
    browser.get("/acme/anvil/-/raw/main/b.txt").await.is(200);
    let off = json!({"raw_blob_request_limit": 0});
    t.admin().put("/application/settings").json(&off).await.is(200);
    browser.get("/acme/anvil/-/raw/main/a.txt").await.is(200);
    let wrong = json!({"raw_blob_request_limit": -1});
    t.admin().put("/application/settings").json(&wrong).await.is(400);
}

#[testkit::story]
async fn archives_are_called_as_they_are_asked_for(t: TestServer) {
    let (project, git) = super::super::history(&t).await;
    let browser = developer(&t, &project).await;
    let id = git.id("one", "main").await;
    for (path, name, kind) in [
        ("main/anvil-main.zip", "anvil-main.zip".to_owned(), "application/zip"),
        ("main/x.tar.gz", format!("anvil-main-{id}.tar.gz"), "application/gzip"),
        (
            "main/x.tar?append_sha=false&path=src",
            "anvil-main-src.tar".into(),
            "application/x-tar",
        ),
        (
            "v1.10.0/anvil-v1.10.0.tar.gz",
            "anvil-v1.10.0.tar.gz".into(),
            "application/gzip",
        ),
    ] {
        let reply = browser.get(&format!("/acme/anvil/-/archive/{path}")).await.is(200);
        assert_eq!(reply.header("content-type"), kind, "{path}");
        let said = format!("attachment; filename=\"{name}\"");
        assert_eq!(reply.header("content-disposition"), said);
        assert!(!reply.body.is_empty() && !reply.header("etag").is_empty());
    }
    for nowhere in ["main", "main/x.rar", "none/x.zip", "main/src/x.zip", "main/x.zip?path=../x"] {
        browser.get(&format!("/acme/anvil/-/archive/{nowhere}")).await.is(404);
    }
    let embedded = browser
        .request(http::Method::GET, "/acme/anvil/-/archive/main/anvil-main.zip")
        .header("sec-fetch-site", "cross-site")
        .header("sec-fetch-mode", "no-cors");
    embedded.await.is(406);
    let limit = json!({"archive_requests_per_minute": 1});
    t.admin().put("/application/settings").json(&limit).await.is(200);
    browser.get("/acme/anvil/-/archive/main/anvil-main.zip").await.is(200);
    let refused = browser.get("/acme/anvil/-/archive/main/anvil-main.zip").await.is(429);
    assert!(refused.text().starts_with("This archive has been requested too many times."));
}
