//! Where the tokens of jobs open something.

use super::runner_jobs::{end, runner, take};
use super::running::{begun, commit};
use serde_json::{Value, json};
use testkit::{Git, TestProject, TestServer};

const FILE: &str = "a: {script: e}";

#[testkit::story]
async fn maintainers_say_whose_jobs_enter(t: TestServer) {
    let (project, other) = (t.project("acme/anvil").await, t.project("acme/bellows").await);
    let group = t.group("forge").await;
    let (mia, dev) = (t.user("mia").await, t.user("dev").await);
    project.add(&mia, 40).await;
    project.add(&dev, 30).await;
    let scope = project.at("/job_token_scope");
    dev.get(&scope).await.is(403);
    t.anonymous().get(&scope).await.is(401);
    assert_eq!(mia.get(&scope).await.is(200).json(), json!({"inbound_enabled": true}));
    mia.patch(&scope).json(&json!({"inbound_enabled": false})).await.is(204);
    assert_eq!(mia.get(&scope).await.is(200).json(), json!({"inbound_enabled": false}));
    mia.patch(&scope).json(&json!({"enabled": true})).await.is(204);
    mia.patch(&scope).json(&json!({})).await.is(400);
    dev.patch(&scope).json(&json!({"enabled": true})).await.is(403);

    let list = format!("{scope}/allowlist");
    assert_eq!(mia.get(&list).await.is(200).each("id"), [project.id], "its own are always in");
    let entry = json!({"target_project_id": other.id});
    mia.post(&list).json(&entry).await.is(404);
    other.add(&mia, 10).await;
    let made = mia.post(&list).json(&entry).await.is(201).json();
    assert_eq!(made, json!({"source_project_id": project.id, "target_project_id": other.id}));
    mia.post(&list).json(&entry).await.is(400);
    mia.post(&list).json(&json!({"target_project_id": project.id})).await.is(400);
    assert_eq!(mia.get(&list).await.is(200).each("id").len(), 2);
    mia.delete(format!("{list}/{}", project.id)).await.is(400);
    mia.delete(format!("{list}/{}", other.id)).await.is(204);
    mia.delete(format!("{list}/{}", other.id)).await.is(404);

    let groups = format!("{scope}/groups_allowlist");
    let entry = json!({"target_group_id": group.id});
    mia.post(&groups).json(&entry).await.is(404);
    group.add(&mia, 10).await;
    mia.post(&groups).json(&entry).await.is(201);
    assert_eq!(mia.get(&groups).await.is(200).each("name"), ["forge"]);
    dev.delete(format!("{groups}/{}", group.id)).await.is(403);
    mia.delete(format!("{groups}/{}", group.id)).await.is(204);
}

