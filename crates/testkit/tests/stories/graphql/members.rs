//! Members of projects and groups, and memberships of users.

use crate::graphql::{ask, data};
use serde_json::{Value, json};
use testkit::Client;

/// Login and role of the members of a project or group, by a query whose only
/// field is that list.
async fn members(client: &Client, place: &str, list: &str) -> Vec<(String, String)> {
    let query = format!(
        "{{it:{place}{{list:{list}{{nodes{{user{{username}} \
        accessLevel{{stringValue}}}}}}}}}}"
    );
    let found = data(client, &query).await;
    let nodes = found["it"]["list"]["nodes"].as_array().expect("nodes").clone();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut all: Vec<(String, String)> = nodes
        .iter()
        .map(|node| (text(&node["user"]["username"]), text(&node["accessLevel"]["stringValue"])))
        .collect();
    all.sort();
    all
}

const ANVIL: &str = "project(fullPath:\"acme/tools/anvil\")";
const TOOLS: &str = "group(fullPath:\"acme/tools\")";

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |pair: &(&str, &str)| (pair.0.to_owned(), pair.1.to_owned());
    all.iter().map(owned).collect()
}

#[testkit::story]
async fn members_are_listed_with_their_highest_role(t: testkit::TestServer) {
    let project = t.project("acme/tools/anvil").await;
    let (acme, tools) = (t.group("acme").await, t.group("acme/tools").await);
    let (ann, bob) = (t.user("ann").await, t.user("bob").await);
    let cid = t.user("cid").await;
    project.add(&ann, 30).await;
    acme.add(&ann, 10).await;
    acme.add(&bob, 40).await;
    tools.add(&cid, 15).await;
    for (list, found) in [
        (
            "projectMembers",
            pairs(&[
                ("ann", "DEVELOPER"),
                ("bob", "MAINTAINER"),
                ("cid", "PLANNER"),
                ("root", "OWNER"),
            ]),
        ),
        ("projectMembers(relations:[DIRECT])", pairs(&[("ann", "DEVELOPER")])),
        (
            "projectMembers(relations:[INHERITED],search:\"AN\")",
            pairs(&[("ann", "GUEST")]),
        ),
        ("projectMembers(relations:[])", vec![]),
    ] {
        assert_eq!(members(&ann, ANVIL, list).await, found, "{list}");
    }
    for (list, found) in [
        (
            "groupMembers",
            pairs(&[
                ("ann", "GUEST"),
                ("bob", "MAINTAINER"),
                ("cid", "PLANNER"),
                ("root", "OWNER"),
            ]),
        ),
        (
            "groupMembers(relations:[DIRECT])",
            pairs(&[("cid", "PLANNER"), ("root", "OWNER")]),
        ),
        ("groupMembers(search:\"bob\")", pairs(&[("bob", "MAINTAINER")])),
    ] {
        assert_eq!(members(&cid, TOOLS, list).await, found, "{list}");
    }
    // The same people as REST lists.
    let rest = ann.get(project.at("/members/all")).await.is(200);
    assert_eq!(rest.each("id").len(), 4);
}

