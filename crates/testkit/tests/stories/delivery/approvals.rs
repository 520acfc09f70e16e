//! Who deploys to protected environments, and who has to approve it.

use super::running::{begun, job, jobs_of, passes};
use serde_json::{Value, json};
use testkit::{TestProject, TestServer, TestUser};

const SHIP: &str = "
build: {stage: build, script: e}
ship: {stage: deploy, script: e, environment: production}
rest: {stage: .post, script: e}
";

/// A project whose `production` takes so many approvals of maintainers.
async fn guarded(t: &TestServer, rules: Value) -> TestProject {
    let project = t.project("acme/anvil").await;
    t.admin().delete(project.at("/protected_branches/main")).await;
    let mut body = json!({"name": "production", "deploy_access_levels": [{"access_level": 30}]});
    body.as_object_mut().unwrap().extend(rules.as_object().unwrap().clone());
    t.admin().post(project.at("/protected_environments")).json(&body).await.is(201);
    project
}

async fn member(t: &TestServer, project: &TestProject, name: &str, level: i64) -> TestUser {
    let user = t.user(name).await;
    project.add(&user, level).await;
    user
}

/// A pipeline that this user begins; it waits for approval.
async fn begins(t: &TestServer, project: &TestProject, user: &TestUser) -> i64 {
    let action = json!({"action": "create", "file_path": ".gitlab-ci.yml", "content": SHIP});
    let body = json!({"branch": "main", "commit_message": "x [skip ci]", "actions": [action]});
    t.admin().post(project.at("/repository/commits")).json(&body).await;
    t.admin().delete(project.at("/protected_branches/main")).await;
    let made = user
        .post(project.at("/pipeline"))
        .json(&json!({"ref": "main"}))
        .await
        .is(201)
        .id();
    passes(t, made, "build").await;
    made
}

async fn deployment(t: &TestServer, project: &TestProject) -> Value {
    let all = t.admin().get(project.at("/deployments?sort=desc")).await.is(200).json();
    all[0].clone()
}

async fn decide(
    user: &TestUser, project: &TestProject, deployment: &Value, body: Value,
) -> testkit::Reply {
    let at = project.at(&format!("/deployments/{}/approval", deployment["id"]));
    user.post(at).json(&body).await
}

#[testkit::story(noon)]
async fn a_deployment_waits_until_all_have_approved(t: TestServer) {
    let rules = json!({"approval_rules": [{"access_level": 40, "required_approvals": 2}]});
    let project = guarded(&t, rules).await;
    let dev = member(&t, &project, "dev", 30).await;
    let mia = member(&t, &project, "mia", 40).await;
    let max = member(&t, &project, "max", 40).await;
    let id = begins(&t, &project, &dev).await;
    let waiting = ["build success", "rest created", "ship manual"];
    assert_eq!(jobs_of(&t, &project, id).await, waiting);
    let one = deployment(&t, &project).await;
    assert_eq!((&one["status"], &one["pending_approval_count"]), (&json!("blocked"), &json!(2)));
    let ship = job(&t, id, "ship").await.id;
    let play = async || dev.post(project.at(&format!("/jobs/{ship}/play"))).await;
    let refused = play().await.is(400).json();
    assert_eq!(refused["message"], "400 Bad request - Unplayable Job");

    let yes = json!({"status": "approved", "comment": "Fine by me"});
    decide(&dev, &project, &one, yes.clone()).await.is(403);
    decide(&mia, &project, &one, json!({"status": "maybe"})).await.is(400);
    decide(&mia, &project, &one, json!({})).await.is(400);
    let as_other = json!({"status": "approved", "represented_as": "Administrators"});
    decide(&mia, &project, &one, as_other).await.is(400);
    let as_self = json!({"status": "approved", "represented_as": "Maintainers",
        "comment": "Fine by me"});
    let approved = decide(&mia, &project, &one, as_self).await.is(201).json();
    let keys: Vec<&str> = approved.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["user", "status", "created_at", "comment"]);
    assert_eq!(
        (&approved["user"]["username"], &approved["comment"]),
        (&json!("mia"), &json!("Fine by me"))
    );
    decide(&mia, &project, &one, yes.clone()).await.is(400);
    let half = deployment(&t, &project).await;
    assert_eq!(half["pending_approval_count"], 1);
    let rule = &half["approval_summary"]["rules"][0];
    assert_eq!(
        (&rule["required_approvals"], &rule["access_level_description"]),
        (&json!(2), &json!("Maintainers"))
    );
    assert_eq!(rule["deployment_approvals"][0]["user"]["username"], "mia");
    play().await.is(400);
    decide(&max, &project, &one, yes.clone()).await.is(201);
    let going = ["build success", "rest created", "ship pending"];
    assert_eq!(jobs_of(&t, &project, id).await, going, "nobody has to start it");
    decide(&t.user("late").await, &project, &one, yes.clone()).await.is(404);
    passes(&t, id, "ship").await;
    passes(&t, id, "rest").await;
    assert_eq!(deployment(&t, &project).await["status"], "success");
    decide(&max, &project, &one, yes).await.is(400);
}

