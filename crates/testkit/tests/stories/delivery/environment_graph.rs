//! Environments and who deploys to them, in GraphQL.

use super::graph::data;
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn environments_are_asked_for_and_stopped(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (developer, reporter) = (t.user("dev").await, t.user("rita").await);
    project.add(&developer, 30).await;
    project.add(&reporter, 20).await;
    for name in ["review/a", "production"] {
        let body = json!({"name": name, "external_url": "https://a.example/"});
        t.admin().post(project.at("/environments")).json(&body).await.is(201);
    }
    let query = "{project(fullPath:\"acme/anvil\"){
        environment(name:\"review/a\"){id name path state slug tier environmentType externalUrl}
        environments(first:1){count nodes{name tier} pageInfo{hasNextPage}}}}";
    let seen = data(&reporter, query).await["project"].clone();
    let one = &seen["environment"];
    assert_eq!(
        (&one["state"], &one["tier"], &one["environmentType"]),
        (&json!("available"), &json!("DEVELOPMENT"), &json!("review"))
    );
    assert_eq!(one["externalUrl"], "https://a.example/");
    let first = json!({"count": 2, "nodes": [{"name": "production", "tier": "PRODUCTION"}],
        "pageInfo": {"hasNextPage": true}});
    assert_eq!(seen["environments"], first);

    let id = one["id"].as_str().unwrap().to_owned();
    let stop = format!(
        "mutation{{environmentStop(input:{{id:\"{id}\"}}){{errors environment{{state}}}}}}"
    );
    let refused = json!({"query": stop});
    let refused = reporter.request(http::Method::POST, "/api/graphql").json(&refused).await;
    assert!(refused.text().contains("errors") && !refused.text().contains("stopped"));
    let stopped = data(&developer, &stop).await["environmentStop"].clone();
    assert_eq!(stopped, json!({"errors": [], "environment": {"state": "stopped"}}));
    // Who does not see the project finds none of it.
    let outsider = t.user("out").await;
    let seen = data(&outsider, &format!("{{node(id:\"{id}\"){{id}}}}")).await;
    assert_eq!(seen["node"], Value::Null);
}

#[testkit::story]
async fn protection_is_for_who_changes_it(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let (maintainer, developer) = (t.user("mia").await, t.user("dev").await);
    project.add(&maintainer, 40).await;
    project.add(&developer, 30).await;
    t.admin()
        .post(project.at("/environments"))
        .json(&json!({"name": "production"}))
        .await
        .is(201);
    for at in [project.at(""), group.at("")] {
        let body = json!({"name": "production", "required_approval_count": 2,
            "deploy_access_levels": [{"access_level": 40}],
            "approval_rules": [{"access_level": 30, "required_approvals": 3}]});
        t.admin().post(format!("{at}/protected_environments")).json(&body).await.is(201);
    }
    let fields = "{nodes{name requiredApprovalCount project{fullPath} group{fullPath}
        deployAccessLevels{nodes{accessLevel{integerValue stringValue} user{username}
            group{fullPath} groupInheritanceType}}
        approvalRules{nodes{requiredApprovals accessLevel{integerValue}}}}}";
    let query = format!(
        "{{project(fullPath:\"acme/anvil\"){{environments{{nodes{{protectedEnvironments{fields}}}}}}}
           group(fullPath:\"acme\"){{protectedEnvironments{fields}}}}}"
    );
    let one = |project: Value, group: Value| {
        json!({"nodes": [{"name": "production", "requiredApprovalCount": 2, "project": project,
            "group": group,
            "deployAccessLevels": {"nodes": [{"accessLevel": {"integerValue": 40,
                "stringValue": "MAINTAINER"}, "user": null, "group": null,
                "groupInheritanceType": 0}]},
            "approvalRules": {"nodes": [{"requiredApprovals": 3,
                "accessLevel": {"integerValue": 30}}]}}]})
    };
    let of_project =
        |seen: &Value| seen["project"]["environments"]["nodes"][0]["protectedEnvironments"].clone();
    let of_project_alone = one(json!({"fullPath": "acme/anvil"}), json!(null));
    let seen = data(&t.admin(), &query).await;
    assert_eq!(of_project(&seen), of_project_alone);
    let of_group = one(json!(null), json!({"fullPath": "acme"}));
    assert_eq!(seen["group"]["protectedEnvironments"], of_group);
    let seen = data(&maintainer, &query).await;
    assert_eq!(of_project(&seen), of_project_alone);
    assert_eq!(seen["group"]["protectedEnvironments"], Value::Null);
    let seen = data(&developer, &query).await;
    assert_eq!(of_project(&seen), Value::Null);
}
