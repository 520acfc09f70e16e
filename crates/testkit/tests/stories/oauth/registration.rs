//! Registering applications: by REST, on pages, and by themselves.

use super::*;

#[testkit::story]
async fn administrators_register_by_rest(t: TestServer) {
    let jane = t.user("jane").await;
    let new = json!({"name": "Shop", "redirect_uri": "https://a.example/cb\nhttps://b.example/cb", "scopes": "api openid"});
    let made = t.admin().post("/applications").json(&new).await.is(201).json();
    let keys: Vec<&str> = made.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "id",
            "application_id",
            "application_name",
            "secret",
            "callback_url",
            "confidential"
        ]
    );
    assert_eq!(made["confidential"], true);
    assert!(text(&made, "secret").starts_with("svoas-"));
    let list = t.admin().get("/applications").await.is(200);
    assert!(list.each("application_id").contains(&made["application_id"]));
    assert!(!list.text().contains("secret"), "a secret is shown once");

    t.anonymous().post("/applications").json(&new).await.is(401);
    jane.post("/applications").json(&new).await.is(403);
    jane.get("/applications").await.is(403);
    let error = async |change: Value| {
        let mut body = new.as_object().unwrap().clone();
        body.extend(change.as_object().unwrap().clone());
        body.retain(|_, value| !value.is_null());
        t.admin().post("/applications").json(&Value::Object(body)).await.is(400).json()
    };
    assert_eq!(error(json!({"name": null})).await["error"], "name is missing");
    assert_eq!(error(json!({"redirect_uri": null})).await["error"], "redirect_uri is missing");
    assert_eq!(
        error(json!({"scopes": null})).await["error"],
        "scopes is missing, scopes is empty"
    );
    assert_eq!(
        error(json!({"scopes": "api root"})).await["message"],
        json!({"scopes": ["doesn't match configured on the server."]})
    );
    assert_eq!(
        error(json!({"redirect_uri": "http://a.example/"})).await["message"],
        json!({"redirect_uri": ["must be an HTTPS/SSL URI."]})
    );
    t.admin()
        .put("/application/settings")
        .json(&json!({"oauth_allow_http_redirects": true}))
        .await
        .is(200);
    let open = json!({"name": "Dev", "redirect_uri": "http://a.example/", "scopes": "api"});
    t.admin().post("/applications").json(&open).await.is(201);
}

#[testkit::story]
async fn a_renewed_secret_overlaps_with_the_old_one(t: TestServer) {
    t.user("jane").await;
    let mut shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let renew = format!("/applications/{}/renew-secret", shop.id);
    let second = t.admin().post(&renew).await.is(201).json();
    let old = std::mem::replace(&mut shop.secret, text(&second, "secret").to_owned());
    tokens(&t, &browser, &shop, "api").await;
    let new = std::mem::replace(&mut shop.secret, old.clone());
    tokens(&t, &browser, &shop, "api").await;
    let third = t.admin().post(&renew).await.is(201).json();
    let reply = refresh(&t, &shop, "unknown", &[]).await;
    refused(reply, 401, "invalid_client"); // of three, the oldest ended
    for secret in [new, text(&third, "secret").to_owned()] {
        shop.secret = secret;
        tokens(&t, &browser, &shop, "api").await;
    }
    t.admin().post("/applications/999999/renew-secret").await.is(404);
}

#[testkit::story]
async fn users_register_on_their_own_page(t: TestServer) {
    t.user("jane").await;
    t.user("joe").await;
    let browser = t.browser("jane").await;
    let page = "/-/user_settings/applications";
    browser.get(page).await.is(200);
    let fields = [
        ("name", "<b>Mine</b>"),
        ("redirect_uri", CALLBACK),
        ("confidential", "true"),
        ("scopes[]", "read_user"),
        ("scopes[]", "openid"),
    ];
    let bad = browser.post(page, &[("name", ""), ("redirect_uri", "nowhere")]).await.is(422);
    assert!(bad.text().contains("Must be an absolute URI."), "{bad:?}");
    let admins = [("name", "x"), ("redirect_uri", CALLBACK), ("scopes[]", "sudo")];
    browser.post(page, &admins).await.is(422);
    let made = browser.post(page, &fields).await.is(200);
    assert!(made.text().contains("svoas-") && !made.text().contains("<b>Mine"), "{made:?}");
    browser.post_bare(page, &fields).await.is(403);
    let list = browser.get(page).await.is(200).text();
    assert!(list.contains("Mine") && !list.contains("svoas-") && !list.contains("<b>Mine"));
    let id = list
        .split("/-/user_settings/applications/")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap();
    let one = format!("{page}/{id}");
    assert!(!browser.get(&one).await.is(200).text().contains("svoas-"));
    assert!(
        browser
            .post(&format!("{one}/renew"), &[])
            .await
            .is(200)
            .text()
            .contains("svoas-")
    );
    let other = t.browser("joe").await;
    other.get(&one).await.is(404);
    other.get(page).await.is(200);
    other.post(&format!("{one}/delete"), &[]).await.is(404);
    browser.post(&format!("{one}/delete"), &[]).await.is(303);
    browser.get(&one).await.is(404);
}

