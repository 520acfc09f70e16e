//! Projects, groups and namespaces, by who may see them.

use crate::graphql::{ask, data, message};
use serde_json::{Value, json};
use testkit::Client;

/// The full paths of a list.
async fn paths(client: &Client, list: &str) -> Vec<Value> {
    let answer = data(client, &format!("{{{list}{{nodes{{fullPath}}}}}}")).await;
    let name = list.split('(').next().unwrap_or_default();
    let nodes = answer[name]["nodes"].as_array().expect("nodes").clone();
    nodes.into_iter().map(|node| node["fullPath"].clone()).collect()
}

#[testkit::story]
async fn a_project_is_found_by_its_path(t: testkit::TestServer) {
    let project = t.project("acme/tools/anvil").await;
    let query = "{project(fullPath:\"Acme/tools/ANVIL\"){id fullPath path name nameWithNamespace \
        visibility archived webUrl httpUrlToRepo topics starCount issuesEnabled \
        group{fullPath parent{fullPath parent{id}}} namespace{id fullName}}}";
    let found = data(&t.admin(), query).await["project"].clone();
    assert_eq!(found["id"], format!("gid://service/Project/{}", project.id));
    assert_eq!(found["fullPath"], "acme/tools/anvil");
    assert_eq!(found["webUrl"], format!("{}/acme/tools/anvil", t.url()));
    assert_eq!(found["httpUrlToRepo"], format!("{}/acme/tools/anvil.git", t.url()));
    assert_eq!((&found["visibility"], &found["archived"]), (&json!("private"), &json!(false)));
    assert_eq!(
        found["group"],
        json!({"fullPath": "acme/tools",
        "parent": {"fullPath": "acme", "parent": null}})
    );
    let query = "query($path: ID!){project(fullPath: $path){id}}";
    let answer =
        crate::graphql::ask_with(&t.admin(), query, json!({"path": "acme/tools/anvil"})).await;
    assert_eq!(answer, json!({"data": {"project": {"id": found["id"]}}}));
}

#[testkit::story]
async fn hidden_and_missing_places_look_alike(t: testkit::TestServer) {
    let group = t.group("vault").await;
    t.project("vault/secret").await;
    let (outsider, member) = (t.user("outsider").await, t.user("member").await);
    group.add(&member, 10).await;
    for (hidden, missing) in [
        (
            "{project(fullPath:\"vault/secret\"){id}}",
            "{project(fullPath:\"vault/none\"){id}}",
        ),
        ("{group(fullPath:\"vault\"){id}}", "{group(fullPath:\"none\"){id}}"),
        ("{namespace(fullPath:\"vault\"){id}}", "{namespace(fullPath:\"none\"){id}}"),
    ] {
        for stranger in [&*outsider, &t.anonymous()] {
            assert_eq!(ask(stranger, hidden).await, ask(stranger, missing).await);
            assert_eq!(ask(stranger, hidden).await.get("errors"), None);
        }
        assert_ne!(ask(&member, hidden).await, ask(&member, missing).await);
    }
    let lists = ["projects(search:\"secret\")", "groups"];
    for list in lists {
        assert_eq!(paths(&outsider, list).await, Vec::<Value>::new(), "{list}");
        assert_eq!(paths(&t.anonymous(), list).await, Vec::<Value>::new(), "{list}");
    }
    assert_eq!(paths(&member, lists[0]).await, ["vault/secret"]);
    assert_eq!(paths(&member, lists[1]).await, ["vault"]);
}

#[testkit::story]
async fn public_projects_are_open_to_strangers(t: testkit::TestServer) {
    t.project_with("acme/open", "public").await;
    let query = "{project(fullPath:\"acme/open\"){fullPath group{fullPath} visibility}}";
    let found = data(&t.anonymous(), query).await["project"].clone();
    assert_eq!(
        (&found["fullPath"], &found["visibility"]),
        (&json!("acme/open"), &json!("public"))
    );
}

#[testkit::story]
async fn projects_are_filtered_sorted_and_paged(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let group = t.group("acme").await;
    group.add(&jane, 30).await;
    for name in ["cog", "axle", "bolt"] {
        t.project(&format!("acme/{name}")).await;
    }
    jane.post("/projects").json(&json!({"name": "own"})).await.is(201);
    assert_eq!(
        paths(&jane, "projects(sort:\"name_asc\",membership:true)").await,
        ["acme/axle", "acme/bolt", "acme/cog", "jane/own"]
    );
    assert_eq!(paths(&jane, "projects(personal:true)").await, ["jane/own"]);
    assert_eq!(paths(&jane, "projects(search:\"BOL\")").await, ["acme/bolt"]);
    let two = "projects(fullPaths:[\"acme/cog\",\"acme/axle\",\"acme/none\"],sort:\"path_desc\")";
    assert_eq!(paths(&jane, two).await, ["acme/cog", "acme/axle"]);
    let many: String = (0..51).map(|n| format!("\"a{n}\",")).collect();
    let answer = ask(&jane, &format!("{{projects(fullPaths:[{many}]){{nodes{{id}}}}}}")).await;
    assert_eq!(message(&answer), "fullPaths cannot have more than 50 entries");
    let answer = ask(&jane, "{projects(sort:\"size_asc\"){nodes{id}}}").await;
    assert_eq!(message(&answer), "`sort` does not know \"size_asc\"");

    let page = "projects(sort:\"name_asc\",first:2,membership:true";
    let first = data(&jane, &format!("{{{page}){{nodes{{path}} pageInfo{{endCursor}}}}}}")).await;
    let cursor = first["projects"]["pageInfo"]["endCursor"]
        .as_str()
        .expect("a cursor")
        .to_owned();
    assert_eq!(
        paths(&jane, &format!("{page},after:\"{cursor}\")")).await,
        ["acme/cog", "jane/own"]
    );
}

#[testkit::story]
async fn groups_hold_projects_and_users_their_own(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    t.project("acme/anvil").await;
    t.project("acme/tools/hammer").await;
    let of = async |args: &str| {
        let query = format!("{{group(fullPath:\"acme\"){{projects{args}{{nodes{{path}}}}}}}}");
        data(&t.admin(), &query).await["group"]["projects"]["nodes"].clone()
    };
    assert_eq!(of("").await, json!([{"path": "anvil"}]));
    assert_eq!(
        of("(includeSubgroups:true,sort:\"name_asc\")").await,
        json!([{"path": "anvil"}, {"path": "hammer"}])
    );
    let own =
        data(&jane, "{currentUser{namespace{fullPath}} namespace(fullPath:\"jane\"){path}}").await;
    assert_eq!(
        own,
        json!({"currentUser": {"namespace": {"fullPath": "jane"}},
        "namespace": {"path": "jane"}})
    );
}

#[testkit::story]
async fn lists_of_projects_take_few_statements(t: testkit::TestServer) {
    for n in 0..12 {
        t.project(&format!("acme{n}/anvil")).await;
    }
    let metric = async || {
        let text = t.anonymous().at("/-/metrics").await.text();
        let line = "http_request_statements_total{method=\"POST\",route=\"/api/graphql\"} ";
        let found = text.lines().find_map(|one| one.strip_prefix(line));
        found.and_then(|number| number.parse::<i64>().ok()).unwrap_or(0)
    };
    let before = metric().await;
    let query = "{projects{nodes{name group{name parent{name}} namespace{fullPath}}}}";
    let found = data(&t.admin(), query).await;
    assert_eq!(found["projects"]["nodes"].as_array().map(Vec::len), Some(12));
    let took = metric().await - before;
    assert!(took <= 6, "{took} statements");
}
