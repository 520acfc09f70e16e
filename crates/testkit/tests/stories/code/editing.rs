//! Files are written, uploaded, moved and deleted on pages.

use serde_json::{Value, json};
use testkit::{Browser, TestProject, TestServer};

/// A project with two files, one of them with other ends of lines, and somebody who may
/// push to it but not to its default branch.
async fn project(t: &TestServer) -> TestProject {
    let project = t.project("acme/anvil").await;
    let file = |path: &str, content: &str| json!({"action": "create", "file_path": path, "content": content});
    let body = json!({"branch": "main", "commit_message": "Begin", "actions": [
        file("README.md", "# Anvil\n"),
        file("docs/guide.txt", "one\r\ntwo\r\n"),
    ]});
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
    let smith = t.user("smith").await;
    project.add(&smith, 40).await;
    project
}

async fn content(t: &TestServer, project: &TestProject, path: &str, branch: &str) -> String {
    let path = path.replace('/', "%2F").replace(' ', "%20");
    let at = project.at(&format!("/repository/files/{path}/raw?ref={branch}"));
    t.admin().get(at).await.is(200).text()
}

async fn last_commit(t: &TestServer, project: &TestProject, branch: &str) -> Value {
    let at = project.at(&format!("/repository/commits/{branch}"));
    t.admin().get(at).await.is(200).json()
}

/// The hidden fields of the form on a page.
async fn opened(browser: &Browser, path: &str) -> (String, String) {
    let page = browser.get(path).await.is(200);
    (
        page.hidden("seen").unwrap_or_default(),
        page.hidden("seen_in").unwrap_or_default(),
    )
}

#[testkit::story]
async fn a_file_is_edited(t: TestServer) {
    let project = project(&t).await;
    let browser = t.browser("smith").await;
    let at = "/acme/anvil/-/edit/main/docs/guide.txt";
    let page = browser.get(at).await.is(200);
    let text = page.text();
    assert!(
        text.contains("Edit guide.txt") && text.contains("one\r\ntwo\r\n</textarea>"),
        "{text}"
    );
    let (seen, seen_in) = (page.hidden("seen").unwrap(), page.hidden("seen_in").unwrap());

    let form = [
        ("file_path", "docs/guide.txt"),
        ("content", "one\r\n2\r\nthree"),
        ("seen", seen.as_str()),
        ("seen_in", seen_in.as_str()),
    ];
    let led = browser.post(at, &form).await.is(303);
    assert_eq!(led.header("location"), "/acme/anvil/-/blob/main/docs/guide.txt");
    assert_eq!(content(&t, &project, "docs/guide.txt", "main").await, "one\r\n2\r\nthree");
    let commit = last_commit(&t, &project, "main").await;
    assert_eq!(
        (&commit["title"], &commit["author_name"]),
        (&json!("Update guide.txt"), &json!("smith"))
    );

    // A text with other ends of lines keeps those, under another name and on another branch.
    let at = "/acme/anvil/-/edit/main/README.md";
    let (seen, seen_in) = opened(&browser, at).await;
    let form = [
        ("file_path", "docs/READ ME.md"),
        ("content", "\r\n# Anvil\r\nHeavy\r\n"),
        ("seen", seen.as_str()),
        ("seen_in", seen_in.as_str()),
        ("commit_message", "Move it\r\n\r\nIt was in the way."),
        ("new_branch", "1"),
        ("branch_name", "tidy/docs"),
    ];
    let led = browser.post(at, &form).await.is(303);
    assert_eq!(led.header("location"), "/acme/anvil/-/blob/tidy/docs/docs/READ%20ME.md");
    let branch = "tidy/docs";
    assert_eq!(content(&t, &project, "docs/READ ME.md", branch).await, "\n# Anvil\nHeavy\n");
    assert_eq!(content(&t, &project, "README.md", "main").await, "# Anvil\n");
    let commit = last_commit(&t, &project, "tidy%2Fdocs").await;
    assert_eq!(commit["message"], "Move it\n\nIt was in the way.");
    for missing in [
        "edit/main/none",
        "edit/main/docs",
        "edit/none/README.md",
        "edit/main",
        "new/main/README.md",
    ] {
        browser.get(&format!("/acme/anvil/-/{missing}")).await.is(404);
    }
}

