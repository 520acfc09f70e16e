//! The authorization code grant, from the question to the token.

use super::*;

#[testkit::story]
async fn an_application_acts_for_a_user_who_agreed(t: TestServer) {
    let jane = t.user("jane").await;
    let shop = application(&t, "read_user openid", true).await;
    let path = authorize_path(&shop, "read_user", &[]);

    let browser = t.new_browser();
    let first = browser.get(&path).await.is(302);
    let sign_in = first.header("location").to_owned();
    assert!(
        sign_in.starts_with("/users/sign_in?return_to=%2Foauth%2Fauthorize%3F"),
        "{sign_in}"
    );
    browser.get(&sign_in).await.is(200);
    let back = browser
        .post(
            "/users/sign_in",
            &[("login", "jane"), ("password", testkit::PASSWORD), ("return_to", &path)],
        )
        .await
        .is(302);
    assert_eq!(back.header("location"), path, "the whole question resumes");

    let page = browser.get(&path).await.is(200);
    let shown = page.text();
    assert!(shown.contains("Shop") && shown.contains("app.example") && shown.contains("read_user"));
    assert!(
        page.header("content-security-policy")
            .contains("form-action 'self' https://app.example")
    );
    assert!(page.header("content-security-policy").contains("frame-ancestors 'none'"));
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    let reply = approve(&browser, &page).await.is(302);
    assert!(reply.header("location").starts_with("https://app.example/cb?code="));
    assert_eq!(answered(&reply, "state").as_deref(), Some("a state"));
    assert_eq!(answered(&reply, "iss"), Some(t.url()));

    let code = answered(&reply, "code").expect("a code");
    let reply = exchange(&t, &shop, &code, &[]).await.is(200);
    let token = reply.json();
    let keys: Vec<&str> =
        token.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "access_token",
            "token_type",
            "expires_in",
            "refresh_token",
            "scope",
            "created_at"
        ]
    );
    assert_eq!(
        (&token["token_type"], &token["expires_in"], &token["scope"]),
        (&json!("Bearer"), &json!(7200), &json!("read_user"))
    );
    assert_eq!(reply.header("content-type"), "application/json; charset=utf-8");
    assert_eq!(reply.header("cache-control"), "no-store, no-cache");
    let access = text(&token, "access_token");
    assert!(access.len() == 64 && access.bytes().all(|b| b.is_ascii_hexdigit()));
    assert_eq!(with_bearer(&t, "/user", access).await.is(200).id(), jane.id);
    let wide = with_bearer(&t, "/projects", access).await.is(403);
    assert_eq!(wide.json()["error"], "insufficient_scope");
    t.anonymous().get(format!("/user?access_token={access}")).await.is(200);

    let again = browser.get(&path).await.is(302);
    assert!(answered(&again, "code").is_some(), "the same scopes are not asked for twice");
    browser.get(&authorize_path(&shop, "read_user openid", &[])).await.is(200);
    browser
        .get(&authorize_path(&shop, "read_user", &[("prompt", "consent")]))
        .await
        .is(200);
}

#[testkit::story]
async fn a_user_who_refuses_is_sent_back_with_that(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "read_user", true).await;
    let browser = t.browser("jane").await;
    let page = browser.get(&authorize_path(&shop, "read_user", &[])).await.is(200);
    let mut fields = vec![("_method", "delete".to_owned())];
    fields.extend(carried(&page));
    let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let reply = browser.post("/oauth/authorize", &fields).await.is(302);
    assert_eq!(answered(&reply, "error").as_deref(), Some("access_denied"));
    assert_eq!(answered(&reply, "state").as_deref(), Some("a state"));
    assert_eq!(answered(&reply, "code"), None);
}

