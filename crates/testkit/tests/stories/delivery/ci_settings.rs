//! How the pipelines of a project run.

use super::runner_jobs::{bring, end, runner, take, zipped};
use super::running::{begun, commit, newest};
use serde_json::{Value, json};
use testkit::{Client, TestServer};

#[testkit::story]
async fn a_project_says_how_its_pipelines_run(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let shown = async || t.admin().get(project.at("")).await.is(200).json();
    let usual = json!({
        "auto_cancel_pending_pipelines": "enabled",
        "build_git_strategy": "fetch",
        "build_timeout": 3600,
        "ci_allow_fork_pipelines_to_run_in_parent_project": true,
        "ci_config_path": null,
        "ci_default_git_depth": 20,
        "ci_forward_deployment_enabled": true,
        "ci_forward_deployment_rollback_allowed": true,
        "ci_separated_caches": true,
        "group_runners_enabled": true,
        "keep_latest_artifact": true,
        "public_jobs": true,
        "shared_runners_enabled": true,
    });
    let entity = shown().await;
    for (name, value) in usual.as_object().unwrap() {
        assert_eq!(&entity[name], value, "{name}");
    }
    let others = json!({
        "auto_cancel_pending_pipelines": "disabled",
        "build_git_strategy": "clone",
        "build_timeout": 7200,
        "ci_allow_fork_pipelines_to_run_in_parent_project": false,
        "ci_config_path": "ci/main.yml",
        "ci_default_git_depth": 0,
        "ci_forward_deployment_enabled": false,
        "ci_forward_deployment_rollback_allowed": false,
        "ci_separated_caches": false,
        "group_runners_enabled": false,
        "keep_latest_artifact": false,
        "public_jobs": false,
        "shared_runners_enabled": false,
    });
    let changed = t.admin().put(project.at("")).json(&others).await.is(200).json();
    for (name, value) in others.as_object().unwrap() {
        assert_eq!(&changed[name], value, "{name}");
    }
    t.admin().put(project.at("")).json(&json!({"name": "Anvil"})).await.is(200);
    assert_eq!(shown().await["build_timeout"], 7200, "what is not said stays");
    t.admin()
        .put(project.at(""))
        .json(&json!({"ci_config_path": null}))
        .await
        .is(200);
    assert_eq!(shown().await["ci_config_path"], Value::Null);
    for (field, value, text) in [
        ("build_timeout", json!(599), "needs to be between 10 minutes and 1 month"),
        ("build_timeout", json!(2_592_001), "needs to be between 10 minutes and 1 month"),
        ("ci_default_git_depth", json!(1001), "must be less than or equal to 1000"),
        ("ci_default_git_depth", json!(-1), "must be greater than or equal to 0"),
        (
            "ci_config_path",
            json!("../ci.yml"),
            "cannot include leading slash or directory traversal.",
        ),
    ] {
        let answer = t.admin().put(project.at("")).json(&json!({field: value})).await;
        assert_eq!(answer.is(400).json()["message"][field], json!([text]));
    }
    for wrong in ["auto_cancel_pending_pipelines", "build_git_strategy"] {
        t.admin().put(project.at("")).json(&json!({wrong: "odd"})).await.is(400);
    }
    let dev = t.user("dev").await;
    project.add(&dev, 30).await;
    dev.put(project.at("")).json(&json!({"build_timeout": 3600})).await.is(403);
}

#[testkit::story]
async fn pipelines_keep_to_what_is_said(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    commit(&t, &project, ".gitlab-ci.yml", "usual: {script: e}", "Begin").await;
    let first = newest(&t, &project).await;
    let path =
        json!({"ci_config_path": "ci/main.yml", "auto_cancel_pending_pipelines": "disabled"});
    t.admin().put(project.at("")).json(&path).await.is(200);
    commit(&t, &project, "ci/main.yml", "other: {script: e, environment: prod}", "Other").await;
    let second = newest(&t, &project).await;
    let jobs = t.admin().get(project.at(&format!("/pipelines/{second}/jobs"))).await.is(200);
    assert_eq!(jobs.each("name"), ["other"]);
    let old = t.admin().get(project.at(&format!("/pipelines/{first}"))).await.is(200).json();
    assert_eq!(old["status"], "pending", "it goes on");

    // Runners of the instance are told nothing where they are not wanted.
    let own = runner(&t, json!({})).await;
    let wanted = |flag: bool| json!({"shared_runners_enabled": flag});
    t.admin().put(project.at("")).json(&wanted(false)).await.is(200);
    let body = json!({"token": own, "system_id": "s_1", "info": {}});
    t.anonymous().post("/jobs/request").json(&body).await.is(204);
    t.admin().put(project.at("")).json(&wanted(true)).await.is(200);
    let (id, token, _) = take(&t, &own).await;
    end(&t, (id, &token), "success").await.is(200);

    // Jobs and what they wrote are for members, where the project says so.
    let public = json!({"public_jobs": false});
    t.admin().put(project.at("")).json(&public).await.is(200);
    let (out, rep) = (t.user("out").await, t.user("rep").await);
    project.add(&rep, 20).await;
    let trace = project.at(&format!("/jobs/{id}/trace"));
    out.get(project.at("/pipelines")).await.is(200);
    let pipeline = newest(&t, &project).await;
    for path in [
        format!("/jobs/{id}/trace"),
        "/jobs".to_owned(),
        format!("/pipelines/{pipeline}/jobs"),
        format!("/pipelines/{pipeline}/bridges"),
    ] {
        out.get(project.at(&path)).await.is(403);
        rep.get(project.at(&path)).await.is(200);
    }
    let deployable = async |client: &Client| {
        let all = client.get(project.at("/deployments")).await.is(200).json();
        all[0]["deployable"]["name"].clone()
    };
    assert_eq!((deployable(&out).await, deployable(&rep).await), (Value::Null, json!("other")));
    let (outside, inside) = (t.browser("out").await, t.browser("rep").await);
    for page in [
        "pipelines".to_owned(),
        "pipelines/charts".to_owned(),
        format!("pipelines/{pipeline}"),
        format!("pipelines/{pipeline}/builds"),
        "jobs".to_owned(),
        format!("jobs/{id}"),
        format!("jobs/{id}/raw"),
        format!("jobs/{id}/log?from=0"),
        format!("pipelines/{pipeline}/failures"),
        format!("pipelines/{pipeline}/test_report"),
    ] {
        let page = format!("/acme/anvil/-/{page}");
        outside.get(&page).await.is(403);
        inside.get(&page).await.is(200);
    }
    let badge = "/acme/anvil/-/badges/main/pipeline.svg";
    outside.get(badge).await.is(200);
    let link = "href=\"/acme/anvil/-/pipelines\"";
    for (browser, is_led) in [(&outside, false), (&inside, true)] {
        let shown = browser.get("/acme/anvil").await.is(200).text();
        assert_eq!(shown.contains(link), is_led, "{shown}");
    }
    t.admin().put(project.at("")).json(&json!({"public_jobs": true})).await.is(200);
    out.get(&trace).await.is(200);
    outside.get("/acme/anvil/-/pipelines").await.is(200);
}

