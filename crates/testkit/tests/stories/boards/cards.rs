//! Cards go to other columns: what becomes of their issues.

use super::{BOARDS, cards, planned};
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn a_card_takes_the_label_of_its_column(t: TestServer) {
    let here = planned(&t).await;
    let jane = t.user("jane").await;
    here.project.add(&jane, 20).await;
    let id = here.issue(&jane, "Hinge", "bug,doing").await;
    let one = here.project.at("/issues/1");
    let (doing, done) = (here.doing.to_string(), here.done.to_string());
    let browser = t.browser("jane").await;
    let issue = || async {
        let issue = jane.get(&one).await.is(200).json();
        (issue["state"].clone(), issue["labels"].clone())
    };

    let moved = here.put(&browser, id, (&doing, &done)).await.is(200).json();
    assert_eq!(moved["said"], "#1 moved to done.");
    let columns: Vec<Value> = moved["columns"].as_array().unwrap().clone();
    assert_eq!(
        columns[0],
        json!({"key": doing, "number": "0", "about": "0 issues", "weight": 0})
    );
    assert_eq!(columns[1], json!({"key": done, "number": "1", "about": "1 issue", "weight": 0}));
    assert_eq!(issue().await, (json!("opened"), json!(["bug", "done"])));
    here.put(&browser, id, (&done, "closed")).await.is(200);
    assert_eq!(issue().await, (json!("closed"), json!(["bug"])));
    here.put(&browser, id, ("closed", &doing)).await.is(200);
    assert_eq!(issue().await, (json!("opened"), json!(["bug", "doing"])));
    here.put(&browser, id, (&doing, "open")).await.is(200);
    assert_eq!(issue().await, (json!("opened"), json!(["bug"])));

    // It is told as any other change.
    let labels = jane.get(format!("{one}/resource_label_events")).await.is(200).json();
    let events = labels
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["action"].clone(), one["label"]["name"].clone()));
    let told: Vec<(Value, Value)> = events.collect();
    for pair in [("add", "done"), ("remove", "doing"), ("remove", "done"), ("add", "doing")] {
        assert!(told.contains(&(json!(pair.0), json!(pair.1))), "{told:?}");
    }
    let states = jane.get(format!("{one}/resource_state_events")).await.is(200);
    assert_eq!(states.each("state"), [json!("closed"), json!("reopened")]);
    let deeds = jane.get(here.project.at("/events?action=closed")).await.is(200);
    assert_eq!(deeds.each("target_iid"), [json!(1)]);
}

#[testkit::story]
async fn a_move_that_is_refused_says_why(t: TestServer) {
    let here = planned(&t).await;
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    here.project.add(&jane, 20).await;
    here.project.add(&guest, 10).await;
    let (doing, done) = (here.doing.to_string(), here.done.to_string());
    // Also of what the guest wrote: they set no labels.
    let id = here.issue(&guest, "Hinge", "").await;
    let by_guest = t.browser("guest").await;
    let told = here.put(&by_guest, id, ("open", &doing)).await.is(403).json();
    assert_eq!(told["said"], "Only reporters of its project move this issue.");
    let page = by_guest.get(BOARDS).await.is(200).text();
    assert!(
        !page.contains("data-movable") && !page.contains("New issue<span class=\"hush\"> in doing")
    );

    let browser = t.browser("jane").await;
    let told = here.put(&browser, id, (&doing, &done)).await.is(409).json();
    let text = "#1 is no longer in doing: somebody changed it meanwhile. Reload the page.";
    assert_eq!(told["said"], text);
    for gone in [id + 1000, 0, -1] {
        let told = here.put(&browser, gone, ("open", &doing)).await.is(404).json();
        assert_eq!(told["said"], "This issue is gone, or you may no longer see it.");
    }
    let told = here.put(&browser, id, ("open", "999999")).await.is(409).json();
    assert!(told["said"].as_str().unwrap().starts_with("That column is gone"), "{told}");
    for wrong in ["", "Open", "-1", "1.5", "<b>"] {
        here.put(&browser, id, ("open", wrong)).await.is(400);
        here.put(&browser, id, (wrong, "open")).await.is(400);
    }
    for fields in [
        &[("issue_id", "x"), ("from", "open"), ("to", "closed")][..],
        &[("issue_id", "1"), ("from", "open"), ("to", "closed"), ("spot", "aside")],
        &[("issue_id", "1"), ("from", "open"), ("to", "closed"), ("below", "x")],
        &[("from", "open"), ("to", "closed")],
    ] {
        here.carry(&browser, fields).await.is(400);
    }
    // Without the page's token nothing moves, and the same is said by the form.
    let id = id.to_string();
    let fields = [("issue_id", id.as_str()), ("from", doing.as_str()), ("to", "closed")];
    browser.post_bare(&format!("{BOARDS}/move"), &fields).await.is(403);
    let (to, page) = browser.submit(&format!("{BOARDS}/move"), &fields).await;
    assert!(to.starts_with(BOARDS) && page.contains("#1 is no longer in doing"), "{page}");
    assert_eq!(cards(&page, "Open"), ["Hinge"]);
    // In an archived project nothing moves.
    t.admin().post(here.project.at("/archive")).await.is(201);
    here.put(&browser, id.parse().unwrap(), ("open", &doing)).await.is(403);
}

