//! How merge requests of a project are merged and approved: over REST, and on its page.

use super::{commit, developer, forge, open};
use serde_json::{Value, json};
use testkit::TestServer;

const PAGE: &str = "/acme/forge/-/settings/merge_requests";

#[testkit::story]
async fn a_project_says_how_it_merges(t: TestServer) {
    let project = forge(&t).await;
    let shown = async || t.admin().get(project.at("")).await.is(200).json();
    let usual = json!({
        "automatic_rebase_enabled": false,
        "only_allow_merge_if_pipeline_succeeds": false,
        "allow_merge_on_skipped_pipeline": false,
        "only_allow_merge_if_all_discussions_are_resolved": false,
        "remove_source_branch_after_merge": true,
        "resolve_outdated_diff_discussions": false,
        "printing_merge_request_link_enabled": true,
        "merge_commit_template": null,
        "squash_commit_template": null,
        "suggestion_commit_message": null,
        "merge_request_title_regex": null,
        "issue_branch_template": null,
        "approvals_before_merge": 0,
        "merge_trains_enabled": false,
    });
    let entity = shown().await;
    for (name, value) in usual.as_object().unwrap() {
        assert_eq!(&entity[name], value, "{name}");
    }
    let others = json!({
        "automatic_rebase_enabled": true,
        "only_allow_merge_if_pipeline_succeeds": true,
        "allow_merge_on_skipped_pipeline": true,
        "only_allow_merge_if_all_discussions_are_resolved": true,
        "remove_source_branch_after_merge": false,
        "resolve_outdated_diff_discussions": true,
        "printing_merge_request_link_enabled": false,
        "merge_commit_template": "%{title}\n\n%{url}",
        "squash_commit_template": "%{all_commits}",
        "suggestion_commit_message": "Apply %{suggestions_count}",
        "merge_request_title_regex": "^[A-Z]",
        "issue_branch_template": "fix/%{id}-%{title}",
        "approvals_before_merge": 2,
        "merge_method": "ff",
        "squash_option": "always",
    });
    let changed = t.admin().put(project.at("")).json(&others).await.is(200).json();
    for (name, value) in others.as_object().unwrap() {
        assert_eq!(&changed[name], value, "{name}");
    }
    t.admin().put(project.at("")).json(&json!({"name": "Forge"})).await.is(200);
    assert_eq!(shown().await["merge_request_title_regex"], "^[A-Z]", "what is not said stays");
    let none = json!({"merge_commit_template": null, "merge_request_title_regex": ""});
    let entity = t.admin().put(project.at("")).json(&none).await.is(200).json();
    assert_eq!(entity["merge_commit_template"], Value::Null);
    assert_eq!(entity["merge_request_title_regex"], Value::Null);
    let rules = t.admin().get(project.at("/approval_rules")).await.is(200).json();
    assert_eq!(rules[0]["rule_type"], "any_approver");
    assert_eq!(rules[0]["approvals_required"], 2);

    let wrong = json!({"merge_request_title_regex": "("});
    let wrong = t.admin().put(project.at("")).json(&wrong).await.is(400).json();
    let text = "is not a valid regular expression";
    assert_eq!(wrong["message"], json!({"merge_request_title_regex": [text]}));
    let long = json!({"squash_commit_template": "x".repeat(10_001)});
    t.admin().put(project.at("")).json(&long).await.is(400);
    for (template, text) in [
        ("%{author}", "may name %{id} and %{title} alone"),
        ("%{id}..x", "makes no name of a branch"),
        ("x".repeat(256).as_str(), "is too long (maximum is 255 characters)"),
    ] {
        let wrong = json!({"issue_branch_template": template});
        let wrong = t.admin().put(project.at("")).json(&wrong).await.is(400).json();
        assert_eq!(wrong["message"], json!({"issue_branch_template": [text]}), "{template}");
    }
    let smith = developer(&t, &project, "smith").await;
    smith.put(project.at("")).json(&none).await.is(403);

    let body = json!({"name": "bench", "only_allow_merge_if_pipeline_succeeds": true,
        "automatic_rebase_enabled": true});
    let made = t.admin().post("/projects").json(&body).await.is(201).json();
    assert_eq!(made["only_allow_merge_if_pipeline_succeeds"], true);
    assert_eq!(made["automatic_rebase_enabled"], true);
}

