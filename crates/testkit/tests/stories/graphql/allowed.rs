//! The operator's list of allowed queries.

use crate::graphql::{ask, message, posted};
use serde_json::{Value, json};
use testkit::{Client, TestServer, sha256};

const LIST: &str = "/application/graphql_queries";
const ME: &str = "query Me{currentUser{username}}";

async fn set(t: &TestServer, key: &str, value: bool) {
    let change = json!({key: value});
    t.admin().put("/application/settings").json(&change).await.is(200);
}

async fn list(t: &TestServer, query: &str) -> i64 {
    let body = json!({"name": "The dashboard", "query": query});
    t.admin().post(LIST).json(&body).await.is(201).id()
}

async fn code(client: &Client, body: &Value) -> String {
    let answer = posted(client, body).await.is(200).json();
    let code = &answer["errors"][0]["extensions"]["code"];
    code.as_str().unwrap_or_default().to_owned()
}

#[testkit::story]
async fn only_what_is_listed_is_answered(t: TestServer) {
    let (jane, nobody) = (t.user("jane").await, t.anonymous());
    let id = list(&t, ME).await;
    assert_eq!(code(&jane, &json!({"query": "{__typename}"})).await, "", "by default all are");
    set(&t, "graphql_allowed_queries_only", true).await;

    assert_eq!(ask(&jane, ME).await["data"]["currentUser"]["username"], "jane");
    assert_eq!(ask(&nobody, ME).await["data"]["currentUser"], json!(null));
    for other in [
        "{__typename}",
        "query Me{currentUser{username} }",
        "{__schema{types{name}}}",
        "",
    ] {
        let answer = ask(&jane, other).await;
        assert_eq!(
            message(&answer),
            "This query is not on the list of queries that this server answers"
        );
        assert!(answer.get("data").is_none());
        assert_eq!(code(&nobody, &json!({"query": other})).await, "queryNotAllowed");
    }
    let both = json!([{"query": ME}, {"query": "mutation{echoCreate(input:{}){errors}}"}]);
    let both = posted(&jane, &both).await.is(200).json();
    assert_eq!(both[0]["data"]["currentUser"]["username"], "jane");
    assert_eq!(both[1]["errors"][0]["extensions"]["code"], "queryNotAllowed");
    let strict = posted(&jane, &json!({"query": "{__typename}"}));
    strict.header("accept", "application/graphql-response+json").await.is(400);
    // Administrators try queries out before they list them.
    assert_eq!(ask(&t.admin(), "{__typename}").await["data"]["__typename"], "Query");

    t.admin().delete(format!("{LIST}/{id}")).await.is(204);
    assert_eq!(code(&jane, &json!({"query": ME})).await, "queryNotAllowed");
}

#[testkit::story]
async fn listed_queries_are_known_by_their_digest(t: TestServer) {
    let jane = t.user("jane").await;
    list(&t, ME).await;
    let by_digest = |query: &str| {
        json!({"extensions":
        {"persistedQuery": {"version": 1, "sha256Hash": sha256(query)}}})
    };
    assert_eq!(code(&jane, &by_digest(ME)).await, "PERSISTED_QUERY_NOT_SUPPORTED");
    set(&t, "graphql_persisted_queries_enabled", true).await;
    let known = posted(&jane, &by_digest(ME)).await.is(200).json();
    assert_eq!(known["data"]["currentUser"]["username"], "jane", "nobody sent it before");
    let mut other = by_digest("{__typename}");
    other["query"] = json!("{__typename}");
    assert_eq!(code(&jane, &other).await, "");

    set(&t, "graphql_allowed_queries_only", true).await;

    assert_eq!(code(&jane, &by_digest(ME)).await, "");
    assert_eq!(
        code(&jane, &by_digest("{__typename}")).await,
        "queryNotAllowed",
        "it was kept before"
    );
    assert_eq!(code(&jane, &other).await, "queryNotAllowed");
    assert_eq!(code(&t.anonymous(), &by_digest(ME)).await, "PERSISTED_QUERY_NOT_SUPPORTED");
}

#[testkit::story]
async fn administrators_keep_the_list(t: TestServer) {
    let (admin, jane) = (t.admin(), t.user("jane").await);
    let body = json!({"name": "The dashboard", "query": ME});
    let made = admin.post(LIST).json(&body).await.is(201);
    let (id, shown) = (made.id(), made.json());
    assert_eq!((&shown["name"], &shown["query"]), (&json!("The dashboard"), &json!(ME)));
    assert_eq!((&shown["sha256"], &shown["created_by_id"]), (&json!(sha256(ME)), &json!(1)));
    assert_eq!(admin.get(format!("{LIST}/{id}")).await.is(200).json(), shown);
    assert_eq!(admin.get(LIST).await.is(200).json(), json!([shown]));

    for (name, query, field) in [
        ("again", ME, "query"),
        ("", "{a}", "name"),
        (&*"x".repeat(256), "{a}", "name"),
        ("x", "{", "query"),
        ("x", "", "query"),
        ("x", &*format!("{{{}}}", "a ".repeat(6_000)), "query"),
    ] {
        let body = json!({"name": name, "query": query});
        let refused = admin.post(LIST).json(&body).await.is(400).json();
        assert!(refused["message"][field].is_array(), "{name} {query}: {refused}");
    }
    let several = json!({"name": "two", "query": "query A{a} query B{b}"});
    admin.post(LIST).json(&several).await.is(201);
    jane.get(LIST).await.is(403);
    jane.post(LIST).json(&body).await.is(403);
    jane.delete(format!("{LIST}/{id}")).await.is(403);
    t.anonymous().get(LIST).await.is(401);
    admin.delete(format!("{LIST}/{id}")).await.is(204);
    admin.get(format!("{LIST}/{id}")).await.is(404);
    let actions = t.app().read(|tx| Ok(tx.all::<String>(
        "select action from audit_records where target_type = 'GraphqlAllowedQuery' order by id", ())?));
    let actions = actions.await.unwrap();
    assert_eq!(
        actions,
        [
            "graphql_allowed_query.create",
            "graphql_allowed_query.create",
            "graphql_allowed_query.delete"
        ]
    );
}
