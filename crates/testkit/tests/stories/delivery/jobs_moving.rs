//! Jobs are started, repeated, put off and given up.

use super::running::{begun, commit, fails, job, jobs_of, newest, passes, status, take, until};
use crate::spaces::run_job;
use ::delivery::pipelines::jobs::{self, Outcome};
use ::delivery::pipelines::store::progress::Runs;
use serde_json::json;
use testkit::{TestProject, TestServer};

async fn act(t: &TestServer, project: &TestProject, job: i64, what: &str) -> testkit::Reply {
    t.admin()
        .post(project.at(&format!("/jobs/{job}/{what}")))
        .json(&json!({}))
        .await
}

#[testkit::story]
async fn a_failure_decides_on_what_follows(t: TestServer) {
    let file = "
f: {stage: build, script: e}
g: {script: e}
h: {script: e, when: on_failure}
i: {stage: deploy, script: e, when: always}
";
    let (project, id) = begun(&t, "acme/anvil", file).await;
    fails(&t, id, "f", 1).await;
    let all = ["f failed", "g skipped", "h pending", "i created"];
    assert_eq!(jobs_of(&t, &project, id).await, all);
    passes(&t, id, "h").await;
    passes(&t, id, "i").await;
    assert_eq!(status(&t, &project, id).await, "failed");
    let shown = job(&t, id, "f").await;
    assert_eq!(shown.exit_code, Some(1));

    // Run again, what was left out is looked at again.
    let f = shown.id;
    let copy = act(&t, &project, f, "retry").await.is(201).json();
    assert!(copy["id"].as_i64() > Some(f));
    assert_eq!(copy["status"], "pending");
    let text = "403 Forbidden - Job is not retryable";
    let refused = act(&t, &project, f, "retry").await.is(403).json();
    assert_eq!(refused, json!({"message": text}));
    passes(&t, id, "f").await;
    let all = ["f success", "g pending", "h success", "i success"];
    assert_eq!(jobs_of(&t, &project, id).await, all);
}

#[testkit::story]
async fn some_codes_are_allowed(t: TestServer) {
    let file = "
f: {stage: build, script: e, allow_failure: {exit_codes: [3]}}
g: {script: e}
h: {script: e, when: on_failure}
";
    let (project, id) = begun(&t, "acme/anvil", file).await;
    fails(&t, id, "f", 3).await;
    assert_eq!(jobs_of(&t, &project, id).await, ["f failed", "g pending", "h skipped"]);
    passes(&t, id, "g").await;
    assert_eq!(status(&t, &project, id).await, "success");
}

#[testkit::story]
async fn a_job_is_tried_again(t: TestServer) {
    let file = "a: {script: e, retry: {max: 2, exit_codes: [137]}}\nb: {script: e}";
    let (project, id) = begun(&t, "acme/anvil", file).await;
    fails(&t, id, "a", 137).await;
    fails(&t, id, "a", 137).await;
    assert_eq!(jobs_of(&t, &project, id).await, ["a pending", "b pending"]);
    fails(&t, id, "a", 137).await;
    assert_eq!(jobs_of(&t, &project, id).await, ["a failed", "b pending"]);
    assert_eq!(job(&t, id, "a").await.attempt, 2);
}

