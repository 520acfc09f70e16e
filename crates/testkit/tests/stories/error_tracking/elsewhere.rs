//! Errors of a tracker elsewhere (docs/interface/monitoring.md 6.6 and «Bad input and abuse»).

use axum::extract::State;
use axum::response::IntoResponse;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use testkit::{Browser, TestServer};

/// A tracker that counts how often it is asked.
struct Fake {
    url: String,
    asked: Arc<AtomicUsize>,
}

/// What the fake is to answer with.
#[derive(Clone, Copy)]
enum Answers {
    Issues,
    Redirect,
    Endless,
}

impl Fake {
    async fn start(answers: Answers) -> Fake {
        let asked: Arc<AtomicUsize> = Arc::default();
        let issues = axum::routing::any(
            move |State(asked): State<Arc<AtomicUsize>>, headers: http::HeaderMap| async move {
                asked.fetch_add(1, Ordering::SeqCst);
                assert_eq!(headers["authorization"], "Bearer s3cret");
                match answers {
                    Answers::Issues => {
                        let link = "<http://x/>; rel=\"next\"; results=\"true\"; cursor=\"0:20:0\"";
                        ([("link", link)], issues().to_string()).into_response()
                    }
                    Answers::Redirect => {
                        axum::response::Redirect::temporary("http://10.0.0.1/").into_response()
                    }
                    Answers::Endless => vec![b' '; 3 << 20].into_response(),
                }
            },
        );
        let app = axum::Router::new().fallback_service(issues.with_state(asked.clone()));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Fake { url, asked }
    }
}

fn issues() -> Value {
    json!([{"id": "7", "title": "TypeError: <b>x</b>", "culprit": "app in f", "level": "error",
        "status": "unresolved", "count": "12", "userCount": 3, "shortId": "ANVIL-1", "type": "error",
        "permalink": "https://t.example/acme/anvil/issues/7/", "metadata": {"value": "x"},
        "project": {"id": "3", "name": "Anvil", "slug": "anvil"},
        "firstSeen": "2026-01-31T15:10:45Z", "lastSeen": "2026-02-01T15:10:45Z"}])
}

/// A maintainer's browser of a project whose errors are there.
async fn elsewhere(t: &TestServer, fake: &Fake) -> Browser {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    let browser = t.browser("jane").await;
    let path = "/acme/anvil/-/settings/error_tracking";
    browser.get(path).await.is(200);
    let url = format!("{}/api/0/projects/acme/anvil/", fake.url);
    let form = [
        ("action", "save"),
        ("active", "1"),
        ("mode", "external"),
        ("api_url", &url),
        ("token", "s3cret"),
    ];
    browser.submit(path, &form).await;
    browser
}

async fn allow_local(t: &TestServer, allowed: bool) {
    let setting = json!({"allow_local_requests_from_web_hooks_and_services": allowed});
    t.admin().put("/application/settings").json(&setting).await.is(200);
}

const LIST: &str = "/acme/anvil/-/error_tracking";

#[testkit::story]
async fn errors_elsewhere_are_listed_and_asked_for_once(t: TestServer) {
    let fake = Fake::start(Answers::Issues).await;
    allow_local(&t, true).await;
    let browser = elsewhere(&t, &fake).await;
    for _ in 0..3 {
        let listed = browser.get(&format!("{LIST}.json")).await.is(200).json();
        assert_eq!(listed["errors"][0]["title"], "TypeError: <b>x</b>");
        assert_eq!(
            (listed["errors"][0]["count"].clone(), listed["errors"][0]["short_id"].clone()),
            (json!(12), json!("ANVIL-1"))
        );
        assert_eq!(listed["pagination"], json!({"previous": null, "next": {"cursor": "0:20:0"}}));
        assert_eq!(listed["external_url"], format!("{}/acme/anvil/", fake.url));
    }
    assert_eq!(fake.asked.load(Ordering::SeqCst), 1);
    let page = browser.get(LIST).await.is(200).text();
    assert!(
        page.contains("TypeError: &#60;b&#62;x")
            && page.contains("https://t.example/acme/anvil/issues/7/"),
        "{page}"
    );
    let again = format!("{LIST}.json?cursor=0:20:0");
    browser.get(&again).await.is(200);
    assert_eq!(fake.asked.load(Ordering::SeqCst), 2);
}

