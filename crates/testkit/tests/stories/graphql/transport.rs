//! Bodies, batches, media types, statuses.

use crate::graphql::{PATH, ask, message, posted, refusal};
use http::Method;
use serde_json::json;

const ECHO: &str = "{echo(text:\"a\")}";

#[testkit::story]
async fn a_query_comes_as_json_form_or_address(t: testkit::TestServer) {
    let nobody = t.anonymous();
    let answer = json!({"data": {"echo": "nil says: a"}});

    let reply = posted(&nobody, &json!({"query": ECHO})).await.is(200);
    assert_eq!(reply.json(), answer);
    assert_eq!(reply.header("content-type"), "application/json; charset=utf-8");
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    assert_eq!(reply.header("access-control-allow-credentials"), "");
    assert_eq!(reply.header("x-service-complexity"), "1");
    assert_eq!(reply.header("x-service-complexity-limit"), "200");

    let slash = nobody.request(Method::POST, format!("{PATH}/"));
    assert_eq!(slash.json(&json!({"query": ECHO})).await.is(200).json(), answer);

    let form = "query=query($t:String!){echo(text:$t)}&variables={\"t\":\"a\"}&operationName=";
    let form = nobody.request(Method::POST, PATH).form(form);
    assert_eq!(form.await.is(200).json(), answer);

    let address = format!("{PATH}?query=query+Q{{echo(text:%22a%22)}}&operationName=Q");
    assert_eq!(nobody.at(&address).await.is(200).json(), answer);
    let head = nobody.request(Method::HEAD, &address).await.is(200);
    assert!(head.body.is_empty());
}

#[testkit::story]
async fn variables_come_in_several_forms(t: testkit::TestServer) {
    let nobody = t.anonymous();
    let query = "query($t: String = \"b\"){echo(text:$t)}";
    for (variables, said) in [
        (json!({"t": "a"}), "a"),
        (json!("{\"t\":\"a\"}"), "a"),
        (json!(""), "b"),
        (json!(null), "b"),
    ] {
        let body = json!({"query": query, "variables": variables, "extensions": {"x": 1}});
        let reply = posted(&nobody, &body).await.is(200);
        assert_eq!(reply.json()["data"]["echo"], format!("nil says: {said}"));
    }
    for (variables, text) in [
        (json!([1]), "Unexpected parameter: [1]"),
        (json!(7), "Unexpected parameter: 7"),
        (json!("[1]"), "Unexpected parameter: [1]"),
        (json!("{"), "Invalid JSON: EOF while parsing an object at line 1 column 1"),
    ] {
        let bad = posted(&nobody, &json!({"query": query, "variables": variables})).await;
        assert_eq!(refusal(&bad), (422, text.into()));
    }
}

#[testkit::story]
async fn a_batch_answers_in_order(t: testkit::TestServer) {
    let nobody = t.anonymous();
    let one = json!({"query": ECHO});
    let batch =
        json!([one, {"query": "{nope}"}, {"query": "query Q{__typename}", "operationName": "Q"}]);
    let reply = posted(&nobody, &batch).await.is(200).json();
    assert_eq!(reply[0]["data"]["echo"], "nil says: a");
    assert_eq!(message(&reply[1]), "Field 'nope' doesn't exist on type 'Query'");
    assert!(reply[1].get("data").is_none());
    assert_eq!(reply[2]["data"]["__typename"], "Query");

    let refused = posted(&nobody, &json!([])).await;
    assert_eq!(refusal(&refused), (422, "Batch is empty".into()));
    let many = json!(vec![one.clone(); 21]);
    assert_eq!(refusal(&posted(&nobody, &many).await), (422, "Batch too large".into()));
    let thousand = json!(vec![one; 1_000]);
    assert_eq!(refusal(&posted(&nobody, &thousand).await), (422, "Batch too large".into()));
}

#[testkit::story]
async fn a_batch_shares_one_limit_of_complexity(t: testkit::TestServer) {
    let nobody = t.anonymous();
    let echoes: String = (0..110).map(|n| format!("a{n}:echo(text:\"\") ")).collect();
    let one = json!({"query": format!("{{{echoes}}}")});
    posted(&nobody, &one).await.is(200).json()["data"]["a0"]
        .as_str()
        .expect("it runs alone");

    let reply = posted(&nobody, &json!([one, one])).await.is(200).json();

    let text = "Query has complexity of 220, which exceeds max complexity of 200";
    for entry in reply.as_array().unwrap() {
        assert_eq!(message(entry), text);
        assert!(entry.get("data").is_none());
    }
}

