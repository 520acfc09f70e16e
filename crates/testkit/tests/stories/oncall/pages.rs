//! Pages of on-call: schedules, one of them, the policy.

use crate::oncall::Watch;
use serde_json::json;
use testkit::{Browser, TestServer};

const LIST: &str = "/acme/anvil/-/oncall_schedules";
const ONE: &str = "/acme/anvil/-/oncall_schedules/1";
const POLICY: &str = "/acme/anvil/-/escalation_policies";

fn has(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "{text} is not in {page}");
    }
}

async fn page(browser: &Browser, path: &str) -> String {
    browser.get(path).await.is(200).text()
}

/// A maintainer at a browser.
async fn mia(t: &TestServer, watch: &Watch) -> Browser {
    let mia = t.user("mia").await;
    watch.project.add(&mia, 40).await;
    t.browser("mia").await
}

#[testkit::story(noon)]
async fn schedules_are_drawn_and_changed(t: TestServer) {
    let watch = Watch::new(&t).await;
    let browser = mia(&t, &watch).await;
    has(
        &page(&browser, LIST).await,
        &["No schedules yet", "Europe/Berlin", "Add schedule"],
    );
    let form = [("name", "Nights <b>"), ("timezone", "Europe/Berlin"), ("description", "Late")];
    let (to, shown) = browser.submit(LIST, &form).await;
    assert_eq!(to, ONE);
    has(
        &shown,
        &[
            "Schedule created.",
            "Nights &#60;b&#62;",
            "No rotations yet",
            "Nobody is on call now",
        ],
    );
    let refused = browser.post(LIST, &form).await.is(422).text();
    has(&refused, &["Has already been taken", "Nights &#60;b&#62;"]);

    let turns = [
        ("action", "rotate"),
        ("rotation_name", "Daily"),
        ("participants", "@jane, carl"),
        ("length", "1"),
        ("length_unit", "days"),
        ("starts_at", "2031-05-06T00:00"),
        ("active_from", "08:00"),
        ("active_until", "17:00"),
    ];
    let (_, shown) = browser.submit(ONE, &turns).await;
    has(
        &shown,
        &[
            "Rotation added.",
            "On call now: <a href=\"/jane\">@jane</a>",
            "<svg",
            "on call from 08:00 to 17:00",
            "<title>@jane, Tue 6 May, 08:00 to Tue 6 May, 17:00</title>",
            "@carl, Wed 7 May, 08:00",
        ],
    );
    let mut wrong = turns;
    wrong[2].1 = "nobody";
    has(
        &browser.post(ONE, &wrong).await.is(422).text(),
        &["nobody, who does not exist", "value=\"Daily\""],
    );
    wrong[2].1 = "jane";
    wrong[1].1 = "Other";
    wrong[7].1 = "";
    has(
        &browser.post(ONE, &wrong).await.is(422).text(),
        &["Needs two times such as 08:30"],
    );
    let id =
        t.admin().get(format!("{}/1/rotations", watch.schedules())).await.each("id")[0].to_string();
    has(
        &page(&browser, &format!("{ONE}?rotation={id}")).await,
        &[
            "Save rotation",
            "value=\"2031-05-06T00:00\"",
            "value=\"jane carl\"",
            "value=\"08:00\"",
        ],
    );
    let change = [
        ("action", "rotate"),
        ("rotation_id", id.as_str()),
        ("rotation_name", "Weekly"),
        ("participants", "carl"),
        ("length", "2"),
        ("length_unit", "weeks"),
        ("starts_at", "2031-05-01T00:00"),
        ("ends_at", "2031-06-01T00:00"),
    ];
    let (_, shown) = browser.submit(ONE, &change).await;
    has(
        &shown,
        &[
            "Rotation saved.",
            "Turns of 2 weeks",
            "On call now: <a href=\"/carl\">@carl</a>",
        ],
    );
    has(
        &page(&browser, LIST).await,
        &["On call now: <a href=\"/carl\">", "by Weekly over the next two weeks"],
    );
    let save = [("action", "save"), ("name", "Days"), ("timezone", "UTC"), ("description", "")];
    has(&browser.submit(ONE, &save).await.1, &["Schedule saved.", "Days: rotations"]);
    has(
        &browser.submit(ONE, &[("action", "drop"), ("rotation_id", &id)]).await.1,
        &["Rotation removed."],
    );
    let (to, shown) = browser.submit(ONE, &[("action", "remove")]).await;
    assert_eq!(to, LIST);
    has(&shown, &["Schedule removed.", "No schedules yet"]);
    browser.get(ONE).await.is(404);
}

