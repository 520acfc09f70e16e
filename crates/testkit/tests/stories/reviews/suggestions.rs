//! Changes that notes suggest, and how they are applied.

use super::{commit, developer, forge, open, wanted};
use futures_util::future::join_all;
use serde_json::{Value, json};
use store::sql;
use testkit::{Client, Git, Reply, TestProject, TestServer, TestUser};

/// A merge request that changes the second of five lines, and who wrote it.
async fn changed(t: &TestServer) -> (TestProject, TestUser, String) {
    let project = forge(t).await;
    commit(t, &project, "main", "list.txt", "a\nb\nc\nd\ne\n").await;
    let smith = developer(t, &project, "smith").await;
    rewrite(&t.admin(), project.id, ("anvil", "main"), "a\nB\nc\nd\ne\n").await;
    open(&smith, &project, "anvil").await;
    t.settle().await;
    let one = project.at("/merge_requests/1");
    (project, smith, one)
}

/// Writes the list on a branch, which begins at another one where it is new.
async fn rewrite(client: &Client, project: i64, (branch, start): (&str, &str), text: &str) {
    let there = client.get(format!("/projects/{project}/repository/branches/{branch}")).await;
    let mut body = json!({"branch": branch, "commit_message": "Change the list", "actions": [
        {"action": "update", "file_path": "list.txt", "content": text}]});
    if there.status != 200 {
        body["start_branch"] = json!(start);
    }
    let commits = format!("/projects/{project}/repository/commits");
    client.post(commits).json(&body).await.is(201);
}

async fn list(client: &Client, project: i64) -> String {
    let path = format!("/projects/{project}/repository/files/list.txt/raw?ref=anvil");
    client.get(path).await.is(200).text()
}

fn fence(reach: &str, text: &str) -> String {
    format!("Better:\n```suggestion:{reach}\n{text}```\n")
}

/// A thread at a line of the new side that suggests something.
async fn suggest(client: &Client, one: &str, line: i64, body: &str) -> Value {
    let refs = client.get(one).await.is(200).json()["diff_refs"].clone();
    let position = json!({"position_type": "text", "old_path": "list.txt",
        "new_path": "list.txt", "new_line": line, "base_sha": refs["base_sha"],
        "start_sha": refs["start_sha"], "head_sha": refs["head_sha"]});
    let body = json!({"body": body, "position": position});
    client.post(format!("{one}/discussions")).json(&body).await.is(201).json()
}

fn first(thread: &Value) -> Value {
    thread["notes"][0]["suggestions"][0].clone()
}

async fn apply(client: &Client, suggestion: &Value) -> Reply {
    client.put(format!("/suggestions/{}/apply", suggestion["id"])).await
}

async fn refused(client: &Client, suggestion: &Value) -> Value {
    apply(client, suggestion).await.is(400).json()["message"].clone()
}

