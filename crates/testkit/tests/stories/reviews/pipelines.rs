//! Pipelines of merge requests: of the head, of what a merge would make, and of forks.

use super::{commit, commit_titled, developer, forge, open};
use crate::delivery::runner_jobs::{end, runner, take};
use crate::delivery::running::jobs_of;
use serde_json::{Value, json};
use store::sql;
use testkit::{Client, Git, TestProject, TestServer};

pub const OF_REQUESTS: &str = "
unit:
  script: make test
  rules:
    - if: $CI_PIPELINE_SOURCE == \"merge_request_event\"
";

const GUARDED: &str = "
workflow:
  rules:
    - if: $CI_PIPELINE_SOURCE == \"merge_request_event\"
    - if: $CI_COMMIT_BRANCH && $CI_OPEN_MERGE_REQUESTS
      when: never
    - if: $CI_COMMIT_BRANCH
unit: {script: make test}
";

const OF_CHANGES: &str = "
unit:
  script: make test
  rules:
    - if: $CI_PIPELINE_SOURCE == \"merge_request_event\"
      changes: ['src/*']
docs: {script: make docs, only: [merge_requests]}
";

/// A project with this pipeline file, and a branch of one commit.
async fn begun(t: &TestServer, file: &str) -> TestProject {
    let project = forge(t).await;
    commit(t, &project, "main", ".gitlab-ci.yml", file).await;
    commit(t, &project, "anvil", "anvil.txt", "x\n").await;
    t.settle().await;
    project
}

/// The pipelines of a merge request, the newest first.
async fn pipelines(client: &Client, project: &TestProject, iid: i64) -> Vec<Value> {
    let path = project.at(&format!("/merge_requests/{iid}/pipelines"));
    let all = client.get(path).await.is(200).json();
    all.as_array().expect("a list").clone()
}

async fn shown(client: &Client, project: &TestProject) -> Value {
    client.get(project.at("/merge_requests/1")).await.is(200).json()
}

/// What a job is told under a name.
pub fn told<'j>(job: &'j Value, key: &str) -> Option<&'j str> {
    let all = job["variables"].as_array().expect("variables");
    all.iter().find(|one| one["key"] == key).and_then(|one| one["value"].as_str())
}

#[testkit::story]
async fn a_request_has_a_pipeline_and_waits_for_it(t: TestServer) {
    let project = begun(&t, OF_REQUESTS).await;
    let own = runner(&t, json!({})).await;
    let made = open(&t.admin(), &project, "anvil").await.json();
    let sha = made["sha"].as_str().unwrap();

    // At once, whether the pipeline is there already or not.
    let merge = project.at("/merge_requests/1/merge");
    let waits = t.admin().put(merge).json(&json!({"auto_merge": true})).await.is(200).json();
    assert_eq!(
        (&waits["state"], &waits["merge_when_pipeline_succeeds"]),
        (&json!("opened"), &json!(true))
    );
    t.settle().await;
    let all = pipelines(&t.admin(), &project, 1).await;
    assert_eq!(all.len(), 1, "{all:?}");
    let (id, name) = (all[0]["id"].clone(), "refs/merge-requests/1/head");
    assert_eq!(
        (&all[0]["ref"], &all[0]["source"], &all[0]["sha"]),
        (&json!(name), &json!("merge_request_event"), &json!(sha))
    );
    let query = format!("/pipelines?ref={name}&source=merge_request_event");
    assert_eq!(
        t.admin().get(project.at(&query)).await.is(200).each("id"),
        std::slice::from_ref(&id)
    );
    let request = shown(&t.admin(), &project).await;
    assert_eq!((&request["head_pipeline"]["id"], &request["pipeline"]["id"]), (&id, &id));

    let (job_id, token, job) = take(&t, &own).await;
    assert_eq!((&job["git_info"]["ref"], &job["git_info"]["sha"]), (&json!(name), &json!(sha)));
    assert_eq!(job["git_info"]["refspecs"], json!([format!("+{sha}:refs/pipelines/{id}")]));
    let base = request["diff_refs"]["base_sha"].as_str().unwrap();
    for (key, value) in [
        ("CI_PIPELINE_SOURCE", "merge_request_event"),
        ("CI_COMMIT_REF_NAME", "anvil"),
        ("CI_OPEN_MERGE_REQUESTS", "acme/forge!1"),
        ("CI_MERGE_REQUEST_IID", "1"),
        ("CI_MERGE_REQUEST_TITLE", "Merge anvil"),
        ("CI_MERGE_REQUEST_EVENT_TYPE", "detached"),
        ("CI_MERGE_REQUEST_REF_PATH", name),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", base),
        ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "anvil"),
        ("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", ""),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED", "true"),
        ("CI_MERGE_REQUEST_PROJECT_PATH", "acme/forge"),
        ("CI_MERGE_REQUEST_SQUASH_ON_MERGE", "false"),
    ] {
        assert_eq!(told(&job, key), Some(value), "{key}");
    }
    assert_eq!(told(&job, "CI_COMMIT_BRANCH"), None);
    end(&t, (job_id, &token), "success").await.is(200);
    let merged = shown(&t.admin(), &project).await;
    assert_eq!((&merged["state"], &merged["sha"]), (&json!("merged"), &json!(sha)));
}