#[testkit::story(noon)]
async fn the_policy_is_set_by_a_form(t: TestServer) {
    let watch = Watch::new(&t).await;
    watch.schedule("Nights").await;
    let browser = mia(&t, &watch).await;
    has(
        &page(&browser, POLICY).await,
        &["Alerts page nobody", "Rule 1", "Rule 2", "Nights"],
    );
    let form = [
        ("action", "save"),
        ("name", "Wake <i>up"),
        ("rules[0][schedule]", "1"),
        ("rules[0][status]", "acknowledged"),
        ("rules[0][minutes]", ""),
        ("rules[1][minutes]", "15"),
        ("rules[1][username]", "@carl"),
        ("rules[1][status]", "resolved"),
        ("rules[2][minutes]", ""),
        ("rules[2][username]", ""),
        ("rules[2][schedule]", ""),
        ("rules[2][status]", "resolved"),
    ];
    let (to, shown) = browser.submit(POLICY, &form).await;
    assert_eq!(to, POLICY);
    has(
        &shown,
        &[
            "Escalation policy saved.",
            "Wake &#60;i&#62;up",
            "After 0 minutes page who is on call by Nights, unless it is acknowledged",
            "After 15 minutes page @carl",
            "Rule 4",
        ],
    );
    let wrong = [
        ("action", "save"),
        ("name", "x"),
        ("rules[0][minutes]", "soon"),
        ("rules[0][username]", "jane"),
    ];
    has(
        &browser.post(POLICY, &wrong).await.is(422).text(),
        &["must have whole minutes", "value=\"soon\""],
    );
    let none = [("action", "save"), ("name", "x")];
    browser.post(POLICY, &none).await.is(422);
    watch.send(json!({"title": "Page"})).await;
    t.settle().await;
    has(
        &browser.submit(POLICY, &[("action", "remove")]).await.1,
        &["Escalation policy removed.", "Alerts page nobody"],
    );
}

#[testkit::story(noon)]
async fn reporters_look_and_others_do_not(t: TestServer) {
    let watch = Watch::new(&t).await;
    watch.schedule("Nights").await;
    watch
        .policy(
            json!([{"elapsed_time_seconds": 0, "status": "resolved", "oncall_schedule_iid": 1}]),
        )
        .await;
    let (rita, gus) = (t.user("rita").await, t.user("gus").await);
    watch.project.add(&rita, 20).await;
    watch.project.add(&gus, 10).await;
    t.user("zoe").await;
    let (rita, gus, zoe) =
        (t.browser("rita").await, t.browser("gus").await, t.browser("zoe").await);
    for path in [LIST, ONE, POLICY] {
        let shown = page(&rita, path).await;
        assert!(!shown.contains("name=\"name\"") && !shown.contains("Remove"), "{shown}");
        gus.get(path).await.is(403);
        zoe.get(path).await.is(404);
        t.new_browser().get(path).await.is(401);
        rita.post(path, &[("action", "remove"), ("name", "x"), ("timezone", "UTC")])
            .await
            .is(403);
    }
    let jane = t.browser("jane").await;
    has(&page(&jane, "/acme/anvil/-/alert_management").await, &[LIST, POLICY]);
}
