//! The grants' finer rules.

use super::*;

/// Sends the password grant for jane.
async fn by_password(t: &TestServer, password: &str, more: &[(&str, &str)]) -> Reply {
    let mut fields = vec![("grant_type", "password"), ("username", "jane"), ("password", password)];
    fields.extend_from_slice(more);
    post(t, "/oauth/token", &fields).await
}

async fn settings(t: &TestServer, change: Value) {
    t.admin().put("/application/settings").json(&change).await.is(200);
}

#[testkit::story]
async fn each_missing_parameter_is_named(t: TestServer) {
    t.user("jane").await;
    let (shop, cli) = (application(&t, "api", true).await, application(&t, "api", false).await);
    let own = [("client_id", shop.uid.as_str()), ("client_secret", &shop.secret)];
    let missing = async |fields: &[(&str, &str)], name: &str| {
        let all = [own.as_slice(), fields].concat();
        let reply = refused(post(&t, "/oauth/token", &all).await, 400, "invalid_request").json();
        assert_eq!(reply["error_description"], format!("Missing required parameter: {name}."));
    };
    missing(&[], "grant_type").await;
    missing(&[("grant_type", "authorization_code"), ("redirect_uri", CALLBACK)], "code").await;
    missing(&[("grant_type", "authorization_code"), ("code", "x")], "redirect_uri").await;
    missing(&[("grant_type", "refresh_token")], "refresh_token").await;
    missing(&[("grant_type", "refresh_token"), ("refresh_token", "")], "refresh_token").await;
    missing(&[("grant_type", "password"), ("password", "x")], "username").await;
    missing(&[("grant_type", "password"), ("username", "jane")], "password").await;
    missing(&[("grant_type", "urn:ietf:params:oauth:grant-type:device_code")], "device_code").await;
    let nobody = [("grant_type", "refresh_token"), ("refresh_token", "x")];
    refused(post(&t, "/oauth/token", &nobody).await, 400, "invalid_grant");
    let public = [
        ("grant_type", "refresh_token"),
        ("refresh_token", "x"),
        ("client_id", cli.uid.as_str()),
    ];
    refused(post(&t, "/oauth/token", &public).await, 400, "invalid_grant");
    let unknown =
        [("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", "nobody")];
    refused(post(&t, "/oauth/token", &unknown).await, 401, "invalid_client");
}

#[testkit::story]
async fn a_password_that_must_not_do_opens_nothing(t: TestServer) {
    let jane = t.user("jane").await;
    settings(&t, json!({"sign_in_limit_per_minute": 1000})).await;
    by_password(&t, testkit::PASSWORD, &[]).await.is(200);
    let set = async |on: bool| {
        let id = jane.id;
        let change = t.app().write(move |tx| {
            tx.execute(
                store::sql!("update users set password_automatically_set = $2 where id = $1"),
                (id, on),
            )?;
            Ok(())
        });
        change.await.unwrap();
    };
    set(true).await;
    refused(by_password(&t, testkit::PASSWORD, &[]).await, 400, "invalid_grant");
    set(false).await;
    settings(&t, json!({"password_authentication_enabled_for_git": false})).await;
    refused(by_password(&t, testkit::PASSWORD, &[]).await, 400, "invalid_grant");
    settings(&t, json!({"password_authentication_enabled_for_git": true})).await;
    for (away, back) in [("block", "unblock"), ("deactivate", "activate"), ("ban", "unban")] {
        t.app()
            .write({
                let id = jane.id;
                move |tx| {
                    let long_ago = tx.now() - jiff::SignedDuration::from_hours(24 * 400);
                    let day = jiff::civil::date(2020, 1, 1);
                    tx.execute(
                        store::sql!(
                            "update users set created_at = $2, last_activity_on = $3 where id = $1"
                        ),
                        (id, long_ago, day),
                    )?;
                    Ok(())
                }
            })
            .await
            .unwrap();
        t.admin().post(format!("/users/{}/{away}", jane.id)).await.is(201);
        refused(by_password(&t, testkit::PASSWORD, &[]).await, 400, "invalid_grant");
        t.admin().post(format!("/users/{}/{back}", jane.id)).await.is(201);
    }
    by_password(&t, testkit::PASSWORD, &[]).await.is(200);
    let someone = json!({"password": "chosen by someone else"});
    t.admin().put(format!("/users/{}", jane.id)).json(&someone).await.is(200);
    refused(by_password(&t, "chosen by someone else", &[]).await, 400, "invalid_grant");
}

#[testkit::story]
async fn wrong_passwords_lock_the_account_here_too(t: TestServer) {
    t.user("jane").await;
    settings(&t, json!({"sign_in_limit_per_minute": 1000})).await;
    for _ in 0..10 {
        refused(by_password(&t, "not the password", &[]).await, 400, "invalid_grant");
    }
    refused(by_password(&t, testkit::PASSWORD, &[]).await, 400, "invalid_grant");
    let shown = t.admin().get("/users?username=jane").await.is(200).json();
    assert_eq!(shown[0]["locked"], true);
}

#[testkit::story]
async fn passwords_are_tried_ten_times_a_minute(t: TestServer) {
    t.user("jane").await;
    for _ in 0..10 {
        refused(by_password(&t, "not the password", &[]).await, 400, "invalid_grant");
    }
    let reply = by_password(&t, testkit::PASSWORD, &[]).await.is(429);
    assert_ne!(reply.header("retry-after"), "");
}

