//! What answers tell of themselves: their cost, and what will go.

use crate::graphql::{PATH, message, posted};
use http::Method;
use serde_json::{Value, json};
use testkit::{Reply, TestServer};

/// Score and limit in the headers.
fn cost(reply: &Reply) -> (String, String) {
    let header = |name: &str| reply.header(name).to_owned();
    (header("x-service-complexity"), header("x-service-complexity-limit"))
}

fn pair(score: &str, limit: &str) -> (String, String) {
    (score.to_owned(), limit.to_owned())
}

const WRITE: &str = "mutation{echoCreate(input:{messages:[\"a\"]}){echoes}}";

/// What administrators are told of `CurrentUser.email`; it is written beside
/// the request.
async fn reported(t: &TestServer) -> Value {
    for _ in 0..600 {
        let told = t.admin().get("/application/graphql_deprecations").await.is(200).json();
        if let Some(one) = told.as_array().and_then(|all| all.first()) {
            assert_eq!(one["member"], "CurrentUser.email");
            return one.clone();
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("nothing was reported");
}

#[testkit::story]
async fn every_answer_says_what_it_cost(t: TestServer) {
    let (nobody, admin) = (t.anonymous(), t.admin());
    let one = json!({"query": "{a:echo(text:\"\") b:echo(text:\"\")}"});
    assert_eq!(cost(&posted(&nobody, &one).await), pair("2", "200"));
    assert_eq!(cost(&posted(&admin, &one).await), pair("2", "250"));
    let batch = posted(&admin, &json!([one, {"query": "{nope}"}, one])).await;
    assert_eq!(cost(&batch), pair("4", "250"), "a batch says the sum");
    let exposed = batch.header("access-control-expose-headers").to_owned();
    assert!(exposed.contains("X-Service-Complexity, X-Service-Complexity-Limit"));

    let echoes: String = (0..201).map(|n| format!("a{n}:echo(text:\"\") ")).collect();
    let large = json!({"query": format!("{{{echoes}}}")});
    let refused = posted(&nobody, &large).await;
    assert_eq!(cost(&refused), pair("201", "200"), "refused ones say it too");
    let together = posted(&nobody, &json!([{"query": format!("{{{}}}", &echoes[..])}])).await;
    assert_eq!(cost(&together), pair("201", "200"));
    let extensions = &refused.json()["errors"][0]["extensions"];
    assert_eq!(*extensions, json!({"code": "queryTooComplex", "score": 201, "limit": 200}));
    assert_eq!(cost(&posted(&nobody, &json!({"query": "{nope}"})).await), pair("", ""));
}

#[testkit::story]
async fn an_answer_tells_the_cost_of_its_fields_on_request(t: TestServer) {
    let query = "{me:currentUser{username name}}";
    let fields = json!([
        {"path": ["me"], "field": "Query.currentUser", "cost": 3},
        {"path": ["me", "username"], "field": "CurrentUser.username", "cost": 1},
        {"path": ["me", "name"], "field": "CurrentUser.name", "cost": 1},
    ]);
    let cost = json!({"score": 3, "limit": 250, "depth": 2, "fields": fields});
    let admin = t.admin();

    let body = json!({"query": query, "extensions": {"cost": true, "other": [1]}});
    let told = posted(&admin, &body).await.is(200).json();
    assert_eq!(told["extensions"], json!({"cost": cost}));
    assert_eq!(told["data"]["me"]["username"], "root");

    let address = format!("{PATH}?query={query}&extensions={{\"cost\":true}}");
    let told = admin.at(address.replace(' ', "+").replace('\"', "%22")).await.is(200).json();
    assert_eq!(told["extensions"], json!({"cost": cost}));
    for silent in [json!({"cost": false}), json!({"cost": "true"}), json!(null), json!("")] {
        let body = json!({"query": query, "extensions": silent});
        assert!(posted(&admin, &body).await.is(200).json().get("extensions").is_none());
    }
    let wrong = json!({"query": query, "extensions": [1]});
    let wrong = posted(&admin, &wrong).await;
    assert_eq!((wrong.status, message(&wrong.json())), (422, "Unexpected parameter: [1]"));
}

#[testkit::story]
async fn a_dry_run_scores_and_does_nothing(t: TestServer) {
    let (jane, before) = (t.user("jane").await, "{echo(text:\"\")}");
    let reader = t.token_of(jane.id, &["read_api"]).await;
    let dry = |query: &str| json!({"query": query, "extensions": {"dryRun": true}});

    let told = posted(&jane, &dry(WRITE)).await.is(200);
    assert_eq!(cost(&told), pair("2", "250"));
    let told = told.json();
    assert_eq!(told["data"], json!(null));
    assert_eq!(told["extensions"]["dryRun"], true);
    assert_eq!(told["extensions"]["cost"]["score"], 2);
    assert!(told.get("errors").is_none());
    let told = posted(&reader, &dry(WRITE)).await.is(200).json();
    assert!(told.get("errors").is_none(), "nothing runs, so nothing is refused");

    let batch = json!([dry(before), {"query": before}]);
    let both = posted(&jane, &batch).await.is(200).json();
    assert_eq!(both[0]["data"], json!(null));
    assert_eq!(both[1]["data"]["echo"], "\"jane\" says: ");
    let invalid = posted(&jane, &dry("{nope}")).await.is(200).json();
    assert!(message(&invalid).starts_with("Field 'nope'"));
    let get = format!(
        "{PATH}?query=mutation{{echoCreate(input:{{}}){{errors}}}}&extensions={{%22dryRun%22:true}}"
    );
    assert_eq!(jane.request(Method::GET, get).await.status, 422);
}

#[testkit::story]
async fn deprecated_members_are_told_on_request(t: TestServer) {
    let query = "{currentUser{email username}}";
    let body = json!({"query": query, "extensions": {"deprecations": true}});
    let told: Value = posted(&t.admin(), &body).await.is(200).json();
    assert_eq!(
        told["extensions"]["deprecations"],
        json!([{
            "member": "CurrentUser.email",
            "reason": "This was renamed. Please use `User.publicEmail`. Deprecated in 13.7.",
            "replacement": "User.publicEmail",
            "removedIn": "15.0",
        }])
    );
    let told = reported(&t).await;
    assert_eq!((&told["username"], &told["removed_in"]), (&json!("root"), &json!("15.0")));
    assert_eq!((&told["uses"], &told["replacement"]), (&json!(1), &json!("User.publicEmail")));
    let jane = t.user("jane").await;
    jane.get("/application/graphql_deprecations").await.is(403);

    let kept = "query IntrospectionQuery{__schema{queryType{name}}}";
    let plain = json!({"query": kept});
    let asked = json!({"query": kept, "extensions": {"deprecations": true}});
    posted(&t.admin(), &plain).await.is(200);
    let told = posted(&t.admin(), &asked).await.is(200).json();
    assert_eq!(
        told["extensions"],
        json!({"deprecations": []}),
        "not the answer kept for others"
    );
    let plain = posted(&t.admin(), &plain).await.is(200).json();
    assert!(plain.get("extensions").is_none());
}
