//! Signing in on a device without a browser.

use super::*;

const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

async fn start(t: &TestServer, application: &TestApplication, more: &[(&str, &str)]) -> Reply {
    let mut fields = vec![("client_id", application.uid.as_str())];
    fields.extend_from_slice(more);
    post(t, "/oauth/authorize_device", &fields).await
}

async fn poll(t: &TestServer, application: &TestApplication, started: &Value) -> Reply {
    let fields = [
        ("grant_type", GRANT),
        ("client_id", application.uid.as_str()),
        ("device_code", text(started, "device_code")),
    ];
    post(t, "/oauth/token", &fields).await
}

async fn decide(browser: &Browser, code: &str, decision: &str) -> Reply {
    let page = browser.post("/oauth/device", &[("user_code", code)]).await.is(200);
    let code = page.hidden("user_code").expect("the code to confirm");
    browser
        .post("/oauth/device/confirm", &[("user_code", &code), ("decision", decision)])
        .await
}

#[testkit::story(noon)]
async fn a_device_waits_until_the_user_has_decided(t: TestServer) {
    let jane = t.user("jane").await;
    let tv = application(&t, "api read_user", false).await;
    let reply = start(&t, &tv, &[("scope", "read_user")]).await.is(200);
    assert_eq!(reply.header("cache-control"), "no-store, no-cache");
    let started = reply.json();
    let page = format!("{}/oauth/device", t.url());
    assert_eq!(
        (&started["expires_in"], &started["interval"], &started["verification_uri"]),
        (&json!(300), &json!(5), &json!(page))
    );
    let code = text(&started, "user_code").to_owned();
    assert!(code.len() == 9 && code.as_bytes()[4] == b'-', "{code}");
    assert_eq!(started["verification_uri_complete"], format!("{page}?user_code={code}"));

    refused(poll(&t, &tv, &started).await, 400, "authorization_pending");
    refused(poll(&t, &tv, &started).await, 400, "slow_down");
    t.advance(9);
    refused(poll(&t, &tv, &started).await, 400, "slow_down");
    t.advance(15);
    refused(poll(&t, &tv, &started).await, 400, "authorization_pending");

    let browser = t.new_browser();
    let asked = browser.get(&format!("/oauth/device?user_code={code}")).await.is(302);
    assert!(
        asked
            .header("location")
            .starts_with("/users/sign_in?return_to=%2Foauth%2Fdevice")
    );
    browser.sign_in("jane").await;
    let page = browser.get(&format!("/oauth/device?user_code={code}")).await.is(200);
    assert!(page.text().contains(&code), "the code is filled in and nothing else happens");
    refused(poll(&t, &tv, &started).await, 400, "slow_down");
    let typed = code.to_lowercase().replace('-', " ");
    let page = browser.post("/oauth/device", &[("user_code", &typed)]).await.is(200);
    let shown = page.text();
    assert!(
        shown.contains("Shop")
            && shown.contains("read_user")
            && shown.contains("127.0.0.1")
            && shown.contains(&code)
    );
    let done = decide(&browser, &code, "authorize").await.is(200);
    assert!(done.text().contains("Device successfully authorized"));

    t.advance(60);
    let token = poll(&t, &tv, &started).await.is(200).json();
    assert_eq!(token["scope"], "read_user");
    assert_eq!(
        with_bearer(&t, "/user", text(&token, "access_token")).await.is(200).id(),
        jane.id
    );
    refused(poll(&t, &tv, &started).await, 400, "invalid_grant");
    let again = browser.post("/oauth/device", &[("user_code", &code)]).await.is(422);
    assert!(again.text().contains("The user code is invalid"), "a code serves once");
}

#[testkit::story(noon)]
async fn a_device_may_be_refused_or_be_too_late(t: TestServer) {
    t.user("jane").await;
    let tv = application(&t, "api", false).await;
    let browser = t.browser("jane").await;
    browser.get("/oauth/device").await.is(200);
    let started = start(&t, &tv, &[]).await.is(200).json();
    decide(&browser, text(&started, "user_code"), "deny").await.is(200);
    refused(poll(&t, &tv, &started).await, 400, "access_denied");
    refused(poll(&t, &tv, &started).await, 400, "invalid_grant");

    let started = start(&t, &tv, &[]).await.is(200).json();
    t.advance(300);
    let late = browser
        .post("/oauth/device", &[("user_code", text(&started, "user_code"))])
        .await
        .is(422);
    assert!(late.text().contains("The user code is expired"));
    refused(poll(&t, &tv, &started).await, 400, "expired_token");
}

#[testkit::story(noon)]
async fn user_codes_cannot_be_guessed(t: TestServer) {
    t.user("jane").await;
    let tv = application(&t, "api", false).await;
    let started = start(&t, &tv, &[]).await.is(200).json();
    let browser = t.browser("jane").await;
    browser.get("/oauth/device").await.is(200);
    for _ in 0..5 {
        browser.post("/oauth/device", &[("user_code", "BBBB-BBBB")]).await.is(422);
    }
    browser
        .post("/oauth/device", &[("user_code", text(&started, "user_code"))])
        .await
        .is(429);
    t.advance(300);
    browser
        .post("/oauth/device", &[("user_code", text(&started, "user_code"))])
        .await
        .is(422);
}

#[testkit::story]
async fn a_device_gets_its_applications_scopes_only(t: TestServer) {
    let tv = application(&t, "read_user", false).await;
    refused(start(&t, &tv, &[("scope", "api")]).await, 400, "invalid_scope");
    refused(start(&t, &tv, &[]).await, 400, "invalid_scope");
    start(&t, &tv, &[("scope", "read_user")]).await.is(200);
    let nobody = [("client_id", "unknown"), ("scope", "api")];
    refused(post(&t, "/oauth/authorize_device", &nobody).await, 401, "invalid_client");
    let shop = application(&t, "api", true).await;
    refused(start(&t, &shop, &[]).await, 401, "invalid_client");
    start(&t, &shop, &[("client_secret", &shop.secret)]).await.is(200);
}

#[testkit::story]
async fn scripts_are_answered_in_json(t: TestServer) {
    t.user("jane").await;
    let tv = application(&t, "api", false).await;
    let started = start(&t, &tv, &[]).await.is(200).json();
    let browser = t.browser("jane").await;
    let page = browser.get("/oauth/device").await.is(200);
    let token = page.hidden("authenticity_token").expect("a form token");
    let send = async |path: &str, code: &str| {
        let fields = [
            ("authenticity_token", token.as_str()),
            ("user_code", code),
            ("decision", "authorize"),
        ];
        browser.send_as(Method::POST, path, &fields, "application/json").await
    };
    let wrong = send("/oauth/device/confirm", "BBBB-BBBB").await.is(422);
    assert_eq!(wrong.json(), json!({"errors": ["The user code is invalid"]}));
    send("/oauth/device/confirm", text(&started, "user_code")).await.is(204);
    poll(&t, &tv, &started).await.is(200);
}
