//! Exports of dependencies, as somebody asks for one.

use crate::delivery::runner_jobs::{bring, end, gzipped, take};
use crate::spaces::run_job;
use ::delivery::dependencies::exports::write::{Turn, Turns};
use serde_json::{Value, json};
use store::sql;
use testkit::{Client, Reply, TestProject, TestServer};

/// Two packages, the second for the first.
pub fn bom() -> Value {
    let file = json!([{"name": "service:dependency_scanning:input_file:path",
        "value": "package-lock.json"}]);
    json!({"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
    "metadata": {"component": {"type": "application", "bom-ref": "app", "name": "anvil"}},
    "components": [
        {"type": "library", "bom-ref": "pad", "name": "left-pad", "version": "1.3.0",
            "purl": "pkg:npm/left-pad@1.3.0", "licenses": [{"license": {"id": "MIT"}}],
            "properties": file},
        {"type": "library", "bom-ref": "wrap", "name": "wrappy", "version": "1.0.2",
            "purl": "pkg:npm/wrappy@1.0.2", "properties": file},
    ],
    "dependencies": [
        {"ref": "app", "dependsOn": ["pad"]},
        {"ref": "pad", "dependsOn": ["wrap"]},
    ]})
}

/// Sends the list of a project, and waits until it is read.
pub async fn list(t: &TestServer, project: &TestProject, bom: &Value) {
    let sent = t.admin().post(project.at("/sboms")).header("content-type", "application/json");
    let token = sent.bytes(bom.to_string()).await.is(202).json()["token"].clone();
    t.settle().await;
    let at = project.at(&format!("/sboms/{}", token.as_str().unwrap()));
    let read = t.admin().get(at).await.is(200).json();
    assert_eq!(read["finished"], true, "{read}");
}

/// A job of the newest pipeline brings a report, and ends.
pub async fn report(t: &TestServer, own: &str, bom: &Value) {
    let (id, token, _) = take(t, own).await;
    let query = "artifact_type=cyclonedx&artifact_format=gzip";
    bring(t, (id, &token), query, "gl-sbom.cdx.json.gz", gzipped(&bom.to_string()))
        .await
        .is(201);
    end(t, (id, &token), "success").await.is(200);
}

pub async fn ask(by: &Client, parent: &str, export_type: &str) -> Reply {
    let body = json!({"export_type": export_type});
    by.post(format!("{parent}/dependency_list_exports")).json(&body).await
}

pub fn at(id: i64) -> String {
    format!("/dependency_list_exports/{id}")
}

/// The file of a new export.
pub async fn exported(t: &TestServer, by: &Client, parent: &str, export_type: &str) -> Reply {
    let id = ask(by, parent, export_type).await.is(201).id();
    t.settle().await;
    by.get(at(id)).await.is(200);
    by.get(format!("{}/download", at(id))).await.is(200)
}

/// Nothing is written until these are dropped and some time has passed.
pub fn all_turns(t: &TestServer) -> Vec<Turn> {
    let turns = t.app().kept::<Turns>();
    std::iter::from_fn(|| turns.try_take()).collect()
}

/// Lets what waited for its turn go on.
pub async fn go_on(t: &TestServer, turns: Vec<Turn>) {
    // By now it waits.
    t.settle().await;
    drop(turns);
    // Who finds no turn looks again after a while: two are written at once.
    for _ in 0..4 {
        t.advance(3);
        t.settle().await;
    }
}

#[testkit::story(noon)]
async fn an_export_is_polled_and_downloaded(t: TestServer) {
    let project = t.project("acme/anvil").await;
    list(&t, &project, &bom()).await;
    let (ada, turns) = (t.user("ada").await, all_turns(&t));
    project.add(&ada, 30).await;

    let made = ask(&ada, &project.at(""), "dependency_list").await.is(201).json();
    let id = made["id"].as_i64().unwrap();
    let url = format!("{}/api/v4/dependency_list_exports/{id}", t.url());
    let keys: Vec<&String> = made.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "id",
            "status",
            "has_finished",
            "export_type",
            "send_email",
            "expires_at",
            "self",
            "download"
        ]
    );
    let running = json!({"id": id, "status": "running", "has_finished": false,
        "export_type": "dependency_list", "send_email": false,
        "expires_at": "2031-05-13T12:00:00.000Z", "self": url,
        "download": format!("{url}/download")});
    assert_eq!(made, running);
    t.settle().await;
    let polled = ada.get(at(id)).await.is(202);
    assert_eq!((polled.header("poll-interval"), polled.header("retry-after")), ("5000", "5"));
    assert_eq!(polled.json(), running);
    let missing = ada.get(format!("{}/download", at(id))).await.is(404).json();
    assert_eq!(missing, json!({"message": "404 DependencyListExport Not Found"}));

    go_on(&t, turns).await;
    let finished = ada.get(at(id)).await.is(200);
    assert_eq!(finished.header("poll-interval"), "");
    let finished = finished.json();
    assert_eq!(
        (&finished["status"], &finished["has_finished"], &finished["expires_at"]),
        (&json!("finished"), &json!(true), &json!("2031-05-13T12:00:03.000Z"))
    );
    let file = ada.get(format!("{}/download", at(id))).await.is(200);
    assert_eq!(
        (file.header("content-disposition"), file.header("content-type")),
        (
            "attachment; filename=\"anvil_dependencies_2031-05-06T1200.json\"",
            "application/json"
        )
    );
    assert_eq!(file.header("x-content-type-options"), "nosniff");
}

