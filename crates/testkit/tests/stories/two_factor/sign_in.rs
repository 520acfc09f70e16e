//! The second factor at sign-in.

use super::*;
use futures_util::future::join_all;
use http::StatusCode;

/// Whether no session was used at this time or later.
async fn unused_since(t: &TestServer, at: jiff::Timestamp) -> bool {
    let count = t.app().read(move |tx| {
        Ok(tx.one::<i64>("select count(*) from sessions where last_used_at >= $1", (at,))?)
    });
    count.await.expect("a number") == 0
}

#[testkit::story(noon)]
async fn sign_in_asks_for_the_code_of_the_app(t: TestServer) {
    let jane = t.user("jane").await;
    let phone = phone(&t, &jane).await;

    let browser = t.new_browser();
    browser
        .get("/users/sign_in?return_to=%2F-%2Fuser_settings%2Fsessions")
        .await
        .is(200);
    let fields = [
        ("login", "jane"),
        ("password", PASSWORD),
        ("return_to", "/-/user_settings/sessions"),
    ];
    let halfway = browser.post("/users/sign_in", &fields).await.is(302);
    assert_eq!(halfway.header("location"), STEP);
    let cookies: Vec<_> = halfway.headers.get_all("set-cookie").iter().collect();
    assert_eq!(cookies.len(), 1, "{cookies:?}");
    let cookie = cookies[0].to_str().unwrap_or_default();
    assert!(cookie.starts_with("_service_step=") && cookie.contains("HttpOnly"), "{cookie}");
    assert!(!is_in(&browser).await);
    browser.get(STEP).await.is(200);
    let done = enter(&browser, &phone.code(&t)).await.is(302);

    assert_eq!(done.header("location"), "/-/user_settings/sessions");
    assert!(is_in(&browser).await);
    assert_eq!(recorded(&t, "user.sign_in").await, 1);
    let again = browser.get(STEP).await.is(303);
    assert_eq!(again.header("location"), "/users/sign_in");
}

#[testkit::story(noon)]
async fn a_wrong_password_says_nothing_of_a_second_factor(t: TestServer) {
    let jane = t.user("jane").await;
    phone(&t, &jane).await;
    let browser = t.new_browser();
    browser.get("/users/sign_in").await;
    let fields = [("login", "jane"), ("password", "wrong password")];
    let reply = browser.post("/users/sign_in", &fields).await.is(422);
    assert!(!reply.text().contains("Two-factor"));
}

#[testkit::story(noon)]
async fn every_sign_in_asks_also_with_remember_me(t: TestServer) {
    let jane = t.user("jane").await;
    let phone = phone(&t, &jane).await;
    patient(&t).await;
    let browser = t.new_browser();
    for _ in 0..2 {
        browser.get("/users/sign_in?again=true").await.is(200);
        let fields = [("login", "jane"), ("password", PASSWORD), ("remember_me", "true")];
        let reply = browser.post("/users/sign_in", &fields).await.is(302);
        assert_eq!(reply.header("location"), STEP);
        browser.get(STEP).await.is(200);
        let done = enter(&browser, &phone.code(&t)).await.is(302);
        let cookies: Vec<_> = done.headers.get_all("set-cookie").iter().collect();
        assert!(
            cookies
                .iter()
                .any(|c| c.to_str().unwrap_or_default().contains("Max-Age=1209600")),
            "{cookies:?}"
        );
        t.advance(SHOWN);
    }
    // Each use puts the end off by two weeks; it is noted beside the request.
    for _ in 0..3 {
        t.advance(13 * 86_400);
        assert!(is_in(&browser).await);
        while unused_since(&t, t.now()).await {
            assert!(is_in(&browser).await);
        }
    }
    t.advance(15 * 86_400);
    assert!(!is_in(&browser).await);
}

#[testkit::story(noon)]
async fn a_clock_may_be_one_step_off(t: TestServer) {
    let jane = t.user("jane").await;
    let phone = phone(&t, &jane).await;
    patient(&t).await;
    for off in [-2 * SHOWN, 2 * SHOWN] {
        let browser = halfway(&t, "jane").await;
        enter(&browser, &phone.off(&t, off)).await.is(422);
    }
    for off in [-SHOWN, 0, SHOWN] {
        let browser = halfway(&t, "jane").await;
        let code = phone.off(&t, off);
        enter(&browser, &format!("{} {}", &code[..3], &code[3..])).await.is(302);
    }
}

#[testkit::story(noon)]
async fn a_code_is_taken_once(t: TestServer) {
    let jane = t.user("jane").await;
    let phone = phone(&t, &jane).await;
    patient(&t).await;
    let code = phone.code(&t);
    enter(&halfway(&t, "jane").await, &code).await.is(302);
    let second = halfway(&t, "jane").await;
    let refused = enter(&second, &code).await.is(422);
    assert!(refused.text().contains("You have 4 tries left"), "{}", refused.text());
    // Nor one from before it.
    enter(&second, &phone.off(&t, -SHOWN)).await.is(422);
    t.advance(SHOWN);
    enter(&second, &phone.code(&t)).await.is(302);
}

#[testkit::story(noon)]
async fn of_many_uses_of_one_code_at_once_one_succeeds(t: TestServer) {
    let jane = t.user("jane").await;
    let phone = phone(&t, &jane).await;
    patient(&t).await;
    let mut browsers = Vec::new();
    for _ in 0..8 {
        browsers.push(halfway(&t, "jane").await);
    }
    let code = phone.code(&t);
    let replies = join_all(browsers.iter().map(|browser| enter(browser, &code))).await;
    let count = |status| replies.iter().filter(|reply| reply.status == status).count();
    assert_eq!((count(StatusCode::FOUND), count(StatusCode::UNPROCESSABLE_ENTITY)), (1, 7));
    let mut signed_in = 0;
    for browser in &browsers {
        signed_in += usize::from(is_in(browser).await);
    }
    assert_eq!(signed_in, 1);
}

