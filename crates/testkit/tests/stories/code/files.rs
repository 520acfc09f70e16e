//! Folders, files, contents and archives.

use serde_json::json;
use testkit::{Git, sha256};

#[testkit::story]
async fn folders_are_listed(t: testkit::TestServer) {
    let (project, git) = super::history(&t).await;
    let list = |query: &str| t.admin().get(project.at(&format!("/repository/tree{query}")));
    let root = list("").await.is(200);
    assert_eq!(
        root.each("name"),
        ["docs", "src", "README.md", "link", "odd \"é\tname", "pixels", "parts"]
    );
    assert_eq!(root.header("x-total"), "7");
    let first = &root.json()[2];
    assert_eq!((&first["mode"], &first["type"]), (&json!("100755"), &json!("blob")));
    assert_eq!(root.json()[6]["type"], "commit");
    assert_eq!(list("?path=src").await.is(200).each("path"), ["src/beak.txt"]);

    let all = list("?recursive=true&pagination=none").await.is(200);
    let wanted = super::lines(&git, &["ls-tree", "-r", "-t", "--format=%(objectname)", "main"]);
    let (mut ids, mut wanted) = (all.each("id"), wanted.await);
    ids.sort_by_key(ToString::to_string);
    wanted.sort();
    assert_eq!(ids, wanted);
    let refused = list("?pagination=none").await.is(400).json();
    let text = "pagination cannot be \"none\" unless \"recursive\" is true";
    assert_eq!(refused["message"], text);

    let mut names = Vec::new();
    let mut at = project.at("/repository/tree?recursive=true&pagination=keyset&per_page=3");
    loop {
        let page = t.admin().get(&at).await.is(200);
        names.extend(page.each("path"));
        match page.link("next") {
            Some(next) => at = next.split_once("/api/v4").unwrap().1.to_owned(),
            None => break,
        }
    }
    assert_eq!(names, all.each("path"));
    for (query, text) in [
        ("?ref=none", "404 Tree Not Found"),
        ("?path=none", "404 invalid revision or path Not Found"),
        ("?path=README.md", "404 invalid revision or path Not Found"),
        ("?path=../x", "404 invalid revision or path Not Found"),
    ] {
        assert_eq!(list(query).await.is(404).json()["message"], text, "{query}");
    }
}

