//! Asking for access, and one's own picture.

use serde_json::json;

const MEMBERS: &str = "/acme/anvil/-/members";

#[testkit::story]
async fn who_asks_for_access_is_let_in_or_not(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (mia, ann, bob) = (t.user("mia").await, t.user("ann").await, t.user("bob").await);
    project.add(&mia, 40).await;
    let (manager, first, second) =
        (t.browser("mia").await, t.browser("ann").await, t.browser("bob").await);
    for browser in [&first, &second] {
        let page = browser.get(MEMBERS).await.is(200).text();
        assert!(page.contains("Ask for access"), "{page}");
        let (_, page) = browser.submit(MEMBERS, &[("action", "ask")]).await;
        assert!(page.contains("You have asked for access.") && !page.contains("Approve"));
        browser.post(MEMBERS, &[("action", "ask")]).await.is(422);
    }
    let (ann_id, bob_id) = (ann.id.to_string(), bob.id.to_string());
    let approve = [("action", "approve"), ("user_id", ann_id.as_str()), ("access_level", "20")];
    first.post(MEMBERS, &approve).await.is(403);
    let page = manager.get(MEMBERS).await.is(200).text();
    assert!(page.contains("Requests for access") && page.contains("@ann") && page.contains("@bob"));
    let higher = [("action", "approve"), ("user_id", ann_id.as_str()), ("access_level", "50")];
    assert!(manager.post(MEMBERS, &higher).await.status >= 400);
    manager.get(MEMBERS).await.is(200);
    let (_, page) = manager.submit(MEMBERS, &approve).await;
    assert!(page.contains("ann is now a member: Reporter."), "{page}");
    let deny = [("action", "deny"), ("user_id", bob_id.as_str())];
    let (_, page) = manager.submit(MEMBERS, &deny).await;
    assert!(!page.contains("Requests for access"));
    manager.post(MEMBERS, &deny).await.is(404);
    let page = second.get(MEMBERS).await.is(200).text();
    assert!(page.contains("Ask for access"));
    let member = t.admin().get(project.at(&format!("/members/{}", ann.id))).await.is(200);
    assert_eq!(member.json()["access_level"], 20);
    let closed = json!({"request_access_enabled": false});
    t.admin().put(project.at("")).json(&closed).await.is(200);
    assert!(!second.get(MEMBERS).await.is(200).text().contains("Ask for access"));
    second.post(MEMBERS, &[("action", "ask")]).await.is(403);
}

#[testkit::story]
async fn people_set_their_picture_on_their_profile(t: testkit::TestServer) {
    t.user("jane").await;
    let jane = t.browser("jane").await;
    let profile = "/-/user_settings/profile";
    let set = "/-/user_settings/avatar";
    let refused = jane.post_file(set, "avatar", b"<svg onload=alert(1)>").await.is(422);
    assert!(refused.text().contains("File format is not supported"));
    jane.post_file(set, "avatar", b"").await.is(422);
    jane.post_file(set, "avatar", b"GIF89a in bytes").await.is(303);
    let page = jane.get(profile).await.is(200).text();
    let at = page.find("/uploads/-/system/user/avatar/").expect("it is shown");
    let path = page[at..].split('"').next().unwrap();
    assert_eq!(t.anonymous().at(path).await.is(200).text(), "GIF89a in bytes");
    jane.post(set, &[("remove", "1")]).await.is(303);
    t.anonymous().at(path).await.is(404);
    jane.post_bare(set, &[("remove", "1")]).await.is(403);
}
