//! CI/CD variables in GraphQL.

use serde_json::{Value, json};
use testkit::{Client, TestServer};

pub async fn data(client: &Client, query: &str) -> Value {
    let body = json!({"query": query});
    let answer = client.request(http::Method::POST, "/api/graphql").json(&body);
    let answer = answer.await.is(200).json();
    assert_eq!(answer["errors"], json!(null), "{query}");
    answer["data"].clone()
}

#[testkit::story]
async fn who_changes_variables_asks_for_them(t: TestServer) {
    let (project, group) = (t.project_with("acme/anvil", "public").await, t.group("acme").await);
    let (maintainer, developer) = (t.user("mia").await, t.user("dev").await);
    project.add(&maintainer, 40).await;
    project.add(&developer, 30).await;
    let make = |key: &str| {
        json!({"key": key, "value": format!("hot-iron-{key}"), "masked": true,
        "raw": true, "description": "For the forge"})
    };
    for key in ["A", "B"] {
        t.admin().post("/admin/ci/variables").json(&make(key)).await.is(201);
        t.admin().post(project.at("/variables")).json(&make(key)).await.is(201);
        t.admin().post(group.at("/variables")).json(&make(key)).await.is(201);
    }
    let hidden = json!({"key": "C", "value": "cold-iron-C", "masked_and_hidden": true,
        "variable_type": "file", "environment_scope": "prod"});
    t.admin().post(project.at("/variables")).json(&hidden).await.is(201);

    let fields = "{count nodes{__typename key value variableType protected masked raw \
        description environmentScope} pageInfo{hasNextPage}}";
    let query = format!(
        "{{ciVariables(first:1){fields} project(fullPath:\"acme/anvil\"){{ciVariables{fields}}}
            group(fullPath:\"acme\"){{ciVariables(last:1){fields}}}}}"
    );
    let all = data(&t.admin(), &query).await;
    let one = json!({"__typename": "CiInstanceVariable", "key": "B", "value": "hot-iron-B",
        "variableType": "ENV_VAR", "protected": false, "masked": true, "raw": true,
        "description": "For the forge", "environmentScope": "*"});
    assert_eq!(all["ciVariables"]["nodes"], json!([one]));
    assert_eq!(all["ciVariables"]["count"], 2);
    assert_eq!(all["ciVariables"]["pageInfo"]["hasNextPage"], true);
    let of_project = &all["project"]["ciVariables"];
    assert_eq!(of_project["count"], 3);
    let first = &of_project["nodes"][0];
    assert_eq!((&first["key"], &first["value"]), (&json!("C"), &Value::Null));
    assert_eq!(
        (&first["variableType"], &first["environmentScope"], &first["__typename"]),
        (&json!("FILE"), &json!("prod"), &json!("CiProjectVariable"))
    );
    assert_eq!(all["group"]["ciVariables"]["nodes"][0]["key"], "A");
    assert_eq!(all["group"]["ciVariables"]["nodes"][0]["__typename"], "CiGroupVariable");

    let seen = data(&maintainer, &query).await;
    assert_eq!(
        (&seen["ciVariables"], &seen["group"]["ciVariables"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(seen["project"]["ciVariables"]["count"], 3);
    for client in [&*developer, &t.anonymous()] {
        let seen = data(client, &query).await;
        assert!(!seen.to_string().contains("iron"), "{seen}");
        assert_eq!(seen["project"]["ciVariables"], Value::Null);
    }
    let id = data(&t.admin(), "{ciVariables{nodes{id}}}").await;
    let id = id["ciVariables"]["nodes"][0]["id"].as_str().unwrap_or_default().to_owned();
    assert!(id.starts_with("gid://service/Ci::InstanceVariable/"), "{id}");
    let all = "{projects{nodes{ciVariables(first:2){nodes{key}}}}}";
    t.project("acme/bellows").await;
    assert_eq!(
        data(&maintainer, all).await["projects"]["nodes"].as_array().map(Vec::len),
        Some(1)
    );
}
