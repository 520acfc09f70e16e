//! Epics in time.

use serde_json::{Value, json};
use testkit::{Browser, TestGroup, TestServer};

const ROADMAP: &str = "/groups/acme/-/roadmap";
/// A year of months.
const YEAR: &str = "/groups/acme/-/roadmap?from=2031-01-01";

/// An epic with these days; as it is shown.
async fn epic(t: &TestServer, group: &TestGroup, title: &str, days: (&str, &str)) -> Value {
    let mut body = json!({"title": title});
    for (name, day) in [("start_date", days.0), ("end_date", days.1)] {
        if !day.is_empty() {
            body[name] = json!(day);
        }
    }
    t.admin().post(group.at("/epics")).json(&body).await.is(201).json()
}

/// The epics that are drawn: how far from the left, and their titles.
fn rows(page: &str) -> Vec<(String, String)> {
    let row = |text: &str| {
        let indent = text.split('"').next().unwrap_or_default().to_owned();
        let title = text.split_once("<p class=\"timeline-name\"><a href=\"").map_or("", |it| it.1);
        let title = title.split_once('>').map_or("", |it| it.1);
        (indent, title.split('<').next().unwrap_or_default().to_owned())
    };
    page.split("<li class=\"timeline-row indent-").skip(1).map(row).collect()
}

async fn titles(browser: &Browser, query: &str) -> Vec<String> {
    let page = browser.get(&format!("{YEAR}&{query}")).await.is(200).text();
    rows(&page).into_iter().map(|(_, title)| title).collect()
}

#[testkit::story]
async fn epics_are_drawn_where_their_days_lie(t: TestServer) {
    let group = t.group("acme").await;
    let below = t.group("acme/tools").await;
    for (title, days) in [
        ("late", ("2031-10-01", "2031-12-24")),
        ("early", ("2031-02-01", "2031-03-31")),
        ("open end", ("2031-06-01", "")),
        ("open start", ("", "2031-05-01")),
        ("past", ("2030-01-01", "2030-02-01")),
        ("future", ("2033-01-01", "")),
        ("undated", ("", "")),
    ] {
        epic(&t, &group, title, days).await;
    }
    epic(&t, &below, "<b>below", ("2031-04-01", "2031-04-02")).await;
    let jane = t.user("jane").await;
    group.add(&jane, 20).await;
    let browser = t.browser("jane").await;
    let page = browser.get(YEAR).await.is(200).text();
    let drawn: Vec<String> = rows(&page).into_iter().map(|(_, title)| title).collect();
    assert_eq!(drawn, ["open start", "early", "&#60;b&#62;below", "open end", "late"]);
    assert!(page.contains("bar to-open") && page.contains("bar from-open"), "{page}");
    assert!(page.contains("acme/tools&#38;1 · no issues"), "{page}");
    // What lies before and after is counted, what has no days is named.
    assert!(page.contains("Earlier <span class=\"tally\">1<"), "{page}");
    assert!(page.contains("Later <span class=\"tally\">1<"), "{page}");
    assert!(page.contains("Without dates") && page.contains(">undated</a>"), "{page}");
    assert!(page.contains("from=2031-07-01") && page.contains("from=2030-07-01"), "{page}");
    assert_eq!(
        titles(&browser, "sort=end_date_asc").await,
        ["early", "&#60;b&#62;below", "open start", "late", "open end"]
    );
    assert_eq!(titles(&browser, "search=EARL").await, ["early"]);
    assert_eq!(
        titles(&browser, "scale=weeks").await,
        ["open start", "early", "&#60;b&#62;below"]
    );
    let page = browser
        .get(&format!("{ROADMAP}?scale=quarters&from=2031-05-05"))
        .await
        .is(200)
        .text();
    assert!(page.contains(">Q2 2031<") && rows(&page).len() == 5, "{page}");
    // Days that are none are today's; no year is out of bounds.
    for from in ["soon", "9999-12-31", "0001-01-01", "2199-12-31"] {
        browser.get(&format!("{ROADMAP}?from={from}")).await.is(200);
    }
    for query in ["scale=days", "state=x", "sort=x", "page=0"] {
        browser.get(&format!("{ROADMAP}?{query}")).await.is(400);
    }
}

