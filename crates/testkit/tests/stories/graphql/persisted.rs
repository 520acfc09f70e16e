//! Queries that come as their digest.

use crate::graphql::{PATH, message, posted, refusal};
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, TestServer, sha256};

const ME: &str = "{currentUser{username}}";
const WRITE: &str = "mutation{echoCreate(input:{}){errors}}";

async fn turn_on(t: &TestServer) {
    let change = json!({"graphql_persisted_queries_enabled": true});
    t.admin().put("/application/settings").json(&change).await.is(200);
}

/// A body with this digest, and with the query if there is one.
fn body(hash: &str, query: Option<&str>) -> Value {
    let extensions = json!({"persistedQuery": {"version": 1, "sha256Hash": hash}});
    match query {
        Some(query) => json!({"query": query, "extensions": extensions}),
        None => json!({"extensions": extensions}),
    }
}

/// The answer, and the code of its first error.
async fn ask(client: &Client, body: &Value) -> (Value, String) {
    let answer = posted(client, body).await.is(200).json();
    let code = answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default();
    (answer.clone(), code.to_owned())
}

#[testkit::story]
async fn a_query_is_sent_once_and_then_by_its_digest(t: TestServer) {
    turn_on(&t).await;
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    let hash = sha256(ME);

    let (unknown, code) = ask(&jane, &body(&hash, None)).await;
    assert_eq!(code, "PERSISTED_QUERY_NOT_FOUND");
    assert_eq!(message(&unknown), "PersistedQueryNotFound");
    assert!(unknown.get("data").is_none());
    let strict =
        posted(&jane, &body(&hash, None)).header("accept", "application/graphql-response+json");
    strict.await.is(200);
    let (sent, _) = ask(&jane, &body(&hash, Some(ME))).await;
    assert_eq!(sent["data"]["currentUser"]["username"], "jane");

    let (known, _) = ask(&john, &body(&hash, None)).await;
    assert_eq!(known["data"]["currentUser"]["username"], "john", "each for himself");
    let both = json!([body(&hash, None), body(&sha256("{x}"), None)]);
    let both = posted(&john, &both).await.is(200).json();
    assert_eq!(both[0]["data"]["currentUser"]["username"], "john");
    assert_eq!(message(&both[1]), "PersistedQueryNotFound");
    let extensions =
        format!("{{%22persistedQuery%22:{{%22version%22:1,%22sha256Hash%22:%22{hash}%22}}}}");
    let get = jane.at(format!("{PATH}?extensions={extensions}")).await.is(200);
    assert_eq!(get.json()["data"]["currentUser"]["username"], "jane");
}

#[testkit::story]
async fn what_is_kept_is_checked_like_any_other(t: TestServer) {
    turn_on(&t).await;
    let jane = t.user("jane").await;
    let reader = t.token_of(jane.id, &["read_api"]).await;
    let hash = sha256(WRITE);
    ask(&jane, &body(&hash, Some(WRITE))).await;

    let extensions =
        format!("{{%22persistedQuery%22:{{%22version%22:1,%22sha256Hash%22:%22{hash}%22}}}}");
    let get = jane.request(Method::GET, format!("{PATH}?extensions={extensions}")).await;
    assert_eq!(refusal(&get), (422, "Mutations are forbidden in GET requests".into()));
    let (refused, code) = ask(&reader, &body(&hash, None)).await;
    assert_eq!((&refused["data"], &*code), (&json!({"echoCreate": null}), "notAvailable"));

    let browser = t.browser("jane").await;
    let form = [("extensions", &*body(&hash, None)["extensions"].to_string())]
        .map(|(name, text)| (name, text.to_owned()));
    let form: Vec<(&str, &str)> = form.iter().map(|(name, text)| (*name, &**text)).collect();
    let cross = browser.post_bare(PATH, &form).await;
    assert_eq!(refusal(&cross), (422, "Invalid CSRF token".into()));

    let invalid = "{nope}";
    ask(&jane, &body(&sha256(invalid), Some(invalid))).await;
    let (_, code) = ask(&jane, &body(&sha256(invalid), None)).await;
    assert_eq!(code, "PERSISTED_QUERY_NOT_FOUND", "what is wrong is not kept");
}

#[testkit::story]
async fn digests_that_do_not_fit_are_refused(t: TestServer) {
    turn_on(&t).await;
    let jane = t.user("jane").await;
    let (_, code) = ask(&jane, &body(&sha256("{other}"), Some(ME))).await;
    assert_eq!(code, "PERSISTED_QUERY_HASH_MISMATCH");
    let (_, code) = ask(&jane, &body(&sha256("{other}"), None)).await;
    assert_eq!(code, "PERSISTED_QUERY_NOT_FOUND", "nothing is kept under a wrong digest");
    for (version, hash) in
        [(json!(2), sha256(ME)), (json!(1), "x".to_owned()), (json!(null), String::new())]
    {
        let extension = json!({"version": version, "sha256Hash": hash});
        let body = json!({"query": ME, "extensions": {"persistedQuery": extension}});
        assert_eq!(ask(&jane, &body).await.1, "persistedQueryInvalid");
    }
}

#[testkit::story]
async fn strangers_and_servers_without_it_take_texts_only(t: TestServer) {
    let jane = t.user("jane").await;
    let by_digest = body(&sha256(ME), None);
    let with_text = body(&sha256(ME), Some(ME));
    let (_, code) = ask(&jane, &by_digest).await;
    assert_eq!(code, "PERSISTED_QUERY_NOT_SUPPORTED", "it is off by default");
    let (answer, _) = ask(&jane, &with_text).await;
    assert_eq!(answer["data"]["currentUser"]["username"], "jane");

    turn_on(&t).await;
    let (_, code) = ask(&jane, &by_digest).await;
    assert_eq!(code, "PERSISTED_QUERY_NOT_FOUND", "nothing was kept meanwhile");
    ask(&jane, &with_text).await;
    let (_, code) = ask(&t.anonymous(), &by_digest).await;
    assert_eq!(code, "PERSISTED_QUERY_NOT_SUPPORTED");
    let (answer, _) = ask(&t.anonymous(), &with_text).await;
    assert_eq!(answer["data"], json!({"currentUser": null}));
}
