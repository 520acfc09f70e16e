//! What is looked at before an import begins, and what is said where something is wrong.

use super::double::Fault;
use super::{NUMBER, Story, repository};
use serde_json::{Value, json};
use testkit::{Client, TestServer, service};

const PATH: &str = "/import/provider_a";

async fn refused(client: &Client, body: &Value, status: u16) -> String {
    let told = client.post(PATH).json(body).await.is(status).json();
    told["message"].as_str().expect("a text").to_owned()
}

#[testkit::story]
async fn nobody_is_asked_for_credentials_first(t: TestServer) {
    for path in [PATH, "/import/provider_a/gists"] {
        t.anonymous().post(path).json(&json!({})).await.is(401);
    }
    let jane = t.user("jane").await;
    let told = jane.post(PATH).json(&json!({})).await.is(400).json();
    let error = told["error"].as_str().expect("a text");
    for name in ["personal_access_token", "repo_id", "target_namespace"] {
        assert!(error.contains(&format!("{name} is missing")), "{error}");
    }
}

#[testkit::story]
async fn parameters_have_bounds(t: TestServer) {
    let story = Story::begin(&t).await;
    for (more, text) in [
        (json!({"target_namespace": " "}), "target_namespace is empty"),
        (json!({"pagination_limit": 0}), "pagination_limit does not have a valid value"),
        (json!({"pagination_limit": 101}), "pagination_limit does not have a valid value"),
        (json!({"timeout_strategy": "x"}), "timeout_strategy does not have a valid value"),
        (json!({"repo_id": "x"}), "repo_id is invalid"),
    ] {
        let told = story.jane.post(PATH).json(&story.body(&more)).await.is(400).json();
        assert_eq!(told["error"], text);
    }
    assert_eq!(story.double.asked(), Vec::<String>::new(), "upstream is not asked");
}

#[testkit::story]
async fn addresses_that_lead_inside_are_refused(t: TestServer) {
    let story = Story::begin(&t).await;
    service::set(&t, json!({"outbound_local_requests_allowlist": []})).await;
    for hostname in [
        story.double.url.as_str(),
        "http://localhost:8080",
        "http://169.254.169.254",
        "http://2130706433/",
        "http://[::ffff:127.0.0.1]/",
        "127.0.0.1",
        "https://jane:secret@code.example",
        "file:///etc/passwd",
        "gopher://code.example",
        "http://",
    ] {
        let body = story.body(&json!({"provider_a_hostname": hostname}));
        let text = refused(&story.jane, &body, 400).await;
        assert_eq!(text, format!("Invalid URL: {hostname}"));
    }
    let text = refused(&story.jane, &story.body(&json!({})), 400).await;
    assert_eq!(text, format!("Invalid URL: {}", story.double.url), "the public one, too");
    assert_eq!(story.double.asked(), Vec::<String>::new());
}

#[testkit::story]
async fn a_namespace_is_there_and_open(t: TestServer) {
    let story = Story::begin(&t).await;
    let to = |path: &str| story.body(&json!({"target_namespace": path}));
    let unknown = "Namespace or group to import repository into does not exist.";
    assert_eq!(refused(&story.jane, &to("nowhere"), 422).await, unknown);
    let other = t.group("other").await;
    other.add(&story.jane, 30).await;
    let text = "You are not allowed to import projects in this namespace.";
    assert_eq!(refused(&story.jane, &to("other"), 422).await, text);
    let told = story.jane.post(PATH).json(&to("other")).await.is(422).json();
    assert_eq!(told["errors"], text);
    story.jane.post(PATH).json(&to("/tools")).await.is(201);
    story.jane.post(PATH).json(&to("jane")).await.is(201);
}

#[testkit::story]
async fn a_token_reads_what_is_imported(t: TestServer) {
    let story = Story::begin(&t).await;
    let repository = format!("/repositories/{NUMBER}");
    let wrong = story.body(&json!({"personal_access_token": "wrong"}));
    let told = story.jane.post(PATH).json(&wrong).await.is(401).json();
    assert_eq!(told["error"], "Access denied to your Provider A account.");

    let usual = story.body(&json!({}));
    story.double.faults(&repository, [Fault::of(403)]);
    let text = refused(&story.jane, &usual, 422).await;
    assert!(text.contains("does not have read access to the repository. "), "{text}");
    story.double.faults("/repos/acme/source/collaborators", [Fault::of(403)]);
    let text = refused(&story.jane, &usual, 422).await;
    assert!(text.contains("does not have read access to collaborators. "), "{text}");
    let unknown = story.body(&json!({"repo_id": 8}));
    let text = refused(&story.jane, &unknown, 422).await;
    let begins = "Import failed because of a Provider A error: ";
    assert!(text.starts_with(begins) && text.ends_with("(HTTP 404)"), "{text}");
    story.double.faults(&repository, [Fault::of(429)]);
    assert_eq!(refused(&story.jane, &usual, 429).await, "Too Many Requests");
}

