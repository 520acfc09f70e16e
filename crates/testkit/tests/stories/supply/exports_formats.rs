//! What stands in the files of exports.

use super::exports::{all_turns, ask, at, bom, exported, list, report};
use crate::delivery::runner_jobs::runner;
use crate::delivery::running::{begun, commit, newest};
use ::delivery::dependencies::exports::store;
use ::delivery::dependencies::exports::write::write;
use serde_json::{Value, json};
use testkit::{TestProject, TestServer};

/// A text with what is new in each export replaced, and ids of rows.
fn still(text: &str) -> String {
    let marks = ["urn:uuid:", "/dependencies/", "\"occurrence_id\":"];
    marks.iter().fold(text.to_owned(), |text, mark| {
        let mut parts = text.split(mark);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let rest = part.trim_start_matches(|c: char| c.is_ascii_hexdigit() || c == '-');
            out.push_str(mark);
            out.push_str("[new]");
            out.push_str(rest);
        }
        out
    })
}

#[testkit::story(noon)]
async fn a_dependency_list_is_as_the_interface_says(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", "a: {script: e}").await;
    let own = runner(&t, json!({})).await;
    report(&t, &own, &bom()).await;
    let file = exported(&t, &t.admin(), &project.at(""), "dependency_list").await;
    let commits = t.admin().get(project.at("/repository/commits")).await.is(200);
    let sha = commits.each("id")[0].as_str().unwrap().to_owned();
    let jobs = t.admin().get(project.at("/jobs")).await.is(200).each("id")[0].clone();
    let location = format!(
        r#""location":{{"blob_path":"/acme/anvil/-/blob/{sha}/package-lock.json","path":"package-lock.json""#
    );
    let wanted = format!(
        concat!(
            r#"{{"dependencies":[{{"name":"left-pad","packager":"npm","version":"1.3.0",{location},"#,
            r#""top_level":true,"ancestors":[]}},"vulnerabilities":[],"#,
            r#""licenses":[{{"spdx_identifier":"MIT","name":"MIT License","#,
            r#""url":"https://spdx.org/licenses/MIT.html"}}],"occurrence_id":[new],"#,
            r#""vulnerability_count":0}},{{"name":"wrappy","packager":"npm","version":"1.0.2","#,
            r#"{location},"top_level":false,"ancestors":[{{"name":"left-pad","version":"1.3.0"}}]}},"#,
            r#""vulnerabilities":[],"licenses":[{{"spdx_identifier":"unknown","name":"unknown","#,
            r#""url":null}}],"occurrence_id":[new],"vulnerability_count":0}}],"#,
            r#""report":{{"status":"ok","job_path":"/acme/anvil/-/jobs/{job}","#,
            r#""generated_at":"2031-05-06T12:00:00.000Z"}}}}"#
        ),
        location = location,
        job = jobs,
    );
    assert_eq!(still(&file.text()), wanted);
}

#[testkit::story]
async fn a_table_has_no_formulas_in_it(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let mut evil = bom();
    evil["components"][0]["name"] = json!("=HYPERLINK(\"http://evil.example\")");
    evil["components"][0]["version"] = json!("1,0");
    evil["components"][1]["name"] = json!("+cmd");
    evil["components"][1]["version"] = json!("@1");
    evil["components"][1]["licenses"] =
        json!([{"license": {"id": "MIT"}}, {"license": {"name": "-Own"}}]);
    list(&t, &project, &evil).await;
    let file = exported(&t, &t.admin(), &project.at(""), "csv").await;
    assert_eq!(file.header("content-type"), "text/csv; charset=utf-8");
    let name = file.header("content-disposition");
    assert!(name.starts_with("attachment; filename=\"anvil_dependencies_"), "{name}");
    assert!(name.ends_with(".csv\""), "{name}");
    assert_eq!(
        file.text(),
        "Name,Version,Packager,Location,License Identifiers,Project,Vulnerabilities Detected,\
         Vulnerability IDs\n\
         \"'=HYPERLINK(\"\"http://evil.example\"\")\",\"1,0\",npm,,MIT,acme/anvil,0,\n\
         '+cmd,'@1,npm,,MIT; -Own,acme/anvil,0,\n"
    );
}