#[testkit::story]
async fn somebody_starts_a_job(t: TestServer) {
    let file = "
m: {stage: build, script: e, rules: [{when: manual}]}
n: {script: e}
o: {stage: build, script: e, when: manual}
";
    let (project, id) = begun(&t, "acme/anvil", file).await;
    assert_eq!(status(&t, &project, id).await, "manual");
    assert_eq!(jobs_of(&t, &project, id).await, ["m manual", "n created", "o manual"]);
    let (m, n) = (job(&t, id, "m").await.id, job(&t, id, "n").await.id);
    let text = "400 Bad request - Unplayable Job";
    assert_eq!(act(&t, &project, n, "play").await.is(400).json()["message"], text);
    let (developer, reporter) = (t.user("dev").await, t.user("rep").await);
    project.add(&developer, 30).await;
    project.add(&reporter, 20).await;
    let play = project.at(&format!("/jobs/{m}/play"));
    developer.post(&play).json(&json!({})).await.is(403);
    reporter.post(&play).json(&json!({})).await.is(403);
    let given = json!({"job_variables_attributes": [{"key": "A", "value": "x"}]});
    let played = t.admin().post(&play).json(&given).await.is(200).json();
    assert_eq!((&played["status"], &played["id"]), (&json!("pending"), &json!(m)));
    let twice = json!({"job_variables_attributes":
        [{"key": "A", "value": "x"}, {"key": "A", "value": "y"}]});
    let o = job(&t, id, "o").await.id;
    t.admin()
        .post(project.at(&format!("/jobs/{o}/play")))
        .json(&twice)
        .await
        .is(400);
    passes(&t, id, "m").await;
    assert_eq!(jobs_of(&t, &project, id).await, ["m success", "n pending", "o manual"]);
    passes(&t, id, "n").await;
    assert_eq!(status(&t, &project, id).await, "success", "nobody has to start one");
    // One that has ended is started once more.
    let again = act(&t, &project, m, "play").await.is(200).json();
    assert!(again["id"].as_i64() > Some(m));
    assert_eq!(again["status"], "pending");
}

#[testkit::story(noon)]
async fn a_job_waits_for_its_time(t: TestServer) {
    let file = "d: {script: e, when: delayed, start_in: 30 minutes}";
    let (project, id) = begun(&t, "acme/anvil", file).await;
    assert_eq!(status(&t, &project, id).await, "scheduled");
    t.advance(29 * 60);
    t.settle().await;
    assert_eq!(jobs_of(&t, &project, id).await, ["d scheduled"]);
    t.advance(61);
    until(&t, async || jobs_of(&t, &project, id).await == ["d pending"]).await;
    assert_eq!(status(&t, &project, id).await, "pending");
}

#[testkit::story]
async fn needs_let_jobs_begin_early(t: TestServer) {
    let file = "
a: {stage: build, script: e}
b: {stage: build, script: e}
c: {stage: deploy, script: e, needs: [a]}
d: {stage: deploy, script: e, needs: []}
e: {stage: deploy, script: e}
";
    let (project, id) = begun(&t, "acme/anvil", file).await;
    let all = ["a pending", "b pending", "c created", "d pending", "e created"];
    assert_eq!(jobs_of(&t, &project, id).await, all);
    passes(&t, id, "a").await;
    assert_eq!(jobs_of(&t, &project, id).await[2], "c pending");
    fails(&t, id, "b", 1).await;
    let all = ["a success", "b failed", "c pending", "d pending", "e skipped"];
    assert_eq!(jobs_of(&t, &project, id).await, all);
}

#[testkit::story]
async fn one_job_of_a_resource_group_runs(t: TestServer) {
    let file = "ship: {script: e, resource_group: production}";
    let (project, first) = begun(&t, "acme/anvil", file).await;
    take(&t, first, "ship").await;
    commit(&t, &project, "1.txt", "1", "One").await;
    let second = newest(&t, &project).await;
    assert_eq!(status(&t, &project, second).await, "waiting_for_resource");
    let ship = job(&t, first, "ship").await;
    t.app()
        .write(move |tx| jobs::finish(tx, &ship, Outcome::Success))
        .await
        .unwrap();
    assert_eq!(status(&t, &project, first).await, "success");
    assert_eq!(jobs_of(&t, &project, second).await, ["ship pending"]);
    assert_eq!(status(&t, &project, second).await, "pending");

    // The newest goes first, where that is said.
    let at = project.at("/resource_groups/production");
    let shown = t.admin().get(&at).await.is(200).json();
    assert_eq!(
        (&shown["key"], &shown["process_mode"]),
        (&json!("production"), &json!("unordered"))
    );
    let newest_first = json!({"process_mode": "newest_first"});
    t.admin().put(&at).json(&newest_first).await.is(200);
    t.admin().put(&at).json(&json!({"process_mode": "odd"})).await.is(400);
    t.admin().put(&at).json(&json!({})).await.is(400);
    t.admin().get(project.at("/resource_groups/none")).await.is(404);
    let listed = t.admin().get(project.at("/resource_groups")).await.is(200);
    assert_eq!(listed.each("process_mode"), ["newest_first"]);
    take(&t, second, "ship").await;
    let begin = async || {
        let body = json!({"ref": "main"});
        t.admin().post(project.at("/pipeline")).json(&body).await.is(201).id()
    };
    let (third, fourth) = (begin().await, begin().await);
    let waiting = t.admin().get(format!("{at}/upcoming_jobs")).await.is(200);
    assert_eq!(waiting.each("id").len(), 2);
    let ship = job(&t, second, "ship").await;
    t.app()
        .write(move |tx| jobs::finish(tx, &ship, Outcome::Success))
        .await
        .unwrap();
    assert_eq!(jobs_of(&t, &project, fourth).await, ["ship pending"]);
    assert_eq!(jobs_of(&t, &project, third).await, ["ship waiting_for_resource"]);
}