#[testkit::story]
async fn each_push_begins_one_and_takes_the_place_of_the_last(t: TestServer) {
    let project = begun(&t, OF_REQUESTS).await;
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    commit(&t, &project, "anvil", "horn.txt", "x\n").await;
    t.settle().await;
    let skips = ("anvil", "face.txt", "x\n");
    commit_titled(&t, &project, skips, "Add a face [ci skip]").await;
    t.settle().await;
    let all = pipelines(&t.admin(), &project, 1).await;
    let statuses: Vec<&Value> = all.iter().map(|one| &one["status"]).collect();
    // The newest two are of one push: one of the branch, and its own.
    assert_eq!(statuses, ["skipped", "skipped", "pending", "canceled"]);
}

#[testkit::story]
async fn workflow_rules_leave_out_the_twin_of_the_branch(t: TestServer) {
    let project = begun(&t, GUARDED).await;
    let sources = async || {
        let sha = shown(&t.admin(), &project).await["sha"].as_str().unwrap().to_owned();
        let path = project.at(&format!("/pipelines?sha={sha}"));
        t.admin().get(path).await.is(200).each("source")
    };
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    assert_eq!(sources().await, [json!("merge_request_event"), json!("push")]);
    commit(&t, &project, "anvil", "horn.txt", "x\n").await;
    t.settle().await;
    assert_eq!(sources().await, [json!("merge_request_event")]);
}

#[testkit::story]
async fn changes_count_since_the_target(t: TestServer) {
    let project = begun(&t, OF_CHANGES).await;
    commit(&t, &project, "anvil", "src/anvil.rs", "x\n").await;
    commit(&t, &project, "horn", "horn.txt", "x\n").await;
    open(&t.admin(), &project, "anvil").await;
    open(&t.admin(), &project, "horn").await;
    t.settle().await;
    commit(&t, &project, "anvil", "README.txt", "x\n").await;
    t.settle().await;
    for (iid, jobs) in [(1, vec!["docs pending", "unit pending"]), (2, vec!["docs pending"])] {
        let newest = pipelines(&t.admin(), &project, iid).await[0]["id"].as_i64().unwrap();
        assert_eq!(jobs_of(&t, &project, newest).await, jobs, "{iid}");
    }
}

