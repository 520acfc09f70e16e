//! What people are told of merge requests: to-dos that a push ends, and mail.

use super::pipelines::OF_REQUESTS;
use super::{commit, developer, forge, open};
use crate::delivery::runner_jobs::{end, runner, take};
use serde_json::{Value, json};
use testkit::{Client, TestProject, TestServer, TestUser};

/// Changes a file that is there.
async fn rewrite(client: &Client, project: &TestProject, branch: &str, path: &str, text: &str) {
    let action = json!({"action": "update", "file_path": path, "content": text});
    let body = json!({"branch": branch, "commit_message": "Change", "actions": [action]});
    client.post(project.at("/repository/commits")).json(&body).await.is(201);
}

async fn todos(user: &TestUser, state: &str) -> Vec<Value> {
    user.get(format!("/todos?state={state}")).await.is(200).each("action_name")
}

/// A branch, smith, who is a developer, and jane, a maintainer.
async fn begun(t: &TestServer) -> (TestProject, [TestUser; 2]) {
    let project = forge(t).await;
    let smith = developer(t, &project, "smith").await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    commit(t, &project, "anvil", "anvil.txt", "x\n").await;
    (project, [smith, jane])
}

async fn order(jane: &TestUser, project: &TestProject) -> Value {
    let body = json!({"auto_merge": true});
    let path = project.at("/merge_requests/1/merge");
    jane.put(path).json(&body).await.is(200).json()
}

#[testkit::story]
async fn what_fails_is_to_be_done_until_somebody_pushes(t: TestServer) {
    let (project, [smith, jane]) = begun(&t).await;
    commit(&t, &project, "anvil", ".gitlab-ci.yml", OF_REQUESTS).await;
    let own = runner(&t, json!({})).await;
    open(&smith, &project, "anvil").await;
    t.settle().await;
    order(&jane, &project).await;
    let (id, token, _) = take(&t, &own).await;
    end(&t, (id, &token), "failed").await.is(200);
    for user in [&smith, &jane] {
        assert_eq!(todos(user, "pending").await, ["build_failed"], "{}", user.username);
    }
    let todo = smith.get("/todos?action=build_failed").await.is(200).json()[0].clone();
    assert_eq!(
        (&todo["target_type"], &todo["target"]["iid"]),
        (&json!("MergeRequest"), &json!(1))
    );
    commit(&t, &project, "anvil", "horn.txt", "x\n").await;
    t.settle().await;
    for user in [&smith, &jane] {
        assert_eq!(todos(user, "pending").await, [] as [Value; 0], "{}", user.username);
    }

    // A conflict ends what was ordered, and is to be resolved.
    order(&jane, &project).await;
    commit(&t, &project, "main", "anvil.txt", "another\n").await;
    t.settle().await;
    for user in [&smith, &jane] {
        assert_eq!(todos(user, "pending").await, ["unmergeable"], "{}", user.username);
    }
    let left = jane.get(project.at("/merge_requests/1")).await.is(200).json();
    assert_eq!(
        (&left["detailed_merge_status"], &left["merge_when_pipeline_succeeds"]),
        (&json!("conflict"), &json!(false))
    );
    rewrite(&smith, &project, "anvil", "anvil.txt", "another\n").await;
    t.settle().await;
    for user in [&smith, &jane] {
        assert_eq!(todos(user, "pending").await, [] as [Value; 0], "{}", user.username);
        assert_eq!(todos(user, "done").await, ["unmergeable", "build_failed"]);
    }
    let others = t.admin().get("/todos?state=done").await.is(200).json();
    assert_eq!(others, json!([]));
}

/// Who got a mail since the last time, its subject, and what it says happened.
async fn news(t: &TestServer, known: &mut usize) -> Vec<(String, String, String)> {
    t.settle().await;
    let sent = t.app().mailer().sent().split_off(*known);
    *known += sent.len();
    let mut news: Vec<_> = sent
        .into_iter()
        .map(|mail| {
            let name = mail.to.split('@').next().unwrap_or_default().to_owned();
            let happened = mail.text.lines().next().unwrap_or_default().to_owned();
            (name, mail.subject, happened)
        })
        .collect();
    news.sort();
    news
}

/// The same mail to these.
fn told(names: &[&str], subject: &str, happened: &str) -> Vec<(String, String, String)> {
    let mail = |name: &&str| ((*name).to_owned(), subject.to_owned(), happened.to_owned());
    names.iter().map(mail).collect()
}

#[testkit::story]
async fn mails_tell_what_happens(t: TestServer) {
    let (project, [smith, jane]) = begun(&t).await;
    let kay = developer(&t, &project, "kay").await;
    let (one, mut known) = (project.at("/merge_requests/1"), 0);
    news(&t, &mut known).await;
    let mut body = super::wanted("anvil");
    body["reviewer_ids"] = json!([jane.id]);
    smith.post(project.at("/merge_requests")).json(&body).await.is(201);
    let (first, later) = ("forge | Merge anvil (!1)", "Re: forge | Merge anvil (!1)");
    let made = told(&["jane"], first, "smith made the merge request acme/forge!1.");
    assert_eq!(news(&t, &mut known).await, made);

    let both = json!({"reviewer_ids": [jane.id, kay.id]});
    smith.put(&one).json(&both).await.is(200);
    let text = "smith changed who reviews acme/forge!1.";
    assert_eq!(news(&t, &mut known).await, told(&["jane", "kay"], later, text));
    jane.post(format!("{one}/approve")).await.is(201);
    let text = "jane approved the merge request acme/forge!1.";
    assert_eq!(news(&t, &mut known).await, told(&["kay", "smith"], later, text));
    commit(&t, &project, "main", "anvil.txt", "y\n").await;
    let text = "The merge request acme/forge!1 cannot be merged any more.";
    assert_eq!(news(&t, &mut known).await, told(&["jane", "kay", "smith"], later, text));
    rewrite(&smith, &project, "anvil", "anvil.txt", "y\n").await;
    let text = "smith pushed new commits to acme/forge!1.";
    assert_eq!(news(&t, &mut known).await, told(&["jane", "kay"], later, text));

    commit(&t, &project, "anvil", "horn.txt", "x\n").await;
    t.settle().await;
    let sha = smith.get(&one).await.is(200).json()["sha"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let status = async |state: &str| {
        let body = json!({"state": state, "name": "ci", "ref": "anvil"});
        t.admin()
            .post(project.at(&format!("/statuses/{sha}")))
            .json(&body)
            .await
            .is(201);
    };
    status("running").await;
    news(&t, &mut known).await;
    order(&jane, &project).await;
    let text = "jane has acme/forge!1 merged once its checks pass.";
    assert_eq!(news(&t, &mut known).await, told(&["kay", "smith"], later, text));
    // Who ordered it learns that it happened; who merges by hand knows.
    status("success").await;
    let text = "The merge request acme/forge!1 was merged.";
    assert_eq!(news(&t, &mut known).await, told(&["jane", "kay", "smith"], later, text));
    commit(&t, &project, "face", "face.txt", "x\n").await;
    open(&smith, &project, "face").await;
    news(&t, &mut known).await;
    jane.put(project.at("/merge_requests/2/merge")).await.is(200);
    let text = "jane merged the merge request acme/forge!2.";
    let merged = told(&["smith"], "Re: forge | Merge face (!2)", text);
    assert_eq!(news(&t, &mut known).await, merged);
}
