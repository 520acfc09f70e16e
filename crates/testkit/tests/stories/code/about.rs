//! What a project says of its code, and the files that projects begin with.

use super::check;
use serde_json::{Value, json};
use testkit::{TestProject, TestServer};

async fn commit(t: &TestServer, project: &TestProject, files: &[(&str, &str)]) {
    let action = |(path, content): &(&str, &str)| json!({"action": "create", "file_path": path, "content": content});
    let actions: Vec<Value> = files.iter().map(action).collect();
    let body = json!({"branch": "main", "commit_message": "More", "actions": actions});
    let path = project.at("/repository/commits");
    t.admin().post(path).json(&body).await.is(201);
}

#[testkit::story]
async fn a_project_tells_its_license_and_readme(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (guest, reporter) = (t.user("guest").await, t.user("reporter").await);
    project.add(&guest, 10).await;
    project.add(&reporter, 20).await;
    let path = project.at("?license=true&statistics=true");
    let empty = reporter.get(&path).await.is(200).json();
    let nothing = [&empty["readme_url"], &empty["license"], &empty["license_url"]];
    assert!(nothing.iter().all(|value| value.is_null()), "{empty}");
    assert_eq!(empty["statistics"]["commit_count"], 0);

    let licenses = t.admin().get("/templates/licenses/mit?fullname=Ada").await.is(200).json();
    let mit = licenses["content"].as_str().unwrap_or_default().to_owned();
    commit(&t, &project, &[("readme.md", "# Anvil"), ("LICENSE", &mit)]).await;
    let found = reporter.get(&path).await.is(200).json();
    let ends = |value: &Value, end: &str| value.as_str().is_some_and(|url| url.ends_with(end));
    assert!(ends(&found["readme_url"], "/acme/anvil/-/blob/main/readme.md"), "{found}");
    assert!(ends(&found["license_url"], "/acme/anvil/-/blob/main/LICENSE"), "{found}");
    let license = json!({
        "key": "mit", "name": "MIT License", "nickname": null,
        "html_url": "https://spdx.org/licenses/MIT.html",
        "source_url": "https://opensource.org/license/mit",
    });
    assert_eq!(found["license"], license);
    assert_eq!(found["statistics"]["commit_count"], 1);
    assert!(found["statistics"]["repository_size"].as_i64() > Some(0));

    // Not asked for, it is not there; who may not read the code learns nothing of it.
    let plain = reporter.get(project.at("")).await.is(200).json();
    assert!(plain.get("license").is_none() && plain.get("statistics").is_none());
    let hidden = guest.get(&path).await.is(200).json();
    assert!(hidden["license"].is_null() && hidden["readme_url"].is_null(), "{hidden}");

    let other = t.project("acme/other").await;
    commit(&t, &other, &[("COPYING", "Ask us first.\n")]).await;
    let found = t.admin().get(other.at("?license=true")).await.is(200).json();
    assert_eq!(
        (&found["license"]["key"], &found["license"]["nickname"]),
        (&json!("other"), &json!(null))
    );
}

#[testkit::story]
async fn templates_of_the_server_are_there_for_all(t: TestServer) {
    let anyone = t.anonymous();
    let licenses = anyone.get("/templates/licenses").await.is(200);
    assert!(licenses.each("key").contains(&json!("apache-2.0")));
    let popular = anyone.get("/templates/licenses?popular=true").await.is(200);
    assert_eq!(popular.each("key"), ["apache-2.0", "gpl-3.0", "mit"]);
    let one = anyone
        .get("/templates/licenses/MIT?fullname=Ada+L&project=x")
        .await
        .is(200)
        .json();
    let year = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).year();
    check(
        one["content"].as_str().unwrap_or_default(),
        &[&format!("Copyright (c) {year} Ada L"), "Permission is hereby granted"],
        &["<year>"],
    );
    assert_eq!(one["permissions"][0], "commercial-use");
    anyone.get("/templates/licenses/nothing").await.is(404);

    let ignored = anyone.get("/templates/gitignores").await.is(200);
    assert!(ignored.each("key").contains(&json!("Rust")));
    let rust = anyone.get("/templates/gitignores/rust").await.is(200).json();
    assert_eq!(rust["name"], "Rust");
    check(rust["content"].as_str().unwrap_or_default(), &["/target/"], &[]);
    anyone.get("/templates/dockerfiles/Go").await.is(200);
    assert_eq!(anyone.get("/templates/ci_ymls").await.is(200).json(), json!([]));
    assert_eq!(anyone.get("/templates/gitlab_ci_ymls").await.is(200).json(), json!([]));
    anyone.get("/templates/gitignores/..%2FRust").await.is(404);
    anyone.get("/templates/issues").await.is(404);
    anyone.get("/templates/nothing").await.is(400);
}

#[testkit::story]
async fn a_project_has_templates_of_its_own(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (guest, outsider) = (t.user("guest").await, t.user("outsider").await);
    let reporter = t.user("reporter").await;
    project.add(&guest, 10).await;
    project.add(&reporter, 20).await;
    let issues = project.at("/templates/issues");
    assert_eq!(reporter.get(&issues).await.is(200).json(), json!([]));
    let files = [
        (".service/issue_templates/Bug.md", "What broke?\n"),
        (".gitlab/issue_templates/Bug.md", "an older one"),
        (".gitlab/issue_templates/Wish list.md", "What is missing?\n"),
        (".service/issue_templates/notes.txt", "no template"),
        (".service/merge_request_templates/Default.md", "Why?\n"),
    ];
    commit(&t, &project, &files).await;
    let listed = json!([
        {"key": "Bug", "name": "Bug"},
        {"key": "Wish list", "name": "Wish list"},
    ]);
    for user in [&guest, &reporter] {
        assert_eq!(user.get(&issues).await.is(200).json(), listed);
        let one = user.get(format!("{issues}/Bug")).await.is(200).json();
        assert_eq!(one, json!({"name": "Bug", "content": "What broke?\n"}));
    }
    reporter.get(format!("{issues}/Wish%20list")).await.is(200);
    for wrong in ["nothing", "notes.txt", "..%2FBug"] {
        let refused = reporter.get(format!("{issues}/{wrong}")).await.is(404);
        assert_eq!(refused.json()["message"], "404 Template Not Found", "{wrong}");
    }
    let requests = project.at("/templates/merge_requests");
    assert_eq!(reporter.get(&requests).await.is(200).each("key"), ["Default"]);
    guest.get(&requests).await.is(403);
    guest.get(project.at("/templates/licenses/mit")).await.is(403);
    outsider.get(&issues).await.is(404);
    let license = reporter.get(project.at("/templates/licenses/mit?fullname=Ada")).await.is(200);
    assert_eq!(license.json()["key"], "mit");
    reporter.get(project.at("/templates/gitignores/Rust")).await.is(200);
    reporter.get(project.at("/templates/odd")).await.is(400);

    // The texts of another project, for who sees it.
    let other = t.project("acme/other").await;
    other.add(&reporter, 20).await;
    let from = format!("/templates/issues/Bug?source_template_project_id={}", project.id);
    reporter.get(other.at(&from)).await.is(200);
    other.add(&outsider, 20).await;
    outsider.get(other.at(&from)).await.is(404);
}
