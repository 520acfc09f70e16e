//! Who must have a second factor, and what a password alone is worth then.

use super::*;
use testkit::Client;

const HOUR: i64 = 3600;

async fn demand(t: &TestServer) {
    let rules =
        json!({"require_two_factor_authentication": true, "sign_in_limit_per_minute": 1000});
    let put = t.admin().put("/application/settings").json(&rules);
    let rules = put.await.is(200).json();
    assert_eq!(rules["two_factor_grace_period"], 48);
}

/// Asks for a token with the password.
async fn password_grant(t: &TestServer, login: &str, password: &str) -> Reply {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.extend_pairs([("grant_type", "password"), ("username", login), ("password", password)]);
    let post = t.anonymous().request(http::Method::POST, "/oauth/token");
    post.form(form.finish()).await
}

async fn failures(t: &TestServer) -> i64 {
    let count = t
        .app()
        .read(|tx| Ok(tx.one::<i64>("select coalesce(max(failed_attempts), 0) from users", ())?));
    count.await.expect("a number")
}

async fn is_led_away(browser: &Browser) -> bool {
    let reply = browser.get("/-/user_settings/sessions").await;
    let led = reply.status == 303 && reply.header("location") == PAGE;
    assert!(led || reply.status == 200, "{}", reply.status);
    led
}

#[testkit::story(noon)]
async fn the_instance_gives_two_days(t: TestServer) {
    let jane = t.user("jane").await;
    let by_token: Client = t.token_of(jane.id, &["api"]).await;
    demand(&t).await;
    let browser = t.new_browser();
    let reply = browser.sign_in("jane").await;
    assert_eq!(reply.header("location"), format!("{PAGE}?return_to=%2F"));

    let page = browser.get(reply.header("location")).await.is(200);
    assert!(page.text().contains("needs two-factor authentication by 8 May 2031, 12:00 UTC"));
    assert!(page.text().contains("<a href=\"/\">Later</a>"));
    let other = browser.get("/-/user_settings/sessions").await.is(200);
    assert!(other.text().contains("needs two-factor authentication by 8 May 2031"));
    t.advance(48 * HOUR - 1);
    assert!(is_in(&browser).await && !is_led_away(&browser).await);
    t.advance(1);
    assert!(is_led_away(&browser).await);
    let refused = browser.get("/api/v4/user").await.is(401);
    let text = refused.json()["message"].as_str().unwrap_or_default().to_owned();
    assert!(
        text.contains("Authentication error: enable 2FA in your profile settings"),
        "{text}"
    );
    assert!(!browser.get(PAGE).await.is(200).text().contains("Later"));
    let query = "/api/graphql?query=%7BcurrentUser%7Busername%7D%7D";
    let refused = browser.get(query).await.is(401).json();
    let text = refused["errors"][0]["message"].as_str().unwrap_or_default();
    assert!(text.starts_with("Authentication error: enable 2FA in your profile"), "{text}");
    by_token.get("/user").await.is(200);

    set_up(&t, &browser).await;
    assert!(is_in(&browser).await && !is_led_away(&browser).await);
    // Removing it again gives no new days.
    browser.get(PAGE).await.is(200);
    browser.post(&format!("{PAGE}/disable"), &[]).await.is(303);
    assert!(is_led_away(&browser).await);
}

#[testkit::story(noon)]
async fn who_is_led_away_may_sign_out(t: TestServer) {
    t.user("jane").await;
    demand(&t).await;
    let none = json!({"two_factor_grace_period": 0});
    t.admin().put("/application/settings").json(&none).await.is(200);
    let browser = t.new_browser();
    browser.sign_in("jane").await;
    assert!(is_led_away(&browser).await);
    let post = browser.get("/-/user_settings/tokens").await.is(303);
    assert_eq!(post.header("location"), PAGE);
    browser.get(PAGE).await.is(200);
    browser
        .post("/-/user_settings/tokens", &[("name", "x"), ("scopes[]", "api")])
        .await
        .is(303);
    browser.post("/users/sign_out", &[]).await.is(302);
    browser.get(PAGE).await.is(401);
}