#[testkit::story]
async fn of_two_editors_one_wins_and_the_other_keeps_the_text(t: TestServer) {
    let project = project(&t).await;
    let (one, other) = (t.browser("smith").await, t.browser("smith").await);
    let at = "/acme/anvil/-/edit/main/README.md";
    let (seen, seen_in) = opened(&one, at).await;
    opened(&other, at).await;
    let form = |content| {
        [
            ("file_path", "README.md"),
            ("content", content),
            ("seen", seen.as_str()),
            ("seen_in", seen_in.as_str()),
        ]
    };
    one.post(at, &form("first\r\n")).await.is(303);
    let refused = other.post(at, &form("second <b>\r\n")).await.is(422);
    let text = refused.text();
    for wanted in [
        "The file has changed since you started editing it",
        "second &#60;b&#62;",
        "/-/compare/",
        "/-/commits/main/README.md",
        "first",
    ] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
    assert_eq!(refused.hidden("seen").as_ref(), Some(&seen));
    assert_eq!(content(&t, &project, "README.md", "main").await, "first\n");
    // Sent again as it is, it is refused again; only who says so writes over it.
    other.post(at, &form("second\r\n")).await.is(422);
    let since = refused.hidden("seen_since").unwrap();
    let [path, typed, seen_then, in_commit] = form("second\r\n");
    let over = [
        path,
        typed,
        seen_then,
        in_commit,
        ("seen_since", since.as_str()),
        ("overwrite", "1"),
    ];
    other.post(at, &over).await.is(303);
    assert_eq!(content(&t, &project, "README.md", "main").await, "second\n");

    // What was deleted meanwhile is not lost either.
    let (seen, seen_in) = opened(&one, at).await;
    let gone = project.at("/repository/files/README.md?branch=main&commit_message=Away");
    t.admin().delete(gone).await.is(204);
    let form = [
        ("file_path", "README.md"),
        ("content", "kept"),
        ("seen", seen.as_str()),
        ("seen_in", seen_in.as_str()),
    ];
    let refused = one.post(at, &form).await.is(422).text();
    assert!(
        refused.contains("is not there any more") && refused.contains("kept"),
        "{refused}"
    );
    one.post(at, &[form[0], form[1], form[2], form[3], ("overwrite", "1")])
        .await
        .is(303);
    assert_eq!(content(&t, &project, "README.md", "main").await, "kept");
    // A form that says nothing of what it has seen changes nothing.
    one.post(at, &[form[0], ("content", "blind")]).await.is(422);
}

#[testkit::story]
async fn files_and_folders_are_made(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let smith = t.user("smith").await;
    project.add(&smith, 40).await;
    let browser = t.browser("smith").await;
    // The first file of all begins the default branch.
    browser.get("/acme/anvil/-/new/side").await.is(404);
    let page = browser.get("/acme/anvil/-/new/main").await.is(200).text();
    assert!(page.contains("Begins the branch"), "{page}");
    let form = [("file_path", "docs/deep/a.txt"), ("content", "a\r\nb\r\n")];
    let led = browser.post("/acme/anvil/-/new/main", &form).await.is(303);
    assert_eq!(led.header("location"), "/acme/anvil/-/blob/main/docs/deep/a.txt");
    assert_eq!(content(&t, &project, "docs/deep/a.txt", "main").await, "a\nb\n");

    let page = browser.get("/acme/anvil/-/new/main/docs").await.is(200).text();
    assert!(page.contains("value=\"docs/\""), "{page}");
    let post = async |page: &str, path: &str| {
        browser
            .post(&format!("/acme/anvil/-/{page}"), &[("file_path", path), ("content", "x")])
            .await
    };
    let long = "x".repeat(4096);
    for (path, text) in [
        ("docs/deep/a.txt", "A file with this name already exists"),
        ("docs/deep", "A directory with this name already exists"),
        ("../x", "Path cannot include directory traversal"),
        (".git/config", "Invalid path: &#39;.git/config&#39;"),
        ("docs/", "Invalid path"),
        ("", "You must provide a file path"),
        (long.as_str(), "Invalid path"),
    ] {
        let refused = post("new/main", path).await.is(422).text();
        assert!(refused.contains(text), "{path}: {text} in {refused}");
    }
    assert_eq!(
        post("new_folder/main", "docs/new/").await.is(303).header("location"),
        "/acme/anvil/-/tree/main/docs/new"
    );
    assert_eq!(content(&t, &project, "docs/new/.gitkeep", "main").await, "");
    let refused = post("new_folder/main", "docs/new").await.is(422).text();
    assert!(refused.contains("A directory with this name already exists"));
    let commit = last_commit(&t, &project, "main").await;
    assert_eq!(commit["title"], "Add docs/new");
}