#[testkit::story]
async fn what_a_project_says_is_asked_at_the_merge(t: TestServer) {
    let project = forge(&t).await;
    for branch in ["anvil", "coal"] {
        commit(&t, &project, branch, &format!("{branch}.txt"), "x\n").await;
    }
    developer(&t, &project, "smith").await;
    let set = async |what: Value| {
        t.admin().put(project.at("")).json(&what).await.is(200);
    };
    set(json!({"remove_source_branch_after_merge": false, "approvals_before_merge": 1,
        "merge_commit_template": "%{title} by %{merged_by}"}))
    .await;
    let made = open(&t.admin(), &project, "anvil").await.json();
    assert_eq!(made["force_remove_source_branch"], Value::Null);
    t.settle().await;
    let status = async || {
        let one = t.admin().get(project.at("/merge_requests/1")).await.is(200).json();
        one["detailed_merge_status"].as_str().unwrap().to_owned()
    };
    assert_eq!(status().await, "not_approved");
    set(json!({"approvals_before_merge": 0, "merge_request_title_regex": "^Fix"})).await;
    assert_eq!(status().await, "title_regex");
    set(json!({"merge_request_title_regex": null,
        "only_allow_merge_if_pipeline_succeeds": true}))
    .await;
    assert_eq!(status().await, "ci_must_pass");
    set(json!({"only_allow_merge_if_pipeline_succeeds": false,
        "only_allow_merge_if_all_discussions_are_resolved": true}))
    .await;
    let thread = json!({"body": "Why?"});
    t.admin()
        .post(project.at("/merge_requests/1/discussions"))
        .json(&thread)
        .await
        .is(201);
    assert_eq!(status().await, "discussions_not_resolved");
    set(json!({"only_allow_merge_if_all_discussions_are_resolved": false})).await;

    let path = project.at("/merge_requests/1/merge");
    let merged = t.admin().put(path).json(&json!({})).await.is(200).json();
    let sha = merged["merge_commit_sha"].as_str().unwrap();
    let made = t.admin().get(project.at(&format!("/repository/commits/{sha}"))).await;
    let message = made.is(200).json()["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("Merge anvil by "), "{message}");
}

#[testkit::story]
async fn maintainers_set_it_on_a_page(t: TestServer) {
    let project = forge(&t).await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    let smith = developer(&t, &project, "smith").await;
    let browser = t.browser("jane").await;
    let page = browser.get(PAGE).await.is(200).text();
    assert!(
        page.contains("Merge branch &#39;mend-the-door&#39; into &#39;main&#39;"),
        "{page}"
    );
    assert!(page.contains("%{source_branch}"), "{page}");

    let fields = [
        ("action", "merging"),
        ("merge_method", "ff"),
        ("automatic_rebase", "1"),
        ("squash_option", "default_on"),
        ("threads_must_be_resolved", "1"),
        ("merge_commit_template", "%{title} <b>"),
        ("merge_request_title_regex", "("),
    ];
    let wrong = browser.post(PAGE, &fields).await.is(422).text();
    assert!(wrong.contains("Is not a valid regular expression"), "{wrong}");
    assert!(wrong.contains("Mend the door &#60;b&#62;"), "the example follows: {wrong}");
    let mut right = fields.to_vec();
    right.pop();
    let (_, page) = browser.submit(PAGE, &right).await;
    assert!(page.contains("Settings saved."), "{page}");
    let entity = t.admin().get(project.at("")).await.is(200).json();
    assert_eq!(
        (&entity["merge_method"], &entity["squash_option"]),
        (&json!("ff"), &json!("default_on"))
    );
    assert_eq!(entity["automatic_rebase_enabled"], true);
    assert_eq!(entity["only_allow_merge_if_all_discussions_are_resolved"], true);
    assert_eq!(entity["remove_source_branch_after_merge"], false);
    assert_eq!(entity["autoclose_referenced_issues"], false);

    let fields = [
        ("action", "approvals"),
        ("approvals_before_merge", "1"),
        ("reset", "none"),
        ("committers_approval", "1"),
    ];
    browser.submit(PAGE, &fields).await;
    let approvals = t.admin().get(project.at("/approvals")).await.is(200).json();
    assert_eq!(approvals["reset_approvals_on_push"], false);
    assert_eq!(approvals["disable_overriding_approvers_per_merge_request"], true);
    assert_eq!(approvals["approvals_before_merge"], 1);

    let smiths = [
        ("action", "add_rule"),
        ("name", "Smiths"),
        ("approvals_required", "2"),
        ("users", "smith"),
        ("groups", "nowhere"),
    ];
    let wrong = browser.post(PAGE, &smiths).await.is(422).text();
    assert!(wrong.contains("Name one that is not there"), "{wrong}");
    assert!(wrong.contains("value=\"Smiths\""), "{wrong}");
    let (_, page) = browser.submit(PAGE, &smiths[..4]).await;
    assert!(page.contains("Rule added.") && page.contains("@smith"), "{page}");
    let rules = t.admin().get(project.at("/approval_rules")).await.is(200).json();
    let rule = rules.as_array().unwrap().iter().find(|rule| rule["name"] == "Smiths").unwrap();
    assert_eq!(rule["users"][0]["id"], smith.id);
    let id = rule["id"].to_string();
    let change = [
        ("action", "change_rule"),
        ("rule_id", id.as_str()),
        ("name", "Smiths of iron"),
        ("approvals_required", "1"),
        ("users", "smith, jane"),
    ];
    let (_, page) = browser.submit(PAGE, &change).await;
    assert!(page.contains("Smiths of iron"), "{page}");
    let (_, page) = browser
        .submit(PAGE, &[("action", "delete_rule"), ("rule_id", id.as_str())])
        .await;
    assert!(page.contains("Rule deleted.") && !page.contains("Smiths of iron"), "{page}");

    let other = t.browser("smith").await;
    other.get(PAGE).await.is(403);
    other.post(PAGE, &smiths[..4]).await.is(403);
}
