//! Environments: they come of jobs and of people, and end.

use super::running::{begun, commit, fails, job, jobs_of, newest, passes, take};
use crate::spaces::run_job;
use serde_json::{Value, json};
use testkit::{TestProject, TestServer};

const REVIEW: &str = "
stages: [deploy, check]
deploy:
  stage: deploy
  script: make deploy
  environment:
    name: review/$CI_COMMIT_REF_SLUG
    url: https://$CI_ENVIRONMENT_SLUG.example.com
    on_stop: end
    auto_stop_in: 1 day
end:
  stage: deploy
  script: make clean
  when: manual
  environment: {name: review/$CI_COMMIT_REF_SLUG, action: stop}
verify:
  stage: check
  script: curl
  environment: {name: review/$CI_COMMIT_REF_SLUG, action: verify}
";

async fn only(t: &TestServer, project: &TestProject) -> Value {
    let all = t.admin().get(project.at("/environments")).await.is(200).json();
    assert_eq!(all.as_array().map(Vec::len), Some(1), "{all}");
    all[0].clone()
}

#[testkit::story(noon)]
async fn a_job_makes_its_environment_and_deploys_to_it(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", REVIEW).await;
    let made = only(&t, &project).await;
    let keys: Vec<&str> = made.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "id",
            "name",
            "slug",
            "description",
            "external_url",
            "state",
            "tier",
            "created_at",
            "updated_at",
            "last_deployment",
            "cluster_agent",
            "kubernetes_namespace",
            "flux_resource_path",
            "auto_stop_at",
        ]
    );
    assert_eq!(
        (&made["name"], &made["state"], &made["tier"], &made["last_deployment"]),
        (&json!("review/main"), &json!("available"), &json!("development"), &json!(null))
    );
    let slug = made["slug"].as_str().unwrap().to_owned();
    assert!(slug.starts_with("review-main-"), "{slug}");

    let all = t.admin().get(project.at("/deployments")).await.is(200).json();
    assert_eq!(all.as_array().map(Vec::len), Some(1), "only what starts it deploys");
    let one = &all[0];
    assert_eq!(
        (&one["iid"], &one["status"], &one["ref"], &one["deployable"]["name"]),
        (&json!(1), &json!("created"), &json!("main"), &json!("deploy"))
    );
    assert_eq!(one["environment"]["name"], "review/main");
    assert_eq!(one["approval_summary"], json!({"rules": []}));
    let at = project.at(&format!("/deployments/{}", one["id"]));
    let status = async || t.admin().get(&at).await.is(200).json()["status"].clone();
    let deploy = take(&t, id, "deploy").await;
    assert_eq!(status().await, "running");
    let refused = t.admin().delete(&at).await.is(400).json();
    assert_eq!(refused["message"], "400 Cannot destroy running deployment");
    let good = ::delivery::pipelines::jobs::Outcome::Success;
    t.app()
        .write(move |tx| ::delivery::pipelines::jobs::finish(tx, &deploy, good))
        .await
        .unwrap();
    assert_eq!(status().await, "success");
    let there = only(&t, &project).await;
    assert_eq!(there["external_url"], format!("https://{slug}.example.com"));
    assert_eq!(there["last_deployment"]["id"], one["id"]);
    assert!(there["auto_stop_at"].is_string(), "{there}");
    let refused = t.admin().delete(&at).await.is(400).json();
    assert_eq!(refused["message"], "400 Deployment currently deployed to environment");
}

#[testkit::story(noon)]
async fn an_environment_ends_by_its_job_when_its_time_is_over(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", REVIEW).await;
    passes(&t, id, "deploy").await;
    t.advance(23 * 3600);
    run_job(&t, "delivery.stop_environments").await;
    assert_eq!(only(&t, &project).await["state"], "available");
    t.advance(2 * 3600);
    run_job(&t, "delivery.stop_environments").await;
    assert_eq!(only(&t, &project).await["state"], "stopping");
    assert!(jobs_of(&t, &project, id).await.contains(&"end pending".to_owned()));
    fails(&t, id, "end", 1).await;
    assert_eq!(only(&t, &project).await["state"], "available", "it did not end");
    let made = only(&t, &project).await;
    let at = project.at(&format!("/environments/{}", made["id"]));
    // A job that ended it in vain is run again.
    let stopping = t.admin().post(format!("{at}/stop")).await.is(200).json();
    assert_eq!(stopping["state"], "stopping");
    passes(&t, id, "end").await;
    assert_eq!(only(&t, &project).await["state"], "stopped");
    // What deploys to it again has it again.
    commit(&t, &project, "a.txt", "a", "Again").await;
    let next = newest(&t, &project).await;
    passes(&t, next, "deploy").await;
    let again = only(&t, &project).await;
    assert_eq!((&again["state"], &again["id"]), (&json!("available"), &made["id"]));
}

