//! Pipelines begin, and go on as their jobs do.

use super::running::{begun, commit, fails, job, jobs_of, newest, passes, status, take};
use ::delivery::pipelines::jobs;
use ::delivery::pipelines::store::progress::Runs;
use serde_json::{Value, json};
use testkit::{Git, TestServer};

const THREE: &str = "
stages: [build, test, deploy]
compile: {stage: build, script: make}
unit: {script: [make test], tags: [linux]}
lint: {script: make lint, allow_failure: true}
ship: {stage: deploy, script: make ship}
";

fn keys(value: &Value) -> Vec<String> {
    value.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default()
}

#[testkit::story(noon)]
async fn a_push_begins_a_pipeline(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", THREE).await;
    let at = project.at(&format!("/pipelines/{id}"));
    let shown = t.admin().get(&at).await.is(200).json();
    let order = [
        "id",
        "iid",
        "project_id",
        "sha",
        "ref",
        "status",
        "source",
        "created_at",
        "updated_at",
        "web_url",
        "name",
        "before_sha",
        "tag",
        "yaml_errors",
        "user",
        "started_at",
        "finished_at",
        "committed_at",
        "duration",
        "queued_duration",
        "coverage",
        "detailed_status",
    ];
    assert_eq!(keys(&shown), order);
    assert_eq!(
        (&shown["iid"], &shown["ref"], &shown["source"], &shown["status"], &shown["tag"]),
        (&json!(1), &json!("main"), &json!("push"), &json!("pending"), &json!(false))
    );
    assert_eq!(shown["before_sha"], "0".repeat(40));
    assert_eq!(shown["user"]["username"], "root");
    assert_eq!(
        shown["detailed_status"]["details_path"],
        format!("/acme/anvil/-/pipelines/{id}")
    );
    let first = ["compile pending", "lint created", "ship created", "unit created"];
    assert_eq!(jobs_of(&t, &project, id).await, first);

    take(&t, id, "compile").await;
    assert_eq!(status(&t, &project, id).await, "running");
    t.advance(30);
    let compile = job(&t, id, "compile").await;
    let done = jobs::Outcome::Success;
    t.app().write(move |tx| jobs::finish(tx, &compile, done)).await.unwrap();
    let second = ["compile success", "lint pending", "ship created", "unit pending"];
    assert_eq!(jobs_of(&t, &project, id).await, second);
    passes(&t, id, "unit").await;
    assert_eq!(status(&t, &project, id).await, "running", "one more is to come");
    fails(&t, id, "lint", 1).await;
    passes(&t, id, "ship").await;
    let shown = t.admin().get(&at).await.is(200).json();
    assert_eq!(shown["status"], "success", "one may fail");
    assert_eq!(shown["duration"], 60);
    assert!(shown["started_at"].is_string() && shown["finished_at"].is_string());

    let one = job(&t, id, "unit").await.id;
    let shown = t.admin().get(project.at(&format!("/jobs/{one}"))).await.is(200).json();
    let order = [
        "id",
        "status",
        "stage",
        "name",
        "ref",
        "tag",
        "coverage",
        "allow_failure",
        "created_at",
        "started_at",
        "finished_at",
        "erased_at",
        "duration",
        "queued_duration",
        "user",
        "commit",
        "pipeline",
        "failure_reason",
        "web_url",
        "project",
        "artifacts",
        "runner",
        "artifacts_expire_at",
        "tag_list",
    ];
    assert_eq!(keys(&shown), order);
    assert_eq!(
        (
            &shown["stage"],
            &shown["duration"],
            &shown["tag_list"],
            &shown["commit"]["title"]
        ),
        (&json!("test"), &json!(10.0), &json!(["linux"]), &json!("Begin"))
    );
    assert_eq!(shown["pipeline"]["id"], id);
}

