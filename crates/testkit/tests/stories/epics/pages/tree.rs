//! What stands below an epic.

use super::*;

const TREE: &str = "/groups/acme/-/epics/1/tree";

#[testkit::story]
async fn epics_and_issues_are_put_below_an_epic(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 20).await;
    let project = t.project("acme/anvil").await;
    several(&jane, &group, &["Ship it", "Season"]).await;
    jane.post(project.at("/issues"))
        .json(&json!({"title": "Forge", "weight": 3}))
        .await
        .is(201);
    let browser = t.browser("jane").await;
    let page = browser.get(ONE).await.is(200).text();
    assert!(page.contains("Nothing is in this epic yet."), "{page}");

    let (to, page) = browser.submit(TREE, &[("deed", "new"), ("title", "First part")]).await;
    assert_eq!(to, format!("{ONE}#below"));
    assert!(page.contains("Epic &#38;3 created.") && page.contains("First part"), "{page}");
    let (_, page) = browser.submit(TREE, &[("deed", "epic"), ("epic", "&2")]).await;
    assert!(page.contains("Epic added."), "{page}");
    let issue = [("deed", "issue"), ("issue", "acme/anvil#1")];
    let (_, page) = browser.submit(TREE, &issue).await;
    in_order(&page, &["First part", "Season", "Forge", "acme/anvil#1", "weight 3"]);
    assert!(
        page.contains("0 of 1 issue closed, 0 of 2 epics closed, weight 0 of 3"),
        "{page}"
    );
    jane.put(project.at("/issues/1?state_event=close")).await.is(200);
    let page = browser.get(ONE).await.is(200).text();
    assert!(
        page.contains("1 of 1 issue closed, 0 of 2 epics closed, weight 3 of 3"),
        "{page}"
    );

    for (fields, said) in [
        (vec![("deed", "new"), ("title", " ")], "can&#39;t be blank"),
        (vec![("deed", "epic"), ("epic", "&2")], "is in this epic already"),
        (vec![("deed", "epic"), ("epic", "&1")], "cannot be the epic itself"),
        (vec![("deed", "epic"), ("epic", "&77")], "names no epic that you can see"),
        (issue.to_vec(), "is in this epic already"),
        (vec![("deed", "issue"), ("issue", "acme/anvil#9")], "names no issue"),
        (vec![("deed", "issue"), ("issue", "nonsense")], "names no issue"),
    ] {
        let page = browser.post(TREE, &fields).await.is(422).text();
        assert!(says(&page, said), "{fields:?}: {page}");
        assert!(page.contains("<details class=\"confirm\" open>"), "{fields:?}");
    }
    browser.post(TREE, &[("deed", "explode")]).await.is(400);
    browser.post(TREE, &[("deed", "up")]).await.is(404);
}

#[testkit::story]
async fn what_stands_below_is_ordered_and_taken_out(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 20).await;
    let project = t.project("acme/anvil").await;
    let top = made(&jane, &group, json!({"title": "Ship it"})).await["id"].clone();
    let mut ids = Vec::new();
    for title in ["one", "two", "three"] {
        let body = json!({"title": title, "parent_id": top});
        ids.push(made(&jane, &group, body).await["id"].as_i64().unwrap());
        let body = json!({"title": title, "epic_id": top});
        jane.post(project.at("/issues")).json(&body).await.is(201);
    }
    let order = async || jane.get(group.at("/epics/1/epics")).await.is(200).each("title");
    let issues = async || jane.get(group.at("/epics/1/issues")).await.is(200);
    let browser = t.browser("jane").await;
    let (parent, id) = (top.to_string(), |at: usize| ids[at].to_string());
    let send = async |fields: &[(&str, &str)]| {
        let mut all = vec![("parent", parent.as_str())];
        all.extend(fields);
        browser.submit(TREE, &all).await.1
    };
    send(&[("deed", "up"), ("child", &id(2))]).await;
    assert_eq!(order().await, ["one", "three", "two"]);
    send(&[("deed", "down"), ("child", &id(0))]).await;
    assert_eq!(order().await, ["three", "one", "two"]);
    let page = send(&[("deed", "up"), ("child", &id(2))]).await;
    assert!(page.contains("It stands there already."), "{page}");
    // As a script does it: no message waits for the next page.
    let moved = [
        ("deed", "place"),
        ("child", &*id(2)),
        ("after", &*id(1)),
        ("quiet", "true"),
        ("parent", &*parent),
    ];
    browser.post(TREE, &moved).await.is(200);
    assert_eq!(order().await, ["one", "two", "three"]);
    assert!(!browser.get(ONE).await.is(200).text().contains("Moved."));
    for wrong in ["0", "999999"] {
        let fields = [
            ("deed", "place"),
            ("child", &*id(2)),
            ("after", wrong),
            ("quiet", "true"),
            ("parent", &*parent),
        ];
        browser.post(TREE, &fields).await.is(404);
    }

    let places: Vec<String> =
        issues().await.each("epic_issue_id").iter().map(ToString::to_string).collect();
    send(&[("deed", "down"), ("place", &places[0])]).await;
    assert_eq!(issues().await.each("title"), ["two", "one", "three"]);
    send(&[("deed", "place"), ("place", &places[2]), ("before", &places[1])]).await;
    assert_eq!(issues().await.each("title"), ["three", "two", "one"]);
    let page = send(&[("deed", "remove"), ("place", &places[1])]).await;
    assert!(page.contains("Issue #2 taken out."), "{page}");
    assert_eq!(issues().await.each("title"), ["three", "one"]);
    send(&[("deed", "remove"), ("child", &id(1))]).await;
    assert_eq!(order().await, ["one", "three"]);

    let guest = t.user("guest").await;
    group.add(&guest, 10).await;
    let guest = t.browser("guest").await;
    guest
        .post(TREE, &[("deed", "up"), ("child", &id(2)), ("parent", &parent)])
        .await
        .is(403);
    assert!(!guest.get(ONE).await.is(200).text().contains("Move up"));
}

