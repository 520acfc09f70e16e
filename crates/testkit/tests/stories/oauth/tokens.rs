//! Refreshing, inspecting and ending tokens; the password grant.

use super::*;

#[testkit::story(noon)]
async fn of_a_hundred_refreshes_at_once_one_wins(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let first = tokens(&t, &browser, &shop, "api").await;
    let token = text(&first, "refresh_token");
    let tries = (0..100).map(|_| refresh(&t, &shop, token, &[]));
    let replies = futures_util::future::join_all(tries).await;
    let won: Vec<&Reply> = replies.iter().filter(|reply| reply.status == 200).collect();
    assert_eq!(won.len(), 1);
    let second = won[0].json();
    with_bearer(&t, "/user", text(&second, "access_token")).await.is(200);
    for reply in replies.into_iter().filter(|reply| reply.status != 200) {
        refused(reply, 400, "invalid_grant");
    }
}

#[testkit::story(noon)]
async fn refreshing_replaces_the_pair(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api read_user", true).await;
    let browser = t.browser("jane").await;
    let first = tokens(&t, &browser, &shop, "api read_user").await;
    t.advance(30);
    let second = refresh(&t, &shop, text(&first, "refresh_token"), &[]).await.is(200).json();
    assert_eq!(second["scope"], "api read_user");
    with_bearer(&t, "/user", text(&first, "access_token")).await.is(401);
    with_bearer(&t, "/user", text(&second, "access_token")).await.is(200);
    let narrow = [("scope", "read_user")];
    let third = refresh(&t, &shop, text(&second, "refresh_token"), &narrow).await.is(200).json();
    assert_eq!(third["scope"], "read_user");
    let wide = [("scope", "api")];
    refused(
        refresh(&t, &shop, text(&third, "refresh_token"), &wide).await,
        400,
        "invalid_scope",
    );
    let elsewhere = [("redirect_uri", "https://evil.example/")];
    refused(
        refresh(&t, &shop, text(&third, "refresh_token"), &elsewhere).await,
        400,
        "invalid_grant",
    );
    let same = [("redirect_uri", CALLBACK)];
    refresh(&t, &shop, text(&third, "refresh_token"), &same).await.is(200);
}

#[testkit::story(noon)]
async fn a_token_of_an_application_is_no_private_token(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let pair = tokens(&t, &browser, &shop, "api").await;
    let token = text(&pair, "access_token");
    let nobody = t.anonymous();
    let graphql = |place: &str| {
        let path = format!("/api/graphql?query=%7BcurrentUser%7Busername%7D%7D{place}");
        nobody.request(Method::GET, path)
    };
    for name in ["access_token", "bearer_token"] {
        nobody.get(format!("/user?{name}={token}")).await.is(200);
        graphql(&format!("&{name}={token}")).await.is(200);
    }
    nobody.get(format!("/user?private_token={token}")).await.is(401);
    nobody.get("/user").header("private-token", token).await.is(401);
    let invalid = json!({"errors": [{"message": "Invalid token"}]});
    let address = format!("&private_token={token}");
    assert_eq!(graphql(&address).await.is(401).json(), invalid);
    assert_eq!(graphql("").header("private-token", token).await.is(401).json(), invalid);
    let form = format!("private_token={token}&message=x");
    nobody.put("/user/status").form(form).await.is(401);
}

#[testkit::story(noon)]
async fn a_refresh_token_used_twice_ends_the_family_after_the_race_window(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let first = tokens(&t, &browser, &shop, "api").await;
    let second = refresh(&t, &shop, text(&first, "refresh_token"), &[]).await.is(200).json();
    t.advance(9);
    refused(
        refresh(&t, &shop, text(&first, "refresh_token"), &[]).await,
        400,
        "invalid_grant",
    );
    with_bearer(&t, "/user", text(&second, "access_token")).await.is(200);
    t.advance(1);
    refused(
        refresh(&t, &shop, text(&first, "refresh_token"), &[]).await,
        400,
        "invalid_grant",
    );
    with_bearer(&t, "/user", text(&second, "access_token")).await.is(401);
    refused(
        refresh(&t, &shop, text(&second, "refresh_token"), &[]).await,
        400,
        "invalid_grant",
    );
    t.settle().await;
    let mail = t.app().mailer().sent();
    let told = mail
        .iter()
        .filter(|mail| mail.to == "jane@example.com" && mail.text.contains("Shop"));
    assert_eq!(told.count(), 1, "{mail:?}");
    let audit = t.admin().get("/audit_events").await.is(200).text();
    assert!(audit.contains("oauth.refresh_reused"), "{audit}");
}