#[testkit::story]
async fn errors_before_the_run_have_no_data(t: testkit::TestServer) {
    let nobody = t.anonymous();
    for (query, text) in [
        ("{", "Expected NAME, actual: (none) (\"\") at [1, 2]"),
        ("{nope}", "Field 'nope' doesn't exist on type 'Query'"),
        (
            "query($v:Int!){echo(text:$v)}",
            "Type mismatch on variable $v and argument text (Int! / String!)",
        ),
    ] {
        let answer = ask(&nobody, query).await;
        assert_eq!(message(&answer), text);
        assert!(answer.get("data").is_none());
    }
    let empty = posted(&nobody, &json!({})).await.is(200).json();
    assert_eq!(empty["errors"][0]["message"], "Unexpected end of document");
    assert_eq!(empty["errors"][0]["locations"], json!([]));
    let number = posted(&nobody, &json!({"query": 7})).await.is(200).json();
    assert_eq!(message(&number), "Expected query to be text, actual: 7");
}

#[testkit::story]
async fn the_strict_media_type_has_strict_statuses(t: testkit::TestServer) {
    let nobody = t.anonymous();
    let strict = "application/graphql-response+json";
    for (body, status) in [
        (json!({"query": ECHO}), 200),
        (json!({"query": "{"}), 400),
        (json!({"query": "{nope}"}), 400),
        (json!({"query": 7}), 400),
        (json!({"query": "query($v:String!){echo(text:$v)}"}), 400),
    ] {
        let reply = posted(&nobody, &body).header("accept", strict).await.is(status);
        assert_eq!(reply.header("content-type"), format!("{strict}; charset=utf-8"));
        let usual = posted(&nobody, &body).header("accept", "*/*").await.is(200);
        assert_eq!(usual.json(), reply.json());
        assert_eq!(usual.header("vary"), "Accept, Origin");
    }
    let refused = posted(&nobody, &json!([])).header("accept", strict).await.is(422);
    assert_eq!(refused.header("content-type"), format!("{strict}; charset=utf-8"));
    let refused = posted(&nobody, &json!([])).await.is(422);
    assert_eq!(refused.header("content-type"), "application/json; charset=utf-8");
}

#[testkit::story]
async fn other_requests_are_refused_as_a_whole(t: testkit::TestServer) {
    let nobody = t.anonymous();
    let post = || nobody.request(Method::POST, PATH);
    assert_eq!(post().bytes("{}").await.status, 415);
    let text = post().header("content-type", "text/plain").bytes("{}").await;
    assert_eq!(refusal(&text), (415, "Unsupported content type: text/plain".into()));
    let json_body = |body: Vec<u8>| post().header("content-type", "application/json").bytes(body);
    for malformed in ["{", "", "{\"query\":\"\\ud800\"}"] {
        let reply = json_body(malformed.into()).await;
        assert_eq!(refusal(&reply), (400, "Malformed JSON".into()), "{malformed}");
    }
    assert_eq!(refusal(&json_body(vec![b'"', 0xff, b'"']).await).0, 400);
    assert_eq!(refusal(&json_body("7".into()).await), (422, "Unexpected parameter: 7".into()));
    let name = posted(&nobody, &json!({"query": ECHO, "operationName": 7})).await;
    assert_eq!(refusal(&name).0, 422);
    let below = nobody.at(format!("{PATH}/nope")).await;
    assert_eq!(refusal(&below), (404, "Not found!".into()));
    assert_eq!(nobody.request(Method::PUT, PATH).await.status, 405);
}

#[testkit::story]
async fn other_origins_ask_without_cookies(t: testkit::TestServer) {
    let ask = t.anonymous().request(Method::OPTIONS, PATH);
    let ask = ask.header("origin", "https://elsewhere.example");
    let ask = ask.header("access-control-request-method", "POST");
    let asked = ask.header("access-control-request-headers", "content-type").await.is(200);
    assert_eq!(asked.header("access-control-allow-origin"), "*");
    assert_eq!(asked.header("access-control-allow-methods"), "POST");
    assert_eq!(asked.header("access-control-allow-headers"), "content-type");
    assert_eq!(asked.header("access-control-allow-credentials"), "");
}

#[testkit::story]
async fn subscriptions_are_refused(t: testkit::TestServer) {
    let answer = ask(&t.anonymous(), "subscription{x}").await;
    assert_eq!(answer["errors"][0]["extensions"]["code"], "missingSubscriptionConfiguration");
    assert!(answer.get("data").is_none());
}

#[testkit::story]
async fn mutations_do_not_come_by_get(t: testkit::TestServer) {
    let (admin, mutation) = (t.admin(), "mutation+M{echoCreate(input:{}){errors}}");
    let get = admin.at(format!("{PATH}?query={mutation}")).await;
    assert_eq!(refusal(&get), (422, "Mutations are forbidden in GET requests".into()));
    let hidden =
        format!("{PATH}?query={mutation}+query+IntrospectionQuery{{__typename}}&operationName=");
    assert_eq!(admin.at(format!("{hidden}M")).await.status, 422);
    admin.at(format!("{hidden}IntrospectionQuery")).await.is(200);
    let head = admin.request(Method::HEAD, format!("{PATH}?query={mutation}")).await;
    assert_eq!(head.status, 422);
}