#[testkit::story(noon)]
async fn people_make_change_stop_and_delete_environments(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (reporter, developer, maintainer) =
        (t.user("rita").await, t.user("dev").await, t.user("mia").await);
    for (user, level) in [(&reporter, 20), (&developer, 30), (&maintainer, 40)] {
        project.add(user, level).await;
    }
    let at = project.at("/environments");
    let body = json!({"name": "staging/eu", "external_url": "https://eu.example.com"});
    reporter.post(&at).json(&body).await.is(403);
    let made = developer.post(&at).json(&body).await.is(201).json();
    assert_eq!((&made["tier"], &made["state"]), (&json!("staging"), &json!("available")));
    let taken = developer.post(&at).json(&body).await.is(400).json();
    assert_eq!(taken["message"]["name"][0], "has already been taken");
    for (wrong, field) in [
        (json!({"name": ""}), "name"),
        (json!({"name": "/a"}), "name"),
        (json!({"name": "a\nb"}), "name"),
        (json!({"name": "x".repeat(256)}), "name"),
        (json!({"name": "b", "external_url": "javascript:alert(1)"}), "external_url"),
    ] {
        let refused = developer.post(&at).json(&wrong).await.is(400).json();
        assert!(refused["message"][field].is_array(), "{refused}");
    }
    let missing = developer.post(&at).json(&json!({})).await.is(400).json();
    assert_eq!(missing["error"], "name is missing");
    developer.post(&at).json(&json!({"name": "c", "tier": "moon"})).await.is(400);

    let one = format!("{at}/{}", made["id"]);
    let change = json!({"tier": "testing", "external_url": "", "description": "Europe"});
    reporter.put(&one).json(&change).await.is(403);
    let changed = developer.put(&one).json(&change).await.is(200).json();
    assert_eq!(
        (&changed["tier"], &changed["external_url"], &changed["description"]),
        (&json!("testing"), &json!(null), &json!("Europe"))
    );
    maintainer.delete(&one).await.is(403);
    developer.post(format!("{one}/stop")).await.is(200);
    developer.delete(&one).await.is(403);
    maintainer.delete(&one).await.is(204);
    maintainer.get(&one).await.is(404);
    t.user("out").await.get(&at).await.is(404);
}

#[testkit::story]
async fn environments_are_listed_by_name_and_state(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let at = project.at("/environments");
    let mut ids = Vec::new();
    for name in ["review/b", "review/A", "production"] {
        ids.push(t.admin().post(&at).json(&json!({"name": name})).await.is(201).id());
    }
    t.admin().post(format!("{at}/{}/stop?force=true", ids[2])).await.is(200);
    let names = async |query: &str| {
        let all = t.admin().get(format!("{at}?{query}")).await.is(200);
        all.each("name")
    };
    assert_eq!(names("").await.len(), 3);
    assert_eq!(names("search=VIEW/a").await, [json!("review/A")]);
    assert_eq!(names("search=%25").await, Vec::<Value>::new());
    assert_eq!(names("name=production").await, [json!("production")]);
    assert_eq!(names("states=stopped").await, [json!("production")]);
    t.admin().get(format!("{at}?states=lost")).await.is(400);
    let refused = t.admin().get(format!("{at}?name=a&search=b")).await.is(400).json();
    assert_eq!(refused["error"], "name, search are mutually exclusive");
}

#[testkit::story(noon)]
async fn an_older_commit_does_not_take_the_place_of_a_newer_one(t: TestServer) {
    let file = "
workflow: {auto_cancel: {on_new_commit: none}}
ship: {script: e, when: manual, allow_failure: false, environment: production}
";
    let (project, old) = begun(&t, "acme/anvil", file).await;
    commit(&t, &project, "a.txt", "a", "Newer").await;
    let new = newest(&t, &project).await;
    let play = async |id: i64| t.admin().post(project.at(&format!("/jobs/{id}/play"))).await;
    let (first, second) = (job(&t, old, "ship").await.id, job(&t, new, "ship").await.id);
    play(second).await.is(200);
    passes(&t, new, "ship").await;
    play(first).await.is(200);
    let shown = t.admin().get(project.at(&format!("/jobs/{first}"))).await.is(200).json();
    assert_eq!(
        (&shown["status"], &shown["failure_reason"]),
        (&json!("failed"), &json!("failed_outdated_deployment_job"))
    );
    // To run it again is to go back, which the project lets people do.
    t.admin().post(project.at(&format!("/jobs/{first}/retry"))).await.is(201);
    passes(&t, old, "ship").await;
    let there = only(&t, &project).await;
    assert_eq!(there["last_deployment"]["deployable"]["pipeline"]["id"], old);
}

