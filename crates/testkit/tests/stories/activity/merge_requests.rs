//! What is done to merge requests.

use super::{deed, deeds};
use crate::reviews;
use serde_json::json;
use testkit::{Client, TestProject, TestServer, TestUser};

/// A project where jane, a developer, made a merge request, which was talked about,
/// approved, closed, opened again and merged; joe is a guest there.
async fn merged(t: &TestServer) -> (TestProject, TestUser, TestUser) {
    let (project, jane, joe) = super::workshop(t).await;
    reviews::commit(t, &project, "main", "README.md", "x\n").await;
    reviews::commit(t, &project, "horn", "horn.txt", "x\n").await;
    reviews::open(&jane, &project, "horn").await;
    let one = project.at("/merge_requests/1");
    let note = json!({"body": "Fine."});
    jane.post(format!("{one}/notes")).json(&note).await.is(201);
    t.admin().post(format!("{one}/approve")).await.is(201);
    for event in ["close", "reopen"] {
        jane.put(&one).json(&json!({"state_event": event})).await.is(200);
    }
    t.settle().await;
    t.admin().put(format!("{one}/merge")).await.is(200);
    t.settle().await;
    (project, jane, joe)
}

async fn count(client: &Client, path: &str) -> String {
    client.get(path).await.is(200).header("x-total").to_owned()
}

#[testkit::story]
async fn what_is_done_to_merge_requests_is_told(t: TestServer) {
    let (project, jane, _) = merged(&t).await;
    let horn = |action: &str| deed(action, "Merge horn");
    let events = |query: &str| project.at(&format!("/events?{query}"));
    for (query, expected) in [
        (
            "target_type=merge_request",
            vec![
                horn("accepted"),
                horn("opened"),
                horn("closed"),
                horn("approved"),
                horn("opened"),
            ],
        ),
        ("target_type=note", vec![horn("commented on")]),
        ("action=merged", vec![horn("accepted")]),
        ("action=approved", vec![horn("approved")]),
    ] {
        assert_eq!(deeds(&jane, &events(query)).await, expected, "{query}");
    }
    let made = jane.get(events("target_type=merge_request&sort=asc")).await.is(200).json();
    let made = made[0].clone();
    let request = jane.get(project.at("/merge_requests/1")).await.is(200).json();
    assert_eq!((&made["target_id"], &made["target_iid"]), (&request["id"], &request["iid"]));
    assert_eq!(made["author"]["username"], "jane");
    let note = jane.get(events("target_type=note")).await.is(200).json()[0]["note"].clone();
    assert_eq!(
        (&note["body"], &note["noteable_type"], &note["noteable_iid"]),
        (&json!("Fine."), &json!("MergeRequest"), &json!(1))
    );

    let browser = t.browser("jane").await;
    let page = browser.get("/acme/anvil/-/activity?kind=merge_requests").await.is(200).text();
    assert_eq!(page.matches("href=\"/acme/anvil/-/merge_requests/1\"").count(), 5, "{page}");
    for list in ["/acme/anvil/-/activity", "/dashboard/activity", "/jane", "/acme/anvil.atom"] {
        let shown = browser.get(list).await.is(200).text();
        assert!(shown.contains("/acme/anvil/-/merge_requests/1#note_"), "{list}: {shown}");
    }
}

#[testkit::story]
async fn who_does_not_see_merge_requests_is_told_nothing_of_them(t: TestServer) {
    let (project, jane, joe) = merged(&t).await;
    // Somebody else made what this tells of, and was banned.
    let mallory = reviews::developer(&t, &project, "mallory").await;
    reviews::commit(&t, &project, "face", "face.txt", "x\n").await;
    reviews::open(&mallory, &project, "face").await;
    let events = project.at("/events");
    let of_requests = format!("{events}?target_type=merge_request");
    assert_eq!(count(&jane, &of_requests).await, "6");
    t.admin().post(format!("/users/{}/ban", mallory.id)).await.is(201);
    assert_eq!(count(&jane, &of_requests).await, "5");
    assert_eq!(count(&t.admin(), &of_requests).await, "6");

    // A guest of a private project reads no code.
    let joined = vec![deed("joined", ""); 3];
    let nothing = [joined, vec![deed("created", "")]].concat();
    assert_eq!(deeds(&joe, &events).await, nothing);
    assert_eq!(count(&joe, &events).await, "4");
    let outsider = t.user("outsider").await;
    let own = format!("/users/{}/events", jane.id);
    assert_eq!(deeds(&outsider, &own).await, []);
    let [guests, others] = [t.browser("joe").await, t.browser("outsider").await];
    for list in ["/acme/anvil/-/activity", "/dashboard/activity", "/jane", "/users/jane/activity"] {
        for browser in [&guests, &others] {
            let shown = browser.get(list).await;
            assert!(!shown.text().contains("Merge horn"), "{list}");
        }
    }

    // Nor is anybody told where there are none.
    let off = json!({"merge_requests_access_level": "disabled"});
    t.admin().put(project.at("")).json(&off).await.is(200);
    for path in [&of_requests, &format!("{events}?target_type=note")] {
        assert_eq!(deeds(&jane, path).await, [], "{path}");
    }
}
