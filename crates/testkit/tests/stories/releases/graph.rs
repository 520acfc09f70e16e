//! Releases over GraphQL.

use super::{released, tagged};
use serde_json::{Value, json};
use testkit::Client;

async fn data(client: &Client, query: &str) -> Value {
    let body = json!({"query": query});
    let answer = client.request(http::Method::POST, "/api/graphql").json(&body).await.is(200);
    assert_eq!(answer.json()["errors"], Value::Null, "{query}");
    answer.json()["data"].clone()
}

#[testkit::story(noon)]
async fn releases_are_read(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    t.admin()
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201);
    let link = json!({"name": "hammer", "url": "https://files.example/h", "filepath": "/h"});
    let body = json!({"tag_name": "v1", "description": "*rings*", "milestones": ["1.0"],
        "assets": {"links": [link]}});
    released(&t, &project, body).await;
    let future = json!({"tag_name": "v2", "ref": "main", "released_at": "2099-01-01"});
    released(&t, &project, future).await;

    let query = r#"{ project(fullPath: "acme/anvil") {
        releases(first: 1) { count nodes { tagName upcomingRelease } pageInfo { hasNextPage } }
        oldest: releases(sort: RELEASED_AT_ASC) { nodes { name } }
        release(tagName: "v1") {
            id name tagName tagPath description descriptionHtml createdAt releasedAt
            upcomingRelease historicalRelease author { username }
            assets { count links { nodes { name url linkType directAssetUrl directAssetPath } }
                sources { nodes { format url } } }
            evidences { nodes { sha filepath collectedAt } }
            links { selfUrl editUrl openedIssuesUrl }
            commit { sha title } milestones { nodes { title } } } } }"#;
    let found = data(&t.admin(), query).await["project"].clone();
    assert_eq!(found["releases"]["count"], 2);
    assert_eq!(found["releases"]["nodes"], json!([{"tagName": "v2", "upcomingRelease": true}]));
    assert_eq!(found["releases"]["pageInfo"]["hasNextPage"], true);
    assert_eq!(found["oldest"]["nodes"], json!([{"name": "v1"}, {"name": "v2"}]));
    let release = &found["release"];
    let base = t.app().base_url();
    assert_eq!(release["tagPath"], "/acme/anvil/-/tags/v1");
    let html = release["descriptionHtml"].as_str().unwrap_or_default();
    assert_eq!(html.trim(), "<p><em>rings</em></p>");
    assert_eq!(
        (&release["author"]["username"], &release["assets"]["count"]),
        (&json!("root"), &json!(5))
    );
    let direct = format!("{base}/acme/anvil/-/releases/v1/downloads/h");
    assert_eq!(
        release["assets"]["links"]["nodes"],
        json!([{"name": "hammer", "url": "https://files.example/h", "linkType": "OTHER",
            "directAssetUrl": direct, "directAssetPath": "/h"}])
    );
    assert_eq!(release["assets"]["sources"]["nodes"][0]["format"], "zip");
    assert_eq!(release["evidences"]["nodes"].as_array().map(Vec::len), Some(1));
    assert_eq!(release["links"]["selfUrl"], format!("{base}/acme/anvil/-/releases/v1"));
    assert_eq!(release["milestones"]["nodes"], json!([{"title": "1.0"}]));
    let tag = t.admin().get(project.at("/repository/tags/v1")).await.is(200).json();
    assert_eq!(release["commit"], json!({"sha": tag["commit"]["id"], "title": "Begin"}));
    let id = release["id"].as_str().unwrap_or_default();
    let node = data(&t.admin(), &format!("{{ node(id: \"{id}\") {{ id }} }}")).await;
    assert_eq!(node["node"]["id"], id);

    let guest = t.user("guest").await;
    project.add(&guest, 10).await;
    let query = r#"{ project(fullPath: "acme/anvil") { release(tagName: "v1") { id }
        releases { nodes { tagName tagPath commit { sha } description assets { count } } } } }"#;
    let seen = data(&guest, query).await["project"].clone();
    assert_eq!(seen["release"], Value::Null);
    let first = &seen["releases"]["nodes"][1];
    assert_eq!((&first["tagName"], &first["tagPath"]), (&Value::Null, &Value::Null));
    assert_eq!(first["commit"], Value::Null);
    assert_eq!(
        (&first["description"], &first["assets"]["count"]),
        (&json!("*rings*"), &json!(1))
    );
    let outsider = t.user("outsider").await;
    let node = data(&outsider, &format!("{{ node(id: \"{id}\") {{ id }} }}")).await;
    assert_eq!(node["node"], Value::Null);
}

