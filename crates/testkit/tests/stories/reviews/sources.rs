//! Nobody changes the source of a merge request who may not push to it.

use super::{commit, developer, forge, wanted};
use serde_json::{Value, json};
use testkit::{Client, Git, TestProject, TestServer, TestUser};

/// What fields for the list are named by: the SHA-1 of its path.
const KEY: &str = "9588c4e9d06805a8dc379de81a23d99ef56c429b";

/// Writes the list on a branch of a project.
async fn rewrite(client: &Client, project: i64, branch: &str, text: &str) {
    let action = json!({"action": "update", "file_path": "list.txt", "content": text});
    let mut body = json!({"branch": branch, "commit_message": "Change", "actions": [action]});
    if branch != "main" {
        body["start_branch"] = json!("main");
    }
    let commits = format!("/projects/{project}/repository/commits");
    client.post(commits).json(&body).await.is(201);
}

/// A merge request of jane's from her fork, which conflicts, and the id of the fork.
async fn forked(t: &TestServer) -> (TestProject, TestUser, i64) {
    let project = forge(t).await;
    commit(t, &project, "main", "list.txt", "a\nb\nc\n").await;
    let jane = t.user("jane").await;
    let fork = jane.post(project.at("/fork")).json(&json!({})).await.is(201).id();
    t.settle().await;
    rewrite(&jane, fork, "anvil", "a\nB\nc\n").await;
    let mut body = wanted("anvil");
    body["target_project_id"] = json!(project.id);
    jane.post(format!("/projects/{fork}/merge_requests")).json(&body).await.is(201);
    rewrite(&t.admin(), project.id, "main", "a\nZ\nc\n").await;
    t.settle().await;
    (project, jane, fork)
}

async fn head(client: &Client, fork: i64) -> Value {
    let path = format!("/projects/{fork}/repository/branches/anvil");
    client.get(path).await.is(200).json()["commit"]["id"].clone()
}

/// A change that jane suggests; its id.
async fn suggested(jane: &TestUser, one: &str) -> i64 {
    let refs = jane.get(one).await.is(200).json()["diff_refs"].clone();
    let position = json!({"position_type": "text", "old_path": "list.txt",
        "new_path": "list.txt", "new_line": 2, "base_sha": refs["base_sha"],
        "start_sha": refs["start_sha"], "head_sha": refs["head_sha"]});
    let body = json!({"body": "```suggestion\nBee\n```", "position": position});
    let made = jane.post(format!("{one}/discussions")).json(&body).await.is(201).json();
    made["notes"][0]["suggestions"][0]["id"].as_i64().expect("a suggestion")
}

#[testkit::story]
async fn who_may_not_push_to_a_source_changes_nothing_there(t: TestServer) {
    let (project, jane, fork) = forked(&t).await;
    let one = project.at("/merge_requests/1");
    let suggestion = suggested(&jane, &one).await;
    let before = head(&jane, fork).await;
    let target = t.admin().get(project.at("/repository/branches/main")).await.is(200).json();
    let (source, target) = (before.as_str().unwrap(), target["commit"]["id"].as_str().unwrap());
    let id = suggestion.to_string();
    let (path, text) = (format!("files[{KEY}][path]"), format!("files[{KEY}][text]"));
    let resolved = [
        ("source_sha", source),
        ("target_sha", target),
        (path.as_str(), "list.txt"),
        (text.as_str(), "by hand\n"),
        ("commit_message", "x"),
    ];
    let page = |rest: &str| format!("/acme/forge/-/merge_requests/1{rest}");
    let (reader, smith) = (t.user("reader").await, developer(&t, &project, "smith").await);
    let owner = t.user("owner").await;
    project.add(&owner, 40).await;
    for user in [&reader, &smith, &owner] {
        let name = &user.username;
        user.put(format!("/suggestions/{id}/apply")).await.is(403);
        let ids = json!({"ids": [suggestion]});
        user.put("/suggestions/batch_apply").json(&ids).await.is(403);
        let refused = user.put(format!("{one}/rebase")).await.is(403).json();
        assert_eq!(refused["message"], "403 Forbidden - Cannot push to source branch");
        let note = json!({"body": "/rebase"});
        let done = user.post(format!("{one}/notes")).json(&note).await.is(202).json();
        assert_eq!(done["summary"], json!([]), "{name}");

        let browser = t.browser(name).await;
        browser.get(&page("")).await.is(200);
        browser.post(&page("/conflicts"), &resolved).await.is(403);
        browser
            .post(&page("/suggestions/apply"), &[("ids[]", id.as_str())])
            .await
            .is(422);
        browser.post(&page("/rebase"), &[]).await;
        t.settle().await;
        assert_eq!(head(&jane, fork).await, before, "{name}");
    }

    // Jane may, by the same form; and who merges it takes no branch away that is not theirs.
    t.browser("jane").await.post(&page("/conflicts"), &resolved).await.is(303);
    t.settle().await;
    let removes = json!({"should_remove_source_branch": true});
    owner.put(format!("{one}/merge")).json(&removes).await.is(200);
    t.settle().await;
    head(&jane, fork).await;
}