#[testkit::story]
async fn public_clients_prove_themselves_by_s256(t: TestServer) {
    t.user("jane").await;
    let cli = application(&t, "api", false).await;
    assert_eq!(cli.secret, "", "a public client has no secret");
    let browser = t.browser("jane").await;
    let error = async |more: &[(&str, &str)]| {
        let reply = browser.get(&authorize_path(&cli, "api", more)).await.is(302);
        (
            answered(&reply, "error").unwrap(),
            answered(&reply, "error_description").unwrap(),
        )
    };
    let bare = error(&[]).await;
    assert_eq!(bare, ("invalid_request".into(), "Code challenge is required.".into()));
    let challenge = challenge_of(VERIFIER);
    for method in [None, Some("plain"), Some("s256")] {
        let mut more = vec![("code_challenge", challenge.as_str())];
        more.extend(method.map(|method| ("code_challenge_method", method)));
        let (code, text) = error(&more).await;
        assert_eq!(
            (code.as_str(), text.as_str()),
            ("invalid_request", "The code_challenge_method must be S256."),
            "{method:?}"
        );
    }
    assert_eq!(
        error(&[("code_challenge", "short"), ("code_challenge_method", "S256")]).await.0,
        "invalid_request"
    );

    let path = authorize_path(
        &cli,
        "api",
        &[("code_challenge", &challenge), ("code_challenge_method", "S256")],
    );
    let code = code(&browser, &path).await;
    let reply = refused(exchange(&t, &cli, &code, &[]).await, 400, "invalid_request");
    assert_eq!(reply.json()["error_description"], "Missing required parameter: code_verifier.");
    let wrong = "x".repeat(43);
    refused(
        exchange(&t, &cli, &code, &[("code_verifier", &wrong)]).await,
        400,
        "invalid_grant",
    );
    refused(
        exchange(&t, &cli, &code, &[("code_verifier", &challenge)]).await,
        400,
        "invalid_grant",
    );
    exchange(&t, &cli, &code, &[("code_verifier", VERIFIER)]).await.is(200);
    browser.get(&path).await.is(200); // public clients always ask
}

// As git-credential-oauth 0.4 does.
#[testkit::story]
async fn a_verifier_may_be_plain_base64(t: TestServer) {
    t.user("jane").await;
    let cli = application(&t, "api", false).await;
    let browser = t.browser("jane").await;
    let exchanged = async |verifier: &str| {
        let challenge = challenge_of(verifier);
        let more = [("code_challenge", challenge.as_str()), ("code_challenge_method", "S256")];
        let code = code(&browser, &authorize_path(&cli, "api", &more)).await;
        exchange(&t, &cli, &code, &[("code_verifier", verifier)]).await
    };
    exchanged("pVnfJEhstLgPmKkzg6o91YX4oHkQH/kwXowdottjGz+=").await.is(200);
    for bad in [
        "x".repeat(42),
        "x".repeat(129),
        format!("{}!", "x".repeat(50)),
        format!("{} ", "x".repeat(50)),
    ] {
        refused(exchanged(&bad).await, 400, "invalid_grant");
    }
}

#[testkit::story]
async fn a_verifier_nobody_announced_is_refused(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let code = code(&browser, &authorize_path(&shop, "api", &[])).await;
    refused(
        exchange(&t, &shop, &code, &[("code_verifier", VERIFIER)]).await,
        400,
        "invalid_grant",
    );
    exchange(&t, &shop, &code, &[]).await.is(200);
}

#[testkit::story]
async fn a_code_is_for_one_client_and_one_address(t: TestServer) {
    t.user("jane").await;
    let (shop, other) = (application(&t, "api", true).await, application(&t, "api", true).await);
    let browser = t.browser("jane").await;
    let code = code(&browser, &authorize_path(&shop, "api", &[])).await;
    refused(exchange(&t, &other, &code, &[]).await, 400, "invalid_grant");
    let fields = [
        ("grant_type", "authorization_code"),
        ("client_id", &shop.uid),
        ("client_secret", &shop.secret),
        ("code", &code),
        ("redirect_uri", "https://app.example/cb2"),
    ];
    refused(post(&t, "/oauth/token", &fields).await, 400, "invalid_grant");
    let without = &fields[..4];
    let reply = refused(post(&t, "/oauth/token", without).await, 400, "invalid_request");
    assert_eq!(reply.json()["error_description"], "Missing required parameter: redirect_uri.");
    exchange(&t, &shop, &code, &[]).await.is(200);
}

#[testkit::story]
async fn clients_prove_themselves_one_way_only(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let code = code(&browser, &authorize_path(&shop, "api", &[])).await;
    let basic = |secret: &str| {
        let pair =
            base64::engine::general_purpose::STANDARD.encode(format!("{}:{secret}", shop.uid));
        format!("Basic {pair}")
    };
    let form = encoded(&[
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("redirect_uri", CALLBACK),
    ]);
    let send = async |auth: &str, form: &str| {
        let request = t.anonymous().request(Method::POST, "/oauth/token").form(form);
        request.header("authorization", auth).await
    };
    let twice = format!("{form}&client_id={}&client_secret={}", shop.uid, shop.secret);
    refused(send(&basic(&shop.secret), &twice).await, 400, "invalid_request");
    refused(send(&basic("wrong"), &form).await, 401, "invalid_client");
    refused(send(&basic(""), &form).await, 401, "invalid_client");
    refused(send("Basic !!", &form).await, 401, "invalid_client");
    refused(
        t.anonymous().request(Method::POST, "/oauth/token").form(&*form).await,
        401,
        "invalid_client",
    );
    let named = format!("{form}&client_id={}", shop.uid);
    send(&basic(&shop.secret), &named).await.is(200);

    let cli = application(&t, "api", false).await;
    let wrong = [
        ("grant_type", "refresh_token"),
        ("client_id", &cli.uid),
        ("client_secret", "x"),
        ("refresh_token", "y"),
    ];
    refused(post(&t, "/oauth/token", &wrong).await, 401, "invalid_client");
}

