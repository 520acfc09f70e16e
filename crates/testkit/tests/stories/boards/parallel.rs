//! Cards that several people move at once.

use super::{BOARDS, columns, planned};
use futures_util::future::join_all;
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn of_two_who_move_a_card_at_once_one_is_told(t: TestServer) {
    let here = planned(&t).await;
    let mut browsers = Vec::new();
    for name in ["jane", "john"] {
        let user = t.user(name).await;
        here.project.add(&user, 20).await;
        browsers.push(t.browser(name).await);
    }
    let id = here.issue(&t.admin(), "Hinge", "").await;
    let (doing, done) = (here.doing.to_string(), here.done.to_string());
    let (one, other) = tokio::join!(
        here.put(&browsers[0], id, ("open", &doing)),
        here.put(&browsers[1], id, ("open", &done)),
    );
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    let labels = t.admin().get(here.project.at("/issues/1")).await.is(200).json()["labels"].clone();
    let expected = if one.status == 200 {
        json!(["doing"])
    } else {
        json!(["done"])
    };
    assert_eq!(labels, expected);
}

#[testkit::story]
async fn moves_at_once_lose_no_card(t: TestServer) {
    let here = planned(&t).await;
    let jane = t.user("jane").await;
    here.project.add(&jane, 20).await;
    let mut ids = Vec::new();
    for n in 0..12 {
        ids.push(here.issue(&jane, &format!("card {n}"), "").await.to_string());
    }
    let browser = t.browser("jane").await;
    browser.get(BOARDS).await.is(200);
    let doing = here.doing.to_string();
    // All of them go above the same one; every third to another column.
    let moves = ids[1..].iter().enumerate().map(|(n, id)| {
        let to = if n % 3 == 0 { doing.as_str() } else { "open" };
        let fields = [("issue_id", id.as_str()), ("from", "open"), ("to", to), ("above", &ids[0])];
        let (browser, here) = (&browser, &here);
        async move { here.carry(browser, &fields).await.status }
    });
    let statuses = join_all(moves).await;
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    let page = browser.get(BOARDS).await.is(200).text();
    let shown = columns(&page);
    let counts: Vec<usize> = shown.iter().map(|(_, cards)| cards.len()).collect();
    assert_eq!(counts, [8, 4, 0, 0], "{shown:?}");
    let last = shown[0].1.last().map(String::as_str);
    assert_eq!(last, Some("card 0"));
}
