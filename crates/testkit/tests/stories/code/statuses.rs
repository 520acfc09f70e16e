//! What programs and people say of commits, and the languages of files.

use serde_json::{Value, json};
use testkit::{Git, TestProject, TestServer};

/// A project with two pushed commits; the id of the newer one.
async fn begun(t: &TestServer) -> (TestProject, Git, String) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    let sha = git.commit("one", "horn.txt", "one\ntwo\nthree\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    (project, git, sha)
}

#[testkit::story]
async fn programs_say_how_far_a_commit_is(t: TestServer) {
    let (project, _, sha) = begun(&t).await;
    let (dev, reporter, olga) = (t.user("dev").await, t.user("rea").await, t.user("olga").await);
    project.add(&dev, 30).await;
    project.add(&reporter, 20).await;
    let at = project.at(&format!("/statuses/{sha}"));
    let commit = project.at(&format!("/repository/commits/{sha}"));
    let shown = async || dev.get(&commit).await.is(200).json()["status"].clone();
    assert_eq!(shown().await, Value::Null);
    let body = json!({"state": "pending", "context": "build", "target_url": "https://ci.example/1",
        "description": "waits", "coverage": 50.5});
    let made = dev.post(&at).json(&body).await.is(201).json();
    assert_eq!((&made["sha"], &made["ref"]), (&json!(sha), &json!("main")));
    assert_eq!((&made["status"], &made["name"]), (&json!("pending"), &json!("build")));
    assert_eq!(made["target_url"], "https://ci.example/1");
    assert_eq!((&made["coverage"], &made["started_at"]), (&json!(50.5), &Value::Null));
    assert_eq!(made["author"]["username"], "dev");
    assert_eq!(shown().await, "pending");

    let set = |state: &str| dev.post(&at).json(&json!({"state": state, "name": "build"}));
    let run = set("running").await.is(201).json();
    assert_eq!((&run["id"], &run["description"]), (&made["id"], &json!("waits")));
    assert!(run["started_at"].is_string() && run["finished_at"].is_null(), "{run}");
    let said = set("running").await.is(400).json()["message"].as_str().unwrap().to_owned();
    assert!(said.starts_with("Cannot transition status via :run from :running"), "{said}");
    let done = set("success").await.is(201).json();
    assert!(done["finished_at"].is_string(), "{done}");
    assert_eq!(shown().await, "success");
    // What has ended begins anew.
    let anew = set("pending").await.is(201).json();
    assert_ne!(anew["id"], made["id"]);
    set("failed").await.is(201);
    let other = dev.post(&at).json(&json!({"state": "success"})).await.is(201).json();
    assert_eq!(other["name"], "default");
    assert_eq!(shown().await, "failed");

    let list = |query: &str| dev.get(format!("{commit}/statuses{query}"));
    assert_eq!(list("").await.is(200).each("status"), ["failed", "success"]);
    assert_eq!(list("?all=true").await.is(200).each("status"), ["success", "failed", "success"]);
    assert_eq!(list("?name=build").await.is(200).each("status"), ["failed"]);
    assert!(list("?ref=other").await.is(200).each("id").is_empty());
    assert_eq!(list("?per_page=1").await.is(200).header("x-total"), "2");

    for wrong in [
        json!({"state": "done"}),
        json!({}),
        json!({"state": "success", "target_url": "javascript:alert(1)"}),
        json!({"state": "success", "coverage": 101}),
        json!({"state": "success", "name": "a".repeat(256)}),
    ] {
        dev.post(&at).json(&wrong).await.is(400);
    }
    let body = json!({"state": "success"});
    dev.post(project.at("/statuses/nowhere")).json(&body).await.is(404);
    reporter.post(&at).json(&body).await.is(403);
    reporter.get(format!("{commit}/statuses")).await.is(200);
    olga.post(&at).json(&body).await.is(404);
    t.anonymous().post(&at).json(&body).await.is(401);
}

#[testkit::story]
async fn people_comment_on_commits_and_their_lines(t: TestServer) {
    let (project, _, sha) = begun(&t).await;
    let (jane, olga) = (t.user("jane").await, t.user("olga").await);
    project.add(&jane, 20).await;
    let at = project.at(&format!("/repository/commits/{sha}/comments"));
    let made = jane.post(&at).json(&json!({"note": "good"})).await.is(201).json();
    let none = Value::Null;
    assert_eq!((&made["note"], &made["path"], &made["line"]), (&json!("good"), &none, &none));
    assert_eq!(made["author"]["username"], "jane");
    let body = json!({"note": "two?", "path": "horn.txt", "line": 2, "line_type": "new"});
    let made = jane.post(&at).json(&body).await.is(201).json();
    assert_eq!((&made["path"], &made["line"]), (&json!("horn.txt"), &json!(2)));
    assert_eq!(made["line_type"], "new");
    // A line that is not in the difference is none.
    let body = json!({"note": "far", "path": "horn.txt", "line": 9});
    let made = jane.post(&at).json(&body).await.is(201).json();
    assert_eq!((&made["path"], &made["line_type"]), (&none, &none));
    assert_eq!(jane.get(&at).await.is(200).each("note"), ["good", "two?", "far"]);
    let second = jane.get(format!("{at}?per_page=2&page=2")).await.is(200);
    assert_eq!((second.each("note"), second.header("x-total")), (vec![json!("far")], "3"));
    jane.post(&at).json(&json!({"note": " "})).await.is(400);
    jane.post(project.at("/repository/commits/nowhere/comments"))
        .json(&json!({"note": "x"}))
        .await
        .is(404);
    olga.post(&at).json(&json!({"note": "x"})).await.is(404);
    t.anonymous().post(&at).json(&json!({"note": "x"})).await.is(401);
    t.admin().post(project.at("/archive")).await.is(201);
    jane.post(&at).json(&json!({"note": "x"})).await.is(403);
}

#[testkit::story]
async fn languages_are_told_by_their_bytes(t: TestServer) {
    let (project, git, _) = begun(&t).await;
    let languages = async || t.admin().get(project.at("/languages")).await.is(200).json();
    assert_eq!(languages().await, json!({}), "texts are no language");
    git.commit("one", "src/main.rs", &"x".repeat(300)).await;
    git.commit("one", "run.sh", &"x".repeat(100)).await;
    git.commit("one", "vendor/big.go", &"x".repeat(1000)).await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    assert_eq!(languages().await, json!({"Rust": 75.0, "Shell": 25.0}));
    git.commit(
        "one",
        ".gitattributes",
        "*.sh linguist-language=python\n*.rs -linguist-detectable\n",
    )
    .await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    assert_eq!(languages().await, json!({"Python": 100.0}));
    let empty = t.project("acme/empty").await;
    assert_eq!(t.admin().get(empty.at("/languages")).await.is(200).json(), json!({}));
    let guest = t.user("guest").await;
    project.add(&guest, 10).await;
    guest.get(project.at("/languages")).await.is(403);
}
