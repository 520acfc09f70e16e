//! Conflicts that are resolved in the browser.

use super::{commit, developer, forge, open};
use serde_json::json;
use testkit::{Browser, Client, Git, Reply, TestProject, TestServer, TestUser};

const PAGE: &str = "/acme/forge/-/merge_requests/1/conflicts";

async fn act(client: &Client, project: &TestProject, branch: &str, action: serde_json::Value) {
    let body = json!({"branch": branch, "commit_message": "Change", "actions": [action]});
    client.post(project.at("/repository/commits")).json(&body).await.is(201);
}

async fn rewrite(client: &Client, project: &TestProject, branch: &str, text: &str) {
    let action = json!({"action": "update", "file_path": "list.txt", "content": text});
    act(client, project, branch, action).await;
}

/// A merge request whose second line the target changed, too, and who wrote it.
async fn disputed(t: &TestServer) -> (TestProject, TestUser) {
    let project = forge(t).await;
    commit(t, &project, "main", "list.txt", "a\nb\nc\nd\ne\n").await;
    let smith = developer(t, &project, "smith").await;
    commit(t, &project, "anvil", "own.txt", "own\n").await;
    rewrite(&smith, &project, "anvil", "a\nB\nc\nd\ne\n").await;
    rewrite(&t.admin(), &project, "main", "a\nZ\nc\nd\nE\n").await;
    open(&smith, &project, "anvil").await;
    t.settle().await;
    (project, smith)
}

async fn list(client: &Client, project: &TestProject) -> String {
    let path = project.at("/repository/files/list.txt/raw?ref=anvil");
    client.get(path).await.is(200).text()
}

