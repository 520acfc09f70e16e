//! A repository of a server, with what was done with its pull requests.

use super::double::{Thing, Upstream};
use super::{Code, ended, of_server, threads};
use serde_json::{Value, json};
use testkit::TestServer;

/// In milliseconds: 2013-01-25T01:05:20Z.
const CREATED: i64 = 1_359_075_920_000;
const REQUESTS: &str = "/projects/KEY/repos/tool/pull-requests";

fn user(id: i64, name: &str, full: &str) -> Value {
    json!({"id": id, "name": name, "slug": name, "displayName": full, "active": true,
        "emailAddress": format!("{name}@upstream.example")})
}

fn comment(id: i64, author: Value, text: &str, answers: Vec<Value>) -> Value {
    json!({"id": id, "text": text, "author": author, "createdDate": CREATED + id,
        "updatedDate": CREATED + id, "comments": answers})
}

fn ada() -> Value {
    user(1, "ada", "Ada")
}

fn ben() -> Value {
    user(2, "ben", "Ben")
}

fn eve() -> Value {
    user(3, "eve", "Eve")
}

fn activity(id: i64, action: &str, more: Value) -> Value {
    let own = json!({"id": id, "createdDate": CREATED + id * 1000, "action": action,
        "user": ben()});
    super::with(own, more)
}

fn request(code: &Code, id: i64, state: &str) -> Value {
    let of = |name: &str, commit: &str| {
        json!({"id": format!("refs/heads/{name}"), "displayId": name, "latestCommit": commit,
            "repository": {"slug": "tool", "project": {"key": "KEY"}}})
    };
    json!({"id": id, "title": format!("Request {id}"), "description": "Louder, says @eve",
        "state": state, "createdDate": CREATED, "updatedDate": CREATED + 60_000,
        "fromRef": of("feature", &code.feature), "toRef": of("main", &code.main),
        "author": {"user": ada(), "role": "AUTHOR"},
        "reviewers": [{"user": ben(), "approved": true, "status": "APPROVED"}]})
}

async fn upstream(t: &TestServer, code: &Code) -> Upstream {
    let upstream = Upstream::start(t, false).await;
    let clone = json!([{"name": "ssh", "href": "ssh://git@code.example/key/tool.git"},
        {"name": "http", "href": code.url(t)}]);
    upstream.has(
        "/projects/KEY/repos/tool",
        Thing::One(json!({"id": 7, "slug": "tool", "name": "The Tool", "description": "Hits",
            "public": true, "project": {"key": "KEY", "public": false},
            "links": {"clone": clone}})),
    );
    let broken = json!({"id": 3, "title": null});
    let requests = vec![request(code, 1, "OPEN"), request(code, 2, "DECLINED"), broken];
    upstream.has(REQUESTS, Thing::List(requests));
    upstream.has(
        "/projects/KEY/permissions/users",
        Thing::List(vec![json!({"user": ada(), "permission": "PROJECT_WRITE"})]),
    );
    let anchor = json!({"path": "a.txt", "line": 2, "lineType": "ADDED", "fileType": "TO",
        "fromHash": code.main, "toHash": code.feature, "diffType": "EFFECTIVE"});
    let deep = comment(43, ada(), "Deep", vec![]);
    let answers =
        vec![comment(41, ben(), "Answer", vec![deep]), comment(42, eve(), "Late", vec![])];
    // The newest first.
    let activities = vec![
        activity(9, "APPROVED", json!({})),
        activity(8, "UNAPPROVED", json!({"user": eve()})),
        activity(
            7,
            "COMMENTED",
            json!({"commentAction": "ADDED", "comment": comment(40, eve(), "General", answers)}),
        ),
        activity(
            6,
            "COMMENTED",
            json!({"commentAction": "ADDED", "comment": comment(30, ben(), "In code of #1", vec![]),
                "commentAnchor": anchor}),
        ),
        json!({"id": 5, "action": 7}),
        activity(4, "APPROVED", json!({"user": eve()})),
        activity(3, "OPENED", json!({})),
    ];
    upstream.has(&format!("{REQUESTS}/1/activities"), Thing::List(activities));
    let declined = vec![activity(20, "DECLINED", json!({}))];
    upstream.has(&format!("{REQUESTS}/2/activities"), Thing::List(declined));
    upstream
}