#[testkit::story]
async fn branches_are_merged_for_their_pipeline(t: TestServer) {
    let project = begun(&t, OF_REQUESTS).await;
    let id = project.id;
    let set = t.app().write(move |tx| {
        tx.execute(
            sql!(
                "insert into merge_request_settings
                    (project_id, merged_results, pipelines_must_succeed)
                 values ($1, true, true)"
            ),
            (id,),
        )?;
        Ok(())
    });
    set.await.unwrap();
    commit(&t, &project, "main", "main.txt", "x\n").await;
    let own = runner(&t, json!({})).await;
    let head = open(&t.admin(), &project, "anvil").await.json()["sha"].clone();
    t.settle().await;

    let one = pipelines(&t.admin(), &project, 1).await.remove(0);
    assert_eq!(one["ref"], "refs/merge-requests/1/merge");
    let git = Git::of(&t.admin());
    git.run(&["clone", "--quiet", &git.url("acme/forge"), "one"]).await.done();
    let fetch = ["fetch", "--quiet", "origin", "refs/merge-requests/1/merge"];
    git.run_in("one", &fetch).await.done();
    assert_eq!(one["sha"], git.id("one", "FETCH_HEAD").await);
    assert_eq!(head, git.id("one", "FETCH_HEAD^2").await);
    let request = shown(&t.admin(), &project).await;
    assert_eq!(request["head_pipeline"]["id"], one["id"]);
    assert_eq!(request["detailed_merge_status"], "ci_still_running");

    let (job_id, token, job) = take(&t, &own).await;
    let target = git.id("one", "FETCH_HEAD^1").await;
    for (key, value) in [
        ("CI_COMMIT_SHA", one["sha"].as_str().unwrap()),
        ("CI_MERGE_REQUEST_EVENT_TYPE", "merged_result"),
        ("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", head.as_str().unwrap()),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", target.as_str()),
    ] {
        assert_eq!(told(&job, key), Some(value), "{key}");
    }
    end(&t, (job_id, &token), "success").await.is(200);
    assert_eq!(shown(&t.admin(), &project).await["detailed_merge_status"], "mergeable");
}

#[testkit::story]
async fn forks_run_their_own_and_are_told_no_secrets(t: TestServer) {
    let project = begun(&t, OF_REQUESTS).await;
    for variable in [
        json!({"key": "PLAIN", "value": "for-everybody"}),
        json!({"key": "HIDDEN", "value": "supersecret", "masked": true}),
        json!({"key": "GUARDED", "value": "supersecret", "protected": true}),
    ] {
        t.admin().post(project.at("/variables")).json(&variable).await.is(201);
    }
    let jane = t.user("jane").await;
    let fork = jane.post(project.at("/fork")).json(&json!({})).await.is(201).json();
    let fork = fork["id"].as_i64().unwrap();
    let at = |rest: &str| format!("/projects/{fork}{rest}");
    let body = json!({"branch": "horn", "start_branch": "main", "commit_message": "Horn",
        "actions": [{"action": "create", "file_path": "horn.txt", "content": "x"}]});
    jane.post(at("/repository/commits")).json(&body).await.is(201);
    let body = json!({"title": "Horn", "source_branch": "horn", "target_branch": "main",
        "target_project_id": project.id});
    jane.post(at("/merge_requests")).json(&body).await.is(201);
    t.settle().await;
    let of_requests = "/pipelines?source=merge_request_event";
    let own = jane.get(at(of_requests)).await.is(200);
    assert_eq!(own.each("ref"), [json!("refs/merge-requests/1/head")]);
    let parents = t.admin().get(project.at(of_requests)).await.is(200);
    assert!(parents.each("id").is_empty());

    let run = project.at("/merge_requests/1/pipelines");
    t.anonymous().post(&run).await.is(401);
    t.user("walker").await.post(&run).await.is(403);
    assert_eq!(jane.post(&run).await.is(200).json()["project_id"], fork);
    assert_eq!(t.admin().post(&run).await.is(200).json()["project_id"], project.id);
    let ran_in = t.admin().get(&run).await.is(200).each("project_id");
    assert_eq!(ran_in, [json!(project.id), json!(fork), json!(fork)]);
    let theirs = json!({"runner_type": "project_type", "project_id": project.id});
    let (_, _, job) = take(&t, &runner(&t, theirs).await).await;
    assert_eq!(
        told(&job, "CI_MERGE_REQUEST_SOURCE_PROJECT_ID"),
        Some(fork.to_string().as_str())
    );
    assert_eq!(told(&job, "PLAIN"), Some("for-everybody"));
    assert_eq!((told(&job, "HIDDEN"), told(&job, "GUARDED")), (None, None));
    assert_eq!(job["git_info"]["protected"], false);
}

