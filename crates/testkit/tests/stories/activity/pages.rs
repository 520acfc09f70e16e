//! Pages of what people did, the panels of first pages, and the calendar.

use super::workshop;
use serde_json::json;
use testkit::{Browser, TestProject, TestServer, TestUser};

async fn page(browser: &Browser, path: &str) -> String {
    browser.get(path).await.is(200).text()
}

/// What the rows of a page say, the newest first.
fn told(page: &str) -> Vec<String> {
    let rows = page.split("<div class=\"row-main\">").skip(1);
    let first = |row: &str| {
        let line = row.split("<p>").nth(1).unwrap_or_default();
        let line = line.split("</p>").next().unwrap_or_default();
        let texts = line.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
        texts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    rows.map(first).collect()
}

/// An issue, a comment, a milestone and a package of Jane's.
async fn work(project: &TestProject, jane: &TestUser) {
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let note = json!({"body": "It is <b>bent</b>."});
    jane.post(project.at("/issues/1/notes")).json(&note).await.is(201);
    jane.post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201);
    project.generic_package("hammer", "1.0").await;
}

#[testkit::story]
async fn a_project_tells_who_did_what(t: TestServer) {
    let (project, jane, _) = workshop(&t).await;
    work(&project, &jane).await;
    let browser = t.browser("jane").await;
    let list = "/acme/anvil/-/activity";
    let all = page(&browser, list).await;
    let opened = "jane opened milestone 1.0";
    assert_eq!(told(&all)[..3], [opened, "jane commented on #1 Hinge", "jane opened #1 Hinge"]);
    assert!(all.contains("href=\"/acme/anvil/-/issues/1#note_"), "{all}");
    assert!(all.contains("It is &#60;b&#62;bent&#60;/b&#62;."), "{all}");
    assert!(!all.contains("hammer"), "packages are shown on request");
    for (kind, expected) in [
        ("issues", vec!["jane opened #1 Hinge"]),
        ("comments", vec!["jane commented on #1 Hinge"]),
        ("milestones", vec![opened]),
        ("members", vec!["joe joined acme/anvil", "jane joined acme/anvil"]),
        ("packages", vec!["Administrator published package hammer 1.0"]),
    ] {
        let shown = page(&browser, &format!("{list}?kind={kind}")).await;
        assert_eq!(told(&shown), expected, "{kind}");
        let current = format!("href=\"{list}?kind={kind}\" aria-current=\"page\"");
        assert!(shown.contains(&current), "{kind}: {shown}");
    }
    let today = &t.now().to_string()[..10];
    let shown = page(&browser, &format!("{list}?kind=issues&day={today}")).await;
    assert_eq!(told(&shown), ["jane opened #1 Hinge"]);
    let then = page(&browser, &format!("{list}?kind=issues&day=2001-02-03")).await;
    assert!(
        then.contains("Nothing of this kind") && then.contains("On 3 Feb 2001"),
        "{then}"
    );
    for wrong in ["kind=secrets", "day=today", "day=2026-13-01"] {
        browser.get(&format!("{list}?{wrong}")).await.is(400);
    }
    page(&browser, &format!("{list}?day=9999-12-31")).await;
    page(&browser, &format!("{list}?day=0001-01-01")).await;
}

#[testkit::story]
async fn pages_show_what_lists_show(t: TestServer) {
    let (project, jane, _) = workshop(&t).await;
    work(&project, &jane).await;
    let hidden = json!({"title": "Secret", "confidential": true});
    jane.post(project.at("/issues")).json(&hidden).await.is(201);
    let (reporter, guest) = (t.browser("jane").await, t.browser("joe").await);
    t.user("outsider").await;
    let outsider = t.browser("outsider").await;
    for list in ["/acme/anvil/-/activity", "/users/jane/activity", "/dashboard/activity"] {
        let shown = page(&guest, list).await;
        assert!(!shown.contains("Secret"), "{list}");
    }
    for list in ["/acme/anvil/-/activity", "/users/jane/activity", "/jane", "/acme/anvil"] {
        assert!(page(&reporter, list).await.contains("Secret"), "{list}");
    }
    for list in ["/acme/anvil", "/jane", "/acme/anvil/-/activity?kind=packages"] {
        let shown = page(&guest, list).await;
        assert!(!shown.contains("Secret") && !shown.contains("hammer"), "{list}");
    }
    outsider.get("/acme/anvil/-/activity").await.is(404);
    outsider.get("/groups/acme/-/activity").await.is(404);
    outsider.get("/users/nobody/activity").await.is(404);
    assert!(told(&page(&outsider, "/users/jane/activity").await).is_empty());
    assert!(told(&page(&outsider, "/dashboard/activity").await).is_empty());
    t.new_browser().get("/dashboard/activity").await.is(401);
    assert!(told(&page(&t.new_browser(), "/users/jane/activity").await).is_empty());
}