#[testkit::story(noon)]
async fn one_rejection_ends_it_for_good(t: TestServer) {
    let project = guarded(&t, json!({"required_approval_count": 1})).await;
    let dev = member(&t, &project, "dev", 30).await;
    let mia = member(&t, &project, "mia", 40).await;
    let guest = member(&t, &project, "rita", 20).await;
    let id = begins(&t, &project, &dev).await;
    let one = deployment(&t, &project).await;
    decide(&guest, &project, &one, json!({"status": "approved"})).await.is(403);
    decide(&mia, &project, &one, json!({"status": "rejected"})).await.is(201);
    let max = member(&t, &project, "max", 40).await;
    decide(&max, &project, &one, json!({"status": "approved"})).await.is(400);
    let ship = job(&t, id, "ship").await.id;
    t.admin().post(project.at(&format!("/jobs/{ship}/play"))).await.is(400);
    assert_eq!(deployment(&t, &project).await["status"], "blocked");
}

#[testkit::story(noon)]
async fn who_began_it_approves_only_where_the_project_says_so(t: TestServer) {
    let project = guarded(&t, json!({"required_approval_count": 1})).await;
    let mia = member(&t, &project, "mia", 40).await;
    let id = begins(&t, &project, &mia).await;
    let one = deployment(&t, &project).await;
    decide(&mia, &project, &one, json!({"status": "approved"})).await.is(403);
    // A token of the same user is the same user.
    let other = t.token_of(mia.id, &["api"]).await;
    let at = project.at(&format!("/deployments/{}/approval", one["id"]));
    other.post(&at).json(&json!({"status": "approved"})).await.is(403);
    let setting = json!({"allow_pipeline_trigger_approve_deployment": true});
    let shown = t.admin().put(project.at("")).json(&setting).await.is(200).json();
    assert_eq!(shown["allow_pipeline_trigger_approve_deployment"], true);
    decide(&mia, &project, &one, json!({"status": "approved"})).await.is(201);
    assert!(jobs_of(&t, &project, id).await.contains(&"ship pending".to_owned()));
}