#[testkit::story]
async fn releases_are_written(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    let developer = t.user("developer").await;
    project.add(&developer, 30).await;
    let run = async |client: &Client, name: &str, input: &str, asked: &str| -> Value {
        let query = format!("mutation {{ {name}(input: {{{input}}}) {{ errors {asked} }} }}");
        data(client, &query).await[name].clone()
    };
    let place = r#"projectPath: "acme/anvil", tagName: "v2""#;
    let input = format!(
        r#"{place}, ref: "main", description: "new", releasedAt: "2020-01-01T00:00:00Z",
        assets: {{links: [{{name: "a", url: "https://a.example", directAssetPath: "/a"}}]}}"#
    );
    let shown = "release { tagName name description assets { links { nodes { id name } } } }";
    let made = run(&developer, "releaseCreate", &input, shown).await;
    assert_eq!(made["errors"], json!([]));
    assert_eq!(made["release"]["tagName"], "v2");
    let link = made["release"]["assets"]["links"]["nodes"][0]["id"]
        .as_str()
        .unwrap_or_default();
    let again = run(&developer, "releaseCreate", &input, shown).await;
    assert_eq!(again, json!({"errors": ["Release already exists"], "release": null}));
    let wrong = r#"projectPath: "acme/anvil", tagName: "v9", milestones: ["x"], ref: "main""#;
    let wrong = run(&developer, "releaseCreate", wrong, shown).await;
    assert_eq!(wrong["errors"], json!(["Milestone(s) not found: x"]));

    let input = format!(r#"{place}, name: "Two""#);
    let changed = run(&developer, "releaseUpdate", &input, shown).await;
    assert_eq!(changed["release"]["name"], "Two");
    assert_eq!(changed["release"]["description"], "new");
    let input = format!(r#"{place}, name: "b", url: "https://b.example", linkType: PACKAGE"#);
    let asked = "link { name linkType directAssetUrl }";
    let added = run(&developer, "releaseAssetLinkCreate", &input, asked).await;
    assert_eq!(added["link"]["linkType"], "PACKAGE");
    let input = format!(r#"id: "{link}", name: "b""#);
    let taken = run(&developer, "releaseAssetLinkUpdate", &input, asked).await;
    assert_eq!(taken["errors"], json!(["Name has already been taken"]));
    let input = format!(r#"id: "{link}", name: "c", directAssetPath: null"#);
    let changed = run(&developer, "releaseAssetLinkUpdate", &input, asked).await;
    assert_eq!(changed["link"]["directAssetUrl"], "https://a.example");
    let gone = run(&developer, "releaseAssetLinkDelete", &format!(r#"id: "{link}""#), asked).await;
    assert_eq!(gone["link"]["name"], "c");

    let query = format!("mutation {{ releaseDelete(input: {{{place}}}) {{ errors }} }}");
    let refused = developer
        .request(http::Method::POST, "/api/graphql")
        .json(&json!({"query": query}));
    assert!(refused.await.is(200).json()["errors"].is_array(), "developers delete none");
    let gone = run(&t.admin(), "releaseDelete", place, "release { tagName }").await;
    assert_eq!(gone["release"]["tagName"], "v2");
    t.admin().get(project.at("/releases/v2")).await.is(404);
}