#[testkit::story]
async fn a_pipeline_is_run_when_somebody_asks(t: TestServer) {
    let project = begun(&t, OF_REQUESTS).await;
    let smith = developer(&t, &project, "smith").await;
    open(&smith, &project, "anvil").await;
    t.settle().await;
    let run = project.at("/merge_requests/1/pipelines");
    let made = smith.post(&run).await.is(200).json();
    assert_eq!(made["source"], "merge_request_event");
    assert_eq!(made["detailed_status"]["group"], "pending");
    let later = smith.post(&run).json(&json!({"async": true})).await.is(202);
    assert_eq!(later.text(), "");
    t.settle().await;
    assert_eq!(pipelines(&smith, &project, 1).await.len(), 3);
    let page = t.browser("smith").await.get("/acme/forge/-/pipelines").await.is(200).text();
    assert!(page.contains("href=\"/acme/forge/-/merge_requests/1\""), "{page}");

    let closes = json!({"state_event": "close"});
    smith.put(project.at("/merge_requests/1")).json(&closes).await.is(200);
    smith.post(&run).await.is(405);
    t.settle().await;
    let git = Git::of(&smith);
    let url = git.url("acme/forge");
    let left = git.run(&["ls-remote", &url, "refs/merge-requests/*"]).await.done().said;
    assert!(left.contains("/1/head") && !left.contains("/1/merge"), "{left}");
    let bare = t.project_with("acme/bare", "public").await;
    commit(&t, &bare, "main", "README.md", "x\n").await;
    commit(&t, &bare, "anvil", "anvil.txt", "x\n").await;
    open(&t.admin(), &bare, "anvil").await;
    let none = t.admin().post(bare.at("/merge_requests/1/pipelines")).await.is(400).json();
    assert_eq!(none["message"], json!({"base": ["Missing CI config file"]}));
}

#[testkit::story]
async fn who_may_runs_one_by_a_button(t: TestServer) {
    let project = begun(&t, OF_REQUESTS).await;
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    developer(&t, &project, "smith").await;
    t.user("reader").await;
    let at = "/acme/forge/-/merge_requests/1/pipelines";
    let (browser, reader) = (t.browser("smith").await, t.browser("reader").await);

    let page = browser.get(at).await.is(200).text();
    assert!(page.contains("Run pipeline</button>"), "{page}");
    let (to, page) = browser.submit(at, &[]).await;
    assert!(to == at && page.contains("Pipeline begun."), "{to}: {page}");
    assert_eq!(pipelines(&t.admin(), &project, 1).await.len(), 2);

    let page = reader.get(at).await.is(200).text();
    assert!(!page.contains("Run pipeline"), "{page}");
    let (_, refused) = reader.submit(at, &[]).await;
    assert!(refused.contains("You may not run pipelines for it."), "{refused}");
    let closed = json!({"state_event": "close"});
    t.admin().put(project.at("/merge_requests/1")).json(&closed).await.is(200);
    let page = browser.get(at).await.is(200).text();
    assert!(!page.contains("Run pipeline"), "{page}");
    let (_, refused) = browser.submit(at, &[]).await;
    assert!(refused.contains("No pipeline can run for it: it is not open"), "{refused}");
    assert_eq!(pipelines(&t.admin(), &project, 1).await.len(), 2);
}

#[testkit::story]
async fn runners_that_know_no_refspecs_are_given_no_jobs_of_requests(t: TestServer) {
    let project = begun(&t, OF_REQUESTS).await;
    let own = runner(&t, json!({})).await;
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    let ask = async |system: &str, info: Value| {
        let body = json!({"token": own, "system_id": system, "info": info});
        t.anonymous().post("/jobs/request").json(&body).await
    };
    for (system, info) in [
        ("s_1", json!({"name": "old"})),
        ("s_2", json!({"features": {"refspecs": false}})),
        ("s_3", json!({"features": {"refspecs": "yes"}})),
    ] {
        ask(system, info).await.is(204);
    }
    let waits = t.admin().get(project.at("/jobs?scope[]=pending")).await.is(200).json();
    let one = project.at(&format!("/jobs/{}", waits[0]["id"]));
    assert_eq!(t.admin().get(&one).await.is(200).json()["pending_reason"], "refspecs_missing");
    let page = format!("/acme/forge/-/jobs/{}", waits[0]["id"]);
    let page = t.new_browser().get(&page).await.is(200).text();
    assert!(page.contains("No runner that is online knows refspecs"), "{page}");

    let taken = ask("s_4", json!({"features": {"refspecs": true}})).await.is(201).json();
    assert_eq!(taken["id"], waits[0]["id"]);
}
