//! Execution as the specification wants it, over a table of its own.

use crate::execute;
use crate::validation::{Limits, Source, check, parse, variables};
use identity::spam::{Guarded, Refused};
use kernel::error::Error;
use kernel::graph::context::Loader;
use kernel::graph::fault::NOT_AVAILABLE;
use kernel::graph::{
    Context, Done, Fault, GlobalId, Graph, HasTypeRef, INT, Request, STRING, Table, argument,
    enumeration, item, named, object, one_of,
};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

struct Row(i64);

/// Makes `write` ask for a challenge.
#[derive(Clone)]
struct Challenge;

/// Names of rows; counts how often it is asked.
struct Names;

#[derive(Clone, Default)]
struct Asked(Arc<AtomicUsize>);

impl Loader for Names {
    type Key = i64;
    type Value = Arc<Row>;

    async fn load(context: Context, keys: Vec<i64>) -> Result<HashMap<i64, Arc<Row>>, Fault> {
        if let Some(asked) = context.get::<Asked>() {
            asked.0.fetch_add(1, Ordering::SeqCst);
        }
        let odd = keys.into_iter().filter(|key| key % 2 == 1);
        Ok(odd.map(|key| (key, Arc::new(Row(key)))).collect())
    }
}

static TABLE: LazyLock<Arc<Table>> = LazyLock::new(|| {
    let mut g = Graph::new();
    let row = || object::<Row>("Row");
    g.enumeration("Color", "", vec![item("RED", "")]);
    g.input("Filter", "", vec![argument("text", STRING).default("none")]);
    g.object::<Row>("Row", "")
        .field("id", INT.required(), |row| row.0)
        .field("color", enumeration("Color"), |_| Some("RED"))
        .load::<Names, _>("friend", row(), |row| Some(row.0 % 4))
        .resolve("broken", STRING, |_, _, _| async { Err(Fault::said("broken", "It broke")) })
        .resolve("must", STRING.required(), |row: Arc<Row>, _, _| async move {
            if row.0 == 2 {
                return Err(Fault::said("broken", "It broke"));
            }
            Ok(row.0.to_string())
        })
        .resolve("hidden", STRING, |_, _, _| async { Err(Error::NotFound("Row").into()) })
        .resolve("never", STRING.required(), |_, _, _| async { Err(Error::forbidden("").into()) });
    g.object::<Row>("Other", "").field("id", INT.required(), |row| row.0);
    g.union("Either", "", &["Row", "Other"]);
    let either = || one_of::<Row>("Either", |row| if row.0 == 1 { "Row" } else { "Other" });
    g.query()
        .answer("row", row(), |_, _| async {
            tokio::task::yield_now().await;
            Ok(Some(Arc::new(Row(1))))
        })
        .answer("quick", row(), |_, _| async { Ok(Some(Arc::new(Row(9)))) })
        .answer("rows", row().required().list(), |_, _| async {
            Ok(Some((1..=5).map(|n| Arc::new(Row(n))).collect()))
        })
        .answer("some", row().list(), |_, _| async {
            Ok(Some((1..=3).map(|n| Some(Arc::new(Row(n)))).collect()))
        })
        .answer("must", row().required(), |_, _| async { Ok(Arc::new(Row(2))) })
        .answer("either", either().required().list(), |_, _| async {
            Ok(Some((1..=2).map(|n| Arc::new(Row(n))).collect()))
        })
        .answer("slow", STRING, |_, _| async {
            std::future::pending::<()>().await;
            Ok(None)
        })
        .answer("said", STRING, |args, _| async move {
            let filter: Option<Json> = args.get("filter")?;
            Ok(filter.map(|filter| filter.to_string()))
        })
        .arg(argument("filter", named("Filter")))
        .answer("gone", STRING, |_, _| async { Err(Error::internal("secret cause").into()) });
    let id = GlobalId::new("RowID", "Row");
    g.object::<Row>("Named", "")
        .field("id", id.node().required(), |row| row.0)
        .field("n", INT.required(), |row| row.0);
    g.node::<Names, _>(id, object::<Row>("Named"));
    g.mutation::<Row>("write", "")
        .answers("row", row(), |row| Some(Arc::new(Row(row.0))))
        .run(|_: Json, context: Context| async move {
            let refused = match context.get::<Challenge>() {
                Some(_) => {
                    Refused::Challenge { noun: "row", spam_log_id: 7, site_key: "site".into() }
                }
                None => Refused::Spam { noun: "row" },
            };
            let row: Row = Guarded::Refused(refused).mutated()?;
            Ok(row.into())
        });
    g.mutation::<Row>("add", "")
        .input(argument("n", INT.required()))
        .answers("row", row(), |row| Some(Arc::new(Row(row.0))))
        .run(|input: Json, context: Context| async move {
            let n = input["n"].as_i64().unwrap_or_default();
            if let Some(asked) = context.get::<Asked>() {
                asked.0.fetch_add(1, Ordering::SeqCst);
            }
            match n {
                0 => Err(Error::invalid("n", "must not be zero").into()),
                1 => Err(Error::NotFound("Row").into()),
                2 => Ok(Done { errors: vec!["Half done".into()], payload: None }),
                _ => Ok(Row(n).into()),
            }
        });
    Arc::new(g.finish().unwrap())
});

