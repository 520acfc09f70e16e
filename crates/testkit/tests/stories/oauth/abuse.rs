//! Bad input and abuse of the OAuth endpoints.

use super::*;

#[testkit::story]
async fn nobody_is_sent_to_an_address_that_was_not_registered(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    for uri in [
        "https://app.example/CB",
        "https://app.example/cb/x",
        "https://app.example/cb/../cb",
        "https://jane@app.example/cb",
        "https://app.example/cb#x",
        "https://app.example:8443/cb",
        "https://app.example%2fcb",
        "https://evil.example/cb",
        "//app.example/cb",
        "javascript:alert(1)",
        "",
    ] {
        let query = encoded(&[
            ("client_id", &shop.uid),
            ("redirect_uri", uri),
            ("response_type", "code"),
            ("scope", "api"),
        ]);
        let page = browser.get(&format!("/oauth/authorize?{query}")).await.is(400);
        assert_eq!(page.header("location"), "", "{uri}");
    }
    let unknown =
        encoded(&[("client_id", "nobody"), ("redirect_uri", CALLBACK), ("response_type", "code")]);
    browser.get(&format!("/oauth/authorize?{unknown}")).await.is(400);
    browser.get("/oauth/authorize").await.is(400);
}

#[testkit::story]
async fn a_malformed_question_is_answered_to_the_client(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let base = encoded(&[("client_id", &shop.uid), ("redirect_uri", CALLBACK)]);
    for (more, error) in [
        ("", "invalid_request"),
        ("&response_type=token", "unsupported_response_type"),
        ("&response_type=code&scope=root", "invalid_scope"),
        ("&response_type=code&scope=api&scope=api", "invalid_request"),
        ("&response_type=code&scope[a]=api", "invalid_request"),
        ("&response_type=code&scope[]=api", "invalid_request"),
        ("&response_type=code&scope=api%00", "invalid_request"),
        ("&response_type=code&scope=api%0Asudo", "invalid_scope"),
        ("&response_type=code&scope=api&max_age=soon", "invalid_request"),
        ("&response_type=code&scope=api&prompt=magic", "invalid_request"),
    ] {
        let reply = browser.get(&format!("/oauth/authorize?{base}{more}")).await.is(302);
        assert!(reply.header("location").starts_with(CALLBACK), "{more}");
        assert_eq!(answered(&reply, "error").as_deref(), Some(error), "{more}");
    }
    for twice in [
        format!("{base}&scope=%FF"),
        format!("{base}&client_id=x"),
        format!("{base}&redirect_uri=https%3A%2F%2Fevil.example"),
    ] {
        browser
            .get(&format!("/oauth/authorize?{twice}&response_type=code"))
            .await
            .is(400);
    }
}

#[testkit::story]
async fn consent_cannot_be_given_from_elsewhere(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let page = browser.get(&authorize_path(&shop, "api", &[])).await.is(200);
    let carried = carried(&page);
    let fields: Vec<(&str, &str)> = carried.iter().map(|(n, v)| (*n, v.as_str())).collect();
    browser.post_bare("/oauth/authorize", &fields).await.is(403);
    let forged = [fields.as_slice(), &[("authenticity_token", "x.y")]].concat();
    browser.post_bare("/oauth/authorize", &forged).await.is(403);
    for path in ["/oauth/device", "/oauth/device/confirm", "/-/user_settings/applications"] {
        browser.post_bare(path, &[("user_code", "BBBB-BBBB")]).await.is(403);
    }
    let other = t.new_browser();
    let reply = other.post("/oauth/authorize", &fields).await;
    assert!(answered(&reply, "code").is_none(), "{reply:?}");
    approve(&browser, &page).await.is(302);
}

// Browsers name no origin for the forms of a page with `no-referrer`, but
// whose page it was; over plain HTTP not even that.
#[testkit::story]
async fn browsers_may_send_the_forms_of_pages_without_a_referrer(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let page = browser.get(&authorize_path(&shop, "api", &[])).await.is(200);
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    let carried = carried(&page);
    let mut fields: Vec<(&str, &str)> = carried.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let token = page.hidden("authenticity_token").expect("the form's token");
    fields.push(("authenticity_token", &token));
    let send = async |fields: &[(&str, &str)], headers: &[(&str, &str)]| {
        browser.post_with("/oauth/authorize", fields, headers).await
    };
    for foreign in [
        &[("origin", "https://evil.example")][..],
        &[("origin", "https://evil.example"), ("sec-fetch-site", "same-origin")],
        &[("origin", "null"), ("sec-fetch-site", "cross-site")],
        &[("origin", "null"), ("sec-fetch-site", "same-site")],
    ] {
        send(&fields, foreign).await.is(403);
    }
    let null = ("origin", "null");
    send(&fields[..fields.len() - 1], &[null, ("sec-fetch-site", "same-origin")])
        .await
        .is(403);
    let own = &t.url();
    for ours in [&[null, ("sec-fetch-site", "same-origin")][..], &[null], &[("origin", own)]] {
        let reply = send(&fields, ours).await.is(302);
        assert!(answered(&reply, "code").is_some());
    }
}