#[testkit::story]
async fn graphql_lists_errors_elsewhere(t: TestServer) {
    let fake = Fake::start(Answers::Issues).await;
    allow_local(&t, true).await;
    let browser = elsewhere(&t, &fake).await;
    let gid = "gid://service/Service::ErrorTracking::DetailedError/7";
    let ask = async |arguments: &str| {
        let query = format!(
            "{{project(fullPath:\"acme/anvil\"){{trackerDetailedError(id:\"{gid}\"){{id}} trackerErrors{{externalUrl \
            errors{arguments}{{count pageInfo{{hasNextPage}} nodes{{id trackerId title type message culprit status count \
            userCount firstSeen lastSeen shortId externalUrl trackerProjectId trackerProjectName trackerProjectSlug \
            frequency{{count}}}}}}}}}}}}"
        );
        let body = json!({"query": query});
        t.admin()
            .request(http::Method::POST, "/api/graphql")
            .json(&body)
            .await
            .is(200)
            .json()
    };
    for _ in 0..2 {
        let answer = ask("").await;
        assert_eq!(
            answer,
            json!({"data": {"project": {"trackerDetailedError": null, "trackerErrors": {
            "externalUrl": format!("{}/acme/anvil/", fake.url),
            "errors": {"count": 1, "pageInfo": {"hasNextPage": false}, "nodes": [{"id": gid, "trackerId": "7",
                "title": "TypeError: <b>x</b>", "type": "error", "message": "x", "culprit": "app in f",
                "status": "UNRESOLVED", "count": 12, "userCount": 3, "firstSeen": "2026-01-31T15:10:45Z",
                "lastSeen": "2026-02-01T15:10:45Z", "shortId": "ANVIL-1",
                "externalUrl": "https://t.example/acme/anvil/issues/7/", "trackerProjectId": "3",
                "trackerProjectName": "Anvil", "trackerProjectSlug": "anvil", "frequency": []}]}}}}})
        );
    }
    // The list and this are one question.
    let listed = browser.get(&format!("{LIST}.json?sort=last_seen")).await.is(200).json();
    assert_eq!(
        (&listed["errors"][0]["project_id"], &listed["errors"][0]["project_slug"]),
        (&json!("3"), &json!("anvil"))
    );
    assert_eq!(fake.asked.load(Ordering::SeqCst), 1);
    assert_eq!(
        ask("(first:0)").await["data"]["project"]["trackerErrors"]["errors"]["nodes"],
        json!([])
    );
    allow_local(&t, false).await;
    let refused = ask("(searchTerm:\"other\")").await;
    assert_eq!(refused["data"]["project"]["trackerErrors"]["errors"], Value::Null);
    assert!(
        refused["errors"][0]["message"].as_str().unwrap().contains("not allowed"),
        "{refused}"
    );
    assert_eq!(fake.asked.load(Ordering::SeqCst), 1);
}

#[testkit::story]
async fn a_tracker_in_the_own_network_is_not_called(t: TestServer) {
    let fake = Fake::start(Answers::Issues).await;
    let browser = elsewhere(&t, &fake).await;
    let refused = browser.get(&format!("{LIST}.json")).await.is(400).json();
    assert!(refused["message"].as_str().unwrap().contains("not allowed"), "{refused}");
    let page = browser.get(LIST).await.is(200).text();
    assert!(page.contains("not allowed") && page.contains("Nothing was told"), "{page}");
    assert_eq!(fake.asked.load(Ordering::SeqCst), 0);
}

#[testkit::story]
async fn a_redirect_into_the_network_is_refused(t: TestServer) {
    let fake = Fake::start(Answers::Redirect).await;
    let place = fake.url.trim_start_matches("http://").to_owned();
    let allowed = json!({"outbound_local_requests_allowlist": [place]});
    t.admin().put("/application/settings").json(&allowed).await.is(200);
    let browser = elsewhere(&t, &fake).await;
    let refused = browser.get(&format!("{LIST}.json")).await.is(400).json();
    assert!(refused["message"].as_str().unwrap().contains("not allowed"), "{refused}");
    assert_eq!(fake.asked.load(Ordering::SeqCst), 1);
}

#[testkit::story]
async fn an_answer_that_is_too_large_is_not_read(t: TestServer) {
    let fake = Fake::start(Answers::Endless).await;
    allow_local(&t, true).await;
    let browser = elsewhere(&t, &fake).await;
    let refused = browser.get(&format!("{LIST}.json")).await.is(400).json();
    assert!(refused["message"].as_str().unwrap().contains("too large"), "{refused}");
}
