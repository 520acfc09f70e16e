//! The pages of notification settings, without a script.

use serde_json::json;
use testkit::TestServer;

const OWN: &str = "/-/profile/notifications";

#[testkit::story]
async fn settings_are_chosen_on_a_page(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let body = json!({"email": "post@example.com", "skip_confirmation": true});
    t.admin().post(format!("/users/{}/emails", jane.id)).json(&body).await.is(201);
    let browser = t.browser("jane").await;
    let page = browser.get(OWN).await.is(200).text();
    assert!(page.contains("post@example.com") && page.contains("acme/anvil"), "{page}");
    assert!(page.contains("<option value=\"participating\" selected"), "{page}");
    let form = [
        ("level", "custom"),
        ("notification_email", "post@example.com"),
        ("digest", "weekly"),
        ("boxes", "1"),
        ("events[]", "new_note"),
        ("events[]", "new_epic"),
    ];
    let (_, page) = browser.submit(OWN, &form).await;
    assert!(page.contains("Notification settings saved.") && page.contains("\"weekly\" selected"));
    let checked = page.matches("checked").count();
    assert_eq!(checked, 2, "the boxes are as they were sent: {page}");
    let stored = jane.get("/notification_settings").await.is(200).json();
    assert_eq!(stored, json!({"level": "custom", "notification_email": "post@example.com"}));
    // What is refused is shown as it was typed, with what is wrong beside it.
    let wrong = [("notification_email", "joe@example.com"), ("level", "watch")];
    let page = browser.post(OWN, &wrong).await.is(422).text();
    assert!(page.contains("id=\"e-notification_email\"") && page.contains("\"watch\" selected"));
    browser.post(OWN, &[("level", "loud")]).await.is(422);
    assert_eq!(jane.get("/notification_settings").await.json()["level"], "custom");
    browser.post_bare(OWN, &[("level", "watch")]).await.is(403);
    t.anonymous().at(OWN).await.is(401);
}

#[testkit::story]
async fn a_bell_sets_the_level_of_a_place(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let jane = t.user("jane").await;
    let browser = t.browser("jane").await;
    for (url, api) in [
        ("/acme/anvil", project.at("/notification_settings")),
        ("/groups/acme", "/groups/acme/notification_settings".to_owned()),
    ] {
        if url.starts_with("/groups") {
            t.group("acme").await.add(&jane, 10).await;
        }
        let page = browser.get(url).await.is(200).text();
        assert!(page.contains("Notifications") && page.contains("value=\"mention\""), "{page}");
        let to = format!("{url}/-/notification_settings?back=overview");
        let (led, page) = browser.submit(&to, &[("level", "watch")]).await;
        assert!(led == url && page.contains("aria-current=\"true\""), "{led} {page}");
        assert_eq!(jane.get(&api).await.is(200).json(), json!({"level": "watch"}));
        // Its own page has the boxes, and how often mail leaves.
        let to = format!("{url}/-/notification_settings");
        let page = browser.get(&to).await.is(200).text();
        assert_eq!(page.contains("New epic"), url.starts_with("/groups"));
        let form = [
            ("level", "custom"),
            ("digest", "daily"),
            ("boxes", "1"),
            ("events[]", "new_note"),
        ];
        let (_, page) = browser.submit(&to, &form).await;
        assert_eq!(page.matches("checked").count(), 1, "{page}");
        let stored = jane.get(&api).await.json();
        assert_eq!(stored["events"]["new_note"], json!(true));
        assert_eq!(stored["events"]["failed_pipeline"], json!(false));
    }
    // What is set where one is no member is listed, as long as one sees it.
    let page = browser.get(OWN).await.is(200).text();
    assert!(page.contains("Elsewhere") && page.contains("acme/anvil"), "{page}");
    let hide = json!({"visibility": "private"});
    t.admin().delete(format!("/groups/acme/members/{}", jane.id)).await.is(204);
    t.admin().put(project.at("")).json(&hide).await.is(200);
    let page = browser.get(OWN).await.is(200).text();
    assert!(!page.contains("anvil"), "{page}");
    browser.get("/acme/anvil/-/notification_settings").await.is(404);
    let strange = t.new_browser().get("/acme/anvil/-/notification_settings").await;
    assert_ne!(strange.status, 200);
}

#[testkit::story]
async fn a_group_has_its_own_address(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 20).await;
    t.group("acme").await.add(&joe, 10).await;
    let body = json!({"email": "work@example.com", "skip_confirmation": true});
    t.admin().post(format!("/users/{}/emails", joe.id)).json(&body).await.is(201);
    let browser = t.browser("joe").await;
    let to = "/groups/acme/-/notification_settings";
    browser.get(to).await.is(200);
    browser.submit(to, &[("notification_email", "work@example.com")]).await;
    let body = json!({"title": "Hinge", "assignee_ids": [joe.id]});
    jane.post(project.at("/issues")).json(&body).await.is(201);
    t.settle().await;
    let sent = t.app().mailer().sent();
    let about = sent.iter().find(|mail| mail.subject == "anvil | Hinge (#1)");
    assert_eq!(about.map(|mail| mail.to.as_str()), Some("work@example.com"));
    assert_eq!(
        joe.get("/notification_settings").await.json()["notification_email"],
        "joe@example.com"
    );
}