struct Caller {
    anonymous: bool,
    scopes: Option<Vec<String>>,
    time: Duration,
    challenged: bool,
}

const SESSION: Caller = Caller {
    anonymous: false,
    scopes: None,
    time: Duration::from_secs(600),
    challenged: false,
};

async fn run_as(caller: Caller, query: &str, given: Json) -> (Result<Json, String>, usize) {
    let asked = Asked::default();
    let mut extensions = http::Extensions::new();
    extensions.insert(asked.clone());
    if caller.challenged {
        extensions.insert(Challenge);
    }
    let deadline = tokio::time::Instant::now() + caller.time;
    let mut request = Request::new(extensions, deadline);
    request.anonymous = caller.anonymous;
    request.scopes = caller.scopes;
    let source = Source {
        query: query.to_owned(),
        operation_name: None,
        variables: variables::sent(Some(&given)).unwrap(),
    };
    let mut limits = Limits::of(false);
    limits.validation = Duration::from_secs(60);
    let checked = check(&TABLE, parse(source).unwrap(), limits).unwrap();
    let context = Context {
        request: Arc::new(request),
        table: TABLE.clone(),
        score: checked.score,
        limit: checked.limit,
    };
    let outcome = execute::run(context, &checked).await;
    let answer = outcome.map(execute::Outcome::json).map_err(|error| error.to_string());
    (answer, asked.0.load(Ordering::SeqCst))
}

/// The answer to a session, and how often rows were asked for.
async fn run_with(query: &str, given: Json) -> (Json, usize) {
    let (answer, asked) = run_as(SESSION, query, given).await;
    (answer.unwrap(), asked)
}

async fn run(query: &str) -> Json {
    run_with(query, json!({})).await.0
}

fn messages(answer: &Json) -> Vec<&str> {
    let errors = answer["errors"].as_array();
    let all = errors.into_iter().flatten();
    all.filter_map(|error| error["message"].as_str()).collect()
}

#[tokio::test]
async fn answers_keep_the_order_of_the_document() {
    let answer = run("{ row { id color } quick { id } b: quick { __typename } }").await;
    assert_eq!(
        answer.to_string(),
        json!({"data": {"row": {"id": 1, "color": "RED"}, "quick": {"id": 9},
            "b": {"__typename": "Row"}}})
        .to_string()
    );
}

#[tokio::test]
async fn a_list_asks_once_for_what_belongs_to_its_rows() {
    let query = "{ rows { id friend { id friend { id } } } }";
    let (answer, asked) = run_with(query, json!({})).await;
    assert_eq!(answer["data"]["rows"][0]["friend"]["friend"]["id"], 1);
    assert_eq!(answer["data"]["rows"][1]["friend"], json!(null));
    assert_eq!(asked, 1, "the second level is known already");
}

#[tokio::test]
async fn a_failed_field_is_null_and_tells_its_path() {
    let answer = run("{ some { id x: broken } }").await;
    assert_eq!(answer["data"]["some"][1], json!({"id": 2, "x": null}));
    assert_eq!(
        answer["errors"][1],
        json!({"message": "It broke", "locations": [{"line": 1, "column": 13}],
            "path": ["some", 1, "x"], "extensions": {"code": "broken"}})
    );
}

#[tokio::test]
async fn a_failed_required_field_fails_what_it_stands_in() {
    let answer = run("{ some { must } }").await;
    assert_eq!(answer["data"]["some"], json!([{"must": "1"}, null, {"must": "3"}]));
    assert_eq!(messages(&answer), ["It broke"]);
    let answer = run("{ rows { must } quick { id } }").await;
    assert_eq!(answer["data"], json!({"rows": null, "quick": {"id": 9}}));
    let answer = run("{ must { must } quick { id } }").await;
    assert_eq!(answer["data"], json!(null));
}

#[tokio::test]
async fn what_is_hidden_is_null_without_a_word() {
    let answer = run("{ row { hidden id } }").await;
    assert_eq!(answer, json!({"data": {"row": {"hidden": null, "id": 1}}}));
    let answer = run("{ row { never id } }").await;
    assert_eq!(answer["data"], json!({"row": null}));
    assert_eq!(messages(&answer), ["Cannot return null for non-nullable field Row.never"]);
}

