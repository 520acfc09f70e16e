//! One epic: who sees it, each field changed alone, texts, what is refused.

use super::*;

#[testkit::story]
async fn planners_change_fields_one_by_one(t: TestServer) {
    let (group, _) = group_of(&t, "jane", 20).await;
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    several(&admin, &group, &["Ship it", "Season"]).await;
    let browser = t.browser("jane").await;
    let (to, page) = browser.submit(ONE, &[("action", "labels"), ("labels", "bug, door")]).await;
    assert_eq!(to, ONE);
    assert!(page.contains("Epic updated.") && page.contains("labels=door"), "{page}");
    let day = [("action", "due"), ("from", "fixed"), ("due_date", "2031-03-09")];
    let (_, page) = browser.submit(ONE, &day).await;
    assert!(page.contains("2031-03-09") && page.contains(">Fixed<"), "{page}");
    let (_, page) = browser.submit(ONE, &[("action", "color"), ("color", "#ff0000")]).await;
    assert!(page.contains("fill=\"#ff0000\""), "{page}");
    let (_, page) = browser.submit(ONE, &[("action", "parent"), ("parent", "&2")]).await;
    in_order(&page, &["aria-label=\"Breadcrumbs\"", ">Epics<", ">Season<", "<h1>"]);
    let shown = admin.get(group.at("/epics/1")).await.is(200).json();
    assert_eq!((&shown["due_date"], &shown["color"]), (&json!("2031-03-09"), &json!("#ff0000")));
    assert_eq!((&shown["labels"], &shown["parent_iid"]), (&json!(["bug", "door"]), &json!(2)));
    let (_, page) = browser.submit(ONE, &[("action", "parent"), ("parent", "")]).await;
    assert!(!page.contains(">Season<"), "{page}");

    // An inherited day says where it comes from.
    let epic = admin.get(group.at("/epics/1")).await.is(200).id();
    let goal = json!({"title": "v1", "start_date": "2031-01-05"});
    let goal = admin.post(project.at("/milestones")).json(&goal).await.is(201).id();
    let issue = json!({"title": "Forge", "epic_id": epic, "milestone_id": goal});
    admin.post(project.at("/issues")).json(&issue).await.is(201);
    let page = browser.get(ONE).await.is(200).text();
    assert!(page.contains("From the earliest milestone of its issues"), "{page}");
    let child = json!({"title": "First part", "parent_id": epic, "start_date_fixed": "2030-12-01",
        "start_date_is_fixed": true});
    made(&admin, &group, child).await;
    let page = browser.get(ONE).await.is(200).text();
    in_order(&page, &["Start date", "2030-12-01", "From <a href", "First part"]);

    for (fields, said) in [
        ([("action", "confidential"), ("name", "")], "Confidential"),
        ([("action", "subscribe"), ("name", "")], "Unsubscribe"),
        ([("action", "todo"), ("name", "")], "in your to-do list"),
        ([("action", "award"), ("name", "thumbsup")], "1 vote"),
        ([("action", "award"), ("name", "thumbsup")], "0 votes"),
        ([("action", "close"), ("name", "")], "Epic closed."),
        ([("action", "reopen"), ("name", "")], "Epic reopened."),
    ] {
        let reply = browser.post(ONE, &fields).await;
        // What is in it is seen by all, so it cannot be hidden.
        if fields[0].1 == "confidential" {
            assert!(reply.is(422).text().contains("if it contains non-confidential issues"));
            continue;
        }
        reply.is(303);
        let page = browser.get(ONE).await.is(200).text();
        assert!(says(&page, said), "{said}: {page}");
    }
}

#[testkit::story]
async fn what_cannot_be_so_is_said_beside_its_field(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 20).await;
    let vault = t.group("vault").await;
    several(&jane, &group, &["Ship it", "Season"]).await;
    made(&t.admin(), &vault, json!({"title": "Secret plan"})).await;
    let browser = t.browser("jane").await;
    for (fields, said) in [
        (vec![("action", "color"), ("color", "reddish")], "must be a valid color code"),
        (
            vec![("action", "start"), ("from", "fixed"), ("start_date", "soon")],
            "is no date",
        ),
        (vec![("action", "parent"), ("parent", "&1")], "cannot be the epic itself"),
        (vec![("action", "parent"), ("parent", "&99")], "names no epic that you can see"),
        (
            vec![("action", "parent"), ("parent", "vault&1")],
            "names no epic that you can see",
        ),
        (
            vec![("action", "parent"), ("parent", "vault&2")],
            "names no epic that you can see",
        ),
        (vec![("action", "parent"), ("parent", "<b>")], "names no epic that you can see"),
    ] {
        let page = browser.post(ONE, &fields).await.is(422).text();
        assert!(says(&page, said), "{fields:?}: {page}");
        assert!(page.contains("<details class=\"field-edit\" open>"), "{fields:?}");
        assert!(!page.contains("Secret plan") && !page.contains("<b>"), "{fields:?}");
    }
    browser.post(ONE, &[("action", "explode")]).await.is(400);
    browser.post(&format!("{LIST}/99"), &[("action", "close")]).await.is(404);
    browser.get(&format!("{LIST}/99")).await.is(404);
    let due = [("action", "due"), ("from", "fixed"), ("due_date", "2031-01-01")];
    browser.submit(ONE, &due).await;
    let late = [("action", "start"), ("from", "fixed"), ("start_date", "2031-02-01")];
    let page = browser.post(ONE, &late).await.is(422).text();
    assert!(says(&page, "must be greater than start date"), "{page}");
}

