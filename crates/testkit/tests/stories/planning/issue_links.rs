//! Issues that have to do with one another.

use serde_json::{Value, json};
use testkit::{Client, Reply, TestProject};

async fn link(client: &Client, project: &TestProject, from: i64, to: i64, kind: &str) -> Reply {
    let body = json!({"target_project_id": project.id, "target_issue_iid": to, "link_type": kind});
    client.post(project.at(&format!("/issues/{from}/links"))).json(&body).await
}

async fn three(client: &Client, project: &TestProject) {
    for title in ["a", "b", "c"] {
        client.post(project.at("/issues")).json(&json!({"title": title})).await.is(201);
    }
}

#[testkit::story]
async fn a_link_is_seen_from_both_ends(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    three(&admin, &project).await;
    let made = link(&admin, &project, 1, 2, "is_blocked_by").await.is(201).json();
    // Kept the other way round.
    assert_eq!(
        (&made["source_issue"]["iid"], &made["target_issue"]["iid"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(made["link_type"], "blocks");
    link(&admin, &project, 1, 3, "relates_to").await.is(201);

    let from_one = admin.get(project.at("/issues/1/links")).await.is(200);
    assert_eq!(from_one.each("iid"), [json!(2), json!(3)]);
    assert_eq!(from_one.each("link_type"), [json!("is_blocked_by"), json!("relates_to")]);
    assert!(from_one.json()[0]["link_created_at"].is_string());
    let from_two = admin.get(project.at("/issues/2/links")).await.is(200);
    assert_eq!(from_two.each("link_type"), [json!("blocks")]);
    assert_eq!(admin.get(project.at("/issues/2")).await.json()["blocking_issues_count"], 1);

    let id = from_two.json()[0]["issue_link_id"].clone();
    admin.get(project.at(&format!("/issues/1/links/{id}"))).await.is(200);
    admin.get(project.at(&format!("/issues/3/links/{id}"))).await.is(404);
    admin.delete(project.at(&format!("/issues/1/links/{id}"))).await.is(200);
    admin.delete(project.at(&format!("/issues/1/links/{id}"))).await.is(404);
    assert_eq!(admin.get(project.at("/issues/2/links")).await.is(200).json(), json!([]));
}

#[testkit::story]
async fn pairs_are_linked_once_and_never_in_a_circle(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    three(&admin, &project).await;
    link(&admin, &project, 1, 2, "blocks").await.is(201);
    let again = link(&admin, &project, 2, 1, "relates_to").await.is(409);
    assert_eq!(again.json(), json!({"message": "Issue(s) already assigned"}));
    link(&admin, &project, 2, 3, "blocks").await.is(201);
    link(&admin, &project, 3, 1, "blocks").await.is(422);
    link(&admin, &project, 1, 3, "is_blocked_by").await.is(422);
    link(&admin, &project, 3, 1, "relates_to").await.is(201);
    link(&admin, &project, 1, 1, "relates_to").await.is(422);
    let unknown = link(&admin, &project, 1, 99, "blocks").await.is(404);
    assert_eq!(
        unknown.json()["message"],
        "No matching issue found. Make sure that you are adding a valid issue URL."
    );
    let body = json!({"target_project_id": 99_999, "target_issue_iid": 1});
    admin.post(project.at("/issues/1/links")).json(&body).await.is(404);
}

#[testkit::story]
async fn links_to_what_is_hidden_do_not_show(t: testkit::TestServer) {
    let open = t.project_with("plaza/fountain", "public").await;
    let vault = t.project("vault/secret").await;
    let jane = t.user("jane").await;
    open.add(&jane, 20).await;
    let admin = t.admin();
    three(&admin, &open).await;
    admin.post(vault.at("/issues")).json(&json!({"title": "hidden"})).await.is(201);
    let body = json!({"target_project_id": vault.id, "target_issue_iid": 1, "link_type": "blocks"});
    jane.post(open.at("/issues/1/links")).json(&body).await.is(404);
    admin.post(open.at("/issues/1/links")).json(&body).await.is(201);
    let id = admin.get(open.at("/issues/1/links")).await.json()[0]["issue_link_id"].clone();
    let seen = jane.get(open.at("/issues/1/links")).await.is(200);
    assert_eq!((seen.json(), seen.header("x-total").to_owned()), (json!([]), "0".to_owned()));
    jane.get(open.at(&format!("/issues/1/links/{id}"))).await.is(404);
    jane.delete(open.at(&format!("/issues/1/links/{id}"))).await.is(404);
    assert_eq!(jane.get(open.at("/issues/1")).await.json()["blocking_issues_count"], 0);
    let outsider = t.user("outsider").await;
    link(&outsider, &open, 1, 2, "blocks").await.is(403);
    assert_eq!(link(&t.anonymous(), &open, 1, 2, "blocks").await.status, 401);
}

#[testkit::story]
async fn two_that_would_block_each_other_at_once_do_not(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    three(&admin, &project).await;
    link(&admin, &project, 1, 2, "blocks").await.is(201);
    let (one, other) = tokio::join!(
        link(&admin, &project, 2, 3, "blocks"),
        link(&admin, &project, 3, 1, "blocks"),
    );
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 422]);
    let links: Vec<Value> = admin
        .get(project.at("/issues/1/links"))
        .await
        .json()
        .as_array()
        .unwrap()
        .clone();
    assert!(!links.is_empty());
}

#[testkit::story]
async fn a_page_asks_before_it_closes_what_is_blocked(t: testkit::TestServer) {
    let (project, vault) = (t.project("acme/anvil").await, t.project("vault/anvil").await);
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let admin = t.admin();
    for title in ["Hinge", "Door", "House"] {
        jane.post(project.at("/issues")).json(&json!({"title": title})).await.is(201);
    }
    admin.post(vault.at("/issues")).json(&json!({"title": "Far"})).await.is(201);
    let link = async |to: i64, iid: i64| {
        let body =
            json!({"target_project_id": to, "target_issue_iid": iid, "link_type": "is_blocked_by"});
        admin.post(project.at("/issues/3/links")).json(&body).await.is(201);
    };
    let browser = t.browser("jane").await;
    let page = "/acme/anvil/-/issues/3";
    let asks = async || browser.get(page).await.is(200).text().contains("It is blocked by");
    // What she does not see is not named, and does not ask.
    link(vault.id, 1).await;
    assert!(!asks().await);
    assert!(browser.get(page).await.is(200).text().contains("Comment and close"));
    link(project.id, 1).await;
    link(project.id, 2).await;
    let shown = browser.get(page).await.is(200).text();
    assert!(shown.contains("It is blocked by #1, #2, which are still open."), "{shown}");
    assert!(!shown.contains("vault") && !shown.contains("Comment and close"), "{shown}");
    jane.put(project.at("/issues/1?state_event=close")).await.is(200);
    let shown = browser.get(page).await.is(200).text();
    assert!(shown.contains("It is blocked by #2, which is still open."), "{shown}");
    // It closes all the same, there and elsewhere.
    browser.post(page, &[("action", "close")]).await.is(303);
    assert_eq!(jane.get(project.at("/issues/3")).await.is(200).json()["state"], "closed");
    assert!(!asks().await);
    jane.put(project.at("/issues/3?state_event=reopen")).await.is(200);
    jane.put(project.at("/issues/3?state_event=close")).await.is(200);
}