#[tokio::test]
async fn fragments_apply_by_type_and_merge() {
    let answer =
        run("{ either { ... on Either { ... on Row { id color } ... on Other { n: id } } } \
         row { ...A ...B } } fragment A on Row { friend { id } } \
         fragment B on Row { friend { color } }")
        .await;
    assert_eq!(answer["data"]["either"], json!([{"id": 1, "color": "RED"}, {"n": 2}]));
    assert_eq!(answer["data"]["row"], json!({"friend": {"id": 1, "color": "RED"}}));
}

#[tokio::test]
async fn skipped_parts_are_absent_and_newer_ones_null() {
    let query = "query($no: Boolean!) { row { id @include(if: $no) color @skip(if: $no) \
        soon @service_introduced(version: \"99.0\") } }";
    let (answer, _) = run_with(query, json!({"no": false})).await;
    assert_eq!(answer, json!({"data": {"row": {"color": "RED", "soon": null}}}));
}

#[tokio::test]
async fn arguments_arrive_coerced_with_their_defaults() {
    let answer = run("{ a: said(filter: {}) b: said c: said(filter: {text: null}) }").await;
    assert_eq!(
        answer["data"],
        json!({"a": "{\"text\":\"none\"}", "b": null, "c": "{\"text\":null}"})
    );
    let query = "query($t: String) { said(filter: {text: $t}) }";
    let (answer, _) = run_with(query, json!({})).await;
    assert_eq!(answer["data"]["said"], "{\"text\":\"none\"}");
}

#[tokio::test]
async fn mutations_tell_their_errors_in_the_payload() {
    let add = |n: i64| {
        format!(
            "mutation {{ add(input: {{n: {n}, clientMutationId: \"me\"}}) \
             {{ clientMutationId errors row {{ id }} }} }}"
        )
    };
    let answer = run(&add(7)).await;
    let done = json!({"clientMutationId": "me", "errors": [], "row": {"id": 7}});
    assert_eq!(answer, json!({"data": {"add": done}}));
    let answer = run(&add(0)).await;
    let failed = json!({"clientMutationId": "me", "errors": ["N must not be zero"], "row": null});
    assert_eq!(answer, json!({"data": {"add": failed}}));
    assert_eq!(run(&add(2)).await["data"]["add"]["errors"], json!(["Half done"]));
    let answer = run(&add(1)).await;
    assert_eq!(answer["data"], json!({"add": null}));
    assert_eq!(messages(&answer), [NOT_AVAILABLE]);
    assert_eq!(answer["errors"][0]["extensions"]["code"], "notAvailable");
}

#[tokio::test]
async fn spam_is_told_beside_a_payload_of_nulls() {
    let query = "mutation { write(input: {}) { row { id } errors } add(input: {n: 7}) { errors } }";
    let answer = run(query).await;
    let sentence = "Your row has been recognized as spam and has been discarded.";
    assert_eq!(
        answer["data"],
        json!({"write": {"row": null, "errors": [sentence]}, "add": {"errors": []}})
    );
    assert_eq!(
        answer["errors"],
        json!([{"message": "Request denied. Spam detected",
            "locations": [{"line": 1, "column": 12}], "path": ["write"],
            "extensions": {"spam": true, "code": "spam"}}])
    );
    let challenged = Caller { challenged: true, ..SESSION };
    let (answer, _) = run_as(challenged, query, json!({})).await;
    let answer = answer.unwrap();
    assert_eq!(answer["data"]["write"]["row"], json!(null));
    let text = "Request denied. Solve CAPTCHA challenge and retry";
    assert_eq!(messages(&answer), [text]);
    assert_eq!(
        answer["errors"][0]["extensions"],
        json!({"needsCaptchaResponse": true, "captchaSiteKey": "site", "spamLogId": 7,
            "code": "needsCaptchaResponse"})
    );
}

#[tokio::test]
async fn nodes_come_in_order_and_each_model_is_asked_once() {
    let query = "query($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on Named { n } } }";
    let of = |model: &str, id: &str| format!("gid://service/{model}/{id}");
    let huge = "9".repeat(60);
    let ids = json!([
        of("Row", "3"),
        of("Row", "2"),
        of("Sheet", "1"),
        of("Row", "1"),
        of("Row", &huge),
        of("Row", "3")
    ]);
    let (answer, asked) = run_with(query, json!({"ids": ids})).await;
    let row = |n: i64| json!({"__typename": "Named", "n": n});
    assert_eq!(answer, json!({"data": {"nodes": [row(3), null, null, row(1), null, row(3)]}}));
    assert_eq!(asked, 1);
    let one = run("{ node(id: \"gid://service/Row/5\") { id ... on Named { n } } }").await;
    let node = json!({"id": "gid://service/Row/5", "n": 5});
    assert_eq!(one, json!({"data": {"node": node}}));
}