#[testkit::story]
async fn cards_are_moved_without_a_script(t: TestServer) {
    let here = planned(&t).await;
    let jane = t.user("jane").await;
    here.project.add(&jane, 20).await;
    let mut ids = Vec::new();
    for title in ["a", "b", "c"] {
        ids.push(here.issue(&jane, title, "doing").await.to_string());
    }
    let browser = t.browser("jane").await;
    let (board, doing, done) =
        (here.board.to_string(), here.doing.to_string(), here.done.to_string());
    let send = |id: &str, to: &str, spot: &str| {
        let fields: Vec<(String, String)> = [
            ("board_id", board.as_str()),
            ("issue_id", id),
            ("from", doing.as_str()),
            ("to", to),
            ("spot", spot),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
        let browser = &browser;
        async move {
            let fields: Vec<(&str, &str)> =
                fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            browser.submit(&format!("{BOARDS}/move?search=&labels="), &fields).await.1
        }
    };
    let page = browser.get(BOARDS).await.is(200).text();
    assert_eq!(cards(&page, "doing"), ["c", "b", "a"]);
    let page = send(&ids[0], &doing, "top").await;
    assert!(page.contains("#1 moved within doing."), "{page}");
    assert_eq!(cards(&page, "doing"), ["a", "c", "b"]);
    assert_eq!(cards(&send(&ids[0], &doing, "down").await, "doing"), ["c", "a", "b"]);
    assert_eq!(cards(&send(&ids[1], &doing, "up").await, "doing"), ["c", "b", "a"]);
    assert_eq!(cards(&send(&ids[2], &doing, "bottom").await, "doing"), ["b", "a", "c"]);
    // Beyond the ends it stays where it is.
    assert_eq!(cards(&send(&ids[2], &doing, "down").await, "doing"), ["b", "a", "c"]);
    let page = send(&ids[0], &done, "top").await;
    assert!(page.contains("#1 moved to done."), "{page}");
    assert_eq!(
        (cards(&page, "doing"), cards(&page, "done")),
        (vec!["b".to_owned(), "c".to_owned()], vec!["a".to_owned()])
    );
}

#[testkit::story]
async fn issues_are_made_in_a_column(t: TestServer) {
    let here = planned(&t).await;
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    here.project.add(&jane, 20).await;
    here.project.add(&guest, 10).await;
    here.issue(&jane, "first", "doing").await;
    let (board, doing) = (here.board.to_string(), here.doing.to_string());
    let add = format!("{BOARDS}/issues");
    let browser = t.browser("jane").await;
    let fields = [("board_id", board.as_str()), ("column", doing.as_str()), ("title", "<b>Lock")];
    let (_, page) = browser.submit(&add, &fields).await;
    assert!(page.contains("Issue #2 created."), "{page}");
    assert_eq!(cards(&page, "doing"), ["&#60;b&#62;Lock", "first"]);
    let labels = jane.get(here.project.at("/issues/2")).await.is(200).json()["labels"].clone();
    assert_eq!(labels, json!(["doing"]));
    let blank = [("board_id", board.as_str()), ("column", "open"), ("title", " ")];
    let (_, page) = browser.submit(&add, &blank).await;
    assert!(page.contains("Nothing was created. Title: Can&#39;t be blank."), "{page}");
    for column in ["closed", "x", ""] {
        let fields = [("board_id", board.as_str()), ("column", column), ("title", "x")];
        browser.post(&add, &fields).await.is(400);
    }
    browser
        .post(&add, &[("board_id", "999999"), ("column", "open"), ("title", "x")])
        .await
        .is(404);
    // Guests make issues, and set no labels.
    let by_guest = t.browser("guest").await;
    by_guest.get(BOARDS).await.is(200);
    let (_, page) = by_guest.submit(&add, &[("column", "open"), ("title", "Mine")]).await;
    assert_eq!(cards(&page, "Open"), ["Mine"]);

    // On a group's board a project is chosen, among those where one works.
    let group = "/groups/acme/-/boards";
    let other = t.project("acme/other").await;
    let (own, away) = (here.project.id.to_string(), other.id.to_string());
    let page = browser.get(group).await.is(200).text();
    assert!(page.contains("acme/anvil</option>") && !page.contains("acme/other"), "{page}");
    let fields = [("column", "open"), ("title", "Far"), ("project", own.as_str())];
    let (_, page) = browser.submit(&format!("{group}/issues"), &fields).await;
    assert!(page.contains("Issue #4 created."), "{page}");
    for project in [away.as_str(), "999999"] {
        let fields = [("column", "open"), ("title", "Far"), ("project", project)];
        browser.post(&format!("{group}/issues"), &fields).await.is(404);
    }
}