#[testkit::story]
async fn a_tree_shows_no_more_than_its_levels_hold(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 20).await;
    let top = made(&jane, &group, json!({"title": "top"})).await["id"].clone();
    let mut above = top.clone();
    // As deep as epics stand.
    for level in 2..=7 {
        let body = json!({"title": format!("level {level}"), "parent_id": above});
        above = made(&jane, &group, body).await["id"].clone();
    }
    let second = jane.get(group.at("/epics/2")).await.is(200).id();
    for n in 0..12 {
        made(&jane, &group, json!({"title": format!("leaf {n}"), "parent_id": second})).await;
    }
    for n in 0..51 {
        made(&jane, &group, json!({"title": format!("child {n}"), "parent_id": top})).await;
    }
    let browser = t.browser("jane").await;
    let page = browser.get(ONE).await.is(200).text();
    let titles: Vec<String> = (2..=7).map(|level| format!(">level {level}<")).collect();
    in_order(&page, &titles.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(page.contains("Show all: 2 epics more"), "{page}");
    assert!(page.contains("3 epics more"), "{page}");
    assert!(page.contains(">child 48<") && !page.contains(">child 49<"), "{page}");
    let page = browser.get(&format!("{ONE}?all=true")).await.is(200).text();
    assert!(page.contains(">child 50<") && !page.contains("Show all"), "{page}");
    assert!(page.contains("0 of 69 epics closed"), "{page}");
}

#[testkit::story]
async fn what_is_hidden_is_neither_shown_nor_counted(t: TestServer) {
    let (group, _) = group_of(&t, "jane", 15).await;
    let admin = t.admin();
    let (vault, project) = (t.group("vault").await, t.project("vault/box").await);
    let open = t.project_with("acme/anvil", "public").await;
    let top = made(&admin, &group, json!({"title": "top"})).await["id"].clone();
    let below = |title: &str, hidden: bool| json!({"title": title, "parent_id": top, "confidential": hidden});
    made(&admin, &group, below("shown child", false)).await;
    let hidden = made(&admin, &group, below("hidden child", true)).await["id"].clone();
    made(&admin, &vault, below("vault child", false)).await;
    let issue = |title: &str, epic: &Value, hidden: bool| json!({"title": title, "epic_id": epic, "confidential": hidden, "weight": 5});
    for (place, body) in [
        (&open, issue("shown issue", &top, false)),
        (&open, issue("hidden issue", &top, true)),
        (&open, issue("deep issue", &hidden, true)),
        (&project, issue("vault issue", &top, false)),
    ] {
        admin.post(place.at("/issues")).json(&body).await.is(201);
    }
    for browser in [t.browser("jane").await, t.new_browser()] {
        let page = browser.get(ONE).await.is(200).text();
        assert!(page.contains("shown child") && page.contains("shown issue"), "{page}");
        for secret in ["hidden child", "vault", "hidden issue", "deep issue"] {
            assert!(!page.contains(secret), "{secret}: {page}");
        }
        assert!(
            page.contains("0 of 1 issue closed, 0 of 1 epic closed, weight 0 of 5"),
            "{page}"
        );
        let list = browser.get(LIST).await.is(200).text();
        assert!(list.contains("1 epic below") && !list.contains("hidden child"), "{list}");
    }
    // From below, a hidden epic above is not named either.
    let child = json!({"title": "child", "parent_id": hidden, "confidential": true});
    made(&admin, &group, child).await;
    let root = jane_becomes_reporter(&t, &group).await;
    let page = root.get(&format!("{LIST}/4")).await.is(200).text();
    in_order(&page, &["aria-label=\"Breadcrumbs\"", ">top<", ">hidden child<", "<h1>"]);
}

async fn jane_becomes_reporter(t: &TestServer, group: &TestGroup) -> testkit::Browser {
    let reporter = t.user("reporter").await;
    group.add(&reporter, 20).await;
    t.browser("reporter").await
}