#[testkit::story(noon)]
async fn five_wrong_codes_end_the_password_step(t: TestServer) {
    let jane = t.user("jane").await;
    let phone = phone(&t, &jane).await;
    patient(&t).await;
    let browser = halfway(&t, "jane").await;
    for left in ["4 tries", "3 tries", "2 tries", "1 try"] {
        let reply = enter(&browser, "000000").await.is(422);
        assert!(reply.text().contains(&format!("You have {left} left")), "{}", reply.text());
    }
    let over = enter(&browser, "000000").await.is(303);
    assert_eq!(over.header("location"), "/users/sign_in");
    browser.get("/users/sign_in").await.is(200);
    enter(&browser, &phone.code(&t)).await.is(303);
    assert!(!is_in(&browser).await);
    enter(&halfway(&t, "jane").await, &phone.code(&t)).await.is(302);
}

#[testkit::story(noon)]
async fn five_wrong_codes_are_exact_also_at_once(t: TestServer) {
    let jane = t.user("jane").await;
    let phone = phone(&t, &jane).await;
    let wide = json!({"sign_in_limit_per_minute": 1000, "max_login_attempts": 1000});
    t.admin().put("/application/settings").json(&wide).await.is(200);
    let browser = halfway(&t, "jane").await;
    let replies = join_all((0..12).map(|_| enter(&browser, "000000"))).await;
    let count = |status| replies.iter().filter(|reply| reply.status == status).count();
    // A form shown again may find that the others used the tries up.
    assert_eq!(count(StatusCode::UNPROCESSABLE_ENTITY) + count(StatusCode::SEE_OTHER), 12);
    assert!(count(StatusCode::UNPROCESSABLE_ENTITY) <= 4);
    let failures = t.app().read(|tx| {
        Ok(tx.one::<i64>("select failed_attempts from users where username = 'jane'", ())?)
    });
    assert_eq!(failures.await.expect("a number"), 5);
    enter(&browser, &phone.code(&t)).await.is(303);
    assert!(!is_in(&browser).await);
}

#[testkit::story(noon)]
async fn a_step_ends_after_five_minutes(t: TestServer) {
    let jane = t.user("jane").await;
    let phone = phone(&t, &jane).await;
    let browser = halfway(&t, "jane").await;
    t.advance(300);
    browser.get(STEP).await.is(303);
    enter(&browser, &phone.code(&t)).await.is(303);
    assert!(!is_in(&browser).await);
    t.new_browser().get(STEP).await.is(303);
}

#[testkit::story(noon)]
async fn wrong_codes_lock_the_account_like_wrong_passwords(t: TestServer) {
    let jane = t.user("jane").await;
    let phone = phone(&t, &jane).await;
    let rules = json!({"sign_in_limit_per_minute": 1000, "max_login_attempts": 3});
    t.admin().put("/application/settings").json(&rules).await.is(200);
    let browser = halfway(&t, "jane").await;
    for _ in 0..3 {
        enter(&browser, "000000").await.is(422);
    }
    let shown = t.admin().get(format!("/users/{}", jane.id)).await.is(200);
    assert_eq!(shown.json()["locked"], true);
    let code = phone.code(&t);
    enter(&browser, &code).await.is(422);
    let mails = sent(&t).await;
    assert!(mails.iter().any(|mail| mail.subject == "Your account is locked"));
    t.advance(601);
    enter(&halfway(&t, "jane").await, &phone.code(&t)).await.is(302);
    assert!(!is_in(&browser).await);
}

#[testkit::story(noon)]
async fn a_blocked_user_does_not_pass(t: TestServer) {
    let jane = t.user("jane").await;
    let phone = phone(&t, &jane).await;
    patient(&t).await;
    let browser = halfway(&t, "jane").await;
    t.admin().post(format!("/users/{}/block", jane.id)).await.is(201);
    enter(&browser, &phone.code(&t)).await.is(403);
    assert!(!is_in(&browser).await);
}

#[testkit::story(noon)]
async fn an_expired_password_is_changed_after_the_second_factor(t: TestServer) {
    let jane = t.user("jane").await;
    let phone = phone(&t, &jane).await;
    patient(&t).await;
    let new = json!({"password": "given by an admin"});
    t.admin().put(format!("/users/{}", jane.id)).json(&new).await.is(200);
    let browser = t.new_browser();
    browser.get("/users/sign_in").await;
    let fields = [("login", "jane"), ("password", "given by an admin")];
    let reply = browser.post("/users/sign_in", &fields).await.is(302);
    assert_eq!(reply.header("location"), STEP);
    browser.get(STEP).await.is(200);
    let renewal = enter(&browser, &phone.code(&t)).await.is(200);
    assert!(!is_in(&browser).await);
    let proof = renewal.hidden("proof").expect("a proof");
    let fields = [
        ("proof", proof.as_str()),
        ("password", "chosen by myself"),
        ("password_confirmation", "chosen by myself"),
    ];
    browser.post("/users/password", &fields).await.is(302);
    assert!(is_in(&browser).await);
}

#[testkit::story(noon)]
async fn the_form_is_refused_without_its_token(t: TestServer) {
    let jane = t.user("jane").await;
    let phone = phone(&t, &jane).await;
    let browser = halfway(&t, "jane").await;
    let code = phone.code(&t);
    browser.post_bare(STEP, &[("code", &code)]).await.is(403);
    browser
        .post_bare(STEP, &[("code", &code), ("authenticity_token", "x")])
        .await
        .is(403);
    assert!(!is_in(&browser).await);
    enter(&browser, &code).await.is(302);
}
