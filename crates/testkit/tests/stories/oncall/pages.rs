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
            "5 – 18 May 2031",
            "Times are those of Europe/Berlin, where it is",
            "class=\"now\"",
            "Turns of 1 day from 6 May 2031, 00:00",
            "<td role=\"cell\" data-label=\"From\">Wed 7 May, 08:00</td>",
            "?week=2031-04-28",
            "?week=2031-05-12",
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
        &[
            "On call now: <a href=\"/carl\">",
            "Who is on call by Nights &#60;b&#62;, 5",
            ">Weekly<",
        ],
    );
    let save = [("action", "save"), ("name", "Days"), ("timezone", "UTC"), ("description", "")];
    has(
        &browser.submit(ONE, &save).await.1,
        &["Schedule saved.", "<h2 id=\"drawn\">Days</h2>"],
    );
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
async fn a_schedule_is_drawn_for_any_week(t: TestServer) {
    let watch = Watch::new(&t).await;
    let nights = watch.schedule("Nights").await;
    watch
        .rotation(&nights, "2031-05-01T00:00:00Z", &[&watch.jane, &watch.carl])
        .await;
    let browser = mia(&t, &watch).await;
    let now = page(&browser, ONE).await;
    assert!(!now.contains("Mon 5 May, 02:00</td>"), "what is over is not told: {now}");
    let later = page(&browser, &format!("{ONE}?week=2031-06-04")).await;
    has(
        &later,
        &["2 – 15 Jun 2031", "Mon 2 Jun, 02:00", "?week=2031-05-26", "?week=2031-06-09"],
    );
    assert!(!later.contains("class=\"now\"") && !later.contains(" today"), "{later}");
    let earlier = page(&browser, &format!("{ONE}?week=2031-04-01")).await;
    has(&earlier, &["31 Mar – 13 Apr 2031", "Nobody is on call in these days."]);
    for odd in ["soon", "0000-00-00", "99999-01-01", "9999-12-31", ""] {
        has(&page(&browser, &format!("{ONE}?week={odd}")).await, &["5 – 18 May 2031"]);
    }
    // The hue of a person is the same in every week.
    let hue = |page: &str| {
        let turn = page.split("class=\"turn who-").find(|turn| turn.contains("<title>@carl"));
        turn.and_then(|turn| turn.chars().next())
    };
    assert!(hue(&now).is_some() && hue(&now) == hue(&later));
    // Where turns are many, a week is drawn, and not more than can be told apart.
    let hourly = json!({"name": "Hourly", "starts_at": "2031-05-01", "length": 1,
        "length_unit": "hours", "user_ids": [watch.jane.id]});
    watch.admin.post(format!("{nights}/rotations")).json(&hourly).await.is(201);
    let many = page(&browser, ONE).await;
    has(&many, &["5 – 11 May 2031", "The first 50 are told here."]);
    assert!(many.matches("class=\"turn").count() <= 400 && many.len() < 150_000);
}

#[testkit::story(noon)]
async fn the_policy_is_set_by_forms(t: TestServer) {
    let watch = Watch::new(&t).await;
    watch.schedule("Nights").await;
    let browser = mia(&t, &watch).await;
    has(&page(&browser, POLICY).await, &["Alerts page nobody", "First rule", "Nights"]);
    let form = [
        ("action", "save"),
        ("name", "Wake <i>up"),
        ("schedule", "1"),
        ("status", "acknowledged"),
        ("minutes", ""),
        ("username", ""),
    ];
    let (to, shown) = browser.submit(POLICY, &form).await;
    assert_eq!(to, POLICY);
    has(
        &shown,
        &[
            "Escalation policy saved.",
            "Wake &#60;i&#62;up",
            "At once",
            "Page who is on call by Nights, unless it is acknowledged.",
            "Add rule",
        ],
    );
    assert!(
        !shown.contains("name=\"action\" value=\"drop\""),
        "the only rule stays: {shown}"
    );
    let rule = |action: &'static str, minutes: &'static str, username: &'static str| {
        [
            ("action", action),
            ("minutes", minutes),
            ("username", username),
            ("status", "resolved"),
        ]
    };
    let (_, shown) = browser.submit(POLICY, &rule("add", "15", "@carl")).await;
    has(&shown, &["Rule added.", "15 minutes", "Page @carl, unless it is resolved."]);
    let refused = browser.post(POLICY, &rule("add", "soon", "jane")).await.is(422).text();
    has(
        &refused,
        &["Must have whole minutes", "value=\"soon\"", "<details class=\"confirm\" open>"],
    );
    browser.post(POLICY, &rule("add", "15", "carl")).await.is(422);
    browser.post(POLICY, &rule("add", "1", "nobody")).await.is(422);

    let rules = t.admin().get(watch.policies()).await.is(200).json()[0]["rules"].clone();
    let ids: Vec<String> = (0..2).map(|n| rules[n]["id"].to_string()).collect();
    let change = [
        ("action", "change"),
        ("rule_id", ids[1].as_str()),
        ("minutes", "20"),
        ("username", "jane"),
        ("status", "acknowledged"),
    ];
    let (_, shown) = browser.submit(POLICY, &change).await;
    has(&shown, &["Rule saved.", "20 minutes", "Page @jane, unless it is acknowledged."]);
    assert!(!shown.contains("@carl"), "{shown}");
    let mut wrong = change;
    wrong[2].1 = "later";
    // Rules have new numbers: who changed one meanwhile is told.
    browser.post(POLICY, &wrong).await.is(404);

    let rules = t.admin().get(watch.policies()).await.is(200).json()[0]["rules"].clone();
    let id = rules[0]["id"].to_string();
    wrong[1].1 = id.as_str();
    let refused = browser.post(POLICY, &wrong).await.is(422).text();
    has(&refused, &["Must have whole minutes", "value=\"later\""]);
    let (_, shown) = browser.submit(POLICY, &[("action", "drop"), ("rule_id", &id)]).await;
    has(&shown, &["Rule removed.", "Page @jane"]);
    assert!(!shown.contains("Page who is on call by Nights"), "{shown}");
    let rules = t.admin().get(watch.policies()).await.is(200).json()[0]["rules"].clone();
    let last = rules[0]["id"].to_string();
    let refused = browser.post(POLICY, &[("action", "drop"), ("rule_id", &last)]).await;
    has(&refused.is(422).text(), &["This is the only rule"]);

    let renamed = [("action", "save"), ("name", "Nightly"), ("description", "Who is woken")];
    let (_, shown) = browser.submit(POLICY, &renamed).await;
    has(&shown, &["Nightly", "Who is woken", "Page @jane"]);
    watch.send(json!({"title": "Page"})).await;
    t.settle().await;
    has(
        &browser.submit(POLICY, &[("action", "remove")]).await.1,
        &["Escalation policy removed.", "Alerts page nobody"],
    );
    browser.post(POLICY, &rule("add", "15", "carl")).await.is(404);
    let none = [("action", "save"), ("name", "x"), ("minutes", "1")];
    browser.post(POLICY, &none).await.is(422);
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
    let alerts = "/acme/anvil/-/alert_management";
    has(&page(&jane, alerts).await, &["Nobody is on call now.", LIST, POLICY]);
    let nights = format!("{}/1", watch.schedules());
    watch.rotation(&nights, "2031-05-01T00:00:00Z", &[&watch.carl]).await;
    has(
        &page(&jane, alerts).await,
        &[
            "On call now: <a href=\"/carl\">@carl</a>",
            "by <a href=\"/acme/anvil/-/oncall_schedules/1\">Nights</a>",
        ],
    );
}