#[testkit::story]
async fn groups_and_the_dashboard_gather_projects(t: TestServer) {
    let (anvil, jane, joe) = workshop(&t).await;
    let bellows = t.project("acme/bellows").await;
    bellows.add(&joe, 30).await;
    let group = t.group("acme").await;
    group.add(&jane, 30).await;
    for (project, by, title) in [(&anvil, &jane, "Hinge"), (&bellows, &joe, "Leather")] {
        by.post(project.at("/issues")).json(&json!({"title": title})).await.is(201);
    }
    let milestone = json!({"title": "Spring"});
    t.admin().post(group.at("/milestones")).json(&milestone).await.is(201);
    let (jane, joe) = (t.browser("jane").await, t.browser("joe").await);
    let of_group = page(&jane, "/groups/acme/-/activity").await;
    let expected = [
        "Administrator opened milestone Spring",
        "joe opened #1 Leather",
        "jane opened #1 Hinge",
    ];
    assert_eq!(told(&of_group)[..3], expected);
    assert!(of_group.contains(">acme/bellows</a>"), "rows say where it was");
    let own = page(&joe, "/dashboard/activity?scope=own&kind=issues").await;
    assert_eq!(told(&own), ["joe opened #1 Leather"]);
    let mine = page(&joe, "/dashboard/activity?kind=issues").await;
    assert_eq!(told(&mine), expected[1..]);
    let overview = page(&jane, "/groups/acme").await;
    assert!(overview.contains("Latest activity"), "{overview}");
    joe.get("/dashboard/activity?scope=all").await.is(400);
}

#[testkit::story]
async fn a_long_list_has_pages(t: TestServer) {
    let (project, jane, _) = workshop(&t).await;
    for n in 0..25 {
        let issue = json!({"title": format!("i{n}")});
        jane.post(project.at("/issues")).json(&issue).await.is(201);
    }
    let browser = t.browser("jane").await;
    let list = "/acme/anvil/-/activity?kind=issues";
    let first = page(&browser, list).await;
    assert_eq!((told(&first).len(), told(&first)[0].as_str()), (20, "jane opened #25 i24"));
    assert!(first.contains("1–20 of 25"), "{first}");
    let second = page(&browser, &format!("{list}&page=2")).await;
    assert_eq!(told(&second).len(), 5);
    assert!(page(&browser, &format!("{list}&page=9")).await.contains("past the end"));
    assert_eq!(told(&page(&browser, &format!("{list}&per_page=3&page=2")).await).len(), 3);
}

#[testkit::story(noon)]
async fn a_calendar_shows_the_days_of_a_year(t: TestServer) {
    let (project, jane, _) = workshop(&t).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    t.advance(2 * 86_400);
    jane.post(project.at("/issues")).json(&json!({"title": "Lid"})).await.is(201);
    let day = t.now().to_string()[..10].to_owned();
    let browser = t.browser("jane").await;
    let shown = page(&browser, "/jane").await;
    assert!(shown.contains("Activity in the last year: 3 in all"), "{shown}");
    assert!(shown.contains(&format!("<title>{day}: 1</title>")), "{shown}");
    assert!(shown.contains(&format!("href=\"/users/jane/activity?day={day}\"")), "{shown}");
    let that_day = page(&browser, &format!("/users/jane/activity?day={day}")).await;
    assert_eq!(told(&that_day), ["jane opened #2 Lid"]);
    // Strangers see of a private project neither days nor their number.
    let strangers = page(&t.new_browser(), "/jane").await;
    assert!(strangers.contains("last year: 0 in all"), "{strangers}");
    let private = json!({"private_profile": true});
    t.admin().put(format!("/users/{}", jane.id)).json(&private).await.is(200);
    let joe = t.browser("joe").await;
    for path in ["/jane", "/users/jane/activity"] {
        let shown = page(&joe, path).await;
        assert!(!shown.contains("last year") && told(&shown).is_empty(), "{path}: {shown}");
    }
    assert!(page(&browser, "/jane").await.contains("last year"));

    t.advance(365 * 86_400);
    let later = page(&t.browser("jane").await, "/jane").await;
    assert!(later.contains("last year: 0 in all"), "{later}");
}

#[testkit::story]
async fn a_week_begins_as_the_reader_wants_it(t: TestServer) {
    t.user("jane").await;
    let browser = t.browser("jane").await;
    let monday = page(&browser, "/jane").await;
    assert!(monday.contains(">Tue</text>") && !monday.contains(">Mon</text>"), "{monday}");
    let form = [("first_day", "sunday"), ("time_zone", "")];
    browser.submit("/-/user_settings/preferences", &form).await;
    let sunday = page(&browser, "/jane").await;
    assert!(sunday.contains(">Mon</text>") && !sunday.contains(">Tue</text>"), "{sunday}");
}