/// The names of fields of a page that begin so.
fn fields(page: &Reply, begin: &str) -> Vec<String> {
    let text = page.text();
    let names = text.split("name=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut names: Vec<String> =
        names.filter(|name| name.starts_with(begin)).map(str::to_owned).collect();
    names.dedup();
    names
}

/// Where the branches were, as a page has it.
fn seen(page: &Reply) -> (String, String) {
    let hidden = |name: &str| page.hidden(name).expect("a hidden field");
    (hidden("source_sha"), hidden("target_sha"))
}

async fn send(
    browser: &Browser, (source, target): &(String, String), more: &[(&str, &str)],
) -> Reply {
    let heads = [("source_sha", source.as_str()), ("target_sha", target.as_str())];
    browser.post(PAGE, &[&heads[..], more].concat()).await
}

#[testkit::story]
async fn a_side_of_each_conflict_is_chosen(t: TestServer) {
    let (project, smith) = disputed(&t).await;
    let browser = t.browser("smith").await;
    let page = browser.get(PAGE).await.is(200);
    let text = page.text();
    assert!(text.contains("<bdi>list.txt</bdi>") && !text.contains("own.txt"), "{text}");
    let (heads, picks) = (seen(&page), fields(&page, "files["));
    let picks: Vec<&String> = picks.iter().filter(|name| name.contains("[picks]")).collect();
    assert_eq!(picks.len(), 1, "{picks:?}");

    let unchosen = send(&browser, &heads, &[("commit_message", "Mine")]).await.is(422).text();
    assert!(unchosen.contains("Choose a side of every conflict in this file"));
    assert!(unchosen.contains("Mine"));
    let chosen = [(picks[0].as_str(), "ours"), ("commit_message", "Settle it")];
    let led = send(&browser, &heads, &chosen).await.is(303);
    assert_eq!(led.header("location"), "/acme/forge/-/merge_requests/1");
    assert_eq!(list(&smith, &project).await, "a\nB\nc\nd\nE\n");
    let git = Git::of(&t.admin());
    git.run(&["clone", "--quiet", "--branch", "anvil", &git.url("acme/forge"), "one"])
        .await
        .done();
    let parents = (git.id("one", "HEAD^1").await, git.id("one", "HEAD^2").await);
    assert_eq!(parents, heads);
    let said = git.run_in("one", &["log", "-1", "--format=%s by %an"]).await.done().said;
    assert_eq!(said.trim(), "Settle it by smith");
    git.run_in("one", &["fsck", "--strict"]).await.done();
    t.settle().await;
    let status = smith.get(project.at("/merge_requests/1")).await.is(200).json();
    assert_eq!(status["merge_status"], "can_be_merged");
    let none = browser.get(PAGE).await.is(200).text();
    assert!(none.contains("No conflicts"), "{none}");
}

#[testkit::story]
async fn what_was_typed_outlasts_a_push(t: TestServer) {
    let (project, smith) = disputed(&t).await;
    let browser = t.browser("smith").await;
    let page = browser.get(PAGE).await.is(200);
    let heads = seen(&page);
    let path = fields(&page, "files[").into_iter().find(|name| name.ends_with("[path]"));
    let path = path.expect("a path");
    let key = path.trim_start_matches("files[").trim_end_matches("][path]");
    let opened = send(&browser, &heads, &[("edit", key)]).await.is(200).text();
    assert!(opened.contains("&#60;&#60;&#60;&#60;&#60;&#60;&#60; anvil"), "{opened}");
    let field = format!("files[{key}][text]");
    let marked = [(field.as_str(), "a\r\n<<<<<<< anvil\r\nB\r\n"), (path.as_str(), "list.txt")];
    let refused = send(&browser, &heads, &marked).await.is(422).text();
    assert!(
        refused.contains("There are still marks of a conflict in this text"),
        "{refused}"
    );

    let typed = [(field.as_str(), "by hand\r\n"), (path.as_str(), "list.txt")];
    let add = json!({"action": "create", "file_path": "more.txt", "content": "more\n"});
    act(&smith, &project, "anvil", add).await;
    let late = send(&browser, &heads, &typed).await.is(422);
    let text = late.text();
    assert!(text.contains("The branches moved while you were here"), "{text}");
    assert!(text.contains("by hand"), "{text}");
    assert_eq!(list(&smith, &project).await, "a\nB\nc\nd\ne\n");
    send(&browser, &seen(&late), &typed).await.is(303);
    assert_eq!(list(&smith, &project).await, "by hand\n");
    smith.get(project.at("/repository/files/more.txt/raw?ref=anvil")).await.is(200);

    // Somebody else was faster: what was typed is there to be taken along.
    let gone = send(&browser, &heads, &typed).await.is(422).text();
    assert!(gone.contains("There are no conflicts any more") && gone.contains("by hand"));
}

#[testkit::story]
async fn what_cannot_be_resolved_here_is_said_in_words(t: TestServer) {
    let (project, smith) = disputed(&t).await;
    commit(&t, &project, "main", "<i>.txt", "1\n").await;
    commit(&t, &project, "horn", "other.txt", "x\n").await;
    let remove = json!({"action": "delete", "file_path": "<i>.txt"});
    act(&smith, &project, "horn", remove).await;
    let change = json!({"action": "update", "file_path": "<i>.txt", "content": "2\n"});
    act(&t.admin(), &project, "main", change).await;
    open(&smith, &project, "horn").await;
    t.settle().await;
    let second = PAGE.replace("/1/", "/2/");
    let page = t.browser("smith").await.get(&second).await.is(200).text();
    assert!(page.contains("One side deleted it, and the other changed it."), "{page}");
    assert!(page.contains("&#60;i&#62;.txt") && !page.contains("<i>.txt"), "{page}");
    assert!(page.contains("git merge FETCH_HEAD") && !page.contains("name=\"source_sha\""));

    t.user("reader").await;
    let reader = t.browser("reader").await;
    let page = reader.get(PAGE).await.is(200).text();
    assert!(page.contains("You may not push to the source branch."), "{page}");
    assert!(!page.contains("git merge FETCH_HEAD") && !page.contains("[picks]"), "{page}");
    reader.post(PAGE, &[("commit_message", "x")]).await.is(403);
    let hidden = json!({"visibility": "private"});
    t.admin().put(project.at("")).json(&hidden).await.is(200);
    reader.get(PAGE).await.is(404);
}