#[testkit::story]
async fn a_runner_may_clean_up_after_a_cancel(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", "a: {script: e}\nb: {script: e}").await;
    let (a, b) = (job(&t, id, "a").await.id, job(&t, id, "b").await.id);
    let gentle = Runs { cancels_gently: true, ..Runs::default() };
    let started = t.app().write(move |tx| jobs::start(tx, a, &gentle)).await.unwrap();
    assert!(started.is_some());
    let again = t.app().write(move |tx| jobs::start(tx, a, &Runs::default())).await.unwrap();
    assert!(again.is_none(), "each job goes to one runner");
    let ended = act(&t, &project, a, "cancel").await.is(201).json();
    assert_eq!(ended["status"], "canceling");
    let ended = act(&t, &project, b, "cancel").await.is(201).json();
    assert_eq!(ended["status"], "canceled");
    assert_eq!(status(&t, &project, id).await, "canceling");
    let job = job(&t, id, "a").await;
    t.app().write(move |tx| jobs::finish(tx, &job, Outcome::Success)).await.unwrap();
    assert_eq!(jobs_of(&t, &project, id).await, ["a canceled", "b canceled"]);
    assert_eq!(status(&t, &project, id).await, "canceled");
    let erased = act(&t, &project, a, "erase").await.is(201).json();
    assert!(erased["erased_at"].is_string());
    let text = "403 Forbidden - Job is not erasable!";
    assert_eq!(act(&t, &project, a, "erase").await.is(403).json()["message"], text);
}

#[testkit::story]
async fn a_failure_may_cancel_the_rest(t: TestServer) {
    let file = "
workflow: {auto_cancel: {on_job_failure: all}}
a: {script: e}
b: {script: e}
";
    let (project, id) = begun(&t, "acme/anvil", file).await;
    fails(&t, id, "a", 1).await;
    assert_eq!(jobs_of(&t, &project, id).await, ["a failed", "b canceled"]);
}

#[testkit::story(noon)]
async fn what_nothing_happens_to_is_given_up(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", "a: {script: e}\nb: {script: e}").await;
    let limits = json!({"ci_stuck_running_minutes": 10, "ci_stuck_pending_minutes": 30});
    t.admin().put("/application/settings").json(&limits).await.is(200);
    t.admin()
        .put("/application/settings")
        .json(&json!({"ci_stuck_running_minutes": 0}))
        .await
        .is(400);
    take(&t, id, "a").await;
    t.advance(9 * 60);
    let give_up = "delivery.give_up_stuck";
    run_job(&t, give_up).await;
    assert_eq!(jobs_of(&t, &project, id).await, ["a running", "b pending"]);
    t.advance(2 * 60);
    run_job(&t, give_up).await;
    assert_eq!(jobs_of(&t, &project, id).await, ["a failed", "b pending"]);
    t.advance(20 * 60);
    run_job(&t, give_up).await;
    assert_eq!(jobs_of(&t, &project, id).await, ["a failed", "b failed"]);
    let a = job(&t, id, "a").await.id;
    let shown = t.admin().get(project.at(&format!("/jobs/{a}"))).await.is(200).json();
    assert_eq!(shown["failure_reason"], "stuck_or_timeout_failure");
}

