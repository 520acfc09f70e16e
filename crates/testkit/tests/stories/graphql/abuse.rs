//! What nobody should send: refused, and nothing told that is not theirs.

use crate::graphql::{PATH, ask_with, data, message, posted, refusal};
use http::Method;
use serde_json::json;

#[testkit::story]
async fn long_queries_are_counted_in_characters(t: testkit::TestServer) {
    let nobody = t.anonymous();
    let of = |letter: &str, count: usize| {
        let text = letter.repeat(count - "{echo(text:\"\")}".len());
        json!({"query": format!("{{echo(text:\"{text}\")}}")})
    };
    posted(&nobody, &of("é", 10_000)).await.is(200);
    let reply = posted(&nobody, &of("é", 10_001)).await;
    assert_eq!(refusal(&reply), (422, "Query too large".into()));
    let half = of("a", 5_001);
    let reply = posted(&nobody, &json!([half, half])).await;
    assert_eq!(refusal(&reply), (422, "Query too large".into()), "a batch counts together");
    let long = json!({"v": "a".repeat(20_000)});
    let answer = ask_with(&nobody, "query($v:String!){echo(text:$v)}", long).await;
    assert_eq!(answer["errors"], json!(null), "variables do not count");
}

#[testkit::story]
async fn bodies_are_bounded(t: testkit::TestServer) {
    let unknown = t.anonymous().request(Method::POST, PATH);
    let body = format!("{{\"query\":\"{}\"}}", "a".repeat(64 * 1024));
    let large = unknown.header("content-type", "application/json").bytes(body).await;
    assert_eq!(refusal(&large), (413, "Request body too large".into()));
    let admin = t.admin();
    let post = |body: String| {
        let request = admin.request(Method::POST, PATH);
        request.header("content-type", "application/json").bytes(body)
    };
    let large = post(format!("{{\"query\":\"{}\"}}", "a".repeat(5 * 1024 * 1024))).await;
    assert_eq!(refusal(&large), (413, "Request body too large".into()));
    let deep = post(format!("{{\"variables\":{}1{}}}", "[".repeat(40), "]".repeat(40))).await;
    assert_eq!(refusal(&deep), (400, "JSON is nested too deep".into()));
    let digits = post(format!("{{\"variables\":{{\"n\":{}}}}}", "9".repeat(100_000))).await;
    assert_eq!(refusal(&digits), (400, "JSON number has too many digits".into()));
    let keys: String = (0..60_000).map(|n| format!("\"k{n}\":1,")).collect();
    let keys = post(format!("{{\"variables\":{{{keys}\"z\":1}}}}")).await;
    assert_eq!(refusal(&keys), (400, "JSON object has too many keys".into()));
}

#[testkit::story]
async fn hostile_documents_are_one_error_each(t: testkit::TestServer) {
    let nobody = t.anonymous();
    for (query, code) in [
        (format!("{{a(b:{}", "[".repeat(4_000)), "documentTooDeep"),
        (format!("{{a(b:{}", "{x:".repeat(3_000)), "documentTooDeep"),
        ("{".repeat(9_999), "documentTooDeep"),
        ("a ".repeat(4_999), "parseError"),
        ("{...a} fragment a on Query{...a}".to_owned(), "infiniteLoop"),
        (
            format!("{{echo(text:\"\"){}}}", "@include(if:true)".repeat(500)),
            "tooManyDirectives",
        ),
    ] {
        let answer = posted(&nobody, &json!({"query": query})).await.is(200).json();
        let found = answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default();
        assert_eq!(found, code, "{}", &query[..query.len().min(60)]);
    }
    assert_eq!(data(&nobody, "{__typename}").await["__typename"], "Query", "it lives");
}