#[testkit::story]
async fn a_member_tells_where_and_since_when(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let jane = t.user("jane").await;
    let body = json!({"user_id": jane.id, "access_level": 20, "expires_at": "2999-12-31"});
    t.admin().post(project.at("/members")).json(&body).await.is(201);
    group.add(&jane, 10).await;
    let query = "{project(fullPath:\"acme/anvil\"){projectMembers{nodes{__typename id expiresAt \
        accessLevel{integerValue stringValue} createdBy{username} createdAt updatedAt \
        ... on ProjectMember{project{fullPath}} ... on GroupMember{group{fullPath}} \
        user{username}}}}}";
    let found = data(&jane, query).await;
    let nodes = found["project"]["projectMembers"]["nodes"].as_array().expect("nodes").clone();
    let (own, inherited) = (&nodes[0], &nodes[1]);
    assert_eq!(own["__typename"], "ProjectMember");
    assert!(
        own["id"]
            .as_str()
            .is_some_and(|id| id.starts_with("gid://service/ProjectMember/"))
    );
    assert_eq!(own["accessLevel"], json!({"integerValue": 20, "stringValue": "REPORTER"}));
    assert_eq!(own["expiresAt"], "2999-12-31T00:00:00Z");
    assert_eq!(
        (&own["createdBy"]["username"], &own["user"]["username"]),
        (&json!("root"), &json!("jane"))
    );
    assert_eq!(own["project"], json!({"fullPath": "acme/anvil"}));
    assert!(own["createdAt"].is_string() && own["updatedAt"].is_string());
    assert_eq!(inherited["__typename"], "GroupMember");
    assert_eq!(
        (&inherited["group"], &inherited["user"]["username"]),
        (&json!({"fullPath": "acme"}), &json!("root"))
    );
}

#[testkit::story]
async fn strangers_see_no_members(t: testkit::TestServer) {
    t.project_with("acme/anvil", "public").await;
    let query = "{project(fullPath:\"acme/anvil\"){projectMembers{nodes{id}}} \
        group(fullPath:\"acme\"){groupMembers{nodes{id}}}}";
    assert_eq!(
        data(&t.anonymous(), query).await,
        json!({
            "project": {"projectMembers": null}, "group": {"groupMembers": null},
        })
    );
}

#[testkit::story]
async fn members_page_through_all_sources(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let mut names = vec!["root".to_owned()];
    for n in 0..7 {
        let user = t.user(&format!("user{n}")).await;
        names.push(user.username.clone());
        match n % 3 {
            0 => project.add(&user, 30).await,
            1 => group.add(&user, 20).await,
            _ => {
                project.add(&user, 30).await;
                group.add(&user, 20).await;
            }
        }
    }
    let mut walked = [Vec::new(), Vec::new()];
    for (way, seen) in [("first", "after"), ("last", "before")].iter().zip(&mut walked) {
        let mut edge = String::new();
        loop {
            let query = format!(
                "{{project(fullPath:\"acme/anvil\"){{projectMembers({}:3,{}:\"{edge}\")\
                {{nodes{{user{{username}}}} pageInfo{{hasNextPage hasPreviousPage startCursor endCursor}}}}}}}}",
                way.0, way.1
            );
            let page = data(&t.admin(), &query).await["project"]["projectMembers"].clone();
            let mut rows: Vec<String> = page["nodes"]
                .as_array()
                .expect("nodes")
                .iter()
                .map(|node| node["user"]["username"].as_str().unwrap_or_default().to_owned())
                .collect();
            let forward = way.0 == "first";
            if !forward {
                rows.reverse();
            }
            seen.extend(rows);
            let (more, cursor) = match forward {
                true => ("hasNextPage", "endCursor"),
                false => ("hasPreviousPage", "startCursor"),
            };
            if page["pageInfo"][more] == false {
                break;
            }
            edge = page["pageInfo"][cursor].as_str().expect("a cursor").to_owned();
        }
    }
    let [mut forward, backward] = walked;
    assert_eq!(forward.len(), names.len(), "nobody twice, nobody left out");
    forward.reverse();
    assert_eq!(forward, backward);
    forward.sort();
    names.sort();
    assert_eq!(forward, names);
}

