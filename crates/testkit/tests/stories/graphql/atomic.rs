//! Batches that ask for all or nothing.

use crate::graphql::{PATH, message, posted};
use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::{Client, Reply, TestProject};

const UNDONE: &str = "Nothing was changed: another mutation of this request failed";
const RULES: &str =
    "{project(fullPath:\"acme/anvil\"){packagesProtectionRules{nodes{packageNamePattern}}}}";

/// The field that protects packages of this name.
fn protect(project: &str, pattern: &str) -> String {
    format!(
        "createPackagesProtectionRule(input:{{projectPath:\"{project}\",\
         packageNamePattern:\"{pattern}\",packageType:GENERIC,\
         minimumAccessLevelForPush:OWNER}}){{errors packageProtectionRule{{packageNamePattern}}}}"
    )
}

fn mutation(pattern: &str) -> Value {
    json!({"query": format!("mutation{{{}}}", protect("acme/anvil", pattern))})
}

async fn together(client: &Client, body: &Value) -> Reply {
    posted(client, body).header("x-service-batch", "atomic").await
}

/// Patterns of the rules there are.
async fn patterns(admin: &Client, project: &TestProject) -> Vec<String> {
    let rules = admin
        .get(project.at("/packages/protection/rules?per_page=100"))
        .await
        .is(200)
        .json();
    let pattern =
        |rule: &Value| rule["package_name_pattern"].as_str().unwrap_or_default().to_owned();
    let mut all: Vec<String> = rules.as_array().unwrap().iter().map(pattern).collect();
    all.sort();
    all
}

fn code(answer: &Value) -> &str {
    answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default()
}

#[testkit::story]
async fn all_mutations_of_a_batch_are_kept(t: testkit::TestServer) {
    let (anvil, admin) = (t.project("acme/anvil").await, t.admin());
    let batch = json!([mutation("a*"), {"query": RULES}, mutation("b*")]);

    let reply = together(&admin, &batch).await.is(200).json();

    assert_eq!(reply[0]["data"]["createPackagesProtectionRule"]["errors"], json!([]));
    let seen = &reply[1]["data"]["project"]["packagesProtectionRules"]["nodes"];
    assert_eq!(*seen, json!([{"packageNamePattern": "a*"}]), "it sees its own changes");
    assert_eq!(patterns(&admin, &anvil).await, ["a*", "b*"]);
}

#[testkit::story]
async fn a_mutation_that_fails_undoes_the_others(t: testkit::TestServer) {
    let (anvil, admin) = (t.project("acme/anvil").await, t.admin());
    let missing = json!({"query": format!("mutation{{{}}}", protect("acme/none", "c*"))});
    for (failing, told) in [(mutation("a*"), ""), (missing, "notAvailable")] {
        let batch = json!([mutation("a*"), failing, mutation("b*")]);
        let reply = together(&admin, &batch).await.is(200).json();
        for other in [&reply[0], &reply[2]] {
            assert_eq!((message(other), code(other)), (UNDONE, "undone"));
            assert_eq!(other["data"], json!(null));
        }
        assert_eq!(code(&reply[1]), told);
        if told.is_empty() {
            let errors = &reply[1]["data"]["createPackagesProtectionRule"]["errors"];
            assert_eq!(errors.as_array().map(Vec::len), Some(1), "it says why: {reply}");
        }
        assert!(patterns(&admin, &anvil).await.is_empty());
    }
    let records = t.app().read(|tx| {
        Ok(tx.one::<i64>(
            "select count(*) from audit_records where action like 'package_protection_rule%'",
            (),
        )?)
    });
    assert_eq!(records.await.unwrap(), 0, "nothing was done, and none says so");

    let batch = json!([mutation("a*"), mutation("a*"), mutation("b*")]);
    posted(&admin, &batch).await.is(200);
    assert_eq!(
        patterns(&admin, &anvil).await,
        ["a*", "b*"],
        "each for itself unless it is asked for"
    );
}

#[testkit::story]
async fn fields_of_one_operation_belong_together(t: testkit::TestServer) {
    let (anvil, admin) = (t.project("acme/anvil").await, t.admin());
    let three = |second: &str| {
        let fields = [("x", "a*"), ("y", second), ("z", "b*")];
        let fields =
            fields.map(|(key, pattern)| format!("{key}:{}", protect("acme/anvil", pattern)));
        json!({"query": format!("mutation{{{}}}", fields.join(" "))})
    };

    let reply = together(&admin, &three("a*")).await.is(200).json();

    assert_eq!((&reply["data"]["x"], &reply["data"]["z"]), (&json!(null), &json!(null)));
    assert_eq!(reply["data"]["y"]["packageProtectionRule"], json!(null));
    let told: Vec<&Value> =
        reply["errors"].as_array().unwrap().iter().map(|one| &one["path"]).collect();
    assert_eq!(told, [&json!(["x"]), &json!(["z"])]);
    assert_eq!(message(&reply), UNDONE);
    assert!(patterns(&admin, &anvil).await.is_empty());
    let reply = together(&admin, &three("c*")).await.is(200).json();
    assert_eq!(reply.get("errors"), None);
    assert_eq!(patterns(&admin, &anvil).await, ["a*", "b*", "c*"]);
}

#[testkit::story]
async fn nothing_begins_when_a_part_cannot(t: testkit::TestServer) {
    let (anvil, admin) = (t.project("acme/anvil").await, t.admin());
    let batch = json!([mutation("a*"), {"query": "mutation{nope}"}]);
    let reply = together(&admin, &batch).await.is(200).json();
    assert_eq!((code(&reply[0]), code(&reply[1])), ("undone", "undefinedField"));
    assert!(patterns(&admin, &anvil).await.is_empty());
    let reader = t.token_of(t.user("jane").await.id, &["read_api"]).await;
    let reply = together(&reader, &json!([mutation("a*")])).await.is(200).json();
    assert_eq!(code(&reply[0]), "notAvailable");
    let other = admin.request(http::Method::POST, PATH).json(&mutation("a*"));
    let other = other.header("x-service-batch", "none").await.is(422);
    assert_eq!(message(&other.json()), "X-Service-Batch can be atomic only");
    let queries = json!([{"query": "{nope}"}, {"query": "{__typename}"}]);
    let reply = together(&admin, &queries).await.is(200).json();
    assert_eq!(reply[1]["data"]["__typename"], "Query", "queries change nothing");
    assert!(patterns(&admin, &anvil).await.is_empty());
}

#[testkit::story]
async fn many_at_once_are_each_whole(t: testkit::TestServer) {
    let (anvil, admin) = (t.project("acme/anvil").await, t.admin());
    let batch = |n: usize| json!([mutation(&format!("a{n}*")), mutation(&format!("b{n}*"))]);
    let batches: Vec<Value> = (0..8).map(batch).collect();
    let beside = (0..8).map(|n| mutation(&format!("c{n}*"))).collect::<Vec<_>>();

    let (replies, _) = futures_util::join!(
        join_all(batches.iter().map(|batch| together(&admin, batch))),
        join_all(beside.iter().map(|body| async { posted(&admin, body).await })),
    );

    let found = patterns(&admin, &anvil).await;
    for (n, reply) in replies.iter().enumerate() {
        let kept = |letter: &str| found.contains(&format!("{letter}{n}*"));
        assert_eq!(kept("a"), kept("b"), "{n}");
        assert_eq!(kept("a"), reply.status == 200, "{n}: {reply:?}");
        assert!([200, 503].contains(&reply.status), "{reply:?}");
    }
    assert!(replies.iter().any(|reply| reply.status == 200));
}