#[testkit::story(noon)]
async fn a_file_goes_after_a_week(t: TestServer) {
    let project = t.project("acme/anvil").await;
    list(&t, &project, &bom()).await;
    let id = ask(&t.admin(), &project.at(""), "csv").await.is(201).id();
    t.settle().await;
    t.advance(7 * 24 * 3600 - 1);
    t.admin().get(at(id)).await.is(200);
    t.advance(1);
    t.admin().get(at(id)).await.is(404);
    t.admin().get(format!("{}/download", at(id))).await.is(404);

    run_job(&t, "delivery.sweep_dependency_exports").await;
    t.advance(61);
    t.settle().await;
    let left = t.app().read(|tx| {
        let exports: i64 = tx.one(sql!("select count(*) from dependency_exports"), ())?;
        let blobs: i64 = tx.one(sql!("select count(*) from blobs"), ())?;
        Ok((exports, blobs))
    });
    assert_eq!(left.await.unwrap(), (0, 0), "the file's row goes with its export");
}

#[testkit::story]
async fn what_cannot_be_exported_is_refused(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    let exports = project.at("/dependency_list_exports");
    let missing = admin.post(&exports).json(&json!({})).await.is(400).json();
    assert_eq!(missing["error"], "export_type is missing");
    for wrong in ["pdf", "json_array", "sbom"] {
        let answer = ask(&admin, &project.at(""), wrong).await.is(400).json();
        assert_eq!(answer["error"], "export_type does not have a valid value", "{wrong}");
    }
    for parent in ["/projects/99999", "/groups/99999", "/pipelines/99999"] {
        ask(&admin, parent, "csv").await.is(404);
    }
    let unknown = admin.get(at(99_999)).await.is(404).json();
    assert_eq!(unknown["message"], "404 DependencyListExport Not Found");
    t.anonymous().get(at(99_999)).await.is(401);
    t.anonymous().post(&exports).json(&json!({})).await.is(401);
}

#[testkit::story]
async fn a_project_without_a_list_says_why(t: TestServer) {
    let (project, empty) = (t.project("acme/anvil").await, t.project("acme/bellows").await);
    let report = async |project: &TestProject| {
        let file = exported(&t, &t.admin(), &project.at(""), "dependency_list").await.json();
        assert_eq!(file["dependencies"], json!([]));
        file["report"]["status"].clone()
    };
    assert_eq!(report(&project).await, "job_not_set_up");
    let none = json!({"bomFormat": "CycloneDX", "specVersion": "1.5", "components": []});
    list(&t, &empty, &none).await;
    assert_eq!(report(&empty).await, "no_dependencies");
}

#[testkit::story]
async fn two_exports_are_compared(t: TestServer) {
    let (project, other) = (t.project("acme/anvil").await, t.project("acme/bellows").await);
    let ada = t.user("ada").await;
    project.add(&ada, 30).await;
    list(&t, &project, &bom()).await;
    let made = async |export_type: &str| {
        let id = ask(&ada, &project.at(""), export_type).await.is(201).id();
        t.settle().await;
        id
    };
    let (from, csv) = (made("cyclonedx_1_6_json").await, made("csv").await);
    let mut newer = bom();
    newer["components"][0]["version"] = json!("2.0.0");
    newer["components"][0]["purl"] = json!("pkg:npm/left-pad@2.0.0");
    newer["components"][1] = json!({"type": "library", "bom-ref": "wrap", "name": "once",
        "version": "1.4.0", "purl": "pkg:npm/once@1.4.0"});
    list(&t, &project, &newer).await;
    let to = made("cyclonedx_1_6_json").await;

    let compare = |by: &Client, of: &TestProject, from: i64, to: i64| {
        by.get(of.at(&format!("/dependencies/compare?from={from}&to={to}")))
    };
    let found = compare(&ada, &project, from, to).await.is(200).json();
    assert_eq!(
        found,
        json!({
            "added": [{"name": "once", "version": "1.4.0", "purl": "pkg:npm/once@1.4.0"}],
            "removed": [{"name": "wrappy", "version": "1.0.2", "purl": "pkg:npm/wrappy@1.0.2"}],
            "changed": [{"name": "left-pad", "from_versions": ["1.3.0"],
                "to_versions": ["2.0.0"]}],
        })
    );
    compare(&ada, &project, from, csv).await.is(400);
    compare(&ada, &project, from, 99_999).await.is(404);
    compare(&ada, &other, from, to).await.is(404);
    compare(&t.admin(), &other, from, to).await.is(403);
    compare(&t.admin(), &project, from, to).await.is(403);
}

#[testkit::story]
async fn an_export_becomes_a_file_of_a_package(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let ada = t.user("ada").await;
    project.add(&ada, 30).await;
    list(&t, &project, &bom()).await;
    let id = ask(&ada, &project.at(""), "cyclonedx_1_6_json").await.is(201).id();
    t.settle().await;
    let file = ada.get(format!("{}/download", at(id))).await.is(200);

    let to = json!({"package_name": "anvil", "package_version": "1.0"});
    let publish = |by: &Client, to: &Value| by.post(format!("{}/package", at(id))).json(to);
    let made = publish(&ada, &to).await.is(201).json();
    let url = made["url"].as_str().unwrap();
    let path = url.split_once("/api/v4").unwrap().1;
    assert_eq!(ada.get(path).await.is(200).body, file.body);
    let name = made["file_name"].as_str().unwrap();
    assert!(name.starts_with("anvil_dependencies_") && name.ends_with(".cdx.json"), "{name}");

    publish(&t.admin(), &to).await.is(403);
    publish(&ada, &json!({"package_name": "../x", "package_version": "1.0"}))
        .await
        .is(400);
    let elsewhere = t.project("forge/bellows").await;
    let to = json!({"package_name": "anvil", "package_version": "1.0", "project": elsewhere.id});
    publish(&ada, &to).await.is(404);
}
