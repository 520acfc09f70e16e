//! The list of a group's epics, and groups that have none.

use super::*;

#[testkit::story]
async fn the_list_is_narrowed_by_its_form(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 20).await;
    let below = t.group("acme/tools").await;
    t.admin().put(below.at("?visibility=public")).await.is(200);
    for body in [
        json!({"title": "Ship the hinge", "labels": "bug"}),
        json!({"title": "Paint it", "labels": "color", "start_date_fixed": "2031-02-01",
            "start_date_is_fixed": true}),
        json!({"title": "Hidden plan", "confidential": true}),
        json!({"title": "Done one"}),
    ] {
        made(&jane, &group, body).await;
    }
    jane.put(group.at("/epics/4?state_event=close")).await.is(200);
    made(&t.admin(), &below, json!({"title": "Sharper tools"})).await;
    let stranger = t.new_browser();
    for (path, shown, hidden) in [
        (
            LIST.to_owned(),
            vec!["Ship the hinge", "acme/tools&#38;1", "from 1 Feb 2031"],
            vec!["Hidden plan", "Done one", "New epic", "name=\"seen\""],
        ),
        (format!("{LIST}?search=hinge"), vec!["Ship the hinge"], vec!["Paint it"]),
        (format!("{LIST}?labels=color"), vec!["Paint it"], vec!["Ship the hinge"]),
        (format!("{LIST}?author=@jane"), vec!["Paint it"], vec!["Sharper tools"]),
        (format!("{LIST}?state=closed"), vec!["Done one"], vec!["Paint it"]),
        (format!("{LIST}?seen=confidential"), vec!["Nothing found"], vec!["Paint it"]),
        (format!("{LIST}?page=99"), vec!["past the end"], vec!["No open epics"]),
        (
            format!("{LIST}?search=zebra"),
            vec!["Nothing found", "Search: zebra"],
            vec!["Paint it"],
        ),
        ("/groups/acme/tools/-/epics".into(), vec!["Sharper tools"], vec!["Paint it"]),
    ] {
        let page = stranger.get(&path).await.is(200).text();
        for part in shown {
            assert!(page.contains(part), "{path}: {part}");
        }
        for part in hidden {
            assert!(!page.contains(part), "{path}: {part}");
        }
    }
    for unknown in ["state=bad", "sort=bad", "seen=bad"] {
        stranger.get(&format!("{LIST}?{unknown}")).await.is(400);
    }
    // Each tab counts what the viewer sees.
    let page = stranger.get(&format!("{LIST}?sort=title_asc")).await.is(200).text();
    in_order(&page, &[">3</span>", ">1</span>", ">4</span>"]);
    in_order(&page, &["Paint it", "Sharper tools", "Ship the hinge"]);
    let browser = t.browser("jane").await;
    let page = browser.get(&format!("{LIST}?seen=confidential")).await.is(200).text();
    assert!(page.contains("Hidden plan") && page.contains("New epic"), "{page}");
    assert!(page.contains("Access: confidential") && !page.contains("Paint it"), "{page}");
    // The navigation of the group has it, that of a project has not.
    assert!(browser.get("/groups/acme").await.is(200).text().contains(LIST));
}

#[testkit::story]
async fn a_group_without_epics_says_what_they_are_for(t: TestServer) {
    let (_, _) = group_of(&t, "jane", 15).await;
    let page = t.browser("jane").await.get(LIST).await.is(200).text();
    assert!(page.contains("Plan what spans several projects"), "{page}");
    assert!(page.contains(&format!("href=\"{LIST}/new\"")), "{page}");
    let page = t.new_browser().get(LIST).await.is(200).text();
    assert!(page.contains("No epics yet") && !page.contains("New epic"), "{page}");
}

#[testkit::story]
async fn pages_say_that_epics_are_switched_off(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 50).await;
    made(&jane, &group, json!({"title": "Ship it"})).await;
    let browser = t.browser("jane").await;
    assert!(browser.get("/groups/acme").await.is(200).text().contains(LIST));
    t.admin().put(group.at("?epics_enabled=false")).await.is(200);
    for path in [LIST.to_owned(), format!("{LIST}/new"), ONE.to_owned(), format!("{ONE}/edit")] {
        let page = browser.get(&path).await.is(403).text();
        assert!(page.contains("Epics are switched off here"), "{path}: {page}");
        assert!(!page.contains("Ship it"), "{path}");
    }
    browser.post(ONE, &[("action", "close")]).await.is(403);
    browser.post(LIST, &[("title", "Another")]).await.is(403);
    let overview = browser.get("/groups/acme").await.is(200).text();
    assert!(!overview.contains(LIST), "no entry in the navigation");
    // A project has no such pages.
    t.project("acme/anvil").await;
    t.admin().put(group.at("?epics_enabled=true")).await.is(200);
    browser.get("/acme/anvil/-/epics").await.is(404);
}