#[testkit::story]
async fn what_is_pushed_may_say_that_nothing_runs(t: TestServer) {
    let (project, first) = begun(&t, "acme/anvil", THREE).await;
    commit(&t, &project, "README.md", "iron", "Words only [skip ci]").await;
    let second = newest(&t, &project).await;
    assert!(second > first);
    assert_eq!(status(&t, &project, second).await, "skipped");
    assert!(jobs_of(&t, &project, second).await.is_empty());

    let git = Git::of(&t.admin());
    let url = git.url("acme/anvil");
    git.run(&["clone", "-q", &url, "work"]).await.done();
    git.commit("work", "a.txt", "a").await;
    git.run_in("work", &["push", "-q", "-o", "ci.skip", "origin", "HEAD:one"])
        .await
        .done();
    t.settle().await;
    let third = newest(&t, &project).await;
    assert_eq!(status(&t, &project, third).await, "skipped");
    git.run_in("work", &["push", "-q", "-o", "ci.no_pipeline", "origin", "HEAD:two"])
        .await
        .done();
    t.settle().await;
    assert_eq!(newest(&t, &project).await, third);
    let with = ["push", "-q", "-o", "ci.variable=WHO=me", "origin", "HEAD:three"];
    git.run_in("work", &with).await.done();
    t.settle().await;
    let fourth = newest(&t, &project).await;
    let given = project.at(&format!("/pipelines/{fourth}/variables"));
    let given = t.admin().get(given).await.is(200).json();
    assert_eq!(given, json!([{"key": "WHO", "value": "me", "variable_type": "env_var"}]));
    git.run_in("work", &["push", "-q", "origin", "HEAD:refs/tags/v1"]).await.done();
    t.settle().await;
    let tagged = t.admin().get(project.at("/pipelines?scope=tags")).await.is(200);
    assert_eq!(tagged.each("ref"), ["v1"]);
    git.run_in("work", &["push", "-q", "origin", ":two"]).await.done();
    t.settle().await;
    assert_eq!(t.admin().get(project.at("/pipelines")).await.is(200).each("id").len(), 5);
}

#[testkit::story]
async fn a_wrong_file_is_told_of(t: TestServer) {
    let wrong = "a: {script: e, foo: 1}";
    let (project, id) = begun(&t, "acme/anvil", wrong).await;
    let shown = t.admin().get(project.at(&format!("/pipelines/{id}"))).await.is(200).json();
    let text = "jobs:a config contains unknown keys: foo";
    assert_eq!((&shown["status"], &shown["yaml_errors"]), (&json!("failed"), &json!(text)));
    let begin = json!({"ref": "main"});
    let answer = t.admin().post(project.at("/pipeline")).json(&begin).await.is(400).json();
    assert_eq!(answer, json!({"message": {"base": [text]}}));
    assert_eq!(newest(&t, &project).await, id, "who asked has been told");
    let only = t.admin().get(project.at("/pipelines?yaml_errors=true")).await.is(200);
    assert_eq!(only.each("id"), [id]);
    assert!(
        t.admin()
            .get(project.at("/pipelines?yaml_errors=false"))
            .await
            .each("id")
            .is_empty()
    );

    // One that comes to no job is no pipeline.
    commit(&t, &project, ".gitlab-ci.yml", "a: {script: e, rules: [{if: $NO}]}", "None").await;
    assert_eq!(newest(&t, &project).await, id);
    let answer = t.admin().post(project.at("/pipeline")).json(&begin).await.is(400);
    assert!(answer.text().contains("would have been empty"), "{answer:?}");
}

#[testkit::story]
async fn somebody_begins_one(t: TestServer) {
    let (project, first) = begun(&t, "acme/anvil", THREE).await;
    let (developer, reporter, stranger) =
        (t.user("dev").await, t.user("rep").await, t.user("stranger").await);
    project.add(&developer, 30).await;
    project.add(&reporter, 20).await;
    let to = project.at("/pipeline");
    let begin = json!({"ref": "main"});
    reporter.post(&to).json(&begin).await.is(403);
    stranger.post(&to).json(&begin).await.is(404);
    t.anonymous().post(&to).json(&begin).await.is(401);
    reporter.get(project.at("/pipelines")).await.is(200);
    stranger.get(project.at("/pipelines")).await.is(404);
    let base = |text: &str| json!({"message": {"base": [text]}});
    let refused = async |body: Value, text: &str| {
        let answer = developer.post(&to).json(&body).await.is(400).json();
        assert_eq!(answer, base(text), "{body}");
    };
    // The default branch is protected: Maintainers push to it.
    let text = "You do not have sufficient permission to run a pipeline on 'main'. Please select \
                a different branch or contact your administrator for assistance.";
    refused(begin.clone(), text).await;
    let branch = json!({"branch": "work", "ref": "main"});
    developer.post(project.at("/repository/branches")).json(&branch).await.is(201);
    t.settle().await;
    refused(json!({"ref": "none"}), "Reference not found").await;
    let given = |key: &str| json!({"key": key, "value": "x"});
    let text = "Insufficient permissions to set pipeline variables";
    refused(json!({"ref": "work", "variables": [given("A")]}), text).await;
    let made = developer.post(&to).json(&json!({"ref": "work"})).await.is(201).json();
    assert_eq!(
        (&made["source"], &made["ref"], &made["user"]["username"]),
        (&json!("api"), &json!("work"), &json!("dev"))
    );
    assert!(made["id"].as_i64() > Some(first));
    let twice = json!({"ref": "work", "variables": [given("A"), given("A")]});
    let answer = t.admin().post(&to).json(&twice).await.is(400).json();
    assert_eq!(answer, base("Duplicate variable name: A"));
    t.admin().post(&to).json(&json!({})).await.is(400);
    let with = json!({"ref": "work", "variables": [given("A")]});
    let made = t.admin().post(&to).json(&with).await.is(201).id();
    let variables = project.at(&format!("/pipelines/{made}/variables"));
    let shown = t.admin().get(&variables).await.is(200).json();
    assert_eq!(shown, json!([{"key": "A", "value": "x", "variable_type": "env_var"}]));
    developer.get(&variables).await.is(403);
    reporter.get(&variables).await.is(403);
    let stored = t.app().read(|tx| {
        let all: Vec<String> = tx.all("select sealed_value from ci_pipeline_variables", ())?;
        Ok(all)
    });
    assert!(stored.await.unwrap().iter().all(|sealed| sealed.len() > 20));
    let latest = t.admin().get(project.at("/pipelines/latest?ref=work")).await.is(200);
    assert_eq!(latest.id(), made);
    t.admin().get(project.at("/pipelines/latest?ref=none")).await.is(404);
    let off = json!({"builds_access_level": "disabled"});
    t.admin().put(project.at("")).json(&off).await.is(200);
    t.admin().post(&to).json(&begin).await.is(403);
    t.admin().get(project.at("/pipelines")).await.is(403);
}