/// A list of one package of this name.
fn one(name: &str) -> Value {
    json!({"bomFormat": "CycloneDX", "specVersion": "1.4", "components": [
        {"type": "library", "name": name, "version": "1.0", "purl": format!("pkg:npm/{name}@1.0")}]})
}

#[testkit::story]
async fn a_group_has_its_projects_before_those_of_its_groups(t: TestServer) {
    let projects = ["acme/inner/deep", "acme/last", "acme/first", "acme/resting", "acme/off"];
    for path in projects {
        let project = t.project(path).await;
        list(&t, &project, &one(path.rsplit('/').next().unwrap())).await;
    }
    let group = t.group("acme").await;
    t.admin().post("/projects/acme%2Fresting/archive").await.is(201);
    let off = json!({"dependency_exports_enabled": false});
    t.admin().put("/projects/acme%2Foff").json(&off).await.is(200);
    let other = t.project("forge/other").await;
    list(&t, &other, &one("other")).await;

    let file = exported(&t, &t.admin(), &group.at(""), "json_array").await;
    let name = file.header("content-disposition");
    assert!(name.starts_with("attachment; filename=\"acme_dependencies_"), "{name}");
    assert_eq!(file.each("name"), ["last", "first", "deep"]);
    let first = file.json()[0].clone();
    assert_eq!(
        first,
        json!({"name": "last", "packager": "npm", "version": "1.0",
            "licenses": [{"spdx_identifier": "unknown", "name": "unknown", "url": null}],
            "location": {"blob_path": null, "path": null, "top_level": first["location"]["top_level"],
                "ancestors": []}})
    );
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["name", "packager", "version", "licenses", "location"]);
    let table = exported(&t, &t.admin(), &group.at(""), "csv").await.text();
    let of: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split(',').nth(5)).collect();
    assert_eq!(of, ["acme/last", "acme/first", "acme/inner/deep"]);
}

#[testkit::story(noon)]
async fn a_bill_of_materials_is_the_same_each_time(t: TestServer) {
    let project = t.project("acme/anvil").await;
    list(&t, &project, &bom()).await;
    for export_type in ["cyclonedx_1_6_json", "cyclonedx_1_6_vex_json", "spdx_2_3_json"] {
        let one = exported(&t, &t.admin(), &project.at(""), export_type).await;
        let two = exported(&t, &t.admin(), &project.at(""), export_type).await;
        assert_ne!(one.text(), two.text(), "each has a number of its own");
        assert_eq!(still(&one.text()), still(&two.text()), "{export_type}");
    }
    let file = exported(&t, &t.admin(), &project.at(""), "cyclonedx_1_6_json").await.json();
    assert_eq!(
        (&file["bomFormat"], &file["specVersion"], &file["version"]),
        (&json!("CycloneDX"), &json!("1.6"), &json!(1))
    );
    let about = &file["metadata"];
    assert_eq!(about["timestamp"], "2031-05-06T12:00:00Z");
    assert_eq!(about["component"]["name"], "acme/anvil");
    assert_eq!(about["properties"], json!([]));
    assert!(about["authors"][0].get("email").is_none(), "it is not public: {about}");
    let tool = serde_json::to_string(&about["tools"]).unwrap();
    assert!(tool.contains("tenon"), "{tool}");
    let refs: Vec<&Value> =
        file["components"].as_array().unwrap().iter().map(|it| &it["bom-ref"]).collect();
    assert_eq!(refs, ["pkg:npm/left-pad@1.3.0", "pkg:npm/wrappy@1.0.2"]);
    let below = |of: &str| {
        let all = file["dependencies"].as_array().unwrap();
        all.iter().find(|it| it["ref"] == of).map(|it| it["dependsOn"].clone())
    };
    assert_eq!(below("root"), Some(json!(["pkg:npm/left-pad@1.3.0"])));
    assert_eq!(below("pkg:npm/left-pad@1.3.0"), Some(json!(["pkg:npm/wrappy@1.0.2"])));

    let vex = exported(&t, &t.admin(), &project.at(""), "cyclonedx_1_6_vex_json").await;
    assert!(vex.header("content-disposition").ends_with("T1200.vex.cdx.json\""));
    assert_eq!(vex.json()["vulnerabilities"], json!([]), "nothing is known of them");
    assert_eq!(vex.json()["components"], file["components"]);

    let spdx = exported(&t, &t.admin(), &project.at(""), "spdx_2_3_json").await;
    assert_eq!(spdx.header("content-type"), "application/spdx+json");
    assert!(spdx.header("content-disposition").ends_with("T1200.spdx.json\""));
    let spdx = spdx.json();
    assert_eq!(
        (&spdx["spdxVersion"], &spdx["creationInfo"]["created"]),
        (&json!("SPDX-2.3"), &json!("2031-05-06T12:00:00Z"))
    );
}