#[testkit::story(noon)]
async fn a_job_of_who_may_not_deploy_fails(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let body = json!({"name": "production", "deploy_access_levels": [{"access_level": 40}]});
    t.admin().post(project.at("/protected_environments")).json(&body).await.is(201);
    let dev = member(&t, &project, "dev", 30).await;
    let mia = member(&t, &project, "mia", 40).await;
    let id = begins(&t, &project, &dev).await;
    let ended = ["build success", "rest skipped", "ship failed"];
    assert_eq!(jobs_of(&t, &project, id).await, ended);
    let ship = job(&t, id, "ship").await.id;
    let shown = dev.get(project.at(&format!("/jobs/{ship}"))).await.is(200).json();
    assert_eq!(shown["failure_reason"], "protected_environment_failure");
    let retry = project.at(&format!("/jobs/{ship}/retry"));
    dev.post(&retry).await.is(403);
    // A pipeline that is run again leaves out what its user may not run.
    dev.post(project.at(&format!("/pipelines/{id}/retry"))).await.is(201);
    assert!(jobs_of(&t, &project, id).await.contains(&"ship failed".to_owned()));
    for (method, rest) in [("post", "/environments/1/stop"), ("put", "/environments/1")] {
        let at = project.at(rest);
        match method {
            "post" => dev.post(at).await.is(403),
            _ => dev.put(at).json(&json!({"tier": "other"})).await.is(403),
        };
    }
    let commits = t.admin().get(project.at("/repository/commits")).await.is(200).json();
    let told = json!({"environment": "production", "sha": commits[0]["id"], "ref": "main",
        "tag": false, "status": "success"});
    dev.post(project.at("/deployments")).json(&told).await.is(403);
    mia.post(&retry).await.is(201);
    assert!(jobs_of(&t, &project, id).await.contains(&"ship pending".to_owned()));
}

#[testkit::story(noon)]
async fn the_rule_of_a_group_holds_for_all_of_its_projects(t: TestServer) {
    let group = t.group("acme").await;
    let project = t.project("acme/anvil").await;
    let own = json!({"name": "production", "deploy_access_levels": [{"access_level": 30}]});
    t.admin().post(project.at("/protected_environments")).json(&own).await.is(201);
    let tier = json!({"name": "production", "deploy_access_levels": [{"access_level": 40}]});
    t.admin().post(group.at("/protected_environments")).json(&tier).await.is(201);
    // A maintainer of the project is none of the group.
    let mia = member(&t, &project, "mia", 40).await;
    let id = begins(&t, &project, &mia).await;
    assert!(jobs_of(&t, &project, id).await.contains(&"ship failed".to_owned()));
    let lea = t.user("lea").await;
    group.add(&lea, 40).await;
    let id = begins(&t, &project, &lea).await;
    assert!(jobs_of(&t, &project, id).await.contains(&"ship pending".to_owned()));
    // Who loses the right before a runner comes does not deploy.
    t.admin().delete(group.at(&format!("/members/{}", lea.id))).await.is(204);
    project.add(&lea, 40).await;
    let made = t.admin().post("/user/runners").json(&json!({"runner_type": "instance_type"}));
    let token = made.await.is(201).json()["token"].clone();
    let ask = json!({"token": token, "system_id": "s_1"});
    t.anonymous().post("/jobs/request").json(&ask).await.is(204);
    let ship = job(&t, id, "ship").await;
    assert_eq!(
        ship.failure_reason.map(|it| it.to_string()).as_deref(),
        Some("protected_environment_failure")
    );
}

#[testkit::story(noon)]
async fn a_job_has_the_variables_of_its_environment(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", "ship: {script: e, environment: production}").await;
    for (scope, value) in [("*", "any"), ("production", "live"), ("staging", "none")] {
        let body = json!({"key": "HOST", "value": value, "environment_scope": scope});
        t.admin().post(project.at("/variables")).json(&body).await.is(201);
    }
    let made = t.admin().post("/user/runners").json(&json!({"runner_type": "instance_type"}));
    let token = made.await.is(201).json()["token"].clone();
    let ask = json!({"token": token, "system_id": "s_1"});
    let given = t.anonymous().post("/jobs/request").json(&ask).await.is(201).json();
    let value = |key: &str| {
        let all = given["variables"].as_array().unwrap();
        all.iter().find(|one| one["key"] == key).map(|one| one["value"].clone())
    };
    for (key, expected) in [
        ("HOST", "live"),
        ("CI_ENVIRONMENT_NAME", "production"),
        ("CI_ENVIRONMENT_SLUG", "production"),
        ("CI_ENVIRONMENT_TIER", "production"),
        ("CI_ENVIRONMENT_ACTION", "start"),
    ] {
        assert_eq!(value(key), Some(json!(expected)), "{key}");
    }
    assert_eq!(job(&t, id, "ship").await.status.as_str(), "running");
}