#[testkit::story]
async fn lists_are_narrowed(t: TestServer) {
    let (project, first) = begun(&t, "acme/anvil", THREE).await;
    commit(&t, &project, "README.md", "iron", "More").await;
    let second = newest(&t, &project).await;
    let ids = async |query: &str| {
        t.admin()
            .get(project.at(&format!("/pipelines?{query}")))
            .await
            .is(200)
            .each("id")
    };
    assert_eq!(ids("").await, [second, first]);
    assert_eq!(ids("sort=asc").await, [first, second]);
    assert_eq!(ids("order_by=status&sort=asc").await, [first, second], "canceled, pending");
    assert_eq!(ids("status=pending").await, [second]);
    assert_eq!(ids("scope=finished").await, [first]);
    assert_eq!(ids("source=api").await, [0_i64; 0]);
    assert_eq!(ids("username=ROOT&ref=main").await, [second, first]);
    assert_eq!(ids("username=nobody").await, [0_i64; 0]);
    assert_eq!(ids("updated_after=2099-01-01").await, [0_i64; 0]);
    for wrong in ["status=odd", "scope=odd", "source=odd", "order_by=odd", "sort=odd"] {
        t.admin().get(project.at(&format!("/pipelines?{wrong}"))).await.is(400);
    }
    let jobs = async |query: &str| {
        let at = project.at(&format!("/pipelines/{first}/jobs?{query}"));
        t.admin().get(at).await.is(200).each("name").len()
    };
    assert_eq!(jobs("scope[]=canceled").await, 4);
    assert_eq!(jobs("scope=success").await, 0);
    let all = t.admin().get(project.at("/jobs?scope[]=pending&scope[]=created")).await.is(200);
    assert_eq!(all.each("id").len(), 4);
    t.admin().get(project.at("/jobs?scope[]=odd")).await.is(400);
    let at = project.at(&format!("/pipelines/{second}/metadata"));
    let named = t.admin().put(&at).json(&json!({"name": "Night"})).await.is(200).json();
    assert_eq!(named["name"], "Night");
    t.admin().put(&at).json(&json!({"name": "x".repeat(256)})).await.is(400);
    assert_eq!(ids("name=Night").await, [second]);
}

#[testkit::story]
async fn a_newer_commit_takes_the_place_of_older_ones(t: TestServer) {
    let file = "a: {script: e}\nb: {script: e, interruptible: true}";
    let (project, first) = begun(&t, "acme/anvil", file).await;
    commit(&t, &project, "1.txt", "1", "One").await;
    let second = newest(&t, &project).await;
    assert_eq!(status(&t, &project, first).await, "canceled", "nothing of it had begun");
    take(&t, second, "a").await;
    commit(&t, &project, "2.txt", "2", "Two").await;
    let third = newest(&t, &project).await;
    assert_eq!(status(&t, &project, second).await, "running", "something of it would be lost");
    take(&t, third, "b").await;
    commit(&t, &project, "3.txt", "3", "Three").await;
    assert_eq!(status(&t, &project, third).await, "canceled", "what it lost may be lost");
    let only = "workflow: {auto_cancel: {on_new_commit: interruptible}}\n".to_owned() + file;
    commit(&t, &project, ".gitlab-ci.yml", &only, "Rule").await;
    let fifth = newest(&t, &project).await;
    commit(&t, &project, "4.txt", "4", "Four").await;
    assert_eq!(jobs_of(&t, &project, fifth).await, ["a pending", "b canceled"]);
}

