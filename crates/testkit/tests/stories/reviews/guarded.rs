//! What jobs of merge requests are given, to whom pipelines show, and for what they run.

use super::graph::one as asked;
use super::pipelines::{OF_REQUESTS, told};
use super::{commit, developer, forge, open};
use crate::delivery::runner_jobs::{end, runner, take};
use serde_json::{Value, json};
use testkit::{Client, Git, TestProject, TestServer, TestUser};

const FAMILY: &str = "
workflow: {rules: [{if: $CI_PIPELINE_SOURCE == \"merge_request_event\"}]}
unit: {script: make test}
deploy: {script: make deploy, when: manual, allow_failure: true}
child: {trigger: {include: child.yml}}
";

const CHILD: &str = "
below: {script: make below, rules: [{if: $CI_MERGE_REQUEST_IID}]}
";

const EVERY: &str = "
unit:
  script: make test
  rules: [{if: $CI_PIPELINE_SOURCE == \"merge_request_event\"}, {if: $CI_COMMIT_BRANCH}]
";

/// A project with this pipeline file, secrets of three kinds, and a branch.
async fn begun(t: &TestServer, file: &str) -> TestProject {
    let project = forge(t).await;
    commit(t, &project, "main", ".gitlab-ci.yml", file).await;
    commit(t, &project, "main", "child.yml", CHILD).await;
    commit(t, &project, "anvil", "anvil.txt", "x\n").await;
    for variable in [
        json!({"key": "PLAIN", "value": "for-everybody"}),
        json!({"key": "HIDDEN", "value": "supersecret", "masked": true}),
        json!({"key": "GUARDED", "value": "supersecret", "protected": true}),
    ] {
        t.admin().post(project.at("/variables")).json(&variable).await.is(201);
    }
    t.settle().await;
    project
}

/// The next job, which ends so, with what it was told.
async fn done(t: &TestServer, own: &str, state: &str) -> Value {
    let (id, token, job) = take(t, own).await;
    end(t, (id, &token), state).await.is(200);
    job
}

/// The next job of this name, after whatever waits before it; all of them fail.
async fn failed(t: &TestServer, own: &str, name: &str) -> Value {
    loop {
        let job = done(t, own, "failed").await;
        if job["job_info"]["name"] == name {
            return job;
        }
    }
}

async fn run(client: &Client, project: &TestProject) -> Value {
    let path = project.at("/merge_requests/1/pipelines");
    client.post(path).await.is(200).json()
}

async fn again(client: &Client, project: &TestProject, job: &Value) -> u16 {
    client.post(project.at(&format!("/jobs/{}/retry", job["id"]))).await.status
}

#[testkit::story]
async fn what_is_protected_is_for_who_may_merge(t: TestServer) {
    let project = begun(&t, FAMILY).await;
    let own = runner(&t, json!({})).await;
    let smith = developer(&t, &project, "smith").await;
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    let job = failed(&t, &own, "unit").await;
    assert_eq!((told(&job, "GUARDED"), told(&job, "HIDDEN")), (None, Some("supersecret")));
    done(&t, &own, "failed").await;

    let body = json!({"name": "anvil", "push_access_level": 30, "merge_access_level": 30});
    t.admin().post(project.at("/protected_branches")).json(&body).await.is(201);
    // Both branches are protected now, and smith may push to the source alone.
    run(&smith, &project).await;
    t.settle().await;
    let job = failed(&t, &own, "unit").await;
    assert_eq!((told(&job, "GUARDED"), &job["git_info"]["protected"]), (None, &json!(false)));
    assert_eq!(again(&smith, &project, &job).await, 201);
    done(&t, &own, "failed").await;
    done(&t, &own, "failed").await;

    let pipeline = run(&t.admin(), &project).await["id"].clone();
    t.settle().await;
    let unit = failed(&t, &own, "unit").await;
    assert_eq!(told(&unit, "GUARDED"), Some("supersecret"));
    assert_eq!(told(&unit, "CI_COMMIT_REF_PROTECTED"), Some("true"));
    let below = done(&t, &own, "failed").await;
    assert_eq!(below["job_info"]["name"], "below");
    assert_eq!(told(&below, "GUARDED"), Some("supersecret"));
    for job in [&unit, &below] {
        assert_eq!(again(&smith, &project, job).await, 403);
    }
    let retry = project.at(&format!("/pipelines/{pipeline}/retry"));
    smith.post(retry).await.is(403);
    let jobs = project.at(&format!("/pipelines/{pipeline}/jobs?scope=manual"));
    let deploy = smith.get(jobs).await.is(200).json()[0].clone();
    let play = project.at(&format!("/jobs/{}/play", deploy["id"]));
    smith.post(&play).await.is(403);
    t.admin().post(&play).await.is(200);
    assert_eq!(again(&t.admin(), &project, &unit).await, 201);
}

/// Everything that a job is told of its merge request, and of its secrets.
fn gist(job: &Value) -> Vec<(String, String)> {
    let all = job["variables"].as_array().expect("variables").iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pairs = all.map(|one| (text(&one["key"]), text(&one["value"])));
    let mut kept: Vec<_> = pairs
        .filter(|(key, _)| {
            key.starts_with("CI_MERGE_REQUEST")
                || ["CI_OPEN_MERGE_REQUESTS", "CI_COMMIT_REF_NAME", "PLAIN", "HIDDEN", "GUARDED"]
                    .contains(&key.as_str())
        })
        .collect();
    kept.sort();
    kept
}

#[testkit::story]
async fn jobs_are_told_the_same_again_and_in_children(t: TestServer) {
    let project = begun(&t, FAMILY).await;
    let own = runner(&t, json!({})).await;
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    let unit = failed(&t, &own, "unit").await;
    let below = failed(&t, &own, "below").await;
    assert_eq!(told(&unit, "CI_MERGE_REQUEST_TITLE"), Some("Merge anvil"));
    assert_eq!(told(&below, "CI_PIPELINE_SOURCE"), Some("parent_pipeline"));
    assert_eq!(gist(&unit), gist(&below));
    let other = json!({"title": "Another", "description": "Changed"});
    t.admin().put(project.at("/merge_requests/1")).json(&other).await.is(200);
    for job in [&unit, &below] {
        assert_eq!(again(&t.admin(), &project, job).await, 201);
        assert_eq!(gist(&done(&t, &own, "failed").await), gist(job));
    }
}

/// A merge request from a fork of jane's, with a pipeline in its parent.
async fn forked(t: &TestServer, project: &TestProject) -> TestUser {
    let jane = t.user("jane").await;
    let fork = jane.post(project.at("/fork")).json(&json!({})).await.is(201).id();
    t.settle().await;
    let body = json!({"branch": "horn", "start_branch": "main", "commit_message": "Horn",
        "actions": [{"action": "create", "file_path": "horn.txt", "content": "x"}]});
    let commits = format!("/projects/{fork}/repository/commits");
    jane.post(commits).json(&body).await.is(201);
    let body = json!({"title": "Horn", "source_branch": "horn", "target_branch": "main",
        "target_project_id": project.id});
    jane.post(format!("/projects/{fork}/merge_requests")).json(&body).await.is(201);
    t.settle().await;
    run(&t.admin(), project).await;
    t.settle().await;
    jane
}

#[testkit::story]
async fn code_of_forks_is_told_no_secrets_again_and_in_children(t: TestServer) {
    let project = begun(&t, FAMILY).await;
    let jane = forked(&t, &project).await;
    let theirs = json!({"runner_type": "project_type", "project_id": project.id});
    let own = runner(&t, theirs).await;
    let unit = failed(&t, &own, "unit").await;
    let below = failed(&t, &own, "below").await;
    for job in [&unit, &below] {
        assert_eq!(again(&jane, &project, job).await, 403);
        assert_eq!(again(&t.admin(), &project, job).await, 201);
        for job in [job, &done(&t, &own, "failed").await] {
            assert_eq!(told(job, "PLAIN"), Some("for-everybody"));
            assert_eq!((told(job, "HIDDEN"), told(job, "GUARDED")), (None, None));
        }
    }
}

#[testkit::story]
async fn push_options_begin_none_or_speak_to_branches(t: TestServer) {
    let project = begun(&t, EVERY).await;
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    let git = Git::of(&t.admin());
    let url = git.url("acme/forge");
    git.run(&["clone", "--quiet", "--branch", "anvil", &url, "one"]).await.done();
    let push = async |option: &str| {
        let sha = git.commit("one", "more.txt", option).await;
        git.run_in("one", &["push", "-o", option, "origin", "anvil"]).await.done();
        t.settle().await;
        sha
    };
    let pipelines = async |sha: &str| {
        let path = project.at(&format!("/pipelines?sha={sha}"));
        t.admin().get(path).await.is(200)
    };
    let none = push("ci.no_pipeline").await;
    assert_eq!(pipelines(&none).await.json(), json!([]));
    let skipped = push("ci.skip").await;
    assert_eq!(pipelines(&skipped).await.each("status"), ["skipped", "skipped"]);

    let sha = push("ci.variable=COLOUR=red").await;
    let both = pipelines(&sha).await.each("source");
    assert_eq!(both, ["merge_request_event", "push"]);
    let own = runner(&t, json!({})).await;
    let mut colours = Vec::new();
    while let Some(job) = next(&t, &own, &sha).await {
        let of = told(&job, "CI_PIPELINE_SOURCE").unwrap_or_default().to_owned();
        colours.push((of, told(&job, "COLOUR").map(str::to_owned)));
    }
    colours.sort();
    let expected = [("merge_request_event", None), ("push", Some("red"))];
    let expected = expected.map(|(of, colour)| (of.to_owned(), colour.map(str::to_owned)));
    assert_eq!(colours, expected);
}

/// The next job of a commit.
async fn next(t: &TestServer, own: &str, sha: &str) -> Option<Value> {
    loop {
        let info = json!({"features": {"refspecs": true}});
        let asked = json!({"token": own, "system_id": "s_1", "info": info});
        let reply = t.anonymous().post("/jobs/request").json(&asked).await;
        if reply.status != 201 {
            return None;
        }
        let job = reply.json();
        let id = job["id"].as_i64().unwrap_or_default();
        end(t, (id, job["token"].as_str().unwrap_or_default()), "success").await;
        if job["git_info"]["sha"] == sha {
            return Some(job);
        }
    }
}

#[testkit::story]
async fn pipelines_run_for_what_there_is_to_merge(t: TestServer) {
    let project = begun(&t, OF_REQUESTS).await;
    let set = async |body: Value| t.admin().put(project.at("")).json(&body).await.is(200).json();
    let on = set(json!({"merge_pipelines_enabled": true})).await;
    assert_eq!(on["merge_pipelines_enabled"], true);
    commit(&t, &project, "main", "main.txt", "x\n").await;
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    let path = project.at("/merge_requests/1/pipelines");
    let first = t.admin().get(&path).await.is(200).each("ref");
    assert_eq!(first, ["refs/merge-requests/1/merge"]);
    set(json!({"merge_pipelines_enabled": false})).await;
    assert_eq!(run(&t.admin(), &project).await["ref"], "refs/merge-requests/1/head");

    // Nobody runs one of a branch for what is no branch.
    for name in ["refs/merge-requests/1/head", "refs/merge-requests/1/merge"] {
        let body = json!({"ref": name});
        let refused = t.admin().post(project.at("/pipeline")).json(&body).await.is(400).json();
        assert_eq!(refused["message"], json!({"base": ["Reference not found"]}), "{name}");
    }
    let branches = project.at("/repository/branches?branch=same&ref=main");
    t.admin().post(branches).await.is(201);
    open(&t.admin(), &project, "same").await;
    let empty = project.at("/merge_requests/2/pipelines");
    t.admin().post(&empty).await.is(405);
    t.admin().post(&empty).json(&json!({"async": true})).await.is(202);
    t.settle().await;
    assert_eq!(t.admin().get(&empty).await.is(200).json(), json!([]));

    let reader = t.user("reader").await;
    let fields = "title headPipeline{iid} pipelines{count}";
    let seen = asked(&reader, fields).await;
    assert_eq!(
        (&seen["headPipeline"], &seen["pipelines"]),
        (&json!({"iid": "2"}), &json!({"count": 2}))
    );
    set(json!({"builds_access_level": "private"})).await;
    let expected = json!({"title": "Merge anvil", "headPipeline": null, "pipelines": null});
    assert_eq!(asked(&reader, fields).await, expected);
    let shown = reader.get(project.at("/merge_requests/1")).await.is(200).json();
    assert_eq!((&shown["head_pipeline"], &shown["pipeline"]), (&Value::Null, &Value::Null));
    reader.get(&path).await.is(403);
}
