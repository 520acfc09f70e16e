//! What people say of commits, and the languages of files.

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
