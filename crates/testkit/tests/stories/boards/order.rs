//! The order of cards by hand.

use super::{BOARDS, cards, planned};
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn cards_stay_where_they_were_put(t: TestServer) {
    let here = planned(&t).await;
    let jane = t.user("jane").await;
    here.project.add(&jane, 20).await;
    let mut ids = Vec::new();
    for title in ["a", "b", "c", "d"] {
        ids.push(here.issue(&jane, title, "").await);
    }
    let browser = t.browser("jane").await;
    let order = || async { cards(&browser.get(BOARDS).await.is(200).text(), "Open") };
    let put = |id: i64, side: &'static str, beside: i64| {
        let (id, beside) = (id.to_string(), beside.to_string());
        let (browser, here) = (&browser, &here);
        async move {
            let fields = [
                ("issue_id", id.as_str()),
                ("from", "open"),
                ("to", "open"),
                (side, beside.as_str()),
            ];
            here.carry(browser, &fields).await.is(200);
        }
    };
    assert_eq!(order().await, ["d", "c", "b", "a"]);
    put(ids[0], "above", ids[3]).await;
    assert_eq!(order().await, ["a", "d", "c", "b"]);
    put(ids[3], "below", ids[1]).await;
    assert_eq!(order().await, ["a", "c", "b", "d"]);
    // Beside itself or beside what is gone it stays.
    put(ids[2], "below", ids[2]).await;
    put(ids[2], "below", 999_999).await;
    assert_eq!(order().await, ["a", "c", "b", "d"]);
    // The list by hand is the board from its top.
    let listed = jane.get(here.project.at("/issues?order_by=relative_position")).await.is(200);
    assert_eq!(listed.each("title"), [json!("a"), json!("c"), json!("b"), json!("d")]);
    // What is made later stands on top, what is changed keeps its place.
    jane.put(here.project.at("/issues/2?title=B")).await.is(200);
    here.issue(&jane, "e", "").await;
    assert_eq!(order().await, ["e", "a", "c", "B", "d"]);
}

#[testkit::story]
async fn there_is_always_room_between_two_cards(t: TestServer) {
    let here = planned(&t).await;
    let jane = t.user("jane").await;
    here.project.add(&jane, 20).await;
    let mut ids = Vec::new();
    for title in ["a", "b", "c"] {
        ids.push(here.issue(&jane, title, "").await.to_string());
    }
    let browser = t.browser("jane").await;
    // The topmost goes right above the lowest, again and again: each time the space
    // between them is half of what it was.
    for turn in 0..60 {
        let (top, low) = match turn % 2 {
            0 => (&ids[2], &ids[0]),
            _ => (&ids[1], &ids[0]),
        };
        let fields = [("issue_id", top.as_str()), ("from", "open"), ("to", "open"), ("above", low)];
        here.carry(&browser, &fields).await.is(200);
        let expected = if turn % 2 == 0 {
            ["b", "c", "a"]
        } else {
            ["c", "b", "a"]
        };
        assert_eq!(cards(&browser.get(BOARDS).await.is(200).text(), "Open"), expected, "{turn}");
    }
}
