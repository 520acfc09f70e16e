//! What nobody may see is on no board, and in no number.

use super::{BOARDS, cards, columns, planned};
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn hidden_issues_are_in_no_column_and_no_number(t: TestServer) {
    let here = planned(&t).await;
    let admin = t.admin();
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    here.project.add(&jane, 20).await;
    here.project.add(&guest, 10).await;
    for (title, confidential, weight) in [("seen", false, 2), ("secret", true, 40)] {
        let body = json!({"title": title, "labels": "doing", "weight": weight,
            "confidential": confidential});
        admin.post(here.project.at("/issues")).json(&body).await.is(201);
    }
    let (by_jane, by_guest) = (t.browser("jane").await, t.browser("guest").await);
    let page = by_jane.get(BOARDS).await.is(200).text();
    assert_eq!(cards(&page, "doing"), ["secret", "seen"]);
    assert!(page.contains("2 issues, weight 42") && page.contains("confidential"), "{page}");
    let page = by_guest.get(BOARDS).await.is(200).text();
    assert_eq!(cards(&page, "doing"), ["seen"]);
    assert!(page.contains("1 issue, weight 2") && !page.contains("secret"), "{page}");

    // On the group's board nothing of projects one does not see.
    let hidden = t.project("acme/hidden").await;
    admin.post(hidden.at("/issues")).json(&json!({"title": "away"})).await.is(201);
    let off = t.project("acme/off").await;
    admin.post(off.at("/issues")).json(&json!({"title": "off"})).await.is(201);
    let disabled = json!({"issues_access_level": "disabled"});
    admin.put(off.at("")).json(&disabled).await.is(200);
    let group = "/groups/acme/-/boards";
    let page = by_jane.get(group).await.is(200).text();
    assert_eq!(cards(&page, "Open"), ["secret", "seen"]);
    assert!(page.contains("acme/anvil#1") && page.contains("2 issues, weight 42"), "{page}");
    let told = here.put(&by_jane, 999_999, ("open", "closed")).await.is(404);
    let away = admin.get(hidden.at("/issues/1")).await.is(200).id();
    let alike = here.put(&by_jane, away, ("open", "closed")).await.is(404);
    assert_eq!(told.json(), alike.json());

    // Strangers see what is public, and move nothing.
    let nobody = t.new_browser();
    nobody.get(BOARDS).await.is(302);
    let open = t.project_with("forge/open", "public").await;
    admin.post(open.at("/issues")).json(&json!({"title": "all"})).await.is(201);
    let page = nobody.get("/forge/open/-/boards").await.is(200).text();
    assert_eq!(cards(&page, "Open"), ["all"]);
    assert!(!page.contains("data-movable") && !page.contains("Add a column"), "{page}");
    // A project without issues has no boards, nor an entry for them.
    by_jane.get("/acme/off/-/boards").await.is(404);
}

#[testkit::story]
async fn boards_are_narrowed_as_lists_are(t: TestServer) {
    let here = planned(&t).await;
    let jane = t.user("jane").await;
    here.project.add(&jane, 20).await;
    jane.post(here.project.at("/milestones"))
        .json(&json!({"title": "v1"}))
        .await
        .is(201);
    let goal = jane.get(here.project.at("/milestones")).await.is(200).json()[0]["id"].clone();
    for (title, labels, more) in [
        ("hinge", "bug,doing", json!({"assignee_ids": [jane.id]})),
        ("lock", "bug", json!({"milestone_id": goal})),
        ("door", "doing", json!({})),
    ] {
        let mut body = json!({"title": title, "labels": labels});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        jane.post(here.project.at("/issues")).json(&body).await.is(201);
    }
    let browser = t.browser("jane").await;
    for (query, open, doing) in [
        ("labels=bug", vec!["lock"], vec!["hinge"]),
        ("labels=bug,doing", vec![], vec!["hinge"]),
        ("search=DOO", vec![], vec!["door"]),
        ("milestone=v1", vec!["lock"], vec![]),
        ("assignee=jane", vec![], vec!["hinge"]),
        ("author=nobody", vec![], vec![]),
        // The columns say which are open.
        ("state=closed", vec!["lock"], vec!["door", "hinge"]),
    ] {
        let page = browser.get(&format!("{BOARDS}?{query}")).await.is(200).text();
        assert_eq!(cards(&page, "Open"), open, "{query}");
        assert_eq!(cards(&page, "doing"), doing, "{query}");
    }
    // A move leads back to the same, and is counted by it.
    let id = jane.get(here.project.at("/issues/1")).await.is(200).id().to_string();
    let (board, doing) = (here.board.to_string(), here.doing.to_string());
    let fields = [
        ("board_id", board.as_str()),
        ("issue_id", id.as_str()),
        ("from", doing.as_str()),
        ("to", "open"),
    ];
    let (to, page) = browser.submit(&format!("{BOARDS}/move?labels=bug"), &fields).await;
    assert_eq!(to, format!("{BOARDS}/{board}?labels=bug"));
    assert_eq!(cards(&page, "Open"), ["lock", "hinge"]);
    for query in ["cards=x", "state=x", "board_id=x"] {
        browser.get(&format!("{BOARDS}?{query}")).await.is(400);
    }
}

#[testkit::story]
async fn a_long_column_is_shown_bit_by_bit(t: TestServer) {
    let here = planned(&t).await;
    let admin = t.admin();
    for n in 0..45 {
        here.issue(&admin, &format!("n{n}"), "doing").await;
    }
    here.issue(&admin, "alone", "").await;
    let jane = t.user("jane").await;
    here.project.add(&jane, 10).await;
    let browser = t.browser("jane").await;
    let page = browser.get(BOARDS).await.is(200).text();
    assert_eq!(cards(&page, "doing").len(), 20);
    assert!(page.contains(">45</span>") && page.contains("45 issues"), "{page}");
    let more = format!("more={}&#38;cards=40", here.doing);
    assert!(page.contains(&more), "{more}: {page}");
    let page = browser
        .get(&format!("{BOARDS}?more={}&cards=40", here.doing))
        .await
        .is(200)
        .text();
    assert_eq!(cards(&page, "doing").len(), 40);
    assert_eq!(cards(&page, "Open"), ["alone"]);
    let page = browser
        .get(&format!("{BOARDS}?more={}&cards=60", here.doing))
        .await
        .is(200)
        .text();
    assert_eq!(cards(&page, "doing").len(), 45);
    assert!(!page.contains("Show more"), "{page}");
    // What is asked for beyond all bounds is the most there is; nonsense is the usual.
    for (query, expected) in [
        (format!("more={}&cards=9223372036854775807", here.doing), 45),
        (format!("more={}&cards=-5", here.doing), 20),
        ("more=nonsense&cards=40".to_owned(), 20),
    ] {
        let page = browser.get(&format!("{BOARDS}?{query}")).await.is(200).text();
        assert_eq!(cards(&page, "doing").len(), expected, "{query}");
    }
    assert_eq!(columns(&page).len(), 4);
}
