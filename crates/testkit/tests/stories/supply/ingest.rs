//! Reports of jobs become the list of a project, or are marked with what is wrong.

use super::{FILE, REPORT, bom, listed, mit, names, npm, of, packed, problems, scan};
use crate::delivery::runner_jobs::{bring, end, runner, take};
use crate::delivery::running::{begun, commit, newest, status};
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn a_report_is_the_list_of_its_project_once_the_pipeline_has_ended(t: TestServer) {
    let file = "scan: {script: e}\nlast: {script: e, stage: deploy}";
    let (project, pipeline) = begun(&t, "acme/anvil", file).await;
    let own = runner(&t, json!({})).await;
    let direct = npm("hammer", "1.2.0", mit());
    let below = npm("handle", "0.4.1", json!([{"expression": "MIT OR Apache-2.0"}]));
    scan(&t, &own, of(&bom("web/package-lock.json", vec![direct, below]))).await;
    assert!(listed(&t, &project).await.is_empty(), "the pipeline goes on");

    let (id, token, _) = take(&t, &own).await;
    end(&t, (id, &token), "success").await.is(200);

    assert_eq!(
        json!(listed(&t, &project).await),
        json!([
            {"name": "hammer", "version": "1.2.0", "package_manager": "npm",
                "dependency_file_path": "web/package-lock.json", "vulnerabilities": [],
                "licenses": [{"spdx_identifier": "MIT", "name": "MIT License",
                    "url": "https://spdx.org/licenses/MIT.html"}]},
            {"name": "handle", "version": "0.4.1", "package_manager": "npm",
                "dependency_file_path": "web/package-lock.json", "vulnerabilities": [],
                "licenses": [{"spdx_identifier": "MIT OR Apache-2.0",
                    "name": "MIT OR Apache-2.0", "url": null}]},
        ])
    );
    assert!(problems(&t, &project, pipeline).await.is_empty());
}

#[testkit::story]
async fn a_list_is_replaced_as_a_whole(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let own = runner(&t, json!({})).await;
    let old = vec![npm("hammer", "1.0.0", mit()), npm("tongs", "1.0.0", mit())];
    scan(&t, &own, of(&bom("a.lock", old))).await;
    assert_eq!(names(&t, &project).await, ["hammer 1.0.0", "tongs 1.0.0"]);

    commit(&t, &project, "a.txt", "1", "Further").await;
    let new = vec![npm("hammer", "2.0.0", mit())];
    scan(&t, &own, of(&bom("a.lock", new))).await;
    assert_eq!(names(&t, &project).await, ["hammer 2.0.0"]);

    // A pipeline that says nothing of it changes nothing.
    commit(&t, &project, "a.txt", "2", "Further").await;
    let (id, token, _) = take(&t, &own).await;
    end(&t, (id, &token), "success").await.is(200);
    assert_eq!(names(&t, &project).await, ["hammer 2.0.0"]);
}

#[testkit::story]
async fn an_older_pipeline_does_not_overwrite_a_newer_one(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let set = json!({"auto_cancel_pending_pipelines": "disabled"});
    t.admin().put(project.at("")).json(&set).await.is(200);
    let own = runner(&t, json!({})).await;
    let (older, older_token, _) = take(&t, &own).await;
    commit(&t, &project, "a.txt", "1", "Further").await;
    scan(&t, &own, of(&bom("a.lock", vec![npm("new", "2.0.0", mit())]))).await;
    assert_eq!(names(&t, &project).await, ["new 2.0.0"]);

    let late = of(&bom("a.lock", vec![npm("old", "1.0.0", mit())]));
    bring(&t, (older, &older_token), REPORT, "sbom.gz", late).await.is(201);
    end(&t, (older, &older_token), "success").await.is(200);

    assert_eq!(names(&t, &project).await, ["new 2.0.0"]);
}

#[testkit::story]
async fn of_two_pipelines_that_end_at_once_the_newer_counts(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let set = json!({"auto_cancel_pending_pipelines": "disabled"});
    t.admin().put(project.at("")).json(&set).await.is(200);
    let own = runner(&t, json!({})).await;
    commit(&t, &project, "a.txt", "1", "Further").await;
    let mut jobs = Vec::new();
    for version in ["1.0.0", "2.0.0"] {
        let (id, token, _) = take(&t, &own).await;
        let report = of(&bom("a.lock", vec![npm("hammer", version, mit())]));
        bring(&t, (id, &token), REPORT, "sbom.gz", report).await.is(201);
        jobs.push((id, token));
    }
    for (id, token) in jobs.iter().rev() {
        let ended = json!({"token": token, "state": "success"});
        t.anonymous().put(format!("/jobs/{id}")).json(&ended).await.is(200);
    }
    t.settle().await;
    assert_eq!(names(&t, &project).await, ["hammer 2.0.0"]);
}