#[testkit::story]
async fn epics_stand_below_their_parents_with_what_is_done(t: TestServer) {
    let group = t.group("acme").await;
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    let house = epic(&t, &group, "house", ("2031-02-01", "2031-09-30")).await;
    let doors = epic(&t, &group, "doors", ("2031-03-01", "2031-04-01")).await;
    epic(&t, &group, "garden", ("2031-01-01", "2031-12-01")).await;
    let put = group.at(&format!("/epics/2?parent_id={}", house["id"]));
    admin.put(put).await.is(200);
    for (title, epic, weight) in [("hinge", &doors, 3), ("lock", &doors, 0), ("roof", &house, 1)] {
        let weight = if weight > 0 { json!(weight) } else { json!(null) };
        let body = json!({"title": title, "epic_id": epic["id"], "weight": weight});
        admin.post(project.at("/issues")).json(&body).await.is(201);
    }
    let secret = json!({"title": "secret", "epic_id": doors["id"], "weight": 96,
        "confidential": true});
    admin.post(project.at("/issues")).json(&secret).await.is(201);
    admin.put(project.at("/issues/1?state_event=close")).await.is(200);
    let milestone = json!({"title": "v1", "due_date": "2031-06-15"});
    admin.post(group.at("/milestones")).json(&milestone).await.is(201);

    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    group.add(&jane, 20).await;
    group.add(&guest, 10).await;
    let page = t.browser("jane").await.get(YEAR).await.is(200).text();
    let expected = [("0", "garden"), ("0", "house"), ("1", "doors")];
    assert_eq!(rows(&page), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert!(page.contains("weight 3 of 100 closed") && page.contains("weight 3 of 99 closed"));
    assert!(page.contains("<title>v1, 2031-06-15</title>") && page.contains("Milestone v1"));
    // What a guest does not see is in no number.
    let page = t.browser("guest").await.get(YEAR).await.is(200).text();
    assert!(
        page.contains("weight 3 of 4 closed") && page.contains("weight 3 of 3 closed"),
        "{page}"
    );
    // A child whose parent is not drawn stands by itself.
    let page = t
        .browser("jane")
        .await
        .get(&format!("{YEAR}&search=doors"))
        .await
        .is(200)
        .text();
    assert_eq!(rows(&page), [("0".to_owned(), "doors".to_owned())]);
}

#[testkit::story]
async fn hidden_epics_are_not_drawn_nor_counted(t: TestServer) {
    let group = t.group("acme").await;
    let admin = t.admin();
    for (title, start) in [("secret", "2031-03-01"), ("secret past", "2029-03-01")] {
        let body = json!({"title": title, "confidential": true, "start_date": start,
            "end_date": start});
        admin.post(group.at("/epics")).json(&body).await.is(201);
    }
    let body = json!({"title": "secret undated", "confidential": true});
    admin.post(group.at("/epics")).json(&body).await.is(201);
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    group.add(&jane, 20).await;
    group.add(&guest, 10).await;
    let page = t.browser("jane").await.get(YEAR).await.is(200).text();
    assert_eq!(rows(&page).len(), 1);
    assert!(page.contains("secret undated") && page.contains("Earlier <span"), "{page}");
    let by_guest = t.browser("guest").await;
    let page = by_guest.get(YEAR).await.is(200).text();
    assert!(!page.contains("secret") && !page.contains("Earlier <span"), "{page}");
    assert!(page.contains("No epics in these days"), "{page}");
    t.new_browser().get(YEAR).await.is(302);
    // Where epics are switched off there is neither the page nor a way to it.
    assert!(page.contains("/groups/acme/-/roadmap"));
    admin.put(group.at("?epics_enabled=false")).await.is(200);
    let page = by_guest.get("/groups/acme").await.is(200).text();
    assert!(!page.contains("/-/roadmap"), "{page}");
    by_guest.get(YEAR).await.is(403);
}

#[testkit::story]
async fn a_long_roadmap_has_pages_and_costs_the_same(t: TestServer) {
    let group = t.group("acme").await;
    for n in 0..25 {
        let day = format!("2031-02-{:02}", n % 28 + 1);
        epic(&t, &group, &format!("epic {n}"), (&day, "2031-08-01")).await;
    }
    let jane = t.user("jane").await;
    group.add(&jane, 20).await;
    let browser = t.browser("jane").await;
    let sent = || {
        let line =
            "http_request_statements_total{method=\"GET\",route=\"/groups/{*group}/-/roadmap\"} ";
        let text = t.app().metrics().render();
        let count = text.lines().find_map(|one| one.strip_prefix(line));
        count.map_or(0, |count| count.parse::<u64>().expect("a count"))
    };
    let page = browser.get(YEAR).await.is(200).text();
    assert_eq!(rows(&page).len(), 20);
    assert!(page.contains("1–20 of 25"), "{page}");
    let page = browser.get(&format!("{YEAR}&page=2")).await.is(200).text();
    assert_eq!(rows(&page).len(), 5);
    let before = sent();
    browser.get(&format!("{YEAR}&per_page=2")).await.is(200);
    let few = sent() - before;
    browser.get(&format!("{YEAR}&per_page=25")).await.is(200);
    assert!(few > 0, "the page is not counted");
    assert_eq!(sent() - before, 2 * few);
}