// Programs written for other hosts know these addresses.
#[testkit::story]
async fn applications_are_found_at_their_other_addresses(t: TestServer) {
    t.user("jane").await;
    t.user("joe").await;
    let browser = t.browser("jane").await;
    let list = browser.get("/oauth/applications").await.is(302);
    assert_eq!(list.header("location"), "/-/user_settings/applications");
    browser.get(list.header("location")).await.is(200);
    let fields = [
        ("name", "Mine"),
        ("redirect_uri", CALLBACK),
        ("confidential", "true"),
        ("scopes[]", "read_user"),
    ];
    browser.post("/oauth/applications", &fields).await.is(200);
    let list = browser.get("/-/user_settings/applications").await.is(200);
    let token = list.hidden("authenticity_token").expect("a form token");
    let list = list.text();
    let id = list
        .split("/-/user_settings/applications/")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap();
    let one = format!("/oauth/applications/{id}");
    for path in [one.clone(), format!("{one}/edit")] {
        assert!(browser.get(&path).await.is(200).text().contains("Mine"));
    }
    let send = async |method: Method, path: &str, fields: &[(&str, &str)]| {
        browser.send_as(method, path, fields, "application/json").await
    };
    let proof = [("authenticity_token", token.as_str())];
    send(Method::PUT, &format!("{one}/renew"), &[]).await.is(403);
    let renewed = send(Method::PUT, &format!("{one}/renew"), &proof).await.is(200).json();
    assert!(text(&renewed, "secret").starts_with("svoas-"));
    let other = t.browser("joe").await;
    other.get(&one).await.is(404);

    let shop = application(&t, "api", true).await;
    let given = tokens(&t, &browser, &shop, "api").await;
    let forget = format!("/oauth/authorized_applications/{}", shop.id);
    send(Method::DELETE, &forget, &[]).await.is(403);
    send(Method::DELETE, &forget, &proof).await.is(303);
    with_bearer(&t, "/user", text(&given, "access_token")).await.is(401);
}

#[testkit::story]
async fn a_trusted_application_asks_nobody(t: TestServer) {
    t.user("jane").await;
    t.admin().put("/users/1").json(&json!({"password": testkit::PASSWORD})).await;
    let shop = application(&t, "api", true).await;
    let trust = t.app().write(|tx| {
        tx.execute(store::sql!("update applications set trusted = true"), ())?;
        Ok(())
    });
    trust.await.unwrap();
    let browser = t.browser("jane").await;
    let reply = browser.get(&authorize_path(&shop, "api", &[])).await.is(302);
    assert!(answered(&reply, "code").is_some());
}

#[testkit::story]
async fn applications_register_themselves_where_that_is_allowed(t: TestServer) {
    let metadata = json!({"redirect_uris": ["http://127.0.0.1/cb"], "client_name": "Agent", "grant_types": ["x"]});
    let register = async |body: &Value| {
        t.anonymous().request(Method::POST, "/oauth/register").json(body).await
    };
    register(&metadata).await.is(404);
    let settings = json!({"dynamic_client_registration_enabled": true, "dynamic_client_registration_scopes": ["mcp", "read_api"]});
    t.admin().put("/application/settings").json(&settings).await.is(200);
    let made = register(&metadata).await.is(201).json();
    assert_eq!(made["client_name"], "[Unverified Dynamic Application] Agent");
    assert_eq!(
        (&made["scope"], &made["require_pkce"], &made["token_endpoint_auth_method"]),
        (&json!("mcp read_api"), &json!(true), &json!("none"))
    );
    let known = t.anonymous().at("/.well-known/openid-configuration").await.is(200).json();
    assert_eq!(known["registration_endpoint"], format!("{}/oauth/register", t.url()));
    let long = json!({"redirect_uris": ["https://a.example/"], "client_name": "x".repeat(200)});
    for (bad, error) in [
        (json!({}), "invalid_client_metadata"),
        (json!([]), "invalid_client_metadata"),
        (long, "invalid_client_metadata"),
        (json!({"redirect_uris": ["javascript:alert(1)"]}), "invalid_redirect_uri"),
        (json!({"redirect_uris": []}), "invalid_redirect_uri"),
    ] {
        refused(register(&bad).await, 400, error);
    }
}
