//! Input that is meant to hurt, at every endpoint and page.

use super::*;

const MARKUP: &str = "<script>alert(1)</script>";

/// Registers an application of this name, for the instance.
async fn named(t: &TestServer, name: &str) -> TestApplication {
    let new =
        json!({"name": name, "redirect_uri": CALLBACK, "scopes": "api", "confidential": false});
    let made = t.admin().post("/applications").json(&new).await.is(201);
    TestApplication {
        id: made.id(),
        uid: text(&made.json(), "application_id").to_owned(),
        secret: String::new(),
    }
}

/// The address of a question that a public client asks.
fn public_path(application: &TestApplication) -> String {
    let challenge = challenge_of(VERIFIER);
    let more = [("code_challenge", challenge.as_str()), ("code_challenge_method", "S256")];
    authorize_path(application, "api", &more)
}

#[testkit::story]
async fn every_endpoint_refuses_what_is_no_plain_form(t: TestServer) {
    let shop = application(&t, "api", true).await;
    let own = encoded(&[("client_id", &shop.uid), ("client_secret", &shop.secret)]);
    let large = "y".repeat(65 * 1024);
    for path in ["/oauth/token", "/oauth/revoke", "/oauth/introspect", "/oauth/authorize_device"] {
        for odd in [
            "scope=a&scope=b",
            "token=a&token=b",
            "client_id=x",
            "scope[]=a",
            "scope[a]=b",
            "token[a][b]=c",
            "token=%00",
            "%00=x",
            "token=%FF",
            "%FF=x",
            &format!("token={large}"),
        ] {
            let reply =
                t.anonymous().request(Method::POST, path).form(format!("{own}&{odd}")).await;
            refused(reply, 400, "invalid_request");
        }
        for body in [
            "[]",
            "{",
            "1",
            "{\"token\": {\"a\": 1}}",
            "{\"token\": \"\\u0000\"}",
            "{\"token\":\"a\",\"token\":\"b\"}",
        ] {
            let request = t
                .anonymous()
                .request(Method::POST, path)
                .header("content-type", "application/json");
            refused(request.bytes(body).await, 400, "invalid_request");
        }
    }
    for query in ["access_token=a&access_token=b", "access_token[]=a", "access_token=%00"] {
        let reply = t.anonymous().at(format!("/oauth/token/info?{query}")).await;
        refused(reply, 400, "invalid_request");
    }
    t.anonymous().at("/oauth/token/info?access_token=%FF").await.is(400);
    for query in ["resource=%00", "resource=%FF", "resource[a]=b"] {
        let reply = t.anonymous().at(format!("/.well-known/webfinger?{query}")).await;
        assert_eq!(reply.status, 400, "{reply:?}");
    }
    let settings = json!({"dynamic_client_registration_enabled": true});
    t.admin().put("/application/settings").json(&settings).await.is(200);
    for body in [
        "[]",
        "{",
        "{\"redirect_uris\": \"x\"}",
        "{\"redirect_uris\": [1]}",
        "{\"redirect_uris\": [\"https://a.example/\\u0000\"]}",
    ] {
        let request = t
            .anonymous()
            .request(Method::POST, "/oauth/register")
            .header("content-type", "application/json");
        assert_eq!(request.bytes(body).await.status, 400, "{body}");
    }
}

#[testkit::story]
async fn pages_refuse_what_is_no_plain_form(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let page = browser.get(&authorize_path(&shop, "api", &[])).await.is(200);
    let token = page.hidden("authenticity_token").expect("the form's token");
    let base = authorize_path(&shop, "api", &[]).replace("/oauth/authorize?", "");
    let proof = encoded(&[("authenticity_token", &token)]);
    for odd in ["scope=api", "scope[a]=b", "nonce=%00", "nonce=%FF"] {
        let reply = browser.post_text("/oauth/authorize", &format!("{proof}&{base}&{odd}")).await;
        assert!(matches!(reply.status, 302 | 400), "{reply:?}");
        assert_eq!(answered(&reply, "code"), None, "{odd}");
    }
    for path in ["/oauth/device", "/oauth/device/confirm"] {
        for odd in ["user_code[a]=b", "user_code[]=b", "user_code=%00", "user_code=%FF"] {
            let reply = browser.post_text(path, &format!("{proof}&decision=authorize&{odd}")).await;
            assert!(matches!(reply.status, 400 | 422), "{path} {odd}: {reply:?}");
        }
    }
}