#[testkit::story]
async fn memberships_are_told_as_far_as_they_are_seen(t: testkit::TestServer) {
    let hidden = t.project("vault/secret").await;
    let open = t.project_with("acme/anvil", "public").await;
    let (acme, vault) = (t.group("acme").await, t.group("vault").await);
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    for project in [&hidden, &open] {
        project.add(&jane, 30).await;
    }
    for group in [&acme, &vault] {
        group.add(&jane, 20).await;
    }
    let query = "{user(username:\"jane\"){groupCount groups{nodes{fullPath}} \
        groupMemberships{nodes{group{fullPath} accessLevel{stringValue}}} \
        projectMemberships{nodes{project{fullPath}}}}}";
    let of = async |client: &Client| data(client, query).await["user"].clone();
    let own = of(&jane).await;
    assert_eq!(own["groupCount"], 2);
    assert_eq!(own["groups"]["nodes"], json!([{"fullPath": "acme"}, {"fullPath": "vault"}]));
    assert_eq!(
        own["groupMemberships"]["nodes"],
        json!([
            {"group": {"fullPath": "vault"}, "accessLevel": {"stringValue": "REPORTER"}},
            {"group": {"fullPath": "acme"}, "accessLevel": {"stringValue": "REPORTER"}},
        ])
    );
    assert_eq!(own["projectMemberships"]["nodes"].as_array().map(Vec::len), Some(2));
    assert_eq!(of(&t.admin()).await, own);
    let seen = of(&john).await;
    assert_eq!((&seen["groupCount"], &seen["groups"]), (&json!(null), &json!(null)));
    assert_eq!(seen["groupMemberships"]["nodes"][0]["group"], json!({"fullPath": "acme"}));
    assert_eq!(seen["groupMemberships"]["nodes"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        seen["projectMemberships"]["nodes"],
        json!([{"project": {"fullPath": "acme/anvil"}}])
    );
    let private = json!({"private_profile": true});
    t.admin().put(format!("/users/{}", jane.id)).json(&private).await.is(200);
    let seen = of(&john).await;
    assert_eq!(
        (&seen["groupMemberships"], &seen["projectMemberships"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(of(&jane).await, own, "what is private is one's own");
}

#[testkit::story]
async fn starred_projects_are_hidden_by_private_profiles(t: testkit::TestServer) {
    let open = t.project_with("acme/anvil", "public").await;
    let hidden = t.project("vault/secret").await;
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    hidden.add(&jane, 30).await;
    for project in [&open, &hidden] {
        jane.post(project.at("/star")).await.is(201);
    }
    let query = "{user(username:\"jane\"){starredProjects(sort:\"path_asc\"){nodes{path}}}}";
    let of = async |client: &Client| data(client, query).await["user"]["starredProjects"].clone();
    assert_eq!(of(&jane).await, json!({"nodes": [{"path": "anvil"}, {"path": "secret"}]}));
    assert_eq!(of(&john).await, json!({"nodes": [{"path": "anvil"}]}));
    let private = json!({"private_profile": true});
    t.admin().put(format!("/users/{}", jane.id)).json(&private).await.is(200);
    assert_eq!(of(&john).await, json!(null));
    assert_eq!(ask(&john, query).await.get("errors"), None);
}

#[testkit::story]
async fn a_status_is_told_until_it_is_stale(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let query =
        "{user(username:\"jane\"){status{availability emoji message messageHtml clearStatusAt}}}";
    let of = async || data(&t.admin(), query).await["user"]["status"].clone();
    assert_eq!(of().await, json!(null));
    let status = json!({"message": "a < b", "availability": "busy"});
    jane.put("/user/status").json(&status).await.is(200);
    assert_eq!(
        of().await,
        json!({"availability": "BUSY", "emoji": "speech_balloon",
        "message": "a < b", "messageHtml": "a &lt; b", "clearStatusAt": null})
    );
    let status = json!({"message": "soon", "emoji": "tea", "clear_status_after": "30_minutes"});
    jane.put("/user/status").json(&status).await.is(200);
    assert_eq!(of().await["emoji"], "tea");
    let past = "update users set status_clear_at = '2020-01-01T00:00:00Z' where username = 'jane'";
    let past = match t.app().store().engine() {
        store::Engine::Sqlite => past.replace("'2020-01-01T00:00:00Z'", "0"),
        store::Engine::Postgres => past.to_owned(),
    };
    t.app().write(move |tx| Ok(tx.execute(&past, ())?)).await.expect("it is set");
    assert_eq!(of().await, json!(null));
}