#[testkit::story]
async fn an_application_may_be_kept_from_passwords(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let own = [("client_id", shop.uid.as_str()), ("client_secret", &shop.secret)];
    by_password(&t, testkit::PASSWORD, &own).await.is(200);
    let id = shop.id;
    let change = t.app().write(move |tx| {
        tx.execute(
            store::sql!("update applications set password_grant = false where id = $1"),
            (id,),
        )?;
        Ok(())
    });
    change.await.unwrap();
    refused(by_password(&t, testkit::PASSWORD, &own).await, 401, "unauthorized_client");
}

#[testkit::story]
async fn a_token_of_another_application_is_not_refreshed(t: TestServer) {
    t.user("jane").await;
    let (shop, other) = (application(&t, "api", true).await, application(&t, "api", true).await);
    let browser = t.browser("jane").await;
    let token = tokens(&t, &browser, &shop, "api").await;
    let refresh_token = text(&token, "refresh_token");
    refused(refresh(&t, &other, refresh_token, &[]).await, 400, "invalid_grant");
    refused(
        refresh(&t, &shop, text(&token, "access_token"), &[]).await,
        400,
        "invalid_grant",
    );
    refresh(&t, &shop, refresh_token, &[]).await.is(200);
}

// Each scope with what a token of it alone is answered at the user, at
// the projects, and when it makes one.
#[testkit::story]
async fn each_scope_opens_what_it_names(t: TestServer) {
    t.user("jane").await;
    settings(&t, json!({"sign_in_limit_per_minute": 1000})).await;
    let nothing = [
        "read_repository",
        "write_repository",
        "read_registry",
        "write_registry",
        "read_virtual_registry",
        "write_virtual_registry",
        "create_runner",
        "manage_runner",
        "k8s_proxy",
        "ai_features",
        "ai_workflows",
        "mcp",
        "user:42",
        "read_observability",
        "write_observability",
        "self_rotate",
        "openid",
        "profile",
        "email",
    ];
    let known = [&["api", "read_api", "read_user"], nothing.as_slice()].concat();
    let all = format!("{} sudo admin_mode read_service_ping", known.join(" "));
    let shop = application(&t, &all, true).await;
    let own = [("client_id", shop.uid.as_str()), ("client_secret", &shop.secret)];
    for (number, scope) in known.iter().enumerate() {
        let fields = [own.as_slice(), &[("scope", scope)]].concat();
        let token = by_password(&t, testkit::PASSWORD, &fields).await.is(200).json();
        assert_eq!(token["scope"], *scope);
        let access = text(&token, "access_token");
        let bearer = format!("Bearer {access}");
        let name = format!("p{number}");
        let make = t
            .anonymous()
            .post("/projects")
            .header("authorization", &bearer)
            .json(&json!({"name": name}))
            .await;
        let info = t.anonymous().at("/oauth/userinfo").header("authorization", &bearer).await;
        let answers = [
            with_bearer(&t, "/user", access).await.status,
            with_bearer(&t, "/users", access).await.status,
            with_bearer(&t, "/projects", access).await.status,
            make.status,
            info.status,
        ];
        let expected = match *scope {
            "api" => [200, 200, 200, 201, 403],
            "read_api" => [200, 200, 200, 403, 403],
            "read_user" => [200, 200, 403, 403, 403],
            "openid" => [403, 403, 403, 403, 200],
            _ => [403; 5],
        };
        assert_eq!(answers, expected, "{scope}");
    }
    for scope in ["sudo", "admin_mode", "read_service_ping"] {
        let fields = [own.as_slice(), &[("scope", scope)]].concat();
        refused(by_password(&t, testkit::PASSWORD, &fields).await, 400, "invalid_scope");
    }
}

#[testkit::story]
async fn an_administrator_may_give_sudo(t: TestServer) {
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    t.admin()
        .put(format!("/users/{}", jane.id))
        .json(&json!({"admin": true}))
        .await
        .is(200);
    let shop = application(&t, "api sudo", true).await;
    let own = [
        ("client_id", shop.uid.as_str()),
        ("client_secret", &shop.secret),
        ("scope", "api sudo"),
    ];
    let token = by_password(&t, testkit::PASSWORD, &own).await.is(200).json();
    let bearer = format!("Bearer {}", text(&token, "access_token"));
    let as_joe = t
        .anonymous()
        .get("/user")
        .header("authorization", &bearer)
        .header("sudo", "joe");
    assert_eq!(as_joe.await.is(200).id(), joe.id);
}

#[testkit::story(noon)]
async fn a_device_that_hurries_waits_up_to_a_minute(t: TestServer) {
    t.user("jane").await;
    let tv = application(&t, "api", false).await;
    let own = [("client_id", tv.uid.as_str())];
    let started = post(&t, "/oauth/authorize_device", &own).await.is(200).json();
    let poll = async || {
        let fields = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ("client_id", tv.uid.as_str()),
            ("device_code", text(&started, "device_code")),
        ];
        post(&t, "/oauth/token", &fields).await
    };
    refused(poll().await, 400, "authorization_pending");
    for _ in 0..20 {
        refused(poll().await, 400, "slow_down");
    }
    t.advance(59);
    refused(poll().await, 400, "slow_down");
    t.advance(60);
    refused(poll().await, 400, "authorization_pending");
    t.advance(300);
    refused(poll().await, 400, "expired_token");
    t.advance(24 * 3_600);
    let sweep = t.app().write(|tx| {
        let now = tx.now();
        kernel::jobs::enqueue_at(tx, &identity::oauth::jobs::Sweep::default(), now)
    });
    sweep.await.unwrap();
    t.settle().await;
    refused(poll().await, 400, "invalid_grant");
}