#[testkit::story]
async fn of_a_hundred_exchanges_of_one_code_one_wins(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let code = code(&browser, &authorize_path(&shop, "api", &[])).await;
    let tries = (0..100).map(|_| exchange(&t, &shop, &code, &[]));
    let replies = futures_util::future::join_all(tries).await;
    let won = replies.iter().filter(|reply| reply.status == 200).count();
    assert_eq!(won, 1);
    for reply in replies.into_iter().filter(|reply| reply.status != 200) {
        refused(reply, 400, "invalid_grant");
    }
}

#[testkit::story]
async fn prompts_are_obeyed(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let error = |reply: Reply| answered(&reply.is(302), "error").expect("an error");
    let quiet = authorize_path(&shop, "api", &[("prompt", "none")]);
    assert_eq!(error(t.new_browser().get(&quiet).await), "login_required");
    let browser = t.browser("jane").await;
    let refused = browser.get(&quiet).await.is(302);
    assert_eq!(answered(&refused, "error").as_deref(), Some("consent_required"));
    let why = answered(&refused, "error_description");
    assert_eq!(why.as_deref(), Some("The user must be asked for consent."));
    let both = authorize_path(&shop, "api", &[("prompt", "none login")]);
    assert_eq!(error(browser.get(&both).await), "invalid_request");
    tokens(&t, &browser, &shop, "api").await;
    assert!(answered(&browser.get(&quiet).await.is(302), "code").is_some());
}

#[testkit::story]
async fn the_answer_may_travel_in_a_form(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let page = browser
        .get(&authorize_path(&shop, "api", &[("response_mode", "form_post")]))
        .await
        .is(200);
    let reply = approve(&browser, &page).await.is(200);
    assert!(reply.text().contains("action=\"https://app.example/cb\""), "{reply:?}");
    let code = reply.hidden("code").expect("a code");
    assert_eq!(reply.hidden("iss"), Some(t.url()));
    exchange(&t, &shop, &code, &[]).await.is(200);
    let odd = browser
        .get(&authorize_path(&shop, "api", &[("response_mode", "fragment")]))
        .await
        .is(302);
    assert_eq!(answered(&odd, "error").as_deref(), Some("unsupported_response_mode"));
}

#[testkit::story(noon)]
async fn a_fresh_sign_in_is_asked_for_once(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    t.advance(100);
    browser.get(&authorize_path(&shop, "api", &[("max_age", "200")])).await.is(200);
    for more in [("prompt", "login"), ("max_age", "60"), ("max_age", "0")] {
        t.advance(100);
        let reply = browser.get(&authorize_path(&shop, "api", &[more])).await.is(302);
        let sign_in = url::Url::parse(&t.url()).unwrap().join(reply.header("location")).unwrap();
        assert_eq!(sign_in.path(), "/users/sign_in");
        browser.get(reply.header("location")).await.is(200);
        let (_, back) =
            sign_in.query_pairs().find(|(name, _)| name == "return_to").expect("a way back");
        let cheat = browser.get(&back).await.is(302);
        assert!(
            cheat.header("location").starts_with("/users/sign_in"),
            "the old session does not do"
        );
        browser.sign_in("jane").await;
        browser.get(&back).await.is(200);
    }
}

#[testkit::story(noon)]
async fn codes_end_after_ten_minutes(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let path = authorize_path(&shop, "api", &[]);
    let first = code(&browser, &path).await;
    t.advance(599);
    exchange(&t, &shop, &first, &[]).await.is(200);
    let second = code(&browser, &path).await;
    t.advance(600);
    refused(exchange(&t, &shop, &second, &[]).await, 400, "invalid_grant");
}

#[testkit::story(noon)]
async fn a_replayed_code_ends_what_it_gave(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let path = authorize_path(&shop, "api", &[]);
    let code = code(&browser, &path).await;
    let token = exchange(&t, &shop, &code, &[]).await.is(200).json();
    t.advance(19);
    refused(exchange(&t, &shop, &code, &[]).await, 400, "invalid_grant");
    with_bearer(&t, "/user", text(&token, "access_token")).await.is(200);
    t.advance(1);
    refused(exchange(&t, &shop, &code, &[]).await, 400, "invalid_grant");
    let dead = with_bearer(&t, "/user", text(&token, "access_token")).await.is(401);
    assert_eq!(dead.json()["error"], "invalid_token");
}