#[testkit::story(noon)]
async fn files_of_the_latest_success_stay(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", "a: {script: e}").await;
    let own = runner(&t, json!({})).await;
    let succeed = async || {
        let (id, token, _) = take(&t, &own).await;
        let archive = zipped(&[("a", "b")]);
        bring(&t, (id, &token), "expire_in=1+hour", "a.zip", archive).await.is(201);
        end(&t, (id, &token), "success").await.is(200);
        id
    };
    let there = async |job: i64| {
        let at = project.at(&format!("/jobs/{job}/artifacts"));
        t.admin().get(at).await.status == 200
    };
    let begin = async || {
        let body = json!({"ref": "main"});
        t.admin().post(project.at("/pipeline")).json(&body).await.is(201);
    };
    let first = succeed().await;
    t.advance(3601);
    t.settle().await;
    assert!(there(first).await);
    begin().await;
    let second = succeed().await;
    assert!(!there(first).await && there(second).await, "a newer one took its place");
    let off = json!({"keep_latest_artifact": false});
    t.admin().put(project.at("")).json(&off).await.is(200);
    begin().await;
    let third = succeed().await;
    t.advance(3601);
    assert!(!there(second).await && !there(third).await);
}

#[testkit::story]
async fn it_is_said_on_a_page(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", "a: {script: e}").await;
    let other = t.project("acme/bellows").await;
    let (mia, dev) = (t.user("mia").await, t.user("dev").await);
    project.add(&mia, 40).await;
    other.add(&mia, 40).await;
    project.add(&dev, 30).await;
    let url = "/acme/anvil/-/settings/pipelines";
    t.browser("dev").await.get(url).await.is(403);
    let mia = t.browser("mia").await;
    let page = mia.get(url).await.is(200).text();
    assert!(
        page.contains("How pipelines run") && page.contains("No other project"),
        "{page}"
    );
    let typed = [
        ("action", "save"),
        ("config_path", "ci.yml"),
        ("timeout", "5"),
        ("strategy", "clone"),
        ("depth", "50"),
    ];
    let refused = mia.post(url, &typed).await.is(422).text();
    assert!(refused.contains("Needs to be between 10 minutes and 1 month"), "{refused}");
    let mut fit = typed;
    fit[2].1 = "90";
    let (_, page) = mia.submit(url, &fit).await;
    assert!(page.contains("Settings saved."), "{page}");
    let shown = t.admin().get(project.at("")).await.is(200).json();
    assert_eq!(
        (&shown["build_timeout"], &shown["ci_config_path"], &shown["public_jobs"]),
        (&json!(5400), &json!("ci.yml"), &json!(false))
    );
    let (_, page) = mia.submit(url, &[("action", "allow"), ("target", "acme/bellows")]).await;
    assert!(
        page.contains("Its jobs may enter now.") && page.contains("acme/bellows"),
        "{page}"
    );
    let none = [("action", "allow"), ("target", "acme/nothing")];
    mia.post(url, &none).await.is(422);
    let id = other.id.to_string();
    let forbid = [("action", "forbid"), ("target_project_id", id.as_str())];
    let (_, page) = mia.submit(url, &forbid).await;
    assert!(page.contains("Its jobs enter no more."), "{page}");
    mia.submit(url, &[("action", "limit")]).await;
    let scope = t.admin().get(project.at("/job_token_scope")).await.is(200).json();
    assert_eq!(scope, json!({"inbound_enabled": false}));
}