#[testkit::story]
async fn what_upstream_says_is_told_without_the_token(t: TestServer) {
    let story = Story::begin(&t).await;
    let token = &story.double.token;
    let body = format!("<p>{token} {}</p>", "x".repeat(1000));
    let fault = Fault { body, ..Fault::of(500) };
    story.double.faults(&format!("/repositories/{NUMBER}"), [fault]);
    let text = refused(&story.jane, &story.body(&json!({})), 422).await;
    assert!(text.contains("<p>***** xxx") && !text.contains(token.as_str()), "{text}");
    assert!(text.len() < 600, "{text}");
}

#[testkit::story]
async fn the_project_is_told_as_it_begins(t: TestServer) {
    let story = Story::begin(&t).await;
    let body = story.body(&json!({"new_name": "Big Anvil"}));
    let told = story.jane.post(PATH).json(&body).await.is(201).json();
    let expected = json!({
        "id": told["id"], "name": "Big Anvil", "full_path": "/tools/big-anvil",
        "full_name": "tools / Big Anvil", "refs_url": "/tools/big-anvil/refs",
        "import_source": "acme/source", "import_status": "scheduled",
        "human_import_status_name": "scheduled", "provider_link": "/acme/source",
        "relation_type": "organization", "import_warning": null
    });
    assert_eq!(told, expected);
    let project = story.jane.get(format!("/projects/{}", told["id"])).await.is(200).json();
    assert_eq!(
        (&project["visibility"], &project["description"]),
        (&json!("private"), &json!("Hits hard"))
    );

    let text = refused(&story.jane, &body, 422).await;
    assert!(text.contains("has already been taken"), "{text}");
    let bad = story.body(&json!({"new_name": "-x"}));
    assert!(refused(&story.jane, &bad, 422).await.starts_with("New name must not start"));
}

#[testkit::story]
async fn who_owns_it_is_told(t: TestServer) {
    let story = Story::begin(&t).await;
    let mut own = repository(&t);
    own["owner"] = json!({"id": 11, "login": "Octo"});
    let relation = |name: &str| {
        let body = story.body(&json!({"new_name": name}));
        let jane = story.jane.clone();
        async move { jane.post(PATH).json(&body).await.is(201).json()["relation_type"].clone() }
    };
    story.double.list("/user/orgs", json!([]));
    assert_eq!(relation("one").await, "collaborated");
    story.double.one(&format!("/repositories/{NUMBER}"), own);
    assert_eq!(relation("two").await, "owned");
    story.double.faults("/user", [Fault::of(403)]);
    assert_eq!(relation("three").await, Value::Null);
}

#[testkit::story]
async fn a_dry_run_counts_and_makes_nothing(t: TestServer) {
    let story = Story::begin(&t).await;
    story
        .double
        .of_repository("labels", json!([{"name": "bug", "color": "f00000"}]));
    let body = story.body(&json!({"dry_run": true}));
    let told = story.jane.post(PATH).json(&body).await.is(200).json();
    assert_eq!((&told["counts"]["label"], &told["counts"]["issue"]), (&json!(1), &json!(0)));
    let stages = told["stages"].as_array().expect("a list");
    assert_eq!((&stages[0], stages.last()), (&json!("repository"), Some(&json!("finish"))));
    let projects = story.jane.get("/groups/tools/projects").await.is(200);
    assert!(projects.each("id").is_empty());
}

#[testkit::story]
async fn administrators_switch_it_off(t: TestServer) {
    let story = Story::begin(&t).await;
    service::set(&t, json!({"import_sources": ["git"]})).await;
    let text = refused(&story.jane, &story.body(&json!({})), 403).await;
    assert!(text.contains("provider_a import source is disabled"), "{text}");
    let token = json!({"personal_access_token": story.double.token});
    story.jane.post("/import/provider_a/gists").json(&token).await.is(403);
    assert_eq!(story.double.asked(), Vec::<String>::new());
}