#[testkit::story]
async fn only_the_default_branch_counts(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let own = runner(&t, json!({})).await;
    let (id, token, _) = take(&t, &own).await;
    end(&t, (id, &token), "success").await.is(200);
    let branch = json!({"branch": "side", "start_branch": "main", "commit_message": "Side",
        "actions": [{"action": "create", "file_path": "b.txt", "content": "1"}]});
    t.admin().post(project.at("/repository/commits")).json(&branch).await.is(201);
    t.settle().await;
    let broken = packed(&[("a.json", b"{")]);
    let pipeline = newest(&t, &project).await;
    scan(&t, &own, broken).await;
    assert!(listed(&t, &project).await.is_empty());
    let said = problems(&t, &project, pipeline).await;
    assert_eq!(said.len(), 1, "what is wrong is said of every branch: {said:?}");
}

#[testkit::story]
async fn what_is_wrong_marks_the_job_and_others_count(t: TestServer) {
    let (project, pipeline) = begun(&t, "acme/anvil", FILE).await;
    let own = runner(&t, json!({})).await;
    let good = bom("a.lock", vec![npm("hammer", "1.0.0", mit())]).to_string();
    let old = json!({"bomFormat": "CycloneDX", "specVersion": "1.2", "version": 1}).to_string();
    let files: &[(&str, &[u8])] = &[
        ("a.cdx.json", good.as_bytes()),
        ("b.cdx.json", old.as_bytes()),
        ("c.cdx.json", b"\xff\xfe\x00 no json"),
    ];
    let job = scan(&t, &own, packed(files)).await;

    assert_eq!(names(&t, &project).await, ["hammer 1.0.0"]);
    assert_eq!(status(&t, &project, pipeline).await, "success");
    let at = project.at(&format!("/pipelines/{pipeline}/sbom_problems"));
    let all = t.admin().get(at).await.is(200).json();
    let text = |at: usize| all[at]["message"].as_str().unwrap_or_default();
    assert_eq!(
        text(0),
        "b.cdx.json: Unsupported CycloneDX spec version. Must be one of: 1.4, 1.5, 1.6"
    );
    assert!(text(1).starts_with("c.cdx.json: "), "{all}");
    assert_eq!((&all[0]["job_id"], all.as_array().map(Vec::len)), (&json!(job), Some(2)));
}

#[testkit::story]
async fn nothing_takes_the_place_of_a_list_where_no_report_is_good(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let own = runner(&t, json!({})).await;
    scan(&t, &own, of(&bom("a.lock", vec![npm("hammer", "1.0.0", mit())]))).await;
    commit(&t, &project, "a.txt", "1", "Further").await;
    scan(&t, &own, b"this is not packed at all".to_vec()).await;
    assert_eq!(names(&t, &project).await, ["hammer 1.0.0"]);
    let pipeline = newest(&t, &project).await;
    let said = problems(&t, &project, pipeline).await;
    assert_eq!(said, ["The report is not packed with gzip, or was cut off."]);
}

