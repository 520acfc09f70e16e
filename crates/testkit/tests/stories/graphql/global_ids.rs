//! Global IDs that are none, and what everything that has one promises.

use crate::graphql::{ask_with, data, message};
use serde_json::{Value, json};

fn gid(model: &str, id: i64) -> String {
    format!("gid://service/{model}/{id}")
}

#[testkit::story]
async fn what_is_no_global_id_is_refused_wherever_one_is_read(t: testkit::TestServer) {
    let admin = t.admin();
    let tails = ["1' or 1=1--", "1 or 1=1", "1%00", "", "1/2", "1\n", &"9".repeat(1_000)];
    for tail in tails {
        // By the general scalar, when it is looked up.
        let id = format!("gid://service/User/{tail}");
        let text = format!("{id:?} is not a valid Global ID");
        let answer = ask_with(&admin, "query($id:ID!){node(id:$id){id}}", json!({"id": id})).await;
        assert_eq!((message(&answer), &answer["data"]), (text.as_str(), &json!({"node": null})));
        // By the scalar of a model, as a variable and written out.
        for (scalar, model, field) in [
            ("UserID", "User", "user(id:$id){id}"),
            ("PackagesPackageID", "Packages::Package", "package(id:$id){id}"),
            ("NoteID", "Note", "note(id:$id){id}"),
            ("MilestoneID", "Milestone", "milestone(id:$id){id}"),
        ] {
            let id = format!("gid://service/{model}/{tail}");
            let text = format!("{id:?} is not a valid Global ID");
            let query = format!("query($id:{scalar}!){{{field}}}");
            let answer = ask_with(&admin, &query, json!({"id": id})).await;
            let problem = &answer["errors"][0]["extensions"]["problems"][0];
            assert_eq!(problem["explanation"], text, "{field}");
            let written = json!(id).to_string();
            let query = format!("{{{}}}", field.replace("$id", &written));
            assert_eq!(message(&ask_with(&admin, &query, json!({})).await), text);
        }
        // By scalars that take several models, and in mutations.
        for (scalar, model, field) in [
            ("NoteableID", "Issue", "createNote(input:{noteableId:$id,body:\"a\"}){errors}"),
            ("TodoableID", "Issue", "todoCreate(input:{targetId:$id}){errors}"),
            ("TodoID", "Todo", "todoMarkDone(input:{id:$id}){errors}"),
        ] {
            let id = format!("gid://service/{model}/{tail}");
            let text = format!("{id:?} is not a valid Global ID");
            let query = format!("mutation($id:{scalar}!){{{field}}}");
            let answer = ask_with(&admin, &query, json!({"id": id})).await;
            let problem = &answer["errors"][0]["extensions"]["problems"][0];
            assert_eq!(problem["explanation"], text, "{field}");
        }
    }
}

#[testkit::story]
async fn every_node_has_an_id(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let project = t.project("acme/anvil").await;
    let nail = project.generic_package("nail", "1.0").await;
    let ids = [
        gid("Project", project.id),
        gid("User", jane.id),
        gid("Packages::Package", nail.id),
    ];
    let admin = t.admin();
    for id in &ids {
        for query in [
            "query($id:ID!){node(id:$id){id}}",
            "query($id:ID!){node(id:$id){...I}} fragment I on Node{id}",
            "query($id:ID!){node(id:$id){... on Node{id} ... on User{id}}}",
        ] {
            let answer = ask_with(&admin, query, json!({"id": id})).await;
            assert_eq!(answer, json!({"data": {"node": {"id": id}}}), "{query}");
        }
    }
    let all =
        ask_with(&admin, "query($ids:[ID!]!){nodes(ids:$ids){id}}", json!({"ids": ids})).await;
    let found: Vec<&Value> = all["data"]["nodes"].as_array().unwrap().iter().collect();
    assert_eq!(
        found,
        ids.iter()
            .map(|id| json!({"id": id}))
            .collect::<Vec<_>>()
            .iter()
            .collect::<Vec<_>>()
    );
    // Whatever implements it can be asked for it where it stands.
    let own = data(&jane, "{currentUser{... on Node{id}}}").await;
    assert_eq!(own["currentUser"]["id"], json!(gid("User", jane.id)));
}

#[testkit::story]
async fn node_is_an_interface(t: testkit::TestServer) {
    let query = "{node:__type(name:\"Node\"){kind fields{name type{kind ofType{name}}} \
        possibleTypes{name}} user:__type(name:\"UserCore\"){interfaces{name}}}";
    let found = data(&t.anonymous(), query).await;
    let id = json!({"name": "id", "type": {"kind": "NON_NULL", "ofType": {"name": "ID"}}});
    assert_eq!(
        (&found["node"]["kind"], &found["node"]["fields"]),
        (&json!("INTERFACE"), &json!([id]))
    );
    let objects = found["node"]["possibleTypes"].as_array().unwrap();
    for name in ["UserCore", "CurrentUser", "Project", "Issue", "Todo", "PackageDetailsType"] {
        assert!(objects.contains(&json!({"name": name})), "{name}");
    }
    assert_eq!(found["user"]["interfaces"], json!([{"name": "Node"}, {"name": "User"}]));
    let sdl = t.anonymous().at("/api/graphql/schema.graphql").await.is(200).text();
    for line in [
        "interface Node {",
        "type Project implements Node",
        "type UserCore implements Node & User",
    ] {
        assert!(sdl.contains(line), "{line}");
    }
}
