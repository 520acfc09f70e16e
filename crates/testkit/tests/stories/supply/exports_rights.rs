//! Who exports what: three parents, kinds of callers, and formats.

use super::exports::{ask, at, bom, list, report};
use crate::delivery::runner_jobs::{runner, take};
use crate::delivery::running::begun;
use crate::oauth::{application, tokens};
use serde_json::{Value, json};
use testkit::{Client, TestServer};

const FORMATS: &[&str] = &["dependency_list", "cyclonedx_1_6_json", "csv", "json_array", "sbom"];

/// The formats of projects, groups and pipelines.
const FITTING: [&[&str]; 3] = [
    &["dependency_list", "cyclonedx_1_6_json", "csv"],
    &["csv", "json_array"],
    &["sbom"],
];

async fn robot(t: &TestServer, place: String) -> Client {
    let body = json!({"name": "robot", "scopes": ["api"], "access_level": 30});
    let made = t
        .admin()
        .post(format!("{place}/access_tokens"))
        .json(&body)
        .await
        .is(201)
        .json();
    t.with_token(made["token"].as_str().unwrap_or_default())
}

async fn by_oauth(t: &TestServer, user: &str, scope: &str) -> Client {
    let shop = application(t, "api read_api", true).await;
    let browser = t.browser(user).await;
    let pair: Value = tokens(t, &browser, &shop, scope).await;
    t.with_token(pair["access_token"].as_str().unwrap_or_default())
}

/// What becomes of a request for an export of a project, a group and a pipeline.
async fn table(t: &TestServer, by: &Client, parents: &[String; 3], wanted: [u16; 3]) {
    for ((parent, fitting), status) in parents.iter().zip(FITTING).zip(wanted) {
        for format in FORMATS {
            let status = match (status, fitting.contains(format)) {
                (201, false) => 400,
                (status, _) => status,
            };
            let answer = ask(by, parent, format).await;
            assert_eq!(answer.status, status, "{parent} {format}: {answer:?}");
            if status == 201 {
                t.settle().await;
                let shown = by.get(at(answer.id())).await.is(200).json();
                assert_eq!(shown["status"], "finished", "{parent} {format}");
                by.get(format!("{}/download", at(answer.id()))).await.is(200);
            }
        }
    }
}

#[testkit::story]
async fn each_caller_exports_what_they_read(t: TestServer) {
    let file = "a: {script: e}\nb: {script: e}";
    let (project, pipeline) = begun(&t, "acme/anvil", file).await;
    let own = runner(&t, json!({})).await;
    report(&t, &own, &bom()).await;
    list(&t, &project, &bom()).await;
    let group = t.group("acme").await;
    let parents = [project.at(""), group.at(""), format!("/pipelines/{pipeline}")];
    let [dev, reporter, outsider] =
        [t.user("dev").await, t.user("reporter").await, t.user("outsider").await];
    group.add(&dev, 30).await;
    group.add(&reporter, 20).await;

    let admin = t.admin();
    table(&t, &admin, &parents, [201, 201, 201]).await;
    table(&t, &dev, &parents, [201, 201, 201]).await;
    table(&t, &robot(&t, project.at("")).await, &parents, [201, 403, 201]).await;
    table(&t, &robot(&t, group.at("")).await, &parents, [201, 201, 201]).await;
    table(&t, &by_oauth(&t, "dev", "api").await, &parents, [201, 201, 201]).await;
    table(&t, &by_oauth(&t, "dev", "read_api").await, &parents, [403, 403, 403]).await;
    table(&t, &reporter, &parents, [403, 403, 403]).await;
    table(&t, &outsider, &parents, [404, 404, 404]).await;
    table(&t, &t.anonymous(), &parents, [401, 401, 401]).await;

    // Tokens of jobs and of machines are for other things.
    let (_, job, _) = take(&t, &own).await;
    let body = json!({"name": "machine", "scopes": ["read_repository"]});
    let deploy = admin.post(project.at("/deploy_tokens")).json(&body).await.is(201).json();
    let deploy = deploy["token"].as_str().unwrap_or_default();
    for (parent, fitting) in parents.iter().zip(FITTING) {
        let body = json!({"export_type": fitting[0]});
        for (header, token) in [("job-token", job.as_str()), ("deploy-token", deploy)] {
            let exports = format!("{parent}/dependency_list_exports");
            let asked = t.anonymous().post(exports).header(header, token).json(&body);
            asked.await.is(401);
        }
    }
}

#[testkit::story]
async fn an_export_is_its_makers_alone(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let [ada, ben] = [t.user("ada").await, t.user("ben").await];
    project.add(&ada, 30).await;
    project.add(&ben, 30).await;
    list(&t, &project, &bom()).await;
    let id = ask(&ada, &project.at(""), "csv").await.is(201).id();
    t.settle().await;
    let file = format!("{}/download", at(id));
    let reads = t.token_of(ada.id, &["read_api"]).await;
    reads.get(&file).await.is(200);
    for other in [&*ben, &t.admin()] {
        other.get(at(id)).await.is(403);
        other.get(&file).await.is(403);
    }

    // Who may not read it any more has its exports no more.
    let member = project.at(&format!("/members/{}", ada.id));
    t.admin().put(&member).json(&json!({"access_level": 20})).await.is(200);
    ada.get(at(id)).await.is(403);
    ada.get(&file).await.is(403);
    t.admin().delete(&member).await.is(204);
    ada.get(at(id)).await.is(403);
    project.add(&ada, 40).await;
    ada.get(&file).await.is(200);

    // Nor has anybody where it is switched off.
    let group = t.group("acme").await;
    let switch = async |at: String, on: bool| {
        let body = json!({"dependency_exports_enabled": on});
        t.admin().put(at).json(&body).await.is(200);
    };
    for place in ["/application/settings".to_owned(), group.at(""), project.at("")] {
        switch(place.clone(), false).await;
        ask(&ada, &project.at(""), "csv").await.is(403);
        ada.get(&file).await.is(403);
        switch(place, true).await;
        ada.get(&file).await.is(200);
    }
}
