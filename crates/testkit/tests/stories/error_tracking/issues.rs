//! Issues about errors (docs/interface/monitoring.md 6.6): made from them, shown with them, and
//! closed when they are resolved.

use crate::error_tracking::reading::graphql;
use crate::error_tracking::{Tracker, event};
use http::Method;
use serde_json::{Value, json};
use testkit::service::{Service, challenge, set, solved};
use testkit::{Client, TestServer};

/// A project with one error whose stack has a line of source.
async fn with_error(t: &TestServer) -> (Tracker, String) {
    let tracker = Tracker::new(t, "acme/anvil").await;
    let mut sent = event("TooHot", "1600 degrees");
    sent["exception"]["values"][0]["stacktrace"]["frames"][0]["context_line"] = json!("work()");
    tracker.report(sent).await.is(200);
    let id = tracker.only_error().await["id"].to_string();
    let path = tracker.project.at(&format!("/error_tracking/errors/{id}"));
    (tracker, path)
}

async fn resolve(client: &Client, path: &str) -> Value {
    let resolved = json!({"status": "resolved"});
    client.put(path).json(&resolved).await.is(200).json()
}

#[testkit::story]
async fn an_issue_tells_of_the_error_and_closes_with_it(t: TestServer) {
    let (tracker, path) = with_error(&t).await;
    let (jane, carl) = (t.user("jane").await, t.user("carl").await);
    tracker.project.add(&jane, 30).await;
    tracker.project.add(&carl, 30).await;

    let made = jane.post(format!("{path}/issue")).await.is(201).json();
    assert_eq!(
        (made["title"].clone(), made["iid"].clone(), made["state"].clone()),
        (json!("TooHot: 1600 degrees"), json!(1), json!("opened"))
    );
    assert_eq!(
        (made["author"]["username"].clone(), made["confidential"].clone()),
        (json!("jane"), json!(false))
    );
    let text = made["description"].as_str().unwrap();
    let id = tracker.only_error().await["id"].to_string();
    let link = format!("{}/acme/anvil/-/error_tracking/{id}/details", t.url());
    for part in [link.as_str(), "TooHot: 1600 degrees\n  app.py:7 in work\n    work()"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(tracker.only_error().await["issue_iid"], 1);
    assert_eq!(jane.get(&path).await.is(200).json()["issue_iid"], 1);
    let again = jane.post(format!("{path}/issue")).await.is(409);
    assert!(again.text().contains("#1"), "{again:?}");

    let resolved = resolve(&carl, &path).await;
    assert_eq!(
        (resolved["status"].clone(), resolved["closed_issue_iid"].clone()),
        (json!("resolved"), json!(1))
    );
    let issue = carl.get(tracker.project.at("/issues/1")).await.is(200).json();
    assert_eq!(
        (issue["state"].clone(), issue["closed_by"]["username"].clone()),
        (json!("closed"), json!("carl"))
    );
    let notes = carl.get(tracker.project.at("/issues/1/notes?sort=asc")).await.is(200);
    let told = notes.each("body");
    assert!(
        told.iter().any(|one| one.as_str().unwrap().contains("from an error")),
        "{told:?}"
    );
    assert!(
        told.iter().any(|one| one.as_str().unwrap().contains("resolved the error")),
        "{told:?}"
    );
    assert_eq!(resolve(&carl, &path).await["closed_issue_iid"], Value::Null);

    tracker.report(event("TooHot", "1700 degrees")).await.is(200);
    let wanted = json!({"title": "Again", "confidential": true});
    let second = jane.post(format!("{path}/issue")).json(&wanted).await.is(201).json();
    assert_eq!(
        (second["iid"].clone(), second["title"].clone(), second["confidential"].clone()),
        (json!(2), json!("Again"), json!(true))
    );
    assert_eq!(tracker.only_error().await["issue_iid"], 2);
    assert_eq!(resolve(&jane, &path).await["closed_issue_iid"], 2);
}

#[testkit::story]
async fn who_may_not_make_issues_makes_none(t: TestServer) {
    let (tracker, path) = with_error(&t).await;
    let (jane, carl, joe) = (t.user("jane").await, t.user("carl").await, t.user("joe").await);
    tracker.project.add(&jane, 30).await;
    tracker.project.add(&carl, 20).await;
    let issue = format!("{path}/issue");
    carl.post(&issue).await.is(403);
    joe.post(&issue).await.is(404);
    t.anonymous().post(&issue).await.is(401);
    jane.post(tracker.project.at("/error_tracking/errors/999999/issue"))
        .await
        .is(404);
    jane.post(&issue).json(&json!({"title": " "})).await.is(400);
    t.admin()
        .put(tracker.project.at(""))
        .json(&json!({"issues_access_level": "disabled"}))
        .await
        .is(200);
    jane.post(&issue).await.is(403);
    t.admin()
        .put(tracker.project.at(""))
        .json(&json!({"issues_access_level": "private"}))
        .await
        .is(200);
    assert_eq!(tracker.only_error().await["issue_iid"], Value::Null);
    jane.post(&issue).await.is(201);
}

#[testkit::story]
async fn an_issue_that_does_not_show_is_not_told_of_and_stays(t: TestServer) {
    let (tracker, path) = with_error(&t).await;
    let jane = t.user("jane").await;
    tracker.project.add(&jane, 30).await;
    jane.post(format!("{path}/issue")).await.is(201);
    let id = tracker.only_error().await["id"].to_string();
    let issues = async |level: &str| {
        let level = json!({"issues_access_level": level});
        t.admin().put(tracker.project.at("")).json(&level).await.is(200);
    };
    issues("disabled").await;
    assert_eq!(jane.get(&path).await.is(200).json()["issue_iid"], Value::Null);
    let gid = format!("gid://service/Service::ErrorTracking::DetailedError/{id}");
    let asked = graphql(
        &jane,
        &format!(
            "{{project(fullPath:\"acme/anvil\"){{\
        trackerDetailedError(id:\"{gid}\"){{serviceIssuePath serviceIssueIid}}}}}}"
        ),
    )
    .await;
    assert_eq!(
        asked["project"]["trackerDetailedError"],
        json!({"serviceIssuePath": null, "serviceIssueIid": null})
    );
    let browser = t.browser("jane").await;
    let details = format!("/acme/anvil/-/error_tracking/{id}/details");
    let page = browser.get(&details).await.is(200).text();
    assert!(!page.contains("/-/issues/1") && !page.contains("Create issue"), "{page}");
    let shown = browser.get(&format!("{details}.json")).await.is(200).json();
    assert_eq!(shown["error"]["service_issue"], Value::Null);
    assert_eq!(resolve(&jane, &path).await["closed_issue_iid"], Value::Null);
    issues("enabled").await;
    let issue = jane.get(tracker.project.at("/issues/1")).await.is(200).json();
    assert_eq!(issue["state"], "opened");
}

#[testkit::story]
async fn what_strangers_put_into_an_error_does_nothing_in_the_issue(t: TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let (jane, carl) = (t.user("jane").await, t.user("carl").await);
    tracker.project.add(&jane, 30).await;
    tracker.project.add(&carl, 30).await;
    let evil =
        "x\r\nBcc: all\n```\n/close\n/assign @carl\n@carl closes #1 <script>alert(1)</script>";
    let mut sent = event(evil, evil);
    sent["message"] = json!(evil);
    sent["release"] = json!(evil);
    sent["transaction"] = json!(evil);
    tracker.report(sent).await.is(200);
    let path = tracker
        .project
        .at(&format!("/error_tracking/errors/{}/issue", tracker.only_error().await["id"]));

    let made = jane.post(path).await.is(201).json();
    t.settle().await;

    assert_eq!((made["state"].clone(), made["assignees"].clone()), (json!("opened"), json!([])));
    let title = made["title"].as_str().unwrap();
    assert!(!title.contains(['\r', '\n']), "{title:?}");
    assert_eq!(carl.get("/todos").await.is(200).json(), json!([]));
    let shown = json!({"text": made["description"], "gfm": true});
    let html = t.admin().post("/markdown").json(&shown).await.is(201).json();
    let html = html["html"].as_str().unwrap();
    assert!(html.contains("&lt;script&gt;") && !html.contains("<script>"), "{html}");
}

#[testkit::story]
async fn graphql_makes_the_issue_and_resolves_the_error(t: TestServer) {
    let (tracker, _) = with_error(&t).await;
    let (jane, carl) = (t.user("jane").await, t.user("carl").await);
    tracker.project.add(&jane, 30).await;
    tracker.project.add(&carl, 20).await;
    let id = tracker.only_error().await["id"].to_string();
    let gid = format!("gid://service/Service::ErrorTracking::DetailedError/{id}");
    let create = format!(
        "mutation{{trackerErrorCreateIssue(input:{{id:\"{gid}\",confidential:true}}){{\
        issueIid issuePath errors error{{trackerId serviceIssuePath}}}}}}"
    );
    let update = format!(
        "mutation{{trackerErrorUpdate(input:{{id:\"{gid}\",status:RESOLVED}}){{\
        closedIssueIid errors error{{status serviceIssueIid}}}}}}"
    );
    for refused in [&create, &update] {
        let body = json!({"query": refused});
        let answer = carl.request(Method::POST, "/api/graphql").json(&body).await.is(200).json();
        assert!(answer["errors"][0]["message"].is_string(), "{answer}");
    }
    let made = graphql(&jane, &create).await["trackerErrorCreateIssue"].clone();
    assert_eq!(
        made,
        json!({"issueIid": "1", "issuePath": "/acme/anvil/-/issues/1", "errors": [],
        "error": {"trackerId": id, "serviceIssuePath": "/acme/anvil/-/issues/1"}})
    );
    let again = graphql(&jane, &create).await["trackerErrorCreateIssue"].clone();
    assert_eq!(again["issueIid"], Value::Null);
    assert!(again["errors"][0].as_str().unwrap().contains("#1"), "{again}");
    let done = graphql(&jane, &update).await["trackerErrorUpdate"].clone();
    assert_eq!(
        done,
        json!({"closedIssueIid": "1", "errors": [],
        "error": {"status": "RESOLVED", "serviceIssueIid": "1"}})
    );
}

#[testkit::story]
async fn the_page_has_a_button(t: TestServer) {
    let (tracker, _) = with_error(&t).await;
    let jane = t.user("jane").await;
    tracker.project.add(&jane, 30).await;
    let browser = t.browser("jane").await;
    let id = tracker.only_error().await["id"].to_string();
    let one = format!("/acme/anvil/-/error_tracking/{id}");
    let page = browser.get(&format!("{one}/details")).await.is(200);
    assert!(page.text().contains("Create issue"));
    let token = page.hidden("authenticity_token").unwrap();

    let (to, page) = browser.submit(&format!("{one}/issue"), &[("confidential", "1")]).await;

    assert_eq!(to, format!("{one}/details"));
    assert!(
        page.contains("Issue #1 created.") && page.contains("/acme/anvil/-/issues/1"),
        "{page}"
    );
    assert!(!page.contains("Create issue"), "{page}");
    let issue = jane.get(tracker.project.at("/issues/1")).await.is(200).json();
    assert_eq!(issue["confidential"], true);
    let page = browser.post(&format!("{one}/issue"), &[]).await.is(422).text();
    assert!(page.contains("There is an open issue about the error: #1"), "{page}");

    let fields = [("authenticity_token", token.as_str()), ("status", "resolved")];
    let put = browser.send_as(Method::PUT, &one, &fields, "application/json").await;
    assert_eq!(put.is(200).json(), json!({"updated": true, "closed_issue_iid": 1}));
    let fields = [("authenticity_token", token.as_str()), ("title", "Cool it")];
    let made = browser
        .send_as(Method::POST, &format!("{one}/issue.json"), &fields, "application/json")
        .await;
    let made = made.is(201).json();
    assert_eq!(
        (made["issue"]["iid"].clone(), made["issue"]["title"].clone()),
        (json!(2), json!("Cool it"))
    );
    let shown = browser.get(&format!("{one}/details.json")).await.is(200).json();
    assert_eq!(
        (
            shown["error"]["service_issue"].clone(),
            shown["error"]["service_issue_iid"].clone()
        ),
        (made["issue"]["web_url"].clone(), json!(2))
    );
    let (_, page) = browser.submit(&one, &[("status", "resolved")]).await;
    assert!(page.contains("issue #2 closed"), "{page}");
}

#[testkit::story]
async fn many_at_once_make_one_issue(t: TestServer) {
    let (tracker, path) = with_error(&t).await;
    let asked = (0..12).map(|_| {
        let (client, path) = (t.admin(), format!("{path}/issue"));
        tokio::spawn(async move { client.post(path).await.status })
    });
    let mut statuses = Vec::new();
    for one in asked.collect::<Vec<_>>() {
        statuses.push(one.await.unwrap());
    }
    statuses.sort_unstable();
    assert_eq!((statuses[0], statuses[1], statuses[11]), (201, 409, 409), "{statuses:?}");
    let issues = t.admin().get(tracker.project.at("/issues")).await.is(200);
    assert_eq!(issues.json().as_array().unwrap().len(), 1);
}

#[testkit::story(noon)]
async fn the_form_of_the_page_passes_with_a_solved_challenge(t: TestServer) {
    let (tracker, _) = with_error(&t).await;
    let jane = t.user("jane").await;
    tracker.project.add(&jane, 30).await;
    let verifier = Service::start().await;
    challenge(&t, &verifier).await;
    verifier.answers(json!({"success": true}));
    set(&t, json!({"spam_rate_limit_per_minute": 1})).await;
    for title in ["one", "two"] {
        let body = json!({"title": title});
        jane.post(tracker.project.at("/issues")).json(&body).await;
    }
    let one = format!("/acme/anvil/-/error_tracking/{}", tracker.only_error().await["id"]);
    let browser = t.browser("jane").await;
    let asked = browser
        .post(&format!("{one}/issue"), &[("confidential", "1")])
        .await
        .is(422)
        .text();
    assert!(asked.contains("name=\"confidential\" value=\"1\" checked"), "{asked}");
    let to = solved(&browser, &format!("{one}/issue"), &[("confidential", "1")]).await;
    assert_eq!(to, format!("{one}/details"));
    assert_eq!(tracker.only_error().await["issue_iid"], 2);
}