#[testkit::story]
async fn a_suggestion_is_applied_once(t: TestServer) {
    let (project, smith, one) = changed(&t).await;
    let other = developer(&t, &project, "other").await;
    let reader = t.user("reader").await;
    let thread = suggest(&other, &one, 2, &fence("-0+1", "Bee\nsee\n")).await;
    let told = first(&thread);
    assert_eq!(
        told,
        json!({"id": told["id"], "from_line": 2, "to_line": 3, "appliable": true,
            "applied": false, "from_content": "B\nc\n", "to_content": "Bee\nsee\n"})
    );
    apply(&t.anonymous(), &told).await.is(401);
    apply(&reader, &told).await.is(403);
    apply(&smith, &json!({"id": 999})).await.is(404);

    let applied = apply(&smith, &told).await.is(200).json();
    assert_eq!((&applied["applied"], &applied["appliable"]), (&json!(true), &json!(false)));
    assert_eq!(list(&smith, project.id).await, "a\nBee\nsee\nd\ne\n");
    let commits = smith.get(project.at("/repository/commits?ref_name=anvil")).await.is(200);
    let made = commits.json()[0].clone();
    assert_eq!(made["message"], "Apply 1 suggestion(s) to 1 file(s)");
    assert_eq!(
        (&made["author_name"], &made["committer_name"]),
        (&json!("other"), &json!("smith"))
    );
    t.settle().await;
    let place = format!("{one}/discussions/{}", thread["id"].as_str().expect("id"));
    let settled = smith.get(place).await.is(200).json();
    assert_eq!(
        (&settled["resolved"], &first(&settled)["applied"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(refused(&smith, &told).await, "Can't apply this suggestion.");
}

#[testkit::story]
async fn many_suggestions_are_one_commit(t: TestServer) {
    let (project, smith, one) = changed(&t).await;
    let other = developer(&t, &project, "other").await;
    let capital = first(&suggest(&other, &one, 2, &fence("-0+0", "Bee\n")).await);
    let same = first(&suggest(&other, &one, 2, &fence("-1+0", "ab\n")).await);
    let last = first(&suggest(&smith, &one, 5, &fence("-0+0", "")).await);
    let batch = "/suggestions/batch_apply";
    let overlap = json!({"ids": [capital["id"], same["id"]]});
    let overlap = smith.put(batch).json(&overlap).await.is(400).json();
    let text = "Suggestions are not applicable as their lines cannot overlap.";
    assert_eq!(overlap["message"], text);
    smith.put(batch).json(&json!({"ids": [capital["id"], 999]})).await.is(404);

    let body = json!({"ids": [last["id"], capital["id"]],
        "commit_message": "All %{suggestions_count} on %{branch_name} by %{username}"});
    let applied = smith.put(batch).json(&body).await.is(200);
    assert_eq!(applied.each("id"), [last["id"].clone(), capital["id"].clone()]);
    assert_eq!(applied.each("applied"), [json!(true), json!(true)]);
    assert_eq!(list(&smith, project.id).await, "a\nBee\nc\nd\n");
    let commits = smith.get(project.at("/repository/commits?ref_name=anvil")).await.is(200);
    let made = commits.json()[0].clone();
    assert_eq!(
        (&made["message"], &made["author_name"]),
        (&json!("All 2 on anvil by smith"), &json!("smith"))
    );
    t.settle().await;
    let text = "Can't apply as these lines were changed in a more recent version.";
    assert_eq!(refused(&smith, &same).await, text);
}

#[testkit::story]
async fn a_push_outdates_suggestions_whose_lines_it_changes(t: TestServer) {
    let (project, smith, one) = changed(&t).await;
    let both = first(&suggest(&smith, &one, 2, &fence("-0+1", "x\n")).await);
    let thread = suggest(&smith, &one, 5, "Why?").await;
    rewrite(&t.admin(), project.id, ("anvil", "main"), "0\na\nB\nC\nd\ne\n").await;
    t.settle().await;
    let text = "Can't apply as these lines were changed in a more recent version.";
    assert_eq!(refused(&smith, &both).await, text);

    // What is answered later is about the lines as they are by now.
    let answers = format!("{one}/discussions/{}/notes", thread["id"].as_str().expect("id"));
    let answer = json!({"body": fence("-1+0", "end\n")});
    let note = smith.post(&answers).json(&answer).await.is(201).json();
    let told = note["suggestions"][0].clone();
    assert_eq!(
        (&told["from_line"], &told["to_line"], &told["from_content"]),
        (&json!(5), &json!(6), &json!("d\ne\n"))
    );
    let note = format!("{one}/notes/{}", note["id"]);
    let prose = json!({"body": format!("Yes. {}", fence("-1+0", "end\n"))});
    let kept = smith.put(&note).json(&prose).await.is(200).json()["suggestions"][0].clone();
    assert_eq!(kept, told);
    let other = json!({"body": fence("-1+0", "the end\n")});
    let changed = smith.put(&note).json(&other).await.is(200).json()["suggestions"][0].clone();
    assert_eq!(changed["to_content"], "the end\n");
    apply(&smith, &told).await.is(404);
    apply(&smith, &changed).await.is(200);
    assert_eq!(list(&smith, project.id).await, "0\na\nB\nC\nthe end\n");
    let closed = json!({"state_event": "close"});
    let last = first(&suggest(&smith, &one, 1, &fence("-0+0", "1\n")).await);
    smith.put(&one).json(&closed).await.is(200);
    let text = "This merge request is closed. To apply this suggestion, edit this file directly.";
    assert_eq!(refused(&smith, &last).await, text);
}

#[testkit::story]
async fn of_four_who_apply_one_suggestion_one_does(t: TestServer) {
    let (project, smith, one) = changed(&t).await;
    let told = first(&suggest(&smith, &one, 2, &fence("-0+0", "B\nB\n")).await);
    let all = (0..4).map(|_| apply(&smith, &told));
    let mut statuses: Vec<u16> =
        join_all(all).await.into_iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400, 400, 400]);
    assert_eq!(list(&smith, project.id).await, "a\nB\nB\nc\nd\ne\n");
}

#[testkit::story]
async fn who_merges_may_push_to_an_opened_branch_of_a_fork(t: TestServer) {
    let project = forge(&t).await;
    commit(&t, &project, "main", "list.txt", "a\nb\nc\nd\ne\n").await;
    let (jane, smith) = (t.user("jane").await, t.user("smith").await);
    project.add(&smith, 40).await;
    let helper = developer(&t, &project, "helper").await;
    let fork = jane.post(project.at("/fork")).await.is(201).id();
    t.settle().await;
    rewrite(&jane, fork, ("anvil", "main"), "a\nB\nc\nd\ne\n").await;
    let mut body = wanted("anvil");
    body["target_project_id"] = json!(project.id);
    body["allow_collaboration"] = json!(true);
    jane.post(format!("/projects/{fork}/merge_requests")).json(&body).await.is(201);
    t.settle().await;
    let one = project.at("/merge_requests/1");
    let told = first(&suggest(&smith, &one, 2, &fence("-0+0", "Bee\n")).await);

    // `main` is protected: developers do not merge.
    apply(&helper, &told).await.is(403);
    apply(&smith, &told).await.is(200);
    assert_eq!(list(&jane, fork).await, "a\nBee\nc\nd\ne\n");

    let git = Git::of(&smith);
    git.run(&["clone", "--quiet", "--branch", "anvil", &git.url("jane/forge"), "one"])
        .await
        .done();
    git.commit("one", "more.txt", "more\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "HEAD:anvil"]).await.done();
    for place in ["HEAD:other", ":anvil"] {
        let text = "You are not allowed to push code to this project.";
        git.run_in("one", &["push", "origin", place]).await.refused(text);
    }
    smith.put(&one).json(&json!({"state_event": "close"})).await.is(200);
    git.commit("one", "more.txt", "even more\n").await;
    let refused = git.run_in("one", &["push", "origin", "HEAD:anvil"]).await;
    assert!(!refused.succeeded, "{}", refused.said);
}

#[testkit::story]
async fn suggestions_are_chosen_on_a_page(t: TestServer) {
    let (project, smith, one) = changed(&t).await;
    let text = fence("-0+0", "<b>Bee</b>\n");
    let thread = suggest(&smith, &one, 2, &text).await;
    let told = first(&thread);
    let page = "/acme/forge/-/merge_requests/1/suggestions";
    let reader = {
        t.user("reader").await;
        t.browser("reader").await
    };
    let seen = reader.get(page).await.is(200).text();
    assert!(seen.contains("<div class=\"del\"><code>B</code></div>"), "{seen}");
    assert!(seen.contains("<code>&#60;b&#62;Bee&#60;/b&#62;</code>"), "{seen}");
    assert!(!seen.contains("name=\"ids[]\""), "{seen}");
    let id = told["id"].to_string();
    reader.post(&format!("{page}/apply"), &[("ids[]", &id)]).await.is(422);

    let browser = t.browser("smith").await;
    browser.get(page).await.is(200);
    let none = browser.post(&format!("{page}/apply"), &[("commit_message", "x")]).await.is(422);
    assert!(none.text().contains("Choose a suggestion"));
    let fields = [("ids[]", id.as_str()), ("commit_message", "By hand")];
    let led = browser.post(&format!("{page}/apply"), &fields).await.is(303);
    let note = &thread["notes"][0]["id"];
    assert_eq!(led.header("location"), format!("/acme/forge/-/merge_requests/1#note_{note}"));
    assert_eq!(list(&smith, project.id).await, "a\n<b>Bee</b>\nc\nd\ne\n");
}

/// Has the source be at this commit while nobody looked at that yet.
async fn moved(t: &TestServer, head: &Value) {
    let head = head.as_str().expect("a commit").to_owned();
    let set = t.app().write(move |tx| {
        tx.execute(sql!("update merge_requests set head_id = $1"), (head.as_str(),))?;
        Ok(())
    });
    set.await.expect("it is written");
}

#[testkit::story]
async fn until_the_newest_version_is_known_nothing_is_called_outdated(t: TestServer) {
    let (project, smith, one) = changed(&t).await;
    let told = first(&suggest(&smith, &one, 5, &fence("-0+0", "E\n")).await);
    let before = smith.get(&one).await.is(200).json()["sha"].clone();
    let main = smith.get(project.at("/repository/branches/main")).await.is(200).json();
    let page = "/acme/forge/-/merge_requests/1";
    let browser = t.browser("smith").await;

    moved(&t, &main["commit"]["id"]).await;
    let text = "The newest version is still being looked at. Try again in a moment.";
    assert_eq!(refused(&smith, &told).await, text);
    let shown = browser.get(page).await.is(200).text();
    assert!(shown.contains(text) && !shown.contains("more recent version"), "{shown}");
    let all = browser.get(&format!("{page}/suggestions")).await.is(200).text();
    assert!(all.contains("The newest version is still being looked at"), "{all}");
    assert!(!all.contains("Nothing to apply"), "{all}");

    moved(&t, &before).await;
    let all = browser.get(&format!("{page}/suggestions")).await.is(200).text();
    assert!(all.contains("name=\"ids[]\"") && all.contains("(!1)</a>"), "{all}");
    apply(&smith, &told).await.is(200);
    assert_eq!(list(&smith, project.id).await, "a\nB\nc\nd\nE\n");
}
