//! Answers that clients can act on: what a refresh token is, and that nobody
//! registers where that is off.

use super::*;

async fn introspect(t: &TestServer, by: &TestApplication, token: &str) -> Value {
    let fields = [
        ("client_id", by.uid.as_str()),
        ("client_secret", by.secret.as_str()),
        ("token", token),
    ];
    post(t, "/oauth/introspect", &fields).await.is(200).json()
}

#[testkit::story(noon)]
async fn a_living_refresh_token_is_active_for_its_own_client(t: TestServer) {
    let jane = t.user("jane").await;
    let (shop, other) = (application(&t, "api", true).await, application(&t, "api", true).await);
    let browser = t.browser("jane").await;
    let pair = tokens(&t, &browser, &shop, "api").await;
    let token = text(&pair, "refresh_token");
    let now = t.now().as_second();
    assert_eq!(
        introspect(&t, &shop, token).await,
        json!({
            "active": true, "scope": "api", "client_id": shop.uid, "exp": now + 180 * 86_400,
            "iat": now, "sub": jane.id.to_string(), "username": "jane",
        })
    );
    let dead = json!({"active": false});
    assert_eq!(introspect(&t, &other, token).await, dead);
    let access = introspect(&t, &shop, text(&pair, "access_token")).await;
    assert_eq!((&access["token_type"], &access["exp"]), (&json!("Bearer"), &json!(now + 7_200)));

    // It outlives its access token, and dies by rotation.
    t.advance(7_300);
    assert_eq!(introspect(&t, &shop, text(&pair, "access_token")).await, dead);
    assert_eq!(introspect(&t, &shop, token).await["active"], true);
    let next = refresh(&t, &shop, token, &[]).await.is(200).json();
    assert_eq!(introspect(&t, &shop, token).await, dead);
    let token = text(&next, "refresh_token");
    assert_eq!(introspect(&t, &shop, token).await["active"], true);
    let never = json!({"oauth_refresh_token_lifetime": 0});
    t.admin().put("/application/settings").json(&never).await.is(200);
    let next = refresh(&t, &shop, token, &[]).await.is(200).json();
    let token = text(&next, "refresh_token");
    let shown = introspect(&t, &shop, token).await;
    assert_eq!((&shown["active"], shown.get("exp")), (&json!(true), None));
    t.admin().post(format!("/users/{}/block", jane.id)).await.is(201);
    assert_eq!(introspect(&t, &shop, token).await, dead);
}

#[testkit::story(noon)]
async fn what_an_unconfirmed_user_allowed_waits(t: TestServer) {
    let jane = t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let pair = tokens(&t, &browser, &shop, "api").await;
    let change = json!({"email": "jane@example.net"});
    t.admin().put(format!("/users/{}", jane.id)).json(&change).await.is(200);
    with_bearer(&t, "/user", text(&pair, "access_token")).await.is(403);
    for token in ["access_token", "refresh_token"] {
        assert_eq!(introspect(&t, &shop, text(&pair, token)).await, json!({"active": false}));
    }
    refused(
        refresh(&t, &shop, text(&pair, "refresh_token"), &[]).await,
        400,
        "invalid_grant",
    );
    let back = json!({"email_confirmation_setting": "off"});
    t.admin().put("/application/settings").json(&back).await.is(200);
    with_bearer(&t, "/user", text(&pair, "access_token")).await.is(200);
    refresh(&t, &shop, text(&pair, "refresh_token"), &[]).await.is(200);
}

#[testkit::story(noon)]
async fn registration_that_is_off_is_refused_for_good(t: TestServer) {
    let metadata = json!({"redirect_uris": [CALLBACK], "client_name": "Shop"});
    let reply = t
        .anonymous()
        .request(Method::POST, "/oauth/register")
        .json(&metadata)
        .await
        .is(404);
    assert_eq!(
        reply.json(),
        json!({
            "error": "access_denied",
            "error_description": "Applications cannot register themselves here: ask an administrator for a client.",
        })
    );
    assert_eq!(reply.header("retry-after"), "");
    assert_eq!(reply.header("cache-control"), "no-store, no-cache");
}