#[tokio::test]
async fn nodes_refuse_what_is_no_id_and_more_than_a_hundred() {
    let query = "query($ids: [ID!]!) { nodes(ids: $ids) { __typename } }";
    let many = json!(vec!["gid://service/Row/1"; 101]);
    for (ids, text) in [
        (json!(["7"]), "\"7\" is not a valid Global ID"),
        (json!(["gid://other/Row/1"]), "\"gid://other/Row/1\" is not a Service Global ID"),
        (
            json!(["gid://service/Row/1/2"]),
            "\"gid://service/Row/1/2\" is not a valid Global ID",
        ),
        (many, "ids cannot have more than 100 entries"),
    ] {
        let (answer, asked) = run_with(query, json!({"ids": ids})).await;
        assert_eq!((messages(&answer), asked), (vec![text], 0));
        assert_eq!(answer["data"], json!({"nodes": null}));
    }
}

#[tokio::test]
async fn a_mutation_that_merges_runs_once() {
    let twice = "mutation { add(input: {n: 7}) { errors } add(input: {n: 7}) { row { id } } }";
    let (answer, runs) = run_with(twice, json!({})).await;
    assert_eq!(answer["data"]["add"], json!({"errors": [], "row": {"id": 7}}));
    assert_eq!(runs, 1);
}

#[tokio::test]
async fn mutations_need_a_user_and_the_scope() {
    let query = "mutation { add(input: {n: 7}) { errors } }";
    let read = Some(vec!["read_api".to_owned()]);
    let refused = [Caller { anonymous: true, ..SESSION }, Caller { scopes: read, ..SESSION }];
    for caller in refused {
        let (answer, runs) = run_as(caller, query, json!({})).await;
        let answer = answer.unwrap();
        assert_eq!(answer["data"], json!({"add": null}));
        assert_eq!(messages(&answer), [NOT_AVAILABLE]);
        assert_eq!(runs, 0);
    }
    let api = Caller { scopes: Some(vec!["api".to_owned()]), ..SESSION };
    let (answer, runs) = run_as(api, query, json!({})).await;
    assert_eq!((answer.unwrap()["data"]["add"]["errors"].clone(), runs), (json!([]), 1));
}

#[tokio::test(start_paused = true)]
async fn what_takes_too_long_is_cut_and_the_rest_kept() {
    let caller = Caller { time: Duration::from_secs(30), ..SESSION };
    let (answer, _) = run_as(caller, "{ slow quick { id } }", json!({})).await;
    let answer = answer.unwrap();
    assert_eq!(answer["data"], json!({"slow": null, "quick": {"id": 9}}));
    assert_eq!(messages(&answer), ["Timeout on Query.slow"]);
    let late = Caller { time: Duration::ZERO, ..SESSION };
    let (answer, _) = run_as(late, "{ quick { id } }", json!({})).await;
    assert_eq!(messages(&answer.unwrap()), ["Timeout on Query.quick"]);
}

#[tokio::test]
async fn what_is_broken_ends_the_request() {
    let (answer, _) = run_as(SESSION, "{ quick { id } gone }", json!({})).await;
    assert_eq!(answer, Err("internal error: secret cause".to_owned()));
}

#[tokio::test]
async fn the_interface_tells_of_itself() {
    let answer = run(
        "{ __schema { queryType { name } mutationType { name } subscriptionType { name } \
         directives { name } types { name kind } } \
         __type(name: \"Row\") { name kind fields { name type { kind ofType { name } } } } \
         none: __type(name: \"Nope\") { name } hidden: __type(name: \"__Root\") { name } }",
    )
    .await;
    let schema = &answer["data"]["__schema"];
    assert_eq!(schema["queryType"]["name"], "Query");
    assert_eq!(schema["mutationType"]["name"], "Mutation");
    assert_eq!(schema["subscriptionType"], json!(null));
    let row = &answer["data"]["__type"];
    assert_eq!((row["kind"].as_str(), row["name"].as_str()), (Some("OBJECT"), Some("Row")));
    let id = json!({"name": "id", "type": {"kind": "NON_NULL", "ofType": {"name": "Int"}}});
    assert!(row["fields"].as_array().unwrap().contains(&id));
    assert_eq!(answer["data"]["none"], json!(null));
    assert_eq!(answer["data"]["hidden"], json!(null));
}
