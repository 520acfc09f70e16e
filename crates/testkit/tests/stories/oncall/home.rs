//! Alerts on the home page of who is on call for them.

use super::Watch;
use serde_json::json;
use testkit::{Browser, TestServer};

/// The box of alerts, if there is one.
async fn alerts(browser: &Browser) -> String {
    let page = browser.get("/").await.is(200).text();
    let part = page.split("Alerts you are on call for").nth(1).unwrap_or_default();
    part.split("</section>").next().unwrap_or_default().to_owned()
}

#[testkit::story(noon)]
async fn alerts_wait_for_who_is_on_call(t: TestServer) {
    let watch = Watch::new(&t).await;
    let nights = watch.schedule("Nights").await;
    let (jane, carl) = (t.browser("jane").await, t.browser("carl").await);
    watch.send(json!({"title": "disk full"})).await;
    assert_eq!(alerts(&jane).await, "", "nobody is on call");
    // Daily turns from this morning on: today Jane's, tomorrow Carl's.
    watch
        .rotation(&nights, "2031-05-06T08:00:00Z", &[&watch.jane, &watch.carl])
        .await;
    let shown = alerts(&jane).await;
    assert!(shown.contains("disk full") && shown.contains("class=\"tally\">1<"), "{shown}");
    assert!(shown.contains("href=\"/acme/anvil/-/alert_management/1/details\""), "{shown}");
    assert_eq!(alerts(&carl).await, "", "others have theirs");
    t.advance(86_400);
    assert_eq!(alerts(&jane).await, "", "her turn is over");
    assert!(alerts(&carl).await.contains("disk full"));

    // Ten are counted, eight are shown; what is resolved waits for nobody.
    for n in 0..10 {
        watch
            .send(json!({"title": format!("full {n}"), "fingerprint": format!("f{n}")}))
            .await;
    }
    watch.set(1, "resolved").await;
    let shown = alerts(&carl).await;
    assert!(shown.contains("class=\"tally\">10<") && !shown.contains("disk full"), "{shown}");
    assert_eq!(shown.matches("<li>").count(), 8, "{shown}");
    // Who may no longer see the project is told nothing.
    let member = watch.project.at(&format!("/members/{}", watch.carl.id));
    watch.admin.put(&member).json(&json!({"access_level": 20})).await.is(200);
    assert_eq!(alerts(&carl).await, "", "reporters see no alerts");
    watch.admin.put(&member).json(&json!({"access_level": 30})).await.is(200);
    assert!(alerts(&carl).await.contains("full 9"));
    t.admin().delete(format!("/projects/{}", watch.project.id)).await.is(202);
    assert_eq!(alerts(&carl).await, "", "nor of one that is to be deleted");
}

#[testkit::story(noon)]
async fn weeks_begin_on_the_day_that_was_chosen(t: TestServer) {
    let watch = Watch::new(&t).await;
    let nights = watch.schedule("Nights").await;
    watch.rotation(&nights, "2031-05-01T00:00:00Z", &[&watch.carl]).await;
    let (jane, carl) = (t.browser("jane").await, t.browser("carl").await);
    jane.submit("/-/user_settings/preferences", &[("first_day", "sunday")]).await;
    let one = "/acme/anvil/-/oncall_schedules/1";
    let page = jane.get(one).await.is(200).text();
    assert!(page.contains("4 – 17 May 2031") && page.contains("?week=2031-05-11"), "{page}");
    let list = jane.get("/acme/anvil/-/oncall_schedules").await.is(200).text();
    assert!(list.contains("4 – 17 May 2031"), "{list}");
    let page = carl.get(one).await.is(200).text();
    assert!(page.contains("5 – 18 May 2031") && page.contains("?week=2031-05-12"), "{page}");
}
