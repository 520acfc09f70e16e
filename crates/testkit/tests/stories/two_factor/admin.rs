//! What others see of a second factor, and administrators who remove it.

use super::*;

/// The browser of an administrator.
async fn boss(t: &TestServer) -> Browser {
    let boss = t.user("boss").await;
    let admin = json!({"admin": true});
    let put = t.admin().put(format!("/users/{}", boss.id)).json(&admin);
    put.await.is(200);
    t.browser("boss").await
}

#[testkit::story(noon)]
async fn entities_and_lists_tell_who_has_a_second_factor(t: TestServer) {
    let (jane, mary) = (t.user("jane").await, t.user("mary").await);
    phone(&t, &jane).await;
    for (user, has) in [(&jane, true), (&mary, false)] {
        let own = t.token_of(user.id, &["api"]).await.get("/user").await.is(200);
        assert_eq!(own.json()["two_factor_enabled"], has);
        let seen = t.admin().get(format!("/users/{}", user.id)).await.is(200);
        assert_eq!(seen.json()["two_factor_enabled"], has);
    }
    let of =
        async |query: &str| t.admin().get(format!("/users?{query}")).await.is(200).each("username");
    assert_eq!(of("two_factor=enabled").await, ["jane"]);
    let without = of("two_factor=disabled&humans=true").await;
    assert!(without.contains(&json!("mary")) && !without.contains(&json!("jane")));
    let seen_by_mary = t.token_of(mary.id, &["api"]).await.get(format!("/users/{}", jane.id)).await;
    assert!(seen_by_mary.is(200).json().get("two_factor_enabled").is_none());
}

#[testkit::story(noon)]
async fn an_administrator_removes_a_lost_factor(t: TestServer) {
    let (jane, mary) = (t.user("jane").await, t.user("mary").await);
    phone(&t, &jane).await;
    let path = |id: i64| format!("/users/{id}/disable_two_factor");
    t.token_of(mary.id, &["api"]).await.patch(path(jane.id)).await.is(403);
    t.admin().patch(path(mary.id)).await.is(400);
    t.admin().patch(path(999_999)).await.is(404);
    t.admin().patch(path(jane.id)).await.is(204);
    t.browser("jane").await;
    t.admin().patch(path(jane.id)).await.is(400);
    assert_eq!(recorded(&t, "user.two_factor_disable").await, 1);
    let mails = sent(&t).await;
    assert_eq!(
        (mails[0].to.as_str(), mails[0].subject.as_str()),
        ("jane@example.com", "Two-factor authentication is off")
    );
}

#[testkit::story(noon)]
async fn not_their_own_nor_another_administrators(t: TestServer) {
    let jane = t.user("jane").await;
    let admin = json!({"admin": true});
    t.admin().put(format!("/users/{}", jane.id)).json(&admin).await.is(200);
    phone(&t, &jane).await;
    let path = format!("/users/{}/disable_two_factor", jane.id);
    t.admin().patch(&path).await.is(403);
    t.token_of(jane.id, &["api"]).await.patch(&path).await.is(403);
    let browser = boss(&t).await;
    let page = browser.get("/admin/users/jane").await.is(200);
    assert!(!page.text().contains("disable_two_factor"));
    browser.post("/admin/users/jane/disable_two_factor", &[]).await.is(403);
}

#[testkit::story(noon)]
async fn the_page_of_a_user_does_it_too(t: TestServer) {
    let jane = t.user("jane").await;
    phone(&t, &jane).await;
    let browser = boss(&t).await;
    let page = browser.get("/admin/users/jane").await.is(200);
    assert!(page.text().contains("/admin/users/jane/disable_two_factor"));
    browser.post("/admin/users/jane/disable_two_factor", &[]).await.is(303);
    t.browser("jane").await;
    let page = browser.get("/admin/users?filter=two_factor").await.is(200);
    assert!(!page.text().contains("/admin/users/jane"));
    let page = browser.get("/admin/users?filter=no_two_factor").await.is(200);
    assert!(page.text().contains("/admin/users/jane"));
}