#[testkit::story]
async fn files_are_moved_and_deleted(t: TestServer) {
    let project = project(&t).await;
    let browser = t.browser("smith").await;
    let at = "/acme/anvil/-/move/main/docs/guide.txt";
    let (seen, seen_in) = opened(&browser, at).await;
    let moved = [
        ("file_path", "guide.txt"),
        ("seen", seen.as_str()),
        ("seen_in", seen_in.as_str()),
    ];
    let led = browser.post(at, &moved).await.is(303);
    assert_eq!(led.header("location"), "/acme/anvil/-/blob/main/guide.txt");
    assert_eq!(content(&t, &project, "guide.txt", "main").await, "one\r\ntwo\r\n");
    assert_eq!(
        last_commit(&t, &project, "main").await["title"],
        "Move docs/guide.txt to guide.txt"
    );

    let put = json!({"branch": "main", "commit_message": "Deep", "content": "x"});
    t.admin()
        .post(project.at("/repository/files/a%2Fb%2Fc.txt"))
        .json(&put)
        .await
        .is(201);
    let at = "/acme/anvil/-/delete/main/a/b/c.txt";
    let page = browser.get(at).await.is(200);
    assert!(page.text().contains("Delete c.txt"));
    let seen = page.hidden("seen").unwrap();
    browser.post(at, &[("seen", "1".repeat(40).as_str())]).await.is(422);
    let led = browser.post(at, &[("seen", seen.as_str())]).await.is(303);
    assert_eq!(led.header("location"), "/acme/anvil/-/tree/main");
    let gone = project.at("/repository/files/a%2Fb%2Fc.txt?ref=main");
    t.admin().get(gone).await.is(404);
}

#[testkit::story]
async fn files_are_uploaded_and_replaced(t: TestServer) {
    let project = project(&t).await;
    let browser = t.browser("smith").await;
    let page = browser.get("/acme/anvil/-/upload/main/docs").await.is(200).text();
    assert!(page.contains("multipart/form-data"), "{page}");
    let led = browser
        .post_file("/acme/anvil/-/upload/main/docs", "file", b"\0\x01\xff")
        .await
        .is(303);
    assert_eq!(led.header("location"), "/acme/anvil/-/blob/main/docs/file");
    let raw = project.at("/repository/files/docs%2Ffile/raw?ref=main");
    assert_eq!(t.admin().get(raw.clone()).await.is(200).body.as_ref(), b"\0\x01\xff");
    assert_eq!(last_commit(&t, &project, "main").await["title"], "Add file");
    let again = browser.post_file("/acme/anvil/-/upload/main/docs", "file", b"x").await.is(422);
    assert!(again.text().contains("A file with this name already exists"));
    let none = browser.post_file("/acme/anvil/-/upload/main", "other", b"x").await.is(422);
    assert!(none.text().contains("Must be chosen"));

    // What is no text is told, and replaced.
    let page = browser.get("/acme/anvil/-/edit/main/docs/file").await.is(200).text();
    assert!(page.contains("It is no text") && !page.contains("<textarea"), "{page}");
    let forced = [("file_path", "docs/file"), ("content", "x"), ("seen", "")];
    browser.post("/acme/anvil/-/edit/main/docs/file", &forced).await.is(422);
    let at = "/acme/anvil/-/replace/main/docs/file";
    let (seen, _) = opened(&browser, at).await;
    // Without what was seen nothing is replaced blindly.
    browser.post_file(at, "file", b"new").await.is(422);
    let part = "--part\r\nContent-Disposition: form-data; name=";
    let token = browser.form_token();
    let body = format!(
        "{part}\"authenticity_token\"\r\n\r\n{token}\r\n\
         {part}\"file\"; filename=\"../new.bin\"\r\n\r\nnew\r\n\
         {part}\"seen\"\r\n\r\n{seen}\r\n{part}\"commit_message\"\r\n\r\nNewer\r\n--part--\r\n"
    );
    let sent = browser.request(http::Method::POST, at).bytes(body);
    let led = sent.header("content-type", "multipart/form-data; boundary=part").await.is(303);
    assert_eq!(led.header("location"), "/acme/anvil/-/blob/main/docs/file");
    assert_eq!(t.admin().get(raw).await.is(200).text(), "new");
    assert_eq!(last_commit(&t, &project, "main").await["title"], "Newer");

    let large = vec![b'x'; 21 * 1024 * 1024];
    browser.post_file("/acme/anvil/-/upload/main", "file", &large).await.is(413);
}