#[testkit::story(noon)]
async fn access_tokens_end_after_two_hours_and_refresh_tokens_after_half_a_year(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let first = tokens(&t, &browser, &shop, "api").await;
    t.advance(7_199);
    with_bearer(&t, "/user", text(&first, "access_token")).await.is(200);
    t.advance(1);
    let ended = with_bearer(&t, "/user", text(&first, "access_token")).await.is(401);
    assert_eq!(
        ended.json()["error_description"],
        "Token is expired. You can either do re-authorization or token refresh."
    );
    t.advance(179 * 86_400);
    let second = refresh(&t, &shop, text(&first, "refresh_token"), &[]).await.is(200).json();
    t.advance(180 * 86_400);
    refused(
        refresh(&t, &shop, text(&second, "refresh_token"), &[]).await,
        400,
        "invalid_grant",
    );
}

#[testkit::story]
async fn a_token_tells_what_it_is(t: TestServer) {
    let jane = t.user("jane").await;
    let (shop, other) =
        (application(&t, "api read_user", true).await, application(&t, "api", true).await);
    let browser = t.browser("jane").await;
    let token = tokens(&t, &browser, &shop, "api read_user").await;
    let access = text(&token, "access_token");

    let path = format!("/oauth/token/info?access_token={access}");
    let info = t.anonymous().at(&path).await.is(200).json();
    let keys: Vec<&str> = info.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "resource_owner_id",
            "scope",
            "expires_in",
            "application",
            "created_at",
            "scopes",
            "expires_in_seconds"
        ]
    );
    assert_eq!(info["resource_owner_id"], jane.id);
    assert_eq!(info["scope"], json!(["api", "read_user"]));
    assert_eq!(info["application"], json!({"uid": shop.uid}));
    assert!((1..=7200).contains(&info["expires_in"].as_i64().unwrap()));
    let bearer = format!("Bearer {access}");
    t.anonymous()
        .at("/oauth/token/info")
        .header("authorization", &bearer)
        .await
        .is(200);
    for bad in ["/oauth/token/info", "/oauth/token/info?access_token=x"] {
        refused(t.anonymous().at(bad).await, 400, "invalid_request");
    }
    let personal = jane.token().expect("a token");
    let path = format!("/oauth/token/info?access_token={personal}");
    refused(t.anonymous().at(path).await, 400, "invalid_request");

    let introspect = async |application: &TestApplication, token: &str| {
        let fields = [
            ("client_id", application.uid.as_str()),
            ("client_secret", &application.secret),
            ("token", token),
        ];
        post(&t, "/oauth/introspect", &fields).await.is(200).json()
    };
    let active = introspect(&shop, access).await;
    assert_eq!(active["active"], true);
    assert_eq!(
        (&active["client_id"], &active["scope"], &active["token_type"]),
        (&json!(shop.uid), &json!("api read_user"), &json!("Bearer"))
    );
    assert_eq!(
        (&active["sub"], &active["username"]),
        (&json!(jane.id.to_string()), &json!("jane"))
    );
    assert_eq!(introspect(&other, access).await, json!({"active": false}));
    assert_eq!(introspect(&shop, "unknown").await, json!({"active": false}));
    refused(
        post(&t, "/oauth/introspect", &[("token", access)]).await,
        400,
        "invalid_request",
    );
    let wrong = [("client_id", shop.uid.as_str()), ("client_secret", "x"), ("token", access)];
    refused(post(&t, "/oauth/introspect", &wrong).await, 401, "invalid_client");
    let by_bearer = async |bearer: &str, token: &str| {
        let request = t.anonymous().request(Method::POST, "/oauth/introspect");
        request
            .form(encoded(&[("token", token)]))
            .header("authorization", &format!("Bearer {bearer}"))
            .await
    };
    refused(by_bearer(access, access).await, 401, "invalid_token");
    refused(by_bearer("x", access).await, 401, "invalid_token");
    let second = tokens(&t, &browser, &shop, "api read_user").await;
    assert_eq!(
        by_bearer(text(&second, "access_token"), access).await.is(200).json()["active"],
        true
    );
}