#[testkit::story(noon)]
async fn a_group_asks_its_members_and_those_below(t: TestServer) {
    let (jane, mary) = (t.user("jane").await, t.user("mary").await);
    patient(&t).await;
    let (acme, below) = (t.group("acme").await, t.group("acme/below").await);
    let aside = t.group("aside").await;
    below.add(&jane, 30).await;
    aside.add(&mary, 30).await;
    let browsers = (t.browser("jane").await, t.browser("mary").await);
    let rules = json!({"require_two_factor_authentication": true, "two_factor_grace_period": 3});
    let group = t.admin().put(acme.at("")).json(&rules).await.is(200).json();
    assert_eq!(
        (&group["require_two_factor_authentication"], &group["two_factor_grace_period"]),
        (&json!(true), &json!(3))
    );

    assert!(!is_led_away(&browsers.0).await && !is_led_away(&browsers.1).await);
    t.advance(3 * HOUR);
    assert!(is_led_away(&browsers.0).await);
    assert!(!is_led_away(&browsers.1).await);
    // Who leaves is free, and gets the whole time when they come back.
    t.admin().delete(below.at(&format!("/members/{}", jane.id))).await.is(204);
    assert!(!is_led_away(&browsers.0).await);
    below.add(&jane, 30).await;
    assert!(!is_led_away(&browsers.0).await);
    t.advance(3 * HOUR);
    assert!(is_led_away(&browsers.0).await);
}

#[testkit::story(noon)]
async fn the_shortest_time_counts(t: TestServer) {
    let jane = t.user("jane").await;
    demand(&t).await;
    let made = json!({"name": "acme", "path": "acme", "require_two_factor_authentication": true,
        "two_factor_grace_period": 1});
    let group = t.admin().post("/groups").json(&made).await.is(201);
    assert_eq!(group.json()["two_factor_grace_period"], 1);
    let member = json!({"user_id": jane.id, "access_level": 10});
    t.admin().post("/groups/acme/members").json(&member).await.is(201);
    let browser = t.new_browser();
    browser.sign_in("jane").await;
    assert!(!is_led_away(&browser).await);
    t.advance(HOUR);
    assert!(is_led_away(&browser).await);
}

#[testkit::story(noon)]
async fn a_period_is_a_number_of_hours(t: TestServer) {
    let acme = t.group("acme").await;
    for hours in [-1, 87_601] {
        let body = json!({"two_factor_grace_period": hours});
        t.admin().put("/application/settings").json(&body).await.is(400);
        t.admin().put(acme.at("")).json(&body).await.is(400);
    }
    let plain = t.admin().get(acme.at("")).await.is(200).json();
    assert_eq!(plain["two_factor_grace_period"], 48);
}

#[testkit::story(noon)]
async fn the_password_grant_looks_at_no_password_where_two_factors_are_due(t: TestServer) {
    let (jane, mary) = (t.user("jane").await, t.user("mary").await);
    patient(&t).await;
    phone(&t, &jane).await;
    password_grant(&t, "mary", PASSWORD).await.is(200);
    for password in [PASSWORD, "wrong password"] {
        let refused = password_grant(&t, "jane", password).await.is(400);
        assert_eq!(refused.json()["error"], "invalid_grant");
    }
    assert_eq!(failures(&t).await, 0);
    password_grant(&t, "mary", "wrong password").await.is(400);
    assert_eq!(failures(&t).await, 1);
    let acme = t.group("acme").await;
    acme.add(&mary, 10).await;
    let rules = json!({"require_two_factor_authentication": true});
    t.admin().put(acme.at("")).json(&rules).await.is(200);
    for password in [PASSWORD, "wrong password"] {
        password_grant(&t, "mary", password).await.is(400);
    }
    assert_eq!(failures(&t).await, 1);
}

#[testkit::story(noon)]
async fn the_way_later_is_a_path_of_ours(t: TestServer) {
    t.user("jane").await;
    demand(&t).await;
    let browser = t.new_browser();
    browser.sign_in("jane").await;
    for (sent, shown) in [
        ("https%3A%2F%2Fevil.example", "<a href=\"/\">Later</a>"),
        ("%2F%2Fevil.example", "<a href=\"/\">Later</a>"),
        ("%2Fa%22%3E%3Cb%3E", "<a href=\"/a&#34;&#62;&#60;b&#62;\">Later</a>"),
    ] {
        let page = browser.get(&format!("{PAGE}?return_to={sent}")).await.is(200);
        assert!(page.text().contains(shown), "{sent}: {}", page.text());
    }
}