#[testkit::story(noon)]
async fn others_tell_of_their_deployments(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", "a: {script: e}").await;
    let developer = t.user("dev").await;
    project.add(&developer, 30).await;
    let commits = t.admin().get(project.at("/repository/commits")).await.is(200).json();
    let sha = commits[0]["id"].as_str().unwrap().to_owned();
    let at = project.at("/deployments");
    let body = json!({"environment": "production", "sha": sha, "ref": "main", "tag": false,
        "status": "running"});
    let made = developer.post(&at).json(&body).await.is(201).json();
    assert_eq!(
        (&made["status"], &made["deployable"], &made["environment"]["name"]),
        (&json!("running"), &json!(null), &json!("production"))
    );
    for (field, value, text) in [
        ("sha", json!("f".repeat(40)), "does not exist"),
        ("sha", json!("x"), "does not exist"),
        ("status", json!("blocked"), "status does not have a valid value"),
        ("environment", json!("/"), "environment"),
        ("tag", json!(null), "tag is missing"),
    ] {
        let mut wrong = body.clone();
        wrong[field] = value;
        let refused = developer.post(&at).json(&wrong).await.is(400).text();
        assert!(refused.contains(text), "{field}: {refused}");
    }
    let one = format!("{at}/{}", made["id"]);
    developer.put(&one).json(&json!({"status": "success"})).await.is(200);
    assert_eq!(only(&t, &project).await["last_deployment"]["id"], made["id"]);
    developer.delete(&one).await.is(403);
    let mut newer = body.clone();
    newer["status"] = json!("success");
    developer.post(&at).json(&newer).await.is(201);
    t.admin().delete(&one).await.is(204);
    let listed = t.admin().get(format!("{at}?environment=production&status=success")).await;
    assert_eq!(listed.is(200).each("iid"), [json!(2)]);
    // What a job does is told by the job alone.
    commit(&t, &project, ".gitlab-ci.yml", "b: {script: e, environment: qa}", "Job").await;
    let of_job = t.admin().get(format!("{at}?environment=qa")).await.is(200).json();
    let one = format!("{at}/{}", of_job[0]["id"]);
    developer.put(&one).json(&json!({"status": "failed"})).await.is(400);
}

#[testkit::story(noon)]
async fn a_freeze_is_told_to_jobs(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (developer, maintainer) = (t.user("dev").await, t.user("mia").await);
    project.add(&developer, 30).await;
    project.add(&maintainer, 40).await;
    let at = project.at("/freeze_periods");
    let body = json!({"freeze_start": "0 0 * * *", "freeze_end": "59 23 * * *"});
    developer.post(&at).json(&body).await.is(403);
    let made = maintainer.post(&at).json(&body).await.is(201).json();
    assert_eq!(made["cron_timezone"], "UTC");
    for wrong in [
        json!({"freeze_start": "61 * * * *"}),
        json!({"freeze_end": "tomorrow"}),
        json!({"cron_timezone": "Mars/Base"}),
    ] {
        let refused = maintainer.put(format!("{at}/{}", made["id"])).json(&wrong).await.is(400);
        assert!(refused.text().contains("is invalid syntax"), "{refused:?}");
    }
    maintainer.post(&at).json(&json!({"freeze_start": "0 0 * * *"})).await.is(400);
    assert_eq!(developer.get(&at).await.is(200).each("id").len(), 1);
    let file = "
a: {script: e}
b: {script: e, rules: [{if: $CI_DEPLOY_FREEZE == null}]}
";
    commit(&t, &project, ".gitlab-ci.yml", file, "Begin").await;
    let frozen = newest(&t, &project).await;
    assert_eq!(jobs_of(&t, &project, frozen).await, ["a pending"]);
    let one = format!("{at}/{}", made["id"]);
    let zoned = json!({"cron_timezone": "europe/berlin"});
    let changed = maintainer.put(&one).json(&zoned).await.is(200).json();
    assert_eq!(changed["cron_timezone"], "Europe/Berlin");
    maintainer.delete(&one).await.is(204);
    commit(&t, &project, "a.txt", "a", "Thawed").await;
    let open = newest(&t, &project).await;
    assert_eq!(jobs_of(&t, &project, open).await, ["a pending", "b pending"]);
}

#[testkit::story(noon)]
async fn a_name_that_no_environment_has_fails_its_job(t: TestServer) {
    let file = "
a: {script: e, environment: {name: review/$GIVEN}}
b: {script: e}
";
    let project = t.project("acme/anvil").await;
    let given = json!({"key": "GIVEN", "value": "<b>"});
    t.admin().post(project.at("/variables")).json(&given).await.is(201);
    commit(&t, &project, ".gitlab-ci.yml", file, "Begin").await;
    let id = newest(&t, &project).await;
    assert_eq!(jobs_of(&t, &project, id).await, ["a failed", "b pending"]);
    let a = job(&t, id, "a").await.id;
    let shown = t.admin().get(project.at(&format!("/jobs/{a}"))).await.is(200).json();
    assert_eq!(shown["failure_reason"], "environment_creation_failure");
    assert_eq!(t.admin().get(project.at("/environments")).await.is(200).each("id").len(), 0);
}