#[testkit::story]
async fn epics_are_made_and_rewritten_by_forms(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 20).await;
    several(&jane, &group, &["Season"]).await;
    let browser = t.browser("jane").await;
    let filled = browser
        .get(&format!("{LIST}/new?title=Ship+it&parent=%261"))
        .await
        .is(200)
        .text();
    assert!(
        filled.contains("value=\"Ship it\"") && filled.contains("value=\"&#38;1\""),
        "{filled}"
    );
    let refused = [("title", " "), ("description", "Why <b>"), ("parent", "&9"), ("labels", "bug")];
    let page = browser.post(LIST, &refused).await.is(422).text();
    assert!(page.contains("Why &#60;b&#62;") && page.contains("value=\"bug\""), "{page}");
    let fields = [
        ("title", "Ship it"),
        ("description", "- [ ] forge\r\n- [ ] **polish**"),
        ("labels", "bug"),
        ("parent", "&1"),
        ("start_date", "2031-01-01"),
        ("due_date", ""),
        ("color", "#00ff00"),
        ("confidential", "false"),
    ];
    let (to, page) = browser.submit(LIST, &fields).await;
    assert_eq!(to, format!("{LIST}/2"));
    assert!(page.contains("Epic &#38;2 created.") && page.contains("<strong>polish</strong>"));
    let shown = jane.get(group.at("/epics/2")).await.is(200).json();
    assert_eq!(shown["description"], "- [ ] forge\n- [ ] **polish**");
    assert_eq!((&shown["parent_iid"], &shown["color"]), (&json!(1), &json!("#00ff00")));
    assert_eq!((&shown["start_date"], &shown["due_date"]), (&json!("2031-01-01"), &Value::Null));
    assert_eq!(shown["due_date_is_fixed"], false);
    for (key, end) in [("web_url", ""), ("web_edit_url", "/edit")] {
        let url = shown[key].as_str().unwrap().split_once("/groups/").unwrap().1;
        assert_eq!(url, format!("acme/-/epics/2{end}"));
        browser.get(&format!("/groups/{url}")).await.is(200);
    }

    let edit = format!("{LIST}/2/edit");
    let page = browser.get(&edit).await.is(200).text();
    assert!(page.contains("value=\"Ship it\"") && page.contains("- [ ] forge"), "{page}");
    browser.post(&edit, &[("title", ""), ("description", "x")]).await.is(422);
    let (to, page) = browser.submit(&edit, &[("title", "Ship all"), ("description", "")]).await;
    assert_eq!(to, format!("{LIST}/2"));
    assert!(page.contains("Ship all") && page.contains("No description."), "{page}");
    assert!(page.contains("changed the description"), "{page}");
}

#[testkit::story]
async fn who_may_not_is_not_offered_it_and_refused(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 15).await;
    let (guest, _) = (t.user("guest").await, t.user("stranger").await);
    group.add(&guest, 10).await;
    made(&t.admin(), &group, json!({"title": "Ship it"})).await;
    made(&t.admin(), &group, json!({"title": "Hidden plan", "confidential": true})).await;
    for (browser, edits, signed_in) in [
        (t.browser("jane").await, true, true),
        (t.browser("guest").await, false, true),
        (t.browser("stranger").await, false, true),
        (t.new_browser(), false, false),
    ] {
        let page = browser.get(ONE).await.is(200).text();
        assert_eq!(page.contains("Close epic"), edits);
        assert_eq!(page.contains("Edit start date"), edits);
        assert_eq!(page.contains("Add an issue"), edits);
        assert_eq!(page.contains("Add to-do"), signed_in);
        // A planner who is no reporter sees nothing that is hidden.
        let hidden = browser.get(&format!("{LIST}/2")).await;
        assert!([404, 302].contains(&hidden.status), "{hidden:?}");
        browser.post(&format!("{LIST}/2"), &[("action", "close")]).await;
        if edits {
            continue;
        }
        let refused = |reply: testkit::Reply| assert!([401, 403, 303].contains(&reply.status));
        for fields in [
            vec![("action", "close")],
            vec![("action", "delete")],
            vec![("action", "labels"), ("labels", "bug")],
        ] {
            refused(browser.post(ONE, &fields).await);
        }
        refused(browser.post(LIST, &[("title", "Mine")]).await);
        refused(browser.post(&format!("{ONE}/edit"), &[("title", "Mine")]).await);
        refused(browser.post(&format!("{ONE}/tree"), &[("deed", "new"), ("title", "x")]).await);
    }
    let stored = t.admin().get(group.at("/epics")).await.is(200);
    assert_eq!(stored.each("state"), ["opened", "opened"]);
    assert_eq!(stored.each("title"), ["Hidden plan", "Ship it"]);
    // Planners delete what is their work.
    let browser = t.browser("jane").await;
    let (to, page) = browser.submit(ONE, &[("action", "delete")]).await;
    assert_eq!(to, LIST);
    assert!(page.contains("Epic deleted."), "{page}");
    jane.get(group.at("/epics/1")).await.is(404);
}