/// A merge request of jane's from her fork, which nothing stands in the way of.
async fn clean(t: &TestServer) -> (TestProject, TestUser, i64) {
    let project = forge(t).await;
    commit(t, &project, "main", "list.txt", "a\n").await;
    let jane = t.user("jane").await;
    let fork = jane.post(project.at("/fork")).json(&json!({})).await.is(201).id();
    t.settle().await;
    rewrite(&jane, fork, "anvil", "b\n").await;
    let mut body = wanted("anvil");
    body["target_project_id"] = json!(project.id);
    jane.post(format!("/projects/{fork}/merge_requests")).json(&body).await.is(201);
    t.settle().await;
    (project, jane, fork)
}

/// Nor by opening the branch to themselves, by the interface of code, by git, or with the
/// form that takes the branch away once it is merged.
#[testkit::story]
async fn who_may_not_push_to_a_source_does_not_let_themselves_in(t: TestServer) {
    let (project, jane, fork) = clean(&t).await;
    let one = project.at("/merge_requests/1");
    let before = head(&jane, fork).await;
    let (reader, smith) = (t.user("reader").await, developer(&t, &project, "smith").await);
    let owner = t.user("owner").await;
    project.add(&owner, 40).await;
    let action = json!({"action": "update", "file_path": "list.txt", "content": "c\n"});
    let change = json!({"branch": "anvil", "commit_message": "Mine", "actions": [action]});
    for (user, status) in [(&reader, 403), (&smith, 200), (&owner, 200)] {
        let name = &user.username;
        for field in ["allow_collaboration", "allow_maintainer_to_push"] {
            let opens = json!({field: true, "description": name});
            user.put(&one).json(&opens).await.is(status);
        }
        let shown = jane.get(&one).await.is(200).json();
        assert_eq!(shown["allow_collaboration"], false, "{name}");
        let commits = format!("/projects/{fork}/repository/commits");
        user.post(commits).json(&change).await.is(403);
        let branch = format!("/projects/{fork}/repository/branches/anvil");
        user.delete(branch).await.is(403);
        let git = Git::of(user);
        let source = git.url("jane/forge");
        git.run(&["clone", "--quiet", "--branch", "anvil", &source, "one"]).await.done();
        git.commit("one", "list.txt", "d\n").await;
        let text = "You are not allowed to push code to this project.";
        git.run_in("one", &["push", "origin", "HEAD:anvil"]).await.refused(text);
        t.settle().await;
        assert_eq!(head(&jane, fork).await, before, "{name}");
    }

    owner.put(format!("{one}/merge")).await.is(200);
    t.settle().await;
    let form = "/acme/forge/-/merge_requests/1/source_branch";
    for user in [&reader, &smith, &owner] {
        let name = &user.username;
        t.browser(name).await.post(form, &[]).await;
        t.settle().await;
        assert_eq!(head(&jane, fork).await, before, "{name}");
    }
    t.browser("jane").await.post(form, &[]).await.is(303);
    let gone = format!("/projects/{fork}/repository/branches/anvil");
    jane.get(gone).await.is(404);
}
