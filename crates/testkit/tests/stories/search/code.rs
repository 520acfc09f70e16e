//! What is found in repositories: lines of files, and commits.

use super::{found, member};
use serde_json::{Value, json};
use testkit::{TestProject, TestServer};

/// Writes files in one commit to a branch.
async fn write(t: &TestServer, project: &TestProject, on: Value, files: &[(&str, &str)]) {
    let action = |(path, content): &(&str, &str)| {
        json!({"action": "create", "file_path": path, "content": content, "encoding": "base64",
            "execute_filemode": false})
    };
    let mut body = on;
    body["actions"] = files.iter().map(action).collect();
    let path = project.at("/repository/commits");
    t.admin().post(path).json(&body).await.is(201);
}

fn on(branch: &str, message: &str) -> Value {
    json!({"branch": branch, "commit_message": message})
}

/// `one` to `ten`, with a zebra in the lines 2 and 9; the same in a folder; a binary file.
async fn stripes(t: &TestServer, path: &str, visibility: &str) -> TestProject {
    let project = t.project_with(path, visibility).await;
    let lines =
        "b25lCnR3byBaZWJyYSA8Yj4KdGhyZWUKZm91cgpmaXZlCnNpeApzZXZlbgplaWdodAp6ZWJyYSBuaW5lCnRlbgo=";
    let files = [
        ("herd.txt", lines),
        ("src/--herd:1.rs", "ZXZlcnkgemVicmEK"),
        ("docs/odd name.md", "WkVCUkEgIyB6ZWJyYQo="),
        ("pixels.bin", "AHplYnJhCg=="),
    ];
    write(t, &project, on("main", "Begin the Zebra herd\n\nfull of stripes"), &files).await;
    project
}