#[testkit::story]
async fn a_job_enters_where_its_project_is_listed(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let other = t.project_with("forge/bellows", "public").await;
    commit(&t, &other, ".gitlab-ci.yml", FILE, "Begin").await;
    t.admin()
        .put(other.at(""))
        .json(&json!({"visibility": "private"}))
        .await
        .is(200);
    let own = runner(&t, json!({"runner_type": "project_type", "project_id": project.id})).await;
    let (id, token, _) = take(&t, &own).await;
    let by = |path: String| t.anonymous().get(path).header("job-token", &token);
    let job = t.anonymous().get("/job").header("job-token", &token).await.is(200).json();
    assert_eq!(job["id"], id);
    t.admin().get("/job").await.is(403);
    t.anonymous().get("/job").await.is(401);

    let client = t.admin();
    let git = Git::of(&client);
    git.run(&["init", "-q", "work"]).await.done();
    let fetches = async |path: &str| {
        let url = git.url_with("gitlab-ci-token", &token, path);
        git.run_in("work", &["fetch", "-q", &url, "main"]).await.succeeded
    };
    let publishes = async |project: &TestProject| {
        let file = project.at("/packages/generic/tool/1.0/tool.txt");
        let request = t.anonymous().put(file).header("job-token", &token);
        request.bytes("hammer").await.status
    };
    let branches = |project: &TestProject| project.at("/repository/branches");
    assert!(fetches("acme/anvil").await && !fetches("forge/bellows").await);
    by(branches(&project)).await.is(200);
    by(branches(&other)).await.is(404);
    assert_eq!(publishes(&other).await, 404);

    // Listed by itself, by a group above it, or not at all where all enter.
    let scope = other.at("/job_token_scope");
    let entry = json!({"target_project_id": project.id});
    t.admin().post(format!("{scope}/allowlist")).json(&entry).await.is(201);
    assert!(fetches("forge/bellows").await);
    by(branches(&other)).await.is(200);
    assert_eq!(publishes(&other).await, 201);
    t.admin().delete(format!("{scope}/allowlist/{}", project.id)).await.is(204);
    by(branches(&other)).await.is(404);
    let group = t.admin().get("/groups/acme").await.is(200).id();
    let entry = json!({"target_group_id": group});
    t.admin().post(format!("{scope}/groups_allowlist")).json(&entry).await.is(201);
    by(branches(&other)).await.is(200);
    t.admin().delete(format!("{scope}/groups_allowlist/{group}")).await.is(204);
    by(branches(&other)).await.is(404);
    t.admin().patch(&scope).json(&json!({"enabled": false})).await.is(204);
    by(branches(&other)).await.is(200);
    t.admin().patch(&scope).json(&json!({"enabled": true})).await.is(204);

    // What everybody sees is seen, and no more than that may be done.
    t.admin().put(other.at("")).json(&json!({"visibility": "public"})).await.is(200);
    by(branches(&other)).await.is(200);
    assert_eq!(publishes(&other).await, 403);
    end(&t, (id, &token), "success").await.is(200);
    by(branches(&other)).await.is(401);
}

#[testkit::story]
async fn a_job_shows_other_services_who_it_is(t: TestServer) {
    let file = "a: {script: e, id_tokens: {ID: {aud: 'https://vault.example/$CI_PROJECT_ID'}, \
                TWO: {aud: [x, y]}}}";
    let (project, pipeline) = begun(&t, "acme/anvil", file).await;
    let own = runner(&t, json!({})).await;
    let (id, _, job) = take(&t, &own).await;
    let variable = |key: &str| {
        let all = job["variables"].as_array().unwrap();
        all.iter().find(|one| one["key"] == key).cloned().unwrap()
    };
    let told = variable("ID");
    assert_eq!((&told["masked"], &told["public"]), (&json!(true), &json!(false)));
    let parts: Vec<&str> = told["value"].as_str().unwrap().split('.').collect();
    let read = |part: &str| -> Value {
        use base64::Engine;
        let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(part).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    };
    let (header, claims) = (read(parts[0]), read(parts[1]));
    let keys = t.anonymous().at("/oauth/discovery/keys").await.is(200).json();
    assert_eq!(header["kid"], keys["keys"][0]["kid"]);
    assert_eq!(claims["aud"], format!("https://vault.example/{}", project.id));
    assert_eq!(claims["sub"], "project_path:acme/anvil:ref_type:branch:ref:main");
    assert_eq!(
        (
            &claims["job_id"],
            &claims["pipeline_id"],
            &claims["ref_path"],
            &claims["user_login"]
        ),
        (
            &json!(id.to_string()),
            &json!(pipeline.to_string()),
            &json!("refs/heads/main"),
            &json!("root")
        )
    );
    assert!(claims["exp"].as_i64().unwrap() > claims["iat"].as_i64().unwrap());
    let two = read(variable("TWO")["value"].as_str().unwrap().split('.').nth(1).unwrap());
    assert_eq!(two["aud"], json!(["x", "y"]));
    assert_ne!(two["jti"], claims["jti"]);
}