#[testkit::story]
async fn bad_values_write_nothing(t: testkit::TestServer) {
    let admin = t.admin();
    let query = "mutation($i:EchoCreateInput!){echoCreate(input:$i){errors}}";
    for (input, part) in [
        (json!(null), ""),
        (json!({"messages": [null]}), " for messages.0 (Expected value to not be null)"),
        (json!({"x": 1}), " for x (Field is not defined on EchoCreateInput)"),
        (json!({"messages": 7}), " for messages (Could not coerce value 7 to String)"),
    ] {
        let answer = ask_with(&admin, query, json!({"i": input})).await;
        let text = format!("Variable $i of type EchoCreateInput! was provided invalid value{part}");
        assert_eq!(message(&answer), text);
        assert!(answer.get("data").is_none());
    }
}

#[testkit::story]
async fn text_with_nul_reaches_no_database(t: testkit::TestServer) {
    let admin = t.admin();
    let told = "Text cannot hold NUL characters";
    for field in [
        "user(username: %) { id }",
        "users(usernames: [%]) { nodes { id } }",
        "project(fullPath: %) { id }",
        "projects(search: %) { nodes { id } }",
        "echo(text: %)",
    ] {
        let literal = format!("{{ {} }}", field.replace('%', "\"a\\u0000\""));
        let answer = posted(&admin, &json!({"query": literal})).await.is(200).json();
        assert_eq!(message(&answer), told, "{field}");
        assert!(answer.get("data").is_none());
    }
    let query = "query($t: [String!]) { users(usernames: $t) { nodes { id } } }";
    let answer = ask_with(&admin, query, json!({"t": ["a", "b\0"]})).await;
    let refused =
        format!("Variable $t of type [String!] was provided invalid value for 1 ({told})");
    assert_eq!(message(&answer), refused);
}

#[testkit::story]
async fn no_cursor_breaks_a_list(t: testkit::TestServer) {
    let admin = t.admin();
    t.project("acme/anvil").await;
    let lists = [
        "users(PAGE){nodes{id}}",
        "projects(PAGE){nodes{id}}",
        "groups(PAGE){nodes{id}}",
        "group(fullPath:\"acme\"){projects(PAGE){nodes{id}}}",
        "group(fullPath:\"acme\"){descendantGroups(PAGE){nodes{id}}}",
        "group(fullPath:\"acme\"){groupMembers(PAGE){nodes{id}}}",
        "project(fullPath:\"acme/anvil\"){projectMembers(PAGE){nodes{id}}}",
        "currentUser{groups(PAGE){nodes{id}}}",
        "currentUser{groupMemberships(PAGE){nodes{id}}}",
        "currentUser{projectMemberships(PAGE){nodes{id}}}",
        "currentUser{starredProjects(PAGE){nodes{id}}}",
    ];
    let query = "{projects(sort:\"name_asc\"){edges{cursor}}}";
    let cursor = data(&admin, query).await["projects"]["edges"][0]["cursor"].clone();
    let cursor = cursor.as_str().expect("a cursor");
    let forged = [
        cursor.to_owned(),
        cursor[..cursor.len() - 1].to_owned(),
        "eyJpZCI6MX0".into(),
        "' or 1=1 --".into(),
        "é".repeat(100),
        "A".repeat(100_000),
    ];
    for list in lists {
        for way in ["after", "before"] {
            let query = list.replace("PAGE", &format!("{way}:$c"));
            let query = format!("query($c:String){{{query}}}");
            for bad in &forged {
                let answer = ask_with(&admin, &query, json!({"c": bad})).await;
                assert_eq!(message(&answer), "Please provide a valid cursor", "{query}");
            }
            let none = ask_with(&admin, &query, json!({"c": ""})).await;
            assert_eq!(none.get("errors"), None, "{query}: an empty cursor is none");
        }
        for page in ["first:-1", "last:-2147483648", "first:2147483647", "first:0", "last:0"] {
            let query = format!("{{{}}}", list.replace("PAGE", page));
            assert_eq!(ask_with(&admin, &query, json!({})).await.get("errors"), None, "{query}");
        }
    }
}