#[testkit::story]
async fn the_token_endpoint_reads_strictly(t: TestServer) {
    let shop = application(&t, "api", true).await;
    let send =
        async |body: &str| t.anonymous().request(Method::POST, "/oauth/token").form(body).await;
    for body in [
        "",
        "grant_type=",
        "grant_type=password&grant_type=password",
        "grant_type[]=password",
        "grant_type[a]=password",
        "grant_type=password%00",
        "grant_type=%FF&x=y",
        "grant_type=authorization_code",
        "grant_type=refresh_token",
        "grant_type=password&username=x",
    ] {
        refused(send(body).await, 400, "invalid_request");
    }
    refused(send("grant_type=client_credentials").await, 400, "unsupported_grant_type");
    refused(send("grant_type=magic").await, 400, "unsupported_grant_type");
    refused(
        send(&format!("grant_type=password&x={}", "y".repeat(65 * 1024))).await,
        400,
        "invalid_request",
    );
    let query =
        format!("/oauth/token?grant_type=refresh_token&refresh_token=x&client_id={}", shop.uid);
    refused(t.anonymous().request(Method::POST, query).await, 400, "invalid_request");
    let json = t.anonymous().request(Method::POST, "/oauth/token");
    refused(json.json(&json!({"grant_type": ["password"]})).await, 400, "invalid_request");
    let json = t.anonymous().request(Method::POST, "/oauth/token");
    refused(
        json.json(
            &json!({"grant_type": "refresh_token", "refresh_token": "x", "client_id": shop.uid,
        "client_secret": shop.secret}),
        )
        .await,
        400,
        "invalid_grant",
    );
    let odd = t
        .anonymous()
        .request(Method::POST, "/oauth/token")
        .header("content-type", "text/plain");
    refused(odd.bytes("grant_type=password").await, 400, "invalid_request");
    t.anonymous().at("/oauth/token").await.is(405);
}

#[testkit::story]
async fn secrets_do_not_come_back_in_answers(t: TestServer) {
    let shop = application(&t, "api", true).await;
    let fields = [
        ("grant_type", "authorization_code"),
        ("client_id", &shop.uid),
        ("client_secret", "guessed-secret"),
        ("code", "guessed-code"),
        ("redirect_uri", CALLBACK),
    ];
    let reply = refused(post(&t, "/oauth/token", &fields).await, 401, "invalid_client");
    assert!(
        !reply.text().contains("guessed") && !format!("{:?}", reply.headers).contains("guessed")
    );
    let page = t
        .anonymous()
        .at("/oauth/authorize?client_id=%3Cscript%3Ealert(1)%3C/script%3E")
        .await
        .is(400);
    assert!(!page.text().contains("<script>alert"));
}

#[testkit::story]
async fn scripts_of_other_origins_may_call_what_they_should(t: TestServer) {
    let preflight = async |path: &str, method: &str, headers: &str| {
        let request = t
            .anonymous()
            .request(Method::OPTIONS, path)
            .header("origin", "https://spa.example");
        let request = request.header("access-control-request-method", method);
        match headers.is_empty() {
            true => request.await.is(200),
            false => request.header("access-control-request-headers", headers).await.is(200),
        }
    };
    for (path, method) in [
        ("/oauth/token", "POST"),
        ("/oauth/revoke", "POST"),
        ("/oauth/userinfo", "GET"),
        ("/oauth/userinfo", "POST"),
        ("/oauth/token/info", "GET"),
    ] {
        let allowed = preflight(path, method, "authorization").await;
        assert_eq!(allowed.header("access-control-allow-origin"), "*", "{path}");
        assert!(allowed.header("access-control-allow-methods").contains(method));
        assert_eq!(allowed.header("access-control-allow-credentials"), "");
        for headers in ["x-requested-with", "authorization, x-requested-with", "x-csrf-token"] {
            let denied = preflight(path, method, headers).await;
            assert_eq!(denied.header("access-control-allow-origin"), "", "{path} {headers}");
            assert_eq!(denied.header("access-control-allow-headers"), "");
        }
        assert_eq!(preflight(path, "PUT", "").await.header("access-control-allow-origin"), "");
    }
    for path in ["/oauth/discovery/keys", "/.well-known/openid-configuration"] {
        assert_eq!(preflight(path, "GET", "").await.header("access-control-allow-origin"), "*");
        assert_eq!(
            preflight(path, "GET", "authorization")
                .await
                .header("access-control-allow-origin"),
            ""
        );
    }
    for path in ["/oauth/introspect", "/oauth/authorize_device"] {
        let reply = t.anonymous().request(Method::OPTIONS, path).await;
        assert_eq!(reply.header("access-control-allow-origin"), "", "{path}");
    }
    let token = post(&t, "/oauth/token", &[("grant_type", "magic")]).await;
    assert_eq!(token.header("access-control-allow-origin"), "*", "refusals are readable too");
}

#[testkit::story]
async fn a_user_without_a_confirmed_address_authorises_nothing(t: TestServer) {
    let jane = t.user("jane").await;
    let shop = application(&t, "api sudo", true).await;
    let browser = t.browser("jane").await;
    let reply = browser.get(&authorize_path(&shop, "sudo", &[])).await.is(302);
    assert_eq!(
        answered(&reply, "error").as_deref(),
        Some("invalid_scope"),
        "sudo is for administrators"
    );
    let id = jane.id;
    let unconfirm = t.app().write(move |tx| {
        tx.execute(store::sql!("update users set confirmed_at = null where id = $1"), (id,))?;
        Ok(())
    });
    unconfirm.await.unwrap();
    let page = browser.get(&authorize_path(&shop, "api", &[])).await.is(403);
    assert!(page.text().contains("Confirm your e-mail"));
    let password = [
        ("grant_type", "password"),
        ("username", "jane"),
        ("password", testkit::PASSWORD),
    ];
    refused(post(&t, "/oauth/token", &password).await, 400, "invalid_grant");
}
