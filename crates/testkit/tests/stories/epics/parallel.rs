//! Changes of epics that come at once.

use super::several;
use serde_json::json;
use testkit::{Client, Reply, TestServer};

fn statuses(replies: impl IntoIterator<Item = Reply>) -> Vec<u16> {
    let mut statuses: Vec<u16> = replies.into_iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    statuses
}

#[testkit::story]
async fn of_two_equal_links_at_once_one_is_made(t: TestServer) {
    let group = t.group("acme").await;
    let admin = t.admin();
    several(&admin, &group, &["a", "b"]).await;
    let link = |from: i64, to: i64| {
        let body = json!({"target_group_id": group.id, "target_epic_iid": to});
        admin.post(group.at(&format!("/epics/{from}/related_epics"))).json(&body)
    };
    let (one, other) = tokio::join!(link(1, 2).into_future(), link(2, 1).into_future());
    assert_eq!(statuses([one, other]), [201, 409]);
    let links = admin.get(group.at("/related_epic_links")).await.is(200);
    assert_eq!(links.each("id").len(), 1);
}

#[testkit::story]
async fn no_circle_comes_of_changes_at_once(t: TestServer) {
    let group = t.group("acme").await;
    let admin = t.admin();
    let all = several(&admin, &group, &["a", "b", "c"]).await;
    let put = |child: usize, parent: usize| {
        let parent = &all[parent - 1]["id"];
        admin.put(group.at(&format!("/epics/{child}?parent_id={parent}")))
    };
    put(2, 1).await.is(200);
    let (one, other) = tokio::join!(put(3, 2).into_future(), put(1, 3).into_future());
    assert_eq!(statuses([one, other]), [200, 400]);

    let block = |client: &Client, from: i64, to: i64| {
        let body = json!({"target_group_id": group.id, "target_epic_iid": to,
            "link_type": "blocks"});
        client.post(group.at(&format!("/epics/{from}/related_epics"))).json(&body)
    };
    block(&admin, 1, 2).await.is(201);
    let (one, other) =
        tokio::join!(block(&admin, 2, 3).into_future(), block(&admin, 3, 1).into_future());
    assert_eq!(statuses([one, other]), [201, 422]);
}

#[testkit::story]
async fn epics_made_at_once_have_numbers_of_their_own(t: TestServer) {
    let group = t.group("acme").await;
    let admin = t.admin();
    let make = || admin.post(group.at("/epics")).json(&json!({"title": "x"}));
    let (a, b, c, d) = tokio::join!(
        make().into_future(),
        make().into_future(),
        make().into_future(),
        make().into_future()
    );
    let mut iids: Vec<i64> = [a, b, c, d]
        .into_iter()
        .filter_map(|reply| reply.is(201).json()["iid"].as_i64())
        .collect();
    iids.sort_unstable();
    assert_eq!(iids, [1, 2, 3, 4]);
}