#[testkit::story]
async fn the_bills_of_a_pipeline_are_one(t: TestServer) {
    let (project, pipeline) = begun(&t, "acme/anvil", "a: {script: e}\nb: {script: e}").await;
    let own = runner(&t, json!({})).await;
    report(&t, &own, &bom()).await;
    let mut second = bom();
    second["components"][1] = json!({"type": "application", "name": "once", "version": "1.4.0",
        "purl": "pkg:npm/once@1.4.0"});
    report(&t, &own, &second).await;

    let parent = format!("/pipelines/{pipeline}");
    let file = exported(&t, &t.admin(), &parent, "sbom").await;
    let name = format!("attachment; filename=\"sbom-{pipeline}.cdx.json\"");
    assert_eq!(file.header("content-disposition"), name);
    assert_eq!(file.header("content-type"), "application/vnd.cyclonedx+json");
    let file = file.json();
    assert_eq!(file["specVersion"], "1.4");
    let all = file["components"].as_array().unwrap();
    let mut names: Vec<&str> = all.iter().filter_map(|it| it["name"].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["left-pad", "once", "wrappy"], "what both have stands in it once");
    assert!(all.iter().all(|it| it["type"] == "library"), "{file}");

    commit(&t, &project, ".gitlab-ci.yml", "a: {script: f}", "Again").await;
    let empty = format!("/pipelines/{}", newest(&t, &project).await);
    let file = exported(&t, &t.admin(), &empty, "sbom").await.json();
    assert_eq!(file["components"], json!([]));
}

fn many(count: usize) -> Value {
    let component = |n: usize| {
        json!({"type": "library", "bom-ref": format!("r{n}"), "name": format!("package-{n}"),
            "version": "1.0", "purl": format!("pkg:npm/package-{n}@1.0"),
            "licenses": [{"license": {"id": "MIT"}}]})
    };
    let components: Vec<Value> = (0..count).map(component).collect();
    json!({"bomFormat": "CycloneDX", "specVersion": "1.6", "components": components})
}

#[testkit::story]
async fn long_lists_go_through_whole(t: TestServer) {
    let project = t.project("acme/anvil").await;
    list(&t, &project, &many(5_000)).await;
    let table = exported(&t, &t.admin(), &project.at(""), "csv").await.text();
    assert_eq!(table.lines().count(), 5_001);
    assert!(table.contains("\npackage-4999,1.0,npm,"), "the last one");
    let file = exported(&t, &t.admin(), &project.at(""), "cyclonedx_1_6_json").await.json();
    assert_eq!(file["components"].as_array().map(Vec::len), Some(5_000));
}

/// Statements that it takes to write an export of a group.
async fn statements(t: &TestServer, group: &str) -> u64 {
    let mut turns = all_turns(t);
    let id = ask(&t.admin(), group, "json_array").await.is(201).id();
    t.settle().await;
    let export = t.app().read(move |tx| store::by_id(tx, id));
    let export = export.await.unwrap().unwrap();
    let turn = turns.pop().unwrap();
    drop(turns);
    let written = write(t.app(), export, turn);
    let statements = written.await.unwrap().statements;
    t.advance(3);
    t.settle().await;
    t.admin().get(at(id)).await.is(200);
    statements
}

async fn with_list(t: &TestServer, path: &str) -> TestProject {
    let project = t.project(path).await;
    list(t, &project, &one("iron")).await;
    project
}

#[testkit::story(noon)]
async fn a_group_of_many_projects_takes_few_statements(t: TestServer) {
    let group = t.group("acme").await;
    for n in 0..3 {
        with_list(&t, &format!("acme/p{n}")).await;
    }
    let few = statements(&t, &group.at("")).await;
    for n in 3..9 {
        with_list(&t, &format!("acme/p{n}")).await;
    }
    let many = statements(&t, &group.at("")).await;
    assert!(many <= few + 6, "one more for each project: {few} of 3, {many} of 9");
}