#[testkit::story]
async fn user_codes_are_not_guessed_from_one_address(t: TestServer) {
    let tv = application(&t, "api", false).await;
    let mut browsers = Vec::new();
    for name in ["ann", "ben", "cleo", "dora", "emil"] {
        t.user(name).await;
        browsers.push(t.browser(name).await);
    }
    let last = browsers.pop().expect("a browser");
    for browser in browsers {
        browser.get("/oauth/device").await.is(200);
        for _ in 0..5 {
            browser.post("/oauth/device", &[("user_code", "BBBB-BBBB")]).await.is(422);
        }
    }
    let own = [("client_id", tv.uid.as_str())];
    let started = post(&t, "/oauth/authorize_device", &own).await.is(200).json();
    last.get("/oauth/device").await.is(200);
    for path in ["/oauth/device", "/oauth/device/confirm"] {
        let fields = [("user_code", text(&started, "user_code")), ("decision", "authorize")];
        last.post(path, &fields).await.is(429);
    }
}

#[testkit::story]
async fn no_page_is_framed_or_tells_where_it_was(t: TestServer) {
    t.user("jane").await;
    let tv = named(&t, "Tv").await;
    let browser = t.browser("jane").await;
    let own = [("client_id", tv.uid.as_str()), ("scope", "api")];
    let started = post(&t, "/oauth/authorize_device", &own).await.is(200).json();
    let consent = browser.get(&public_path(&tv)).await.is(200);
    let error = browser.get("/oauth/authorize?client_id=x").await.is(400);
    let device = browser.get("/oauth/device?user_code=BBBB-BBBB").await.is(200);
    let confirm = browser
        .post("/oauth/device", &[("user_code", text(&started, "user_code"))])
        .await
        .is(200);
    let wrong = browser.post("/oauth/device", &[("user_code", "BBBB-BBBB")]).await.is(422);
    let list = browser.get("/-/user_settings/applications").await.is(200);
    browser.get(&public_path(&tv)).await.is(200);
    let answer = approve(&browser, &consent).await.is(302);
    for page in [&consent, &error, &device, &confirm, &wrong, &list] {
        let policy = page.header("content-security-policy");
        assert!(policy.contains("frame-ancestors 'none'"), "{}: {policy}", page.asked);
        assert_eq!(page.header("referrer-policy"), "no-referrer", "{}", page.asked);
    }
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    for path in ["/-/user_settings/tokens", "/-/user_settings/sessions"] {
        let page = browser.get(path).await.is(200);
        assert!(
            page.header("content-security-policy").contains("frame-ancestors 'none'"),
            "{path}"
        );
    }
}

#[testkit::story]
async fn names_stay_text_on_every_page_and_in_mail(t: TestServer) {
    let jane = t.user("jane").await;
    t.admin()
        .put(format!("/users/{}", jane.id))
        .json(&json!({"name": MARKUP}))
        .await
        .is(200);
    let broken =
        json!({"name": "Shop\r\nBcc: evil@example.com", "redirect_uri": CALLBACK, "scopes": "api"});
    t.admin().post("/applications").json(&broken).await.is(400);
    let evil = named(&t, MARKUP).await;
    let browser = t.browser("jane").await;
    let page = browser.get(&public_path(&evil)).await.is(200);
    let mut seen = vec![page.clone()];
    let reply = approve(&browser, &page).await.is(302);
    let code = answered(&reply, "code").expect("a code");
    exchange(&t, &evil, &code, &[("code_verifier", VERIFIER)]).await.is(200);
    let own = [("client_id", evil.uid.as_str())];
    let started = post(&t, "/oauth/authorize_device", &own).await.is(200).json();
    browser.get("/oauth/device").await.is(200);
    seen.push(
        browser
            .post("/oauth/device", &[("user_code", text(&started, "user_code"))])
            .await
            .is(200),
    );
    seen.push(browser.get("/-/user_settings/applications").await.is(200));
    let typed = browser.post("/oauth/device", &[("user_code", MARKUP)]).await;
    assert!(matches!(typed.status, 422 | 400));
    seen.push(typed);
    seen.push(
        browser
            .get(&format!("/oauth/device?user_code={}", &encoded(&[("", MARKUP)])[1..]))
            .await,
    );
    for page in seen {
        assert!(!page.text().contains("<script>alert"), "{page:?}");
    }
}