#[testkit::story]
async fn lines_of_files_are_found_where_they_stand(t: TestServer) {
    let project = stripes(&t, "acme/zoo", "private").await;
    let admin = t.admin();
    let path = |rest: &str| project.at(&format!("/search?scope=blobs&search={rest}"));
    let all = admin.get(path("zebra")).await.is(200);
    let paths = all.each("path");
    assert_eq!(paths, ["docs/odd name.md", "herd.txt", "herd.txt", "src/--herd:1.rs"]);
    let herd = &all.json()[1];
    let expected = json!({
        "basename": "herd", "data": "one\ntwo Zebra <b>\nthree\nfour\n", "path": "herd.txt",
        "filename": "herd.txt", "id": null, "ref": "main", "startline": 1,
        "project_id": project.id,
    });
    assert_eq!(herd, &expected);
    let last = &all.json()[2];
    assert_eq!(last["startline"], 7);
    assert_eq!(last["data"], "seven\neight\nzebra nine\nten\n");

    for (asked, paths) in [
        ("zebra+extension:rs", vec!["src/--herd:1.rs"]),
        ("zebra+-extension:rs+-path:docs", vec!["herd.txt", "herd.txt"]),
        ("zebra+path:src/*+filename:*.rs", vec!["src/--herd:1.rs"]),
        ("filename:HERD.txt", vec!["herd.txt"]),
        ("zebra+filename:herd*+path:docs", vec![]),
        ("zebra+nine", vec!["herd.txt"]),
        // Nothing is a pattern or an option.
        ("z.bra", vec![]),
        ("--open-files-in-pager%3Dtouch", vec![]),
        ("-e+zebra", vec![]),
        ("zebra%0Aone", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(found(&admin, &path(asked), "path").await, paths, "{asked}");
    }
    let first = admin.get(path("zebra&per_page=3")).await.is(200);
    assert_eq!((first.each("path").len(), first.header("x-next-page")), (3, "2"));
    assert_eq!(first.header("x-total"), "");
    let rest = admin.get(path("zebra&per_page=3&page=2")).await.is(200);
    assert_eq!((rest.each("path"), rest.header("x-next-page")), (vec![json!(paths[3])], ""));
    assert_eq!(found(&admin, &path("zebra&page=5000"), "path").await.len(), 0);

    let side = json!({"branch": "side", "start_branch": "main", "commit_message": "Side"});
    write(&t, &project, side, &[("side.txt", "cXVhZ2dhCg==")]).await;
    assert_eq!(found(&admin, &path("quagga"), "path").await.len(), 0);
    for (at, count) in [("side", 1), ("main", 0), ("nowhere", 0), ("--all", 0), ("HEAD%5E", 0)] {
        let asked = format!("quagga&ref={at}");
        assert_eq!(found(&admin, &path(&asked), "ref").await.len(), count, "{at}");
    }
    admin.get(path(&"x".repeat(1001))).await.is(400);
    let empty = t.project("acme/empty").await;
    let path = empty.at("/search?scope=blobs&search=zebra");
    assert_eq!(found(&admin, &path, "path").await.len(), 0);
}

#[testkit::story]
async fn commits_are_found_by_message_and_name(t: TestServer) {
    let project = stripes(&t, "acme/zoo", "private").await;
    write(&t, &project, on("main", "Feed them"), &[("food", "aGF5Cg==")]).await;
    let admin = t.admin();
    let path = |rest: &str| project.at(&format!("/search?scope=commits&search={rest}"));
    let commits = admin.get(project.at("/repository/commits")).await.is(200);
    let shas: Vec<String> = commits
        .each("id")
        .iter()
        .map(|id| id.as_str().unwrap_or_default().to_owned())
        .collect();
    let status = project.at(&format!("/statuses/{}", shas[1]));
    admin.post(status).json(&json!({"state": "success"})).await.is(201);

    let one = admin.get(path("zebra+HERD")).await.is(200).json();
    assert_eq!(one.as_array().map(Vec::len), Some(1));
    assert_eq!((&one[0]["id"], &one[0]["status"]), (&json!(shas[1]), &json!("success")));
    assert_eq!(one[0]["project_id"], project.id);
    assert_eq!(found(&admin, &path(&shas[0][..9]), "id").await, [shas[0].as_str()]);
    for (asked, count) in [("full+of", 1), ("e", 2), ("e&per_page=1", 1), (".*", 0), ("", 0)] {
        assert_eq!(found(&admin, &path(asked), "id").await.len(), count, "{asked}");
    }
}

#[testkit::story]
async fn code_is_found_by_who_may_read_it(t: TestServer) {
    let hidden = stripes(&t, "acme/hidden", "private").await;
    let open = stripes(&t, "acme/open", "public").await;
    let closed = stripes(&t, "acme/closed", "public").await;
    let private = json!({"repository_access_level": "private"});
    t.admin().put(closed.at("")).json(&private).await.is(200);
    let outsider = t.user("outsider").await;
    let guest = member(&t, &hidden, "guest", 10).await;
    let reporter = member(&t, &hidden, "reporter", 20).await;
    for scope in ["blobs", "commits"] {
        let at = |place: &str| format!("{place}/search?scope={scope}&search=zebra");
        let each = if scope == "blobs" { 4 } else { 1 };
        for (user, projects) in [(&outsider, 1), (&guest, 1), (&reporter, 2)] {
            for place in ["", "/groups/acme"] {
                let count = found(user, &at(place), "project_id").await.len();
                assert_eq!(count, projects * each, "{place}");
            }
        }
        // The project shows, its code does not: nothing is there.
        for (user, project, count) in [
            (&guest, &hidden, 0),
            (&reporter, &hidden, each),
            (&outsider, &closed, 0),
            (&outsider, &open, each),
        ] {
            assert_eq!(found(user, &project.at(&at("")), "project_id").await.len(), count);
        }
        outsider.get(hidden.at(&at(""))).await.is(404);
        t.anonymous().get(at("")).await.is(401);
    }
    // The last push comes first; an archived project is left out unless asked for.
    let path = "/groups/acme/search?scope=blobs&search=zebra";
    assert_eq!(found(&t.admin(), path, "project_id").await[0], closed.id);
    t.admin().post(closed.at("/archive")).await.is(201);
    assert_eq!(found(&t.admin(), path, "project_id").await[0], open.id);
    let all = format!("{path}&include_archived=true");
    assert_eq!(found(&t.admin(), &all, "project_id").await[0], closed.id);
}

#[testkit::story]
async fn a_page_shows_lines_that_lead_to_their_file(t: TestServer) {
    let project = stripes(&t, "acme/zoo", "private").await;
    member(&t, &project, "dev", 30).await;
    member(&t, &project, "guest", 10).await;
    let browser = t.browser("dev").await;
    let page = |query: &'static str| browser.get(query);
    let text = page("/search?q=zebra&type=blobs&project=acme%2Fzoo").await.is(200).text();
    for part in [
        "<a href=\"/acme/zoo/-/blob/main/herd.txt#L2\">herd.txt</a>",
        "<a href=\"/acme/zoo/-/blob/main/herd.txt#L9\" aria-label=\"9\"",
        "two <mark>Zebra</mark> &lt;b&gt;",
        "/acme/zoo/-/blob/main/docs/odd%20name.md",
        "name=\"ref\"",
        "extension:",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert!(!text.contains("pixels.bin"));
    browser.get("/acme/zoo/-/blob/main/docs/odd%20name.md").await.is(200);
    let narrowed = page("/search?q=zebra+extension%3Ars&type=blobs").await.is(200).text();
    assert!(narrowed.contains("src/--herd:1.rs") && !narrowed.contains("herd.txt"));
    let none = page("/search?q=quagga&type=blobs").await.is(200).text();
    assert!(none.contains("Nothing found"));
    let none = page("/search?q=zebra&type=blobs&project=acme%2Fzoo&ref=nowhere").await;
    assert!(none.is(200).text().contains("Nothing found"));
    let commits = page("/search?q=herd&type=commits").await.is(200).text();
    assert!(commits.contains("Begin the Zebra herd") && commits.contains("/acme/zoo/-/commit/"));
    let things = page("/search?q=%3D%3E").await.is(200).text();
    assert!(things.contains("type=blobs\">Code</a>"), "{things}");

    let guest = t.browser("guest").await;
    let text = guest.get("/search?q=zebra&type=blobs&project=acme%2Fzoo").await.is(200).text();
    assert!(!text.contains("herd") && !text.contains(">Code</a>"), "{text}");
    let stranger = t.new_browser();
    let text = stranger.get("/search?q=zebra&type=blobs").await.is(200).text();
    assert!(text.contains("Nothing found") && !text.contains("herd"));
}