/// A report of many components, which may depend on each other in a circle.
fn many(count: usize) -> Vec<u8> {
    let mut text =
        String::from(r#"{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,"components":["#);
    for number in 0..count {
        let comma = if number == 0 { "" } else { "," };
        text.push_str(&format!(r#"{comma}{{"type":"library","name":"c{number}"}}"#));
    }
    text.push_str("]}");
    packed(&[("many.json", text.as_bytes())])
}

#[testkit::story]
async fn reports_beyond_all_bounds_are_refused(t: TestServer) {
    let (project, pipeline) = begun(&t, "acme/anvil", FILE).await;
    let own = runner(&t, json!({})).await;
    let (id, token, _) = take(&t, &own).await;
    let large = vec![b'x'; 5 * 1024 * 1024 + 1];
    let refused = bring(&t, (id, &token), REPORT, "sbom.gz", large).await.is(413).json();
    assert_eq!(refused["message"], "file size has reached maximum size limit");
    let zeros = vec![b' '; 100 * 1024 * 1024 + 1];
    let bomb = packed(&[("bomb.json", &zeros)]);
    bring(&t, (id, &token), REPORT, "sbom.gz", bomb).await.is(201);
    end(&t, (id, &token), "success").await.is(200);
    assert_eq!(status(&t, &project, pipeline).await, "success");
    let said = problems(&t, &project, pipeline).await;
    assert_eq!(said, ["The report has more than 100 MiB when it is unpacked."]);

    commit(&t, &project, "a.txt", "1", "Further").await;
    scan(&t, &own, many(200_001)).await;
    let pipeline = newest(&t, &project).await;
    let said = problems(&t, &project, pipeline).await;
    assert!(said.len() == 1 && said[0].contains("200000"), "{said:?}");
    assert!(listed(&t, &project).await.is_empty());
}

#[testkit::story]
async fn odd_components_are_taken_as_far_as_they_go(t: TestServer) {
    let (project, pipeline) = begun(&t, "acme/anvil", FILE).await;
    let own = runner(&t, json!({})).await;
    let odd = |name: &str, more: Value| {
        let mut one = json!({"type": "library", "bom-ref": name, "name": name});
        one.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        one
    };
    let components = vec![
        odd("a-purl", json!({"purl": "no purl", "version": "1"})),
        odd(
            "b-licence",
            json!({"licenses": [{"license": {"name": "Our own",
            "url": "javascript:alert(1)"}}]}),
        ),
        odd("c-twice", json!({"version": "1"})),
        odd("d-twice", json!({"name": "c-twice", "version": "1"})),
        odd(
            "e-path",
            json!({"properties": [{"name":
            "gitlab:dependency_scanning:input_file:path", "value": "../../etc/passwd"}]}),
        ),
        odd("f-nul", json!({"name": "f\u{0}-nul", "version": "1\u{0}"})),
    ];
    let circle = json!([
        {"ref": "a-purl", "dependsOn": ["b-licence"]},
        {"ref": "b-licence", "dependsOn": ["c-twice"]},
        {"ref": "c-twice", "dependsOn": ["a-purl", "c-twice", "nothing"]}]);
    let report = json!({"bomFormat": "CycloneDX", "specVersion": "1.4", "version": 1,
        "components": components, "dependencies": circle});
    scan(&t, &own, of(&report)).await;

    assert!(problems(&t, &project, pipeline).await.is_empty());
    let shown = listed(&t, &project).await;
    let names: Vec<&str> = shown.iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["a-purl", "b-licence", "c-twice", "e-path", "f-nul"]);
    assert_eq!(shown[1]["licenses"], json!([{"name": "Our own", "url": null}]));
    assert_eq!(shown[2]["licenses"][0]["spdx_identifier"], "unknown");
    assert_eq!(shown[0]["package_manager"], Value::Null);
}

#[testkit::story]
async fn a_job_that_ran_again_counts_once_and_children_count(t: TestServer) {
    let file = "
scan: {script: e}
more: {trigger: {include: child.yml, strategy: depend}}
";
    let project = t.project("acme/anvil").await;
    commit(&t, &project, "child.yml", "below: {script: e}", "Child [skip ci]").await;
    commit(&t, &project, ".gitlab-ci.yml", file, "Begin").await;
    let own = runner(&t, json!({})).await;
    let mut scanned = 0;
    for _ in 0..2 {
        let (id, token, job) = take(&t, &own).await;
        let name = job["job_info"]["name"].as_str().unwrap().to_owned();
        let report = of(&bom(&format!("{name}.lock"), vec![npm(&name, "1.0.0", mit())]));
        bring(&t, (id, &token), REPORT, "sbom.gz", report).await.is(201);
        end(&t, (id, &token), "success").await.is(200);
        t.settle().await;
        if name == "scan" {
            scanned = id;
        }
    }
    assert_eq!(names(&t, &project).await, ["below 1.0.0", "scan 1.0.0"]);

    t.admin().post(project.at(&format!("/jobs/{scanned}/retry"))).await.is(201);
    scan(&t, &own, of(&bom("scan.lock", vec![npm("scan", "2.0.0", mit())]))).await;
    t.settle().await;
    assert_eq!(names(&t, &project).await, ["below 1.0.0", "scan 2.0.0"]);
}

#[testkit::story(noon)]
async fn lists_that_others_took_the_place_of_go(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let own = runner(&t, json!({})).await;
    for version in ["1.0.0", "2.0.0"] {
        commit(&t, &project, "a.txt", version, "Further").await;
        let _ = newest(&t, &project).await;
        scan(&t, &own, of(&bom("a.lock", vec![npm("hammer", version, mit())]))).await;
    }
    let count = || async {
        let counted =
            t.app().read(|tx| Ok(tx.one::<i64>("select count(*) from dependencies", ())?));
        counted.await.unwrap()
    };
    assert!(count().await >= 1);
    t.advance(3_600);
    t.app()
        .write(|tx| {
            let now = tx.now();
            kernel::jobs::enqueue_at(tx, &delivery::dependencies::ingest::DropLists {}, now)
        })
        .await
        .unwrap();
    t.settle().await;
    assert_eq!(count().await, 1);
    assert_eq!(names(&t, &project).await, ["hammer 2.0.0"]);
}