#[testkit::story]
async fn who_may_not_push_edits_nothing(t: TestServer) {
    let project = project(&t).await;
    let (reader, writer) = (t.user("reader").await, t.user("writer").await);
    project.add(&reader, 20).await;
    project.add(&writer, 30).await;
    t.user("other").await;
    let pages = [
        "edit/main/README.md",
        "new/main",
        "new_folder/main",
        "move/main/README.md",
        "delete/main/README.md",
    ];
    let (reader, other) = (t.browser("reader").await, t.browser("other").await);
    for page in pages {
        let at = format!("/acme/anvil/-/{page}");
        let form = [("file_path", "x"), ("content", "x")];
        reader.get(&at).await.is(403);
        reader.post(&at, &form).await.is(403);
        other.get(&at).await.is(404);
        other.post(&at, &form).await.is(404);
        let stranger = t.new_browser().get(&at).await.is(401);
        assert!(stranger.text().contains("/users/sign_in"));
    }
    reader.post_file("/acme/anvil/-/upload/main", "file", b"x").await.is(403);
    other.post_file("/acme/anvil/-/upload/main", "file", b"x").await.is(404);

    // A Developer may not push to the protected default branch, but to a new one.
    let writer = t.browser("writer").await;
    let at = "/acme/anvil/-/edit/main/README.md";
    let page = writer.get(at).await.is(200);
    assert!(page.text().contains("You may not push to <code>main</code>"), "{}", page.text());
    let seen = page.hidden("seen").unwrap();
    let form = |branch| [("content", "mine\r\n"), ("seen", seen.as_str()), ("branch_name", branch)];
    let refused = writer.post(at, &form("")).await.is(422).text();
    assert!(refused.contains("Can&#39;t be blank") && refused.contains("mine"), "{refused}");
    let refused = writer.post(at, &form("main")).await.is(422).text();
    assert!(refused.contains("You are not allowed to push into this branch"), "{refused}");
    let led = writer.post(at, &form("writer-patch")).await.is(303);
    assert_eq!(led.header("location"), "/acme/anvil/-/blob/writer-patch/README.md");
    let refused = writer.post(at, &form("writer-patch")).await.is(422).text();
    assert!(refused.contains("already exists") && refused.contains("mine"), "{refused}");
    let refused = writer.post(at, &form("a..b")).await.is(422).text();
    assert!(refused.contains("Branch name is invalid"), "{refused}");
    assert_eq!(content(&t, &project, "README.md", "main").await, "# Anvil\n");
    // A form without its token is of no page of ours.
    writer.post_bare(at, &form("other")).await.is(403);

    t.admin().post(project.at("/archive")).await.is(201);
    writer.get(at).await.is(403);
    writer.post(at, &form("late")).await.is(403);
}
