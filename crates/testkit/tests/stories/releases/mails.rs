//! Mail about new releases.

use super::{released, tagged};
use serde_json::json;

#[testkit::story(noon)]
async fn who_asked_is_told_of_new_releases(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    for (name, level, settings) in [
        ("asks", 30, json!({"level": "custom", "new_release": true})),
        ("guest", 10, json!({"level": "custom", "new_release": true})),
        ("watches", 30, json!({"level": "watch"})),
        ("other", 30, json!({"level": "custom", "new_issue": true})),
    ] {
        let user = t.user(name).await;
        project.add(&user, level).await;
        user.put(project.at("/notification_settings")).json(&settings).await.is(200);
    }
    t.settle().await;
    let known = t.app().mailer().sent().len();

    released(&t, &project, json!({"tag_name": "v1", "released_at": "2020-01-01"})).await;
    t.settle().await;
    assert_eq!(t.app().mailer().sent().len(), known, "it was out before");
    released(&t, &project, json!({"tag_name": "v2", "ref": "main"})).await;
    t.settle().await;

    let mut mails = t.app().mailer().sent().split_off(known);
    mails.sort_by(|one, other| one.to.cmp(&other.to));
    let told: Vec<&str> = mails.iter().map(|mail| mail.to.as_str()).collect();
    assert_eq!(told, ["asks@example.com", "guest@example.com"]);
    assert_eq!(mails[0].subject, "anvil | New release: v2");
    let page = format!("{}/acme/anvil/-/releases/v2", t.app().base_url());
    assert!(mails[0].text.contains(&page), "{}", mails[0].text);
    assert!(!mails[1].text.contains("v2"), "guests see no tags: {}", mails[1].text);
}
