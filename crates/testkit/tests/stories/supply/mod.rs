//! What projects are made of: lists that jobs and people bring, and what is shown of them.

mod advisories;
mod exports;
mod exports_formats;
mod exports_pages;
mod exports_rights;
mod exports_running;
mod graph;
mod ingest;
mod lists;
mod pages;
mod policies;
mod uploads;

use crate::delivery::runner_jobs::{bring, end, take};
use serde_json::{Value, json};
use std::io::Write;
use testkit::{Reply, TestProject, TestServer};

/// One job that brings a report.
pub const FILE: &str = "scan: {script: e}";
/// What a runner says of a report.
pub const REPORT: &str = "artifact_type=cyclonedx&artifact_format=gzip";

/// A component of npm in a lock file.
pub fn npm(name: &str, version: &str, licenses: Value) -> Value {
    json!({"type": "library", "bom-ref": format!("{name}@{version}"), "name": name,
        "version": version, "purl": format!("pkg:npm/{name}@{version}"), "licenses": licenses})
}

pub fn mit() -> Value {
    json!([{"license": {"id": "MIT"}}])
}

/// A list of components, of which the first is needed directly, and each needs the next.
pub fn bom(file: &str, components: Vec<Value>) -> Value {
    let references: Vec<Value> = components.iter().map(|one| one["bom-ref"].clone()).collect();
    let root = json!({"ref": "root", "dependsOn": references.iter().take(1).collect::<Vec<_>>()});
    let next = references.windows(2).map(|two| json!({"ref": two[0], "dependsOn": [two[1]]}));
    let dependencies: Vec<Value> = std::iter::once(root).chain(next).collect();
    json!({"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"component": {"type": "application", "name": "shop", "bom-ref": "root"},
            "properties": [
                {"name": "service:meta:schema_version", "value": "1"},
                {"name": "service:dependency_scanning:input_file:path", "value": file},
                {"name": "service:dependency_scanning:package_manager:name", "value": "npm"}]},
        "components": components, "dependencies": dependencies})
}

/// Files as a runner packs them: each by itself, with its name.
pub fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut all = Vec::new();
    for (name, bytes) in files {
        let into = flate2::GzBuilder::new().filename(*name).comment(*name);
        let mut member = into.write(Vec::new(), flate2::Compression::fast());
        member.write_all(bytes).unwrap();
        all.extend(member.finish().unwrap());
    }
    all
}

pub fn of(bom: &Value) -> Vec<u8> {
    packed(&[("sbom.cdx.json", bom.to_string().as_bytes())])
}

/// A runner does the next job, which brings this report, and is good.
pub async fn scan(t: &TestServer, runner: &str, report: Vec<u8>) -> i64 {
    let (id, token, _) = take(t, runner).await;
    bring(t, (id, &token), REPORT, "sbom.gz", report).await.is(201);
    end(t, (id, &token), "success").await.is(200);
    id
}

/// The dependencies of a project as an administrator sees them.
pub async fn listed(t: &TestServer, project: &TestProject) -> Vec<Value> {
    let at = project.at("/dependencies?per_page=100");
    t.admin().get(at).await.is(200).json().as_array().unwrap().clone()
}

/// `name version` of those.
pub async fn names(t: &TestServer, project: &TestProject) -> Vec<String> {
    let shown = |one: &Value| {
        let text = |name: &str| one[name].as_str().unwrap_or_default().to_owned();
        format!("{} {}", text("name"), text("version"))
    };
    listed(t, project).await.iter().map(shown).collect()
}

/// What is wrong with the reports of a pipeline.
pub async fn problems(t: &TestServer, project: &TestProject, pipeline: i64) -> Vec<String> {
    let at = project.at(&format!("/pipelines/{pipeline}/sbom_problems"));
    let all = t.admin().get(at).await.is(200).json();
    let message = |one: &Value| one["message"].as_str().unwrap_or_default().to_owned();
    all.as_array().unwrap().iter().map(message).collect()
}

/// Sends a list without a pipeline.
pub async fn send(t: &TestServer, project: &TestProject, bom: &Value) -> Reply {
    let sent = t.admin().post(project.at("/sboms")).json(bom).await;
    t.settle().await;
    sent
}
