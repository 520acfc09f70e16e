//! Pipeline files are checked without being run.

use super::running::commit;
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn a_file_is_checked(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let to = project.at("/ci/lint");
    let check = async |body: Value| t.admin().post(&to).json(&body).await.is(200).json();
    commit(&t, &project, "part.yml", "variables: {LEVEL: '1'}", "Part").await;
    assert_eq!(
        t.admin().get(&to).await.is(200).json()["errors"],
        json!(["Missing CI config file"])
    );

    let good = json!({"content": "include: part.yml\na: {script: [e, f], tags: [x]}",
        "include_jobs": true, "dry_run": true});
    let shown = check(good).await;
    let keys: Vec<&String> = shown.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["valid", "errors", "warnings", "merged_yaml", "includes", "jobs"]);
    assert_eq!((&shown["valid"], &shown["errors"]), (&json!(true), &json!([])));
    let merged = shown["merged_yaml"].as_str().unwrap_or_default();
    assert!(merged.contains("LEVEL") && !merged.contains("include"), "{merged}");
    assert_eq!(shown["jobs"][0]["script"], json!(["e", "f"]));
    assert_eq!(shown["jobs"][0]["tag_list"], json!(["x"]));

    let variable = json!({"key": "LEVEL", "value": "2"});
    t.admin().post(project.at("/variables")).json(&variable).await.is(201);
    let shown = check(json!({"content": "include: part.yml\na: {script: e}"})).await;
    assert!(
        shown["warnings"][0].as_str().is_some_and(|text| text.contains("LEVEL")),
        "{shown}"
    );
    for (content, text) in [
        ("a: {stage: none, script: e}", "chosen stage none does not exist"),
        ("a: [", ""),
        ("include: none.yml\na: {script: e}", "Local file `none.yml` does not exist!"),
        (
            "include: {project: acme/none, file: a.yml}\na: {script: e}",
            "not found or access denied",
        ),
        ("a: {extends: .none, script: e}", "unknown keys in `extends`"),
    ] {
        let shown = check(json!({"content": content})).await;
        assert_eq!(shown["valid"], false, "{content}");
        let told = shown["errors"][0].as_str().unwrap_or_default().to_lowercase();
        assert!(told.contains(&text.to_lowercase()), "{content}: {shown}");
    }
    let empty = json!({"content": "a: {script: e, rules: [{if: $NO}]}"});
    assert_eq!(check(empty.clone()).await["valid"], true);
    let mut planned = empty;
    planned["dry_run"] = true.into();
    assert_eq!(check(planned).await["valid"], false);
    t.admin().post(&to).json(&json!({})).await.is(400);
    let reporter = t.user("rep").await;
    project.add(&reporter, 20).await;
    reporter.post(&to).json(&json!({"content": "a: {script: e}"})).await.is(403);
    reporter.get(&to).await.is(200);
    t.user("stranger").await.get(&to).await.is(404);
}

#[testkit::story]
async fn files_of_hidden_projects_stay_so(t: TestServer) {
    let (hidden, project) = (t.project("vault/hammer").await, t.project("acme/anvil").await);
    commit(&t, &hidden, "a.yml", "secret-job: {script: secret}", "Hidden").await;
    commit(&t, &project, "README.md", "iron", "Begin").await;
    let developer = t.user("dev").await;
    project.add(&developer, 30).await;
    let include = "include: {project: vault/hammer, file: a.yml}";
    let body = json!({"content": include, "include_jobs": true});
    let to = project.at("/ci/lint");
    let told = developer.post(&to).json(&body).await.is(200);
    assert!(!told.text().contains("secret-job"), "{told:?}");
    assert!(told.text().contains("not found or access denied"), "{told:?}");
    let seen = t.admin().post(&to).json(&body).await.is(200);
    assert!(seen.text().contains("secret-job"), "{seen:?}");
}

#[testkit::story]
async fn rules_ask_for_files_and_changes(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let file = "
a: {script: e, rules: [{changes: ['src/**/*']}]}
b: {script: e, rules: [{exists: ['docs/*.md']}]}
c: {script: e, rules: [{changes: {paths: ['**/*.rs'], compare_to: old}}]}
";
    commit(&t, &project, ".gitlab-ci.yml", file, "Begin [skip ci]").await;
    let branch = json!({"branch": "old", "ref": "main"});
    t.admin().post(project.at("/repository/branches")).json(&branch).await.is(201);
    t.settle().await;
    commit(&t, &project, "docs/a.md", "iron", "Docs").await;
    let jobs = async || {
        let id = super::running::newest(&t, &project).await;
        super::running::jobs_of(&t, &project, id).await
    };
    assert_eq!(jobs().await, ["b pending"]);
    commit(&t, &project, "src/x/a.rs", "iron", "Code").await;
    assert_eq!(jobs().await, ["a pending", "b pending", "c pending"]);
    commit(&t, &project, "docs/b.md", "iron", "More docs").await;
    assert_eq!(jobs().await, ["b pending", "c pending"], "since the other branch");
}