#[testkit::story]
async fn odd_ids_and_pages_are_refused(t: TestServer) {
    t.user("jane").await;
    let browser = t.browser("jane").await;
    let huge = format!("1{}", "0".repeat(30));
    for id in ["-1", "0", "1.5", "%252F", "%00", "%FF", "x", &huge] {
        for (method, path) in [
            (Method::DELETE, format!("/applications/{id}")),
            (Method::POST, format!("/applications/{id}/renew-secret")),
        ] {
            let reply = t.admin().api(method, path).await;
            assert!(matches!(reply.status, 400 | 404), "{reply:?}");
        }
        for path in [
            format!("/-/user_settings/applications/{id}"),
            format!("/oauth/applications/{id}/edit"),
        ] {
            let reply = browser.get(&path).await;
            assert!(matches!(reply.status, 400 | 404), "{reply:?}");
        }
    }
    for query in [
        "page=0",
        "page=-1",
        &format!("page={huge}"),
        "per_page=0",
        &format!("per_page={huge}"),
    ] {
        t.admin().get(format!("/applications?{query}")).await.is(400);
    }
    t.admin().get("/applications?page=999999999999").await.is(200);
    for query in ["page=0", "page=-1", "page=999999999999", &format!("page={huge}")] {
        let reply = browser.get(&format!("/-/user_settings/applications?{query}")).await;
        assert!(matches!(reply.status, 200 | 400 | 404), "{reply:?}");
    }
}

#[testkit::story]
async fn links_of_lists_hold_no_token(t: TestServer) {
    let jane = t.user("jane").await;
    t.admin()
        .put(format!("/users/{}", jane.id))
        .json(&json!({"admin": true}))
        .await
        .is(200);
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let token = tokens(&t, &browser, &shop, "api").await;
    let access = text(&token, "access_token");
    for name in ["access_token", "bearer_token"] {
        let reply = t
            .anonymous()
            .get(format!("/applications?per_page=1&{name}={access}"))
            .await
            .is(200);
        assert!(reply.header("link").contains("per_page=1"));
        assert!(!reply.header("link").contains(access), "{name}");
    }
}

#[testkit::story(noon)]
async fn the_mail_about_a_copied_token_is_text(t: TestServer) {
    t.user("jane").await;
    let evil = named(&t, MARKUP).await;
    let browser = t.browser("jane").await;
    let page = browser.get(&public_path(&evil)).await.is(200);
    let reply = approve(&browser, &page).await.is(302);
    let code = answered(&reply, "code").expect("a code");
    let token = exchange(&t, &evil, &code, &[("code_verifier", VERIFIER)]).await.is(200).json();
    let first = text(&token, "refresh_token");
    refresh(&t, &evil, first, &[]).await.is(200);
    t.advance(11);
    refused(refresh(&t, &evil, first, &[]).await, 400, "invalid_grant");
    t.settle().await;
    let mail = t.app().mailer().sent();
    let told = mail
        .iter()
        .find(|mail| mail.text.contains("tokens of that sign-in"))
        .expect("a mail");
    assert!(!told.subject.contains("script"), "{told:?}");
    assert!(told.html.as_ref().is_none_or(|html| !html.contains("<script>")), "{told:?}");
}
