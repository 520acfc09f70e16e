//! The interface about itself: introspection and what is deprecated.

use crate::graphql::{ask, data, message, posted};
use http::Method;
use serde_json::{Value, json};

const DEPRECATED: &str = "{__schema{types{name fields(includeDeprecated:true){name isDeprecated \
    deprecationReason args(includeDeprecated:true){name isDeprecated}} \
    enumValues(includeDeprecated:true){name isDeprecated} \
    inputFields(includeDeprecated:true){name isDeprecated}}}}";

#[testkit::story]
async fn strangers_may_introspect(t: testkit::TestServer) {
    let query = "query IntrospectionQuery{__schema{queryType{name}mutationType{name}\
        types{kind name description fields(includeDeprecated:true){name description args{name \
        type{kind name ofType{kind name ofType{kind name ofType{kind name}}}} defaultValue} \
        type{kind name ofType{kind name ofType{kind name}}} isDeprecated deprecationReason} \
        inputFields{name type{kind name}} interfaces{kind name} enumValues{name} \
        possibleTypes{kind name}} directives{name locations args{name}}}}";
    let first = ask(&t.anonymous(), query).await;
    assert_eq!(first["errors"], json!(null));
    assert_eq!(first["data"]["__schema"]["queryType"]["name"], "Query");
    let again = ask(&t.anonymous(), query).await;
    assert_eq!(first, again, "kept answers are the same answers");
    let user = data(&t.admin(), "{__type(name:\"User\"){kind possibleTypes{name}}}").await;
    let parts = ["Assignee", "Author", "Participant", "Reviewer"];
    let mut people = vec![json!({"name": "CurrentUser"})];
    people.extend(parts.map(|part| json!({"name": format!("MergeRequest{part}")})));
    people.push(json!({"name": "UserCore"}));
    assert_eq!(user["__type"], json!({"kind": "INTERFACE", "possibleTypes": people}));
}

#[testkit::story]
async fn only_the_exact_text_is_answered_from_memory(t: testkit::TestServer) {
    let (admin, nobody) = (t.admin(), t.anonymous());
    let query = "query IntrospectionQuery{__schema{queryType{name}}}";
    data(&admin, query).await;
    let other = "query IntrospectionQuery{currentUser{username} __typename}";
    assert_eq!(data(&admin, other).await["currentUser"]["username"], "root");
    assert_eq!(data(&nobody, other).await["currentUser"], json!(null));
    let hidden = "mutation IntrospectionQuery{echoCreate(input:{}){errors}}";
    assert_eq!(ask(&nobody, hidden).await["data"], json!({"echoCreate": null}));
}

#[testkit::story]
async fn a_text_that_passed_before_is_checked_for_whoever_asks(t: testkit::TestServer) {
    let (admin, nobody) = (t.admin(), t.anonymous());
    // Too complex for strangers only.
    let names: String = ('a'..='n').map(|key| format!("{key}:name ")).collect();
    let people: String = ('a'..='n').map(|key| format!("{key}:currentUser{{...f}} ")).collect();
    let dear = format!("{{{people}}} fragment f on CurrentUser{{{names}}}");
    for _ in 0..2 {
        assert_eq!(ask(&admin, &dear).await["errors"], json!(null));
        let refused = ask(&nobody, &dear).await;
        assert!(message(&refused).starts_with("Query has complexity of 210"), "{refused}");
    }
    for _ in 0..2 {
        data(&admin, "{currentUser{email}}").await;
        let request = admin.request(Method::POST, "/api/graphql?remove_deprecated=true");
        let left = request.json(&json!({"query": "{currentUser{email}}"})).await.json();
        assert_eq!(message(&left), "Field 'email' doesn't exist on type 'CurrentUser'");
    }
    let two = "query a{currentUser{username}} query b{currentUser{name}}";
    for (name, field, value) in [
        ("a", "username", "root"),
        ("b", "name", "Administrator"),
        ("a", "username", "root"),
    ] {
        let body = json!({"query": two, "operationName": name});
        let answer = posted(&admin, &body).await.is(200).json();
        assert_eq!(answer["data"]["currentUser"], json!({field: value}));
    }
    let given = "query($u:String=\"root\"){user(username:$u){username}}";
    assert_eq!(data(&admin, given).await["user"]["username"], "root");
    let body = json!({"query": given, "variables": {"u": "nobody"}});
    assert_eq!(posted(&admin, &body).await.is(200).json()["data"], json!({"user": null}));
}

#[testkit::story]
async fn what_is_deprecated_can_be_left_out(t: testkit::TestServer) {
    let admin = t.admin();
    let whole = data(&admin, DEPRECATED).await.to_string();
    assert!(whole.contains("This was renamed. Please use `User.publicEmail`. Deprecated in 13.7."));
    assert!(whole.contains("\"isDeprecated\":true"));
    let without = async |query: &str, flag: &str| -> Value {
        let path = format!("/api/graphql?remove_deprecated={flag}");
        let request = admin.request(Method::POST, path);
        request.json(&json!({"query": query})).await.is(200).json()
    };
    for flag in ["true", "1"] {
        let left = without(DEPRECATED, flag).await;
        assert_eq!(left["errors"], json!(null));
        assert!(!left.to_string().contains("\"isDeprecated\":true"));
        let used = without("{currentUser{email}}", flag).await;
        assert_eq!(message(&used), "Field 'email' doesn't exist on type 'CurrentUser'");
    }
    assert_eq!(data(&admin, "{currentUser{email}}").await["currentUser"]["email"], json!(null));
}

#[testkit::story]
async fn newer_fields_are_null_where_that_is_asked(t: testkit::TestServer) {
    let query = "{currentUser{soon @service_introduced(version:\"99.0\") username}}";
    let me = json!({"currentUser": {"soon": null, "username": "root"}});
    assert_eq!(data(&t.admin(), query).await, me);
}

#[testkit::story]
async fn bombs_of_introspection_are_refused(t: testkit::TestServer) {
    let bomb = "{__schema{types{fields{type{fields{type{fields{type{name}}}}}}}}}";
    let body = json!({"query": bomb});
    let answer = posted(&t.anonymous(), &body).await.is(200).json();
    assert!(message(&answer).starts_with("Recursive query - too many of fields"));
}
