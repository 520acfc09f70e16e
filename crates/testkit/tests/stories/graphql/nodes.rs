//! `node` and `nodes`: anything by its global ID, as far as the caller sees it.

use crate::graphql::{ask_with, data, message};
use serde_json::{Value, json};

const NODES: &str = "query($ids:[ID!]!){nodes(ids:$ids){__typename ... on User{username} \
    ... on Project{fullPath} ... on Group{fullPath} ... on Namespace{fullPath} \
    ... on Package{name}}}";

fn gid(model: &str, id: i64) -> String {
    format!("gid://service/{model}/{id}")
}

#[testkit::story]
async fn anything_is_found_by_its_id(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let nail = project.generic_package("nail", "1.0").await;
    let ids = json!([
        gid("Project", project.id),
        gid("User", jane.id),
        gid("Group", group.id),
        gid("Namespace", group.id),
        gid("Packages::Package", nail.id),
        gid("Project", 99_999),
        gid("Issue", 1)
    ]);
    let answer = ask_with(&t.admin(), NODES, json!({"ids": ids})).await;
    assert_eq!(
        answer,
        json!({"data": {"nodes": [
            {"__typename": "Project", "fullPath": "acme/anvil"},
            {"__typename": "UserCore", "username": "jane"},
            {"__typename": "Group", "fullPath": "acme"},
            {"__typename": "Namespace", "fullPath": "acme"},
            {"__typename": "Package", "name": "nail"},
            null, null,
        ]}})
    );
    let one =
        format!("{{node(id:\"{}\"){{... on Project{{id name}}}}}}", gid("Project", project.id));
    assert_eq!(data(&t.admin(), &one).await["node"]["name"], "anvil");
    // A user's namespace is no group, and a group is no user.
    let own = data(&jane, "{currentUser{namespace{id}}}").await;
    let own = own["currentUser"]["namespace"]["id"].as_str().expect("an id").to_owned();
    let ids = json!([own, own.replace("Namespace", "Group")]);
    let found = ask_with(&jane, NODES, json!({"ids": ids})).await;
    assert_eq!(
        found["data"]["nodes"],
        json!([
            {"__typename": "Namespace", "fullPath": "jane"}, null,
        ])
    );
}

#[testkit::story]
async fn hidden_and_missing_nodes_look_alike(t: testkit::TestServer) {
    let (jane, outsider) = (t.user("jane").await, t.user("outsider").await);
    let project = t.project("vault/secret").await;
    let group = t.group("vault").await;
    let nail = project.generic_package("nail", "1.0").await;
    let ids = json!([
        gid("Project", project.id),
        gid("Group", group.id),
        gid("Namespace", group.id),
        gid("Packages::Package", nail.id),
        gid("Project", 99_999)
    ]);
    let none: Vec<Value> = vec![json!(null); 5];
    for stranger in [&*outsider, &t.anonymous()] {
        let answer = ask_with(stranger, NODES, json!({"ids": ids})).await;
        assert_eq!(answer, json!({"data": {"nodes": none}}));
    }
    // Strangers see no users, as in REST.
    let ids = json!([gid("User", jane.id)]);
    let answer = ask_with(&t.anonymous(), NODES, json!({"ids": ids})).await;
    assert_eq!(answer, json!({"data": {"nodes": [null]}}));
}

#[testkit::story]
async fn bad_ids_are_refused_by_name(t: testkit::TestServer) {
    let admin = t.admin();
    for (id, text) in [
        ("x", "\"x\" is not a valid Global ID"),
        ("gid://service/Project", "\"gid://service/Project\" is not a valid Global ID"),
        ("gid://other/Project/1", "\"gid://other/Project/1\" is not a Service Global ID"),
    ] {
        let answer = ask_with(&admin, NODES, json!({"ids": [id]})).await;
        assert_eq!((message(&answer), &answer["data"]), (text, &json!({"nodes": null})));
    }
    for id in ["gid://service/Project/-1", "gid://service/Project/99999999999999999999"] {
        let answer = ask_with(&admin, NODES, json!({"ids": [id]})).await;
        assert_eq!(answer, json!({"data": {"nodes": [null]}}), "{id}");
    }
    // The same as the argument of its own scalar, literal or variable.
    let user = "query($id:UserID){user(id:$id){id}}";
    for (id, text) in [
        (
            "gid://service/Project/1",
            "\"gid://service/Project/1\" does not represent an instance of User",
        ),
        ("gid://other/User/1", "\"gid://other/User/1\" is not a Service Global ID"),
    ] {
        let answer = ask_with(&admin, user, json!({"id": id})).await;
        let problem = &answer["errors"][0]["extensions"]["problems"][0];
        assert_eq!(problem["explanation"], text);
        assert!(answer.get("data").is_none());
    }
    let huge = json!({"id": format!("gid://service/User/{}", "9".repeat(60))});
    assert_eq!(ask_with(&admin, user, huge).await, json!({"data": {"user": null}}));
    let many = json!({"ids": vec!["gid://service/User/1"; 101]});
    let answer = ask_with(&admin, NODES, many).await;
    assert_eq!(message(&answer), "ids cannot have more than 100 entries");
}