#[testkit::story]
async fn a_job_begins_a_pipeline_below(t: TestServer) {
    let file = "
go: {stage: build, variables: {WHO: me}, trigger: {include: child.yml, strategy: depend}}
after: {script: e}
";
    let project = t.project("acme/anvil").await;
    commit(&t, &project, "child.yml", "one: {script: e}", "Child [skip ci]").await;
    commit(&t, &project, ".gitlab-ci.yml", file, "Begin").await;
    let id = newest(&t, &project).await;
    let at = project.at(&format!("/pipelines/{id}/bridges"));
    until(&t, async || {
        let bridges = t.admin().get(&at).await.is(200).json();
        bridges[0]["status"] == "running"
    })
    .await;
    let bridge = t.admin().get(&at).await.is(200).json()[0].clone();
    let child = bridge["downstream_pipeline"]["id"].as_i64().expect("a child");
    assert_eq!(bridge["downstream_pipeline"]["source"], "parent_pipeline");
    assert_eq!(jobs_of(&t, &project, child).await, ["one pending"]);
    let given = project.at(&format!("/pipelines/{child}/variables"));
    assert_eq!(t.admin().get(given).await.is(200).json()[0]["key"], "WHO");
    assert_eq!(newest(&t, &project).await, id, "children are not listed");
    passes(&t, child, "one").await;
    until(&t, async || jobs_of(&t, &project, id).await == ["after pending"]).await;
    let bridge = t.admin().get(&at).await.is(200).json()[0].clone();
    assert_eq!(bridge["status"], "success");
}

#[testkit::story]
async fn a_job_begins_a_pipeline_elsewhere(t: TestServer) {
    let (other, _) = begun(&t, "acme/bellows", "one: {script: e}").await;
    let file = "
go: {stage: build, trigger: acme/bellows}
self: {stage: build, trigger: acme/anvil}
gone: {stage: build, trigger: acme/none}
";
    let (project, id) = begun(&t, "acme/anvil", file).await;
    let at = project.at(&format!("/pipelines/{id}/bridges"));
    until(&t, async || status(&t, &project, id).await == "failed").await;
    let mut bridges = t.admin().get(&at).await.is(200).json().as_array().cloned().unwrap();
    bridges.sort_by_key(|one| one["name"].to_string());
    let shown: Vec<_> = bridges.iter().map(|one| (&one["name"], &one["failure_reason"])).collect();
    assert_eq!(
        shown,
        [
            (&json!("go"), &json!(null)),
            (&json!("gone"), &json!("downstream_bridge_project_not_found")),
            (&json!("self"), &json!("invalid_bridge_trigger")),
        ]
    );
    let begun = newest(&t, &other).await;
    let shown = t.admin().get(other.at(&format!("/pipelines/{begun}"))).await.is(200).json();
    assert_eq!(shown["source"], "pipeline");
}

#[testkit::story]
async fn pipelines_that_begin_each_other_come_to_an_end(t: TestServer) {
    let other = t.project("acme/bellows").await;
    let back = "back: {trigger: acme/anvil}";
    commit(&t, &other, ".gitlab-ci.yml", back, "Begin [skip ci]").await;
    let (project, _) = begun(&t, "acme/anvil", "go: {trigger: acme/bellows}").await;
    let of = async |project: &TestProject| {
        t.settle().await;
        let all = t.admin().get(project.at("/pipelines?source=pipeline")).await.is(200).json();
        all.as_array().unwrap().clone()
    };
    until(&t, async || of(&other).await.iter().any(|one| one["status"] == "failed")).await;
    let (here, there) = (of(&project).await, of(&other).await);
    assert_eq!((here.len(), there.len()), (2, 3));
    let last = other.at(&format!("/pipelines/{}/bridges", there[0]["id"]));
    let last = t.admin().get(last).await.is(200).json();
    assert_eq!(last[0]["failure_reason"], "pipeline_loop_detected");
}
