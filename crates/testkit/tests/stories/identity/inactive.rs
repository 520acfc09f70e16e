//! Tokens of users who may not act.

use http::Method;
use serde_json::json;
use testkit::Client;
use testkit::service::set;

/// What the API says to the holder of a token.
async fn said(client: &Client) -> (u16, String) {
    let reply = client.get("/user").await;
    let message = reply.json()["message"].as_str().map(str::to_owned);
    (reply.status, message.unwrap_or_default())
}

async fn graphql(client: &Client) -> u16 {
    let path = "/api/graphql?query=%7BcurrentUser%7Busername%7D%7D";
    client.request(Method::GET, path).await.status
}

#[testkit::story(noon)]
async fn tokens_wait_for_the_address_to_be_confirmed(t: testkit::TestServer) {
    let new = json!({"username": "jane", "name": "Jane", "email": "jane@example.com",
        "password": "correct horse battery"});
    let id = t.admin().post("/users").json(&new).await.is(201).id();
    let jane = t.token_of(id, &["api"]).await;
    let refused = "403 Forbidden - Your e-mail address is not confirmed. Open the link that \
        was mailed to it.";
    assert_eq!(said(&jane).await, (403, refused.into()));
    assert_eq!(graphql(&jane).await, 403);
    // Nobody acts as them, either.
    let as_jane = t.admin().get("/user?sudo=jane").await.is(403);
    assert_eq!(as_jane.json()["message"], refused);

    set(&t, json!({"email_confirmation_setting": "soft"})).await;
    assert_eq!(said(&jane).await.0, 200);
    t.advance(3 * 24 * 60 * 60);
    assert_eq!(said(&jane).await.0, 403);
    set(&t, json!({"email_confirmation_setting": "off"})).await;
    assert_eq!(said(&jane).await.0, 200);
    set(&t, json!({"email_confirmation_setting": "hard"})).await;
    assert_eq!(said(&jane).await.0, 403);
}

#[testkit::story(noon)]
async fn tokens_of_bots_need_no_address(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let new = json!({"name": "robot", "scopes": ["api"]});
    let made = t.admin().post(project.at("/access_tokens")).json(&new).await.is(201);
    let robot = t.with_token(made.json()["token"].as_str().expect("a token"));
    robot.get(project.at("")).await.is(200);
}

#[testkit::story(noon)]
async fn a_locked_account_has_no_tokens_until_it_opens(t: testkit::TestServer) {
    set(&t, json!({"max_login_attempts": 3, "sign_in_limit_per_minute": 1000})).await;
    let jane = t.user("jane").await;
    let browser = t.new_browser();
    for _ in 0..3 {
        assert_eq!(said(&jane).await.0, 200);
        browser.get("/users/sign_in").await.is(200);
        let wrong = [("login", "jane"), ("password", "a wrong password")];
        browser.post("/users/sign_in", &wrong).await.is(422);
    }
    let refused = "403 Forbidden - Your account is locked after too many failed sign-ins. It \
        opens by itself, or at once with the link that was mailed to you.";
    assert_eq!(said(&jane).await, (403, refused.into()));
    assert_eq!(graphql(&jane).await, 403);
    t.advance(601);
    assert_eq!(said(&jane).await.0, 200);
}