#[testkit::story(noon)]
async fn a_repository_of_a_server_comes_with_its_pull_requests(t: TestServer) {
    let code = Code::begin(&t).await;
    let upstream = upstream(&t, &code).await;
    let wish = of_server(
        &t,
        &upstream,
        json!({"target_namespace": "/makers/tools", "new_name": "Big-tool",
            "optional_stages": {"collaborators_import": true}}),
    );
    let root = t.admin();
    let made = root.post("/import/provider_b_server").json(&wish).await.is(201).json();
    for (key, value) in [
        ("name", json!("Big-tool")),
        ("full_path", json!("/makers/tools/Big-tool")),
        ("full_name", json!("makers / tools / Big-tool")),
        ("refs_url", json!("/makers/tools/Big-tool/refs")),
        ("import_source", json!("KEY/tool")),
        ("import_status", json!("scheduled")),
        ("human_import_status_name", json!("scheduled")),
        ("provider_link", json!("/KEY/tool")),
        ("relation_type", Value::Null),
    ] {
        assert_eq!(made[key], value, "{key}: {made}");
    }
    let warning = made["import_warning"].as_str().expect("new groups are private");
    assert!(warning.starts_with("The project is private here and public there"), "{warning}");
    assert!(made.get("import_error").is_none());

    let told = ended(&t, &root, &made).await;
    assert_eq!(told["import_status"], "finished", "{told}");
    assert_eq!(told["import_type"], "provider_b_server");
    assert_eq!(told["stats"]["imported"]["pull_request"], 2, "{told}");
    let failed = told["failed_relations"].as_array().expect("a list");
    let mut keys: Vec<_> = failed.iter().map(|one| one["key"].as_str().expect("a key")).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["3", "5"], "{told}");

    let at = format!("/projects/{}", made["id"]);
    let refs = root.get(format!("{at}/repository/branches")).await.is(200);
    assert_eq!(refs.each("name"), [json!("feature"), json!("main")]);
    let first = root.get(format!("{at}/merge_requests/1")).await.is(200).json();
    for (key, value) in [
        ("title", "Request 1"),
        ("state", "opened"),
        ("source_branch", "feature"),
        ("target_branch", "main"),
        ("created_at", "2013-01-25T01:05:20.000Z"),
        ("updated_at", "2013-01-25T01:06:20.000Z"),
    ] {
        assert_eq!(first[key], value, "{key}");
    }
    assert_eq!(first["author"]["name"], "Placeholder Ada");
    let text = first["description"].as_str().expect("a text");
    assert!(text.contains("Louder, says `@eve`"), "{text}");
    assert_eq!(first["reviewers"][0]["name"], "Placeholder Ben");
    let second = root.get(format!("{at}/merge_requests/2")).await.is(200).json();
    assert_eq!((&second["state"], &second["merged_at"]), (&json!("closed"), &Value::Null));
    root.get(format!("{at}/merge_requests/3")).await.is(404);

    let mut threads = threads(&root, &format!("{at}/merge_requests/1")).await;
    threads.sort_by_key(|(texts, _)| texts[0].clone());
    let texts: Vec<&[String]> = threads.iter().map(|(texts, _)| texts.as_slice()).collect();
    let answered = ["General", "Answer", "Late", "> Answer\n\nDeep"].map(str::to_owned);
    assert_eq!(texts, [&answered[..], &["In code of !1".to_owned()][..]]);
    let place = &threads[1].1;
    assert_eq!((&place["new_path"], &place["new_line"]), (&json!("a.txt"), &json!(2)));
    let approved = root.get(format!("{at}/merge_requests/1/approvals")).await.is(200).json();
    let approved = approved["approved_by"].as_array().expect("a list").clone();
    let names: Vec<&Value> = approved.iter().map(|one| &one["user"]["name"]).collect();
    assert_eq!(names, ["Placeholder Ben"], "who took it back approved nothing");
}

#[testkit::story(noon)]
async fn a_server_that_repeats_itself_or_forgets_ends(t: TestServer) {
    let code = Code::begin(&t).await;
    let upstream = upstream(&t, &code).await;
    // The activities of one pull request are gone; those of the other still come.
    upstream.has(&format!("{REQUESTS}/1/activities"), Thing::Says(404, "gone"));
    let wish = of_server(&t, &upstream, json!({"new_name": "forgotten"}));
    let root = t.admin();
    let made = root.post("/import/provider_b_server").json(&wish).await.is(201).json();
    assert_eq!(made["full_path"], "/root/forgotten", "it is one's own without a namespace");
    let told = ended(&t, &root, &made).await;
    assert_eq!(told["import_status"], "finished", "{told}");
    let failed = told["failed_relations"].as_array().expect("a list");
    assert!(failed.iter().any(|one| one["key"] == "pull_request 1"), "{told}");
    let at = format!("/projects/{}/merge_requests/2", made["id"]);
    let second = root.get(&at).await.is(200).json();
    assert_eq!(second["author"]["name"], "Import User", "{second}");

    // A list that never comes to an end.
    let page = json!({"values": [], "isLastPage": false, "nextPageStart": 0});
    upstream.has(REQUESTS, Thing::One(page));
    let wish = of_server(&t, &upstream, json!({"new_name": "endless"}));
    let made = root.post("/import/provider_b_server").json(&wish).await.is(201).json();
    let told = ended(&t, &root, &made).await;
    assert_eq!(told["import_status"], "finished", "{told}");

    // Pages of a proxy where lists should be.
    upstream.has(REQUESTS, Thing::Says(200, "<html>Sign in</html>"));
    let wish = of_server(&t, &upstream, json!({"new_name": "signs"}));
    let made = root.post("/import/provider_b_server").json(&wish).await.is(201).json();
    let told = ended(&t, &root, &made).await;
    assert_eq!(told["import_status"], "failed", "{told}");
    assert_eq!(told["import_error"], "Response is not valid JSON", "{told}");
}