#[testkit::story]
async fn one_is_canceled_and_run_again(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", THREE).await;
    let reporter = t.user("rep").await;
    project.add(&reporter, 20).await;
    passes(&t, id, "compile").await;
    fails(&t, id, "unit", 1).await;
    let at = |what: &str| project.at(&format!("/pipelines/{id}{what}"));
    reporter.post(at("/cancel")).await.is(403);
    reporter.post(at("/retry")).await.is(403);
    let ended = t.admin().post(at("/cancel")).await.is(200).json();
    assert_eq!(ended["status"], "failed");
    let all = ["compile success", "lint canceled", "ship skipped", "unit failed"];
    let shown = jobs_of(&t, &project, id).await;
    assert!(shown == all || shown[2] == "ship canceled", "{shown:?}");
    t.admin().post(at("/cancel")).await.is(200);
    let again = t.admin().post(at("/retry")).await.is(201).json();
    assert_eq!(again["status"], "running");
    let all = ["compile success", "lint pending", "ship created", "unit pending"];
    assert_eq!(jobs_of(&t, &project, id).await, all);
    let with_old = project.at(&format!("/pipelines/{id}/jobs?include_retried=true"));
    assert_eq!(t.admin().get(with_old).await.is(200).each("id").len(), 7);
    for name in ["unit", "lint", "ship"] {
        passes(&t, id, name).await;
    }
    assert_eq!(status(&t, &project, id).await, "success");
    let (maintainer, owner) = (t.user("mia").await, t.user("own").await);
    project.add(&maintainer, 40).await;
    project.add(&owner, 50).await;
    maintainer.delete(at("")).await.is(403);
    owner.delete(at("")).await.is(204);
    owner.get(at("")).await.is(404);
    let left = t.app().read(|tx| Ok(tx.one::<i64>("select count(*) from ci_jobs", ())?));
    assert_eq!(left.await.unwrap(), 0);
}

#[testkit::story]
async fn a_large_pipeline_is_written_at_once(t: TestServer) {
    let file = "a: {script: e, parallel: 200}\nb: {script: e, parallel: 200}\n\
                c: {script: e, parallel: 200}\nd: {script: e, parallel: 200}\n\
                e: {stage: deploy, script: e, parallel: 200, needs: [\"a 1/200\"]}\n";
    let (project, id) = begun(&t, "acme/anvil", file).await;
    let at = project.at(&format!("/pipelines/{id}/jobs?scope[]=pending&per_page=1"));
    assert_eq!(t.admin().get(at).await.is(200).header("x-total"), "800");
    let begin = json!({"ref": "main"});
    let before = std::time::Instant::now();
    t.admin().post(project.at("/pipeline")).json(&begin).await.is(201);
    let took = before.elapsed();
    assert!(took.as_secs() < 10, "{took:?}");
    let first = job(&t, id, "a 1/200").await;
    t.app()
        .write(move |tx| jobs::start(tx, first.id, &Runs::default()))
        .await
        .unwrap();
}

#[testkit::story]
async fn who_may_not_read_the_code_sees_no_pipelines(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    commit(&t, &project, ".gitlab-ci.yml", THREE, "Begin").await;
    let id = newest(&t, &project).await;
    let stranger = t.user("stranger").await;
    let one = project.at(&format!("/pipelines/{id}"));
    let compile = job(&t, id, "compile").await.id;
    let other = t.project("acme/bellows").await;
    t.admin().get(other.at(&format!("/pipelines/{id}"))).await.is(404);
    t.admin().get(other.at(&format!("/jobs/{compile}"))).await.is(404);
    for client in [&*stranger, &t.anonymous()] {
        client.get(&one).await.is(200);
        client.get(project.at("/jobs")).await.is(200);
    }
    stranger.post(project.at(&format!("/jobs/{compile}/cancel"))).await.is(403);
    stranger.get(project.at(&format!("/pipelines/{id}/variables"))).await.is(403);
    for hidden in ["repository_access_level", "builds_access_level"] {
        t.admin().put(project.at("")).json(&json!({hidden: "private"})).await.is(200);
        stranger.get(&one).await.is(403);
        stranger.get(project.at("/jobs")).await.is(403);
        t.admin().put(project.at("")).json(&json!({hidden: "enabled"})).await.is(200);
    }
}