#[testkit::story]
async fn a_file_is_told_and_sent(t: testkit::TestServer) {
    let (project, git) = super::history(&t).await;
    let at = |rest: &str| project.at(&format!("/repository/files/{rest}"));
    let file = t.admin().get(at("src%2Fbeak.txt?ref=main")).await.is(200);
    let told = file.json();
    assert_eq!(told["content"], "b25lCjIKdGhyZWUKZm91cgo=");
    assert_eq!(told["last_commit_id"], git.id("one", "main~1").await.as_str());
    assert_eq!(told["commit_id"], git.id("one", "main").await.as_str());
    assert_eq!(told["blob_id"], git.id("one", "main:src/beak.txt").await.as_str());
    assert_eq!(told["content_sha256"], sha256(b"one\n2\nthree\nfour\n"));
    assert_eq!((&told["size"], &told["ref"]), (&json!(17), &json!("main")));
    let head = t.admin().head(at("src%2Fbeak%2Etxt?ref=main")).await.is(200);
    assert_eq!(head.header("x-gitlab-file-path"), "src/beak.txt");
    assert_eq!(head.header("x-service-last-commit-id"), told["last_commit_id"]);
    assert_eq!(t.admin().get(at("README.md?ref=HEAD")).await.json()["execute_filemode"], true);
    for path in ["README.md", "docs/guide.md", "pixels", "src/beak.txt"] {
        let wanted = super::lines(&git, &["log", "-1", "--format=%H", "main", "--", path]).await;
        let found = t.admin().get(at(&format!("{}?ref=main", path.replace('/', "%2F")))).await;
        assert_eq!(found.json()["last_commit_id"], wanted[0].as_str(), "{path}");
    }

    let raw = t.admin().get(at("src%2Fbeak.txt/raw")).await.is(200);
    assert_eq!(raw.text(), "one\n2\nthree\nfour\n");
    assert_eq!(raw.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(raw.header("x-content-type-options"), "nosniff");
    assert_eq!(raw.header("content-disposition"), "attachment; filename=\"beak.txt\"");
    let pixels = t.admin().get(at("pixels/raw?ref=main")).await.is(200);
    assert_eq!(pixels.header("content-type"), "application/octet-stream");

    let blob = git.id("one", "main:pixels").await;
    let content = t.admin().get(project.at(&format!("/repository/blobs/{blob}"))).await.is(200);
    assert_eq!(content.json()["content"], "AAEC");
    let bytes = t
        .admin()
        .get(project.at(&format!("/repository/blobs/{blob}/raw")))
        .await
        .is(200);
    assert_eq!(bytes.body.as_ref(), b"\0\x01\x02");
    for (path, status) in [
        ("none?ref=main", 404),
        ("src?ref=main", 404),
        ("parts?ref=main", 404),
        ("README.md?ref=none", 404),
        ("README.md", 400),
        ("src%2F..%2FREADME.md?ref=main", 400),
        ("%2FREADME.md?ref=main", 400),
        ("%2FREADME.md/raw", 200),
    ] {
        t.admin().get(at(path)).await.is(status);
    }
}

#[testkit::story]
async fn a_large_file_is_streamed(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    let text = "0123456789abcde\n".repeat(400_000);
    git.commit("one", "large.txt", &text).await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let raw = t.admin().get(project.at("/repository/files/large.txt/raw")).await.is(200);
    assert_eq!(raw.header("content-length"), text.len().to_string());
    assert!(raw.text() == text);
    let diff = t.admin().get(project.at("/repository/commits/main/diff")).await.is(200).json();
    assert_eq!((&diff[0]["too_large"], &diff[0]["diff"]), (&json!(true), &json!("")));
}

#[testkit::story]
async fn lines_are_of_commits(t: testkit::TestServer) {
    let (project, git) = super::history(&t).await;
    let at = |query: &str| {
        project.at(&format!("/repository/files/src%2Fbeak.txt/blame?ref=main{query}"))
    };
    let told = t.admin().get(at("")).await.is(200).json();
    let lines: Vec<_> = told.as_array().unwrap().iter().map(|item| item["lines"].clone()).collect();
    assert_eq!(lines, [json!(["one"]), json!(["2"]), json!(["three"]), json!(["four"])]);
    let porcelain =
        super::lines(&git, &["blame", "-l", "--root", "main", "--", "src/beak.txt"]).await;
    for (item, line) in told.as_array().unwrap().iter().zip(porcelain) {
        assert_eq!(item["commit"]["id"], line[..40]);
    }
    let some = t.admin().get(at("&range[start]=2&range[end]=2")).await.is(200).json();
    assert_eq!(some[0]["lines"], json!(["2"]));
    let beyond = t.admin().get(at("&range[start]=90&range[end]=99")).await.is(200).json();
    assert_eq!(beyond, json!([]));
    let refused = t.admin().get(at("&range[start]=3&range[end]=2")).await.is(400).json();
    assert_eq!(refused["message"], "range[start] must be less than or equal to range[end]");
    t.admin().get(at("&range[start]=0&range[end]=2")).await.is(400);
    t.admin().head(at("")).await.is(200);
}

#[testkit::story]
async fn archives_are_the_same_each_time(t: testkit::TestServer) {
    let (project, git) = super::history(&t).await;
    let at = |rest: &str| project.at(&format!("/repository/archive{rest}"));
    let id = git.id("one", "main").await;
    for (ending, kind) in [
        ("", "application/gzip"),
        (".tar.gz", "application/gzip"),
        (".tar.bz2", "application/x-bzip2"),
        (".tbz", "application/x-bzip2"),
        (".tar", "application/x-tar"),
        (".zip", "application/zip"),
    ] {
        let one = t.admin().get(at(ending)).await.is(200);
        let other = t.admin().get(at(ending)).await.is(200);
        assert!(!one.body.is_empty() && one.body == other.body, "{ending}");
        assert_eq!(one.header("content-type"), kind);
        assert!(one.header("content-disposition").contains(&format!("anvil-main-{id}")));
        let again = t.admin().get(at(ending)).header("if-none-match", one.header("etag"));
        again.await.is(304);
    }
    let whole = t.admin().get(at(".tar")).await.is(200).text();
    let part = t.admin().get(at(".tar?exclude_paths=docs,pixels")).await.is(200).text();
    assert!(whole.contains("docs/guide.md") && !part.contains("docs/guide.md"));
    let below = t.admin().get(at(".tar?path=docs")).await.is(200).text();
    assert!(below.contains("docs/guide.md") && !below.contains("README.md"));
    for bad in ["?sha=none", "?path=none", "?format=exe", "?path=../x"] {
        t.admin().get(at(bad)).await.is(404);
    }
}

#[testkit::story(noon)]
async fn archives_are_counted(t: testkit::TestServer) {
    let (project, _) = super::history(&t).await;
    let get = || t.admin().head(project.at("/repository/archive.tar"));
    let most = async |archives: i64, status: u16| {
        let sent = json!({"archive_requests_per_minute": archives});
        t.admin().put("/application/settings").json(&sent).await.is(status);
    };
    let shown = t.admin().get("/application/settings").await.is(200).json();
    assert_eq!(shown["archive_requests_per_minute"], 120);
    most(2, 200).await;
    for _ in 0..2 {
        get().await.is(200);
    }
    get().await.is(429);
    t.advance(60);
    get().await.is(200);
    most(0, 200).await;
    for _ in 0..4 {
        get().await.is(200);
    }
    most(-1, 400).await;
}
