//! Several issues of a list changed at once.

use super::ISSUES;
use serde_json::json;
use testkit::{TestProject, TestServer, TestUser};

/// A project with three issues of somebody who reports there, and their ids.
async fn three_issues(t: &TestServer) -> (TestProject, TestUser, Vec<i64>) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let mut ids = Vec::new();
    for title in ["Hinge", "Door", "Lock"] {
        let issue = jane.post(project.at("/issues")).json(&json!({"title": title})).await;
        ids.push(issue.is(201).json()["id"].as_i64().unwrap());
    }
    (project, jane, ids)
}

#[testkit::story]
async fn several_issues_change_at_once(t: TestServer) {
    let (project, jane, ids) = three_issues(&t).await;
    let browser = t.browser("jane").await;
    let page = browser.get(ISSUES).await.is(200).text();
    assert!(page.contains(&format!("name=\"issues[]\" value=\"{}\"", ids[2])), "{page}");
    let bulk = format!("{ISSUES}/bulk_update");
    let (first, second) = (ids[0].to_string(), ids[1].to_string());
    let fields = [
        ("issues[]", first.as_str()),
        ("issues[]", second.as_str()),
        ("add_labels", "bug"),
        ("state_event", "close"),
        ("milestone_id", ""),
    ];
    let (to, page) = browser.submit(&bulk, &fields).await;
    assert_eq!(to, ISSUES);
    assert!(page.contains("2 issues updated.") && page.contains(">Lock<"), "{page}");
    for (iid, state, labels) in [(1, "closed", json!(["bug"])), (3, "opened", json!([]))] {
        let issue = jane.get(project.at(&format!("/issues/{iid}"))).await.is(200).json();
        assert_eq!((&issue["state"], &issue["labels"]), (&json!(state), &labels));
    }
    let (_, page) = browser.submit(&bulk, &[("state_event", "close")]).await;
    assert!(page.contains("Choose the issues to change first."), "{page}");
    let many: Vec<String> = (1..=101).map(|id: i64| id.to_string()).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|id| ("issues[]", id.as_str())).collect();
    let (_, page) = browser.submit(&bulk, &many).await;
    assert!(page.contains("Choose at most 100 issues at once."), "{page}");
}

#[testkit::story]
async fn only_issues_of_the_list_change_at_once(t: TestServer) {
    let (project, jane, ids) = three_issues(&t).await;
    let hidden = t.project("acme/hidden").await;
    let other = t.project("forge/other").await;
    other.add(&jane, 30).await;
    let (admin, mut away) = (t.admin(), Vec::new());
    for place in [&hidden, &other] {
        let issue = admin.post(place.at("/issues")).json(&json!({"title": "Away"})).await;
        away.push(issue.is(201).json()["id"].to_string());
    }
    let browser = t.browser("jane").await;
    let close = |list: &str, id: &str| {
        let (list, id) = (format!("{list}/bulk_update"), id.to_owned());
        let browser = &browser;
        async move {
            let fields = [("issues[]", id.as_str()), ("state_event", "close")];
            browser.submit(&list, &fields).await.1
        }
    };
    // What is hidden, what is elsewhere and what is not there are answered alike.
    for id in [away[0].as_str(), away[1].as_str(), "999999"] {
        let page = close(ISSUES, id).await;
        let text = "0 issues updated, 1 not found or not yours to change.";
        assert!(page.contains(text), "{page}");
    }
    let state = other.at("/issues/1");
    assert_eq!(jane.get(&state).await.is(200).json()["state"], "opened");
    assert!(close("/forge/other/-/issues", &away[1]).await.contains("1 issue updated."));
    assert_eq!(jane.get(&state).await.is(200).json()["state"], "closed");
    let group = "/groups/acme/-/issues";
    assert!(close(group, &ids[0].to_string()).await.contains("1 issue updated."));
    assert!(close(group, &away[1]).await.contains("0 issues updated, 1 not found"));

    // Some change and some do not: each is told.
    let mixed = [ids[1].to_string(), ids[2].to_string(), away[0].clone()];
    let mut fields: Vec<(&str, &str)> = mixed.iter().map(|id| ("issues[]", id.as_str())).collect();
    fields.push(("add_labels", "bug"));
    let bulk = format!("{ISSUES}/bulk_update");
    let (_, page) = browser.submit(&bulk, &fields).await;
    let text = "2 issues updated, 1 not found or not yours to change.";
    assert!(page.contains(text), "{page}");
    // A milestone of elsewhere suits none of them, and nothing of the change stays.
    let goal = admin.post(hidden.at("/milestones")).json(&json!({"title": "v1"})).await;
    let goal = goal.is(201).json()["id"].to_string();
    let fields = [
        ("issues[]", mixed[0].as_str()),
        ("add_labels", "late"),
        ("milestone_id", goal.as_str()),
    ];
    browser.submit(&bulk, &fields).await;
    let issue = jane.get(project.at("/issues/2")).await.is(200).json();
    assert_eq!((&issue["milestone"], &issue["labels"]), (&json!(null), &json!(["bug"])));

    let guest = t.user("guest").await;
    project.add(&guest, 10).await;
    let guest = t.browser("guest").await;
    let page = guest.get(ISSUES).await.is(200).text();
    assert!(!page.contains("bulk_update"), "{page}");
    let fields = [("issues[]", mixed[0].as_str()), ("state_event", "close")];
    guest.submit(&bulk, &fields).await;
    assert_eq!(jane.get(project.at("/issues/2")).await.json()["state"], "opened");
}

#[testkit::story]
async fn a_bulk_change_leads_back_to_the_filtered_list(t: TestServer) {
    let (_, _, ids) = three_issues(&t).await;
    let browser = t.browser("jane").await;
    let narrowed = format!("{ISSUES}?search=o&state=all&sort=title_asc");
    let page = browser.get(&narrowed).await.is(200).text();
    let action =
        format!("{ISSUES}/bulk_update?search=o&#38;state=all&#38;sort=title_asc&#38;page=1");
    assert!(page.contains(&action), "{page}");
    let bulk = action.replace("&#38;", "&");
    let id = ids[1].to_string();
    let fields = [("issues[]", id.as_str()), ("state_event", "close")];
    let (to, page) = browser.submit(&bulk, &fields).await;
    assert_eq!(to, narrowed);
    assert!(page.contains("1 issue updated.") && page.contains(">Door<"), "{page}");
    assert!(page.contains(">Lock<") && !page.contains(">Hinge<"), "{page}");
    let (to, _) = browser.submit(&bulk.replace("page=1", "page=2"), &[("x", "y")]).await;
    assert_eq!(to, format!("{narrowed}&page=2"), "a refusal leads back, too");
    // The list of incidents has the same form.
    let incidents = ISSUES.replace("issues", "incidents");
    let fields = [("issues[]", id.as_str()), ("state_event", "reopen")];
    let (to, page) = browser.submit(&format!("{incidents}/bulk_update"), &fields).await;
    assert_eq!(to, incidents);
    assert!(page.contains("1 issue updated."), "{page}");
}