#[testkit::story]
async fn either_of_a_pair_ends_both(t: TestServer) {
    t.user("jane").await;
    let (shop, other) = (application(&t, "api", true).await, application(&t, "api", true).await);
    let browser = t.browser("jane").await;
    for which in ["access_token", "refresh_token"] {
        let token = tokens(&t, &browser, &shop, "api").await;
        let revoke = async |application: &TestApplication, secret: &str| {
            let fields = [
                ("client_id", application.uid.as_str()),
                ("client_secret", secret),
                ("token", text(&token, which)),
                ("token_type_hint", "nonsense"),
            ];
            post(&t, "/oauth/revoke", &fields).await
        };
        for reply in [revoke(&other, &other.secret).await, revoke(&shop, "wrong").await] {
            let reply = refused(reply, 403, "unauthorized_client");
            assert_eq!(
                reply.json()["error_description"],
                "You are not authorized to revoke this token"
            );
        }
        with_bearer(&t, "/user", text(&token, "access_token")).await.is(200);
        assert_eq!(revoke(&shop, &shop.secret).await.is(200).json(), json!({}));
        assert_eq!(
            revoke(&shop, &shop.secret).await.is(200).json(),
            json!({}),
            "twice does no harm"
        );
        with_bearer(&t, "/user", text(&token, "access_token")).await.is(401);
        refused(
            refresh(&t, &shop, text(&token, "refresh_token"), &[]).await,
            400,
            "invalid_grant",
        );
    }
    let cli = application(&t, "api", false).await;
    let alone = [("client_id", cli.uid.as_str()), ("token", "unknown")];
    post(&t, "/oauth/revoke", &alone).await.is(200);
}

#[testkit::story]
async fn tokens_end_with_what_they_stand_on(t: TestServer) {
    let jane = t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let token = tokens(&t, &browser, &shop, "api").await;
    let access = text(&token, "access_token");
    t.admin().post(format!("/users/{}/block", jane.id)).await.is(201);
    with_bearer(&t, "/user", access).await.is(403);
    refused(
        refresh(&t, &shop, text(&token, "refresh_token"), &[]).await,
        400,
        "invalid_grant",
    );
    t.admin().post(format!("/users/{}/unblock", jane.id)).await.is(201);
    with_bearer(&t, "/user", access).await.is(200);

    browser.sign_in("jane").await;
    browser.get("/-/user_settings/applications").await.is(200);
    let revoke = format!("/-/user_settings/authorized_applications/{}/revoke", shop.id);
    browser.post(&revoke, &[]).await.is(303);
    with_bearer(&t, "/user", access).await.is(401);
    browser.get(&authorize_path(&shop, "api", &[])).await.is(200);

    let token = tokens(&t, &browser, &shop, "api").await;
    let password = json!({"password": "another long password"});
    t.admin().put(format!("/users/{}", jane.id)).json(&password).await.is(200);
    refused(
        refresh(&t, &shop, text(&token, "refresh_token"), &[]).await,
        400,
        "invalid_grant",
    );
}

#[testkit::story]
async fn deleting_an_application_deletes_its_tokens(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let token = tokens(&t, &browser, &shop, "api").await;
    t.admin().delete(format!("/applications/{}", shop.id)).await.is(204);
    with_bearer(&t, "/user", text(&token, "access_token")).await.is(401);
    refused(
        refresh(&t, &shop, text(&token, "refresh_token"), &[]).await,
        401,
        "invalid_client",
    );
    t.admin().delete(format!("/applications/{}", shop.id)).await.is(404);
}

#[testkit::story]
async fn a_password_is_taken_where_it_must_be(t: TestServer) {
    let jane = t.user("jane").await;
    let shop = application(&t, "api read_user", true).await;
    let send = async |more: &[(&str, &str)]| {
        let mut fields = vec![
            ("grant_type", "password"),
            ("username", "jane"),
            ("password", testkit::PASSWORD),
        ];
        fields.extend_from_slice(more);
        post(&t, "/oauth/token", &fields).await
    };
    let bare = send(&[]).await.is(200).json();
    assert_eq!(bare["scope"], "api");
    assert_eq!(
        with_bearer(&t, "/user", text(&bare, "access_token")).await.is(200).id(),
        jane.id
    );
    let info = format!("/oauth/token/info?access_token={}", text(&bare, "access_token"));
    assert_eq!(t.anonymous().at(info).await.is(200).json()["application"]["uid"], Value::Null);
    let again = [("grant_type", "refresh_token"), ("refresh_token", text(&bare, "refresh_token"))];
    post(&t, "/oauth/token", &again).await.is(200);
    let named = [
        ("client_id", shop.uid.as_str()),
        ("client_secret", &shop.secret),
        ("scope", "read_user"),
    ];
    assert_eq!(send(&named).await.is(200).json()["scope"], "read_user");
    refused(send(&[("client_id", &shop.uid)]).await, 401, "invalid_client");
    refused(send(&[("scope", "sudo")]).await, 400, "invalid_scope");
    let wrong = [("grant_type", "password"), ("username", "jane"), ("password", "wrong password")];
    refused(post(&t, "/oauth/token", &wrong).await, 400, "invalid_grant");

    let settings =
        async |change: Value| t.admin().put("/application/settings").json(&change).await.is(200);
    settings(json!({"ropc_without_client_credentials": false})).await;
    refused(send(&[]).await, 401, "invalid_client");
    settings(json!({"oauth_password_grant_enabled": false})).await;
    refused(send(&named).await, 401, "unauthorized_client");
}
