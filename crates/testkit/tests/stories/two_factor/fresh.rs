//! Changes that need a fresh proof of who asks.

use super::*;

const TOKENS: &str = "/-/user_settings/tokens";
const HOUR: i64 = 3600;

#[testkit::story(noon)]
async fn a_token_needs_a_fresh_password_and_loses_nothing_typed(t: TestServer) {
    t.user("jane").await;
    patient(&t).await;
    let browser = t.browser("jane").await;
    let before = recorded(&t, "access_token.create").await;
    t.advance(HOUR);
    browser.get(TOKENS).await.is(200);
    let name = "\"><script>alert(1)</script>";
    let typed = [
        ("name", name),
        ("expires_at", "2031-06-01"),
        ("scopes[]", "api"),
        ("scopes[]", "read_user"),
    ];
    let asked = browser.post(TOKENS, &typed).await.is(403);
    assert!(asked.text().contains("Confirm that it is you"), "{}", asked.text());
    assert!(asked.text().contains(&format!("action=\"{TOKENS}\"")));
    assert!(!asked.text().contains("<script>alert"));
    let wrong: Vec<_> = typed.into_iter().chain([("confirm_password", "wrong password")]).collect();
    let again = browser.post(TOKENS, &wrong).await.is(403);
    assert!(again.text().contains("That is not right."));
    assert_eq!(again.text().matches("name=\"scopes[]\"").count(), 2);
    let right: Vec<_> = typed.into_iter().chain([("confirm_password", PASSWORD)]).collect();
    browser.post_bare(TOKENS, &right).await.is(403);
    let made = browser.post(TOKENS, &right).await.is(200);

    assert!(made.text().contains("svpat-"), "{}", made.text());
    browser.post(TOKENS, &[("name", "second"), ("scopes[]", "api")]).await.is(200);
    let mails = sent(&t).await;
    let told = mails.iter().filter(|mail| mail.subject == "An access token was made");
    assert_eq!(told.count(), 2);
    assert_eq!(recorded(&t, "access_token.create").await, before + 2);
}

#[testkit::story(noon)]
async fn a_code_is_a_proof_once(t: TestServer) {
    let jane = t.user("jane").await;
    patient(&t).await;
    let phone = phone(&t, &jane).await;
    let browser = browser_of(&t, "jane", &phone).await;
    t.advance(HOUR);
    browser.get(PAGE).await.is(200);
    let path = format!("{PAGE}/codes");
    browser.post(&path, &[]).await.is(403);
    browser.post(&path, &[("confirm_password", "000000")]).await.is(403);
    let code = phone.code(&t);
    let codes = browser.post(&path, &[("confirm_password", &code)]).await.is(200);
    assert_eq!(codes_in(&codes).len(), 10);
    enter(&halfway(&t, "jane").await, &code).await.is(422);
}

#[testkit::story(noon)]
async fn wrong_proofs_lock_the_account(t: TestServer) {
    let jane = t.user("jane").await;
    patient(&t).await;
    let browser = t.browser("jane").await;
    let before = recorded(&t, "access_token.create").await;
    t.advance(HOUR);
    browser.get(TOKENS).await.is(200);
    let typed = |proof| [("name", "x"), ("scopes[]", "api"), ("confirm_password", proof)];
    for _ in 0..10 {
        browser.post(TOKENS, &typed("wrong password")).await.is(403);
    }
    browser.post(TOKENS, &typed(PASSWORD)).await.is(403);
    let shown = t.admin().get(format!("/users/{}", jane.id)).await.is(200);
    assert_eq!(shown.json()["locked"], true);
    assert_eq!(recorded(&t, "access_token.create").await, before);
}

#[testkit::story(noon)]
async fn the_api_by_session_names_the_page_that_asks(t: TestServer) {
    let jane = t.user("jane").await;
    patient(&t).await;
    let by_token = t.token_of(jane.id, &["api"]).await;
    let browser = t.browser("jane").await;
    let token = [("name", "x"), ("scopes[]", "k8s_proxy")];
    let path = "/api/v4/user/personal_access_tokens";
    browser.get(TOKENS).await.is(200);
    browser.post(path, &token).await.is(201);
    t.advance(HOUR);
    browser.get(TOKENS).await.is(200);
    let refused = browser.post(path, &token).await.is(403);
    let says = format!("403 Forbidden - Confirm that it is you at {}/users/confirm first", t.url());
    assert_eq!(refused.json()["message"], says.as_str());
    browser.post("/api/v4/user/emails", &[("email", "j@example.com")]).await.is(403);

    let page = browser
        .get("/users/confirm?return_to=%2F-%2Fuser_settings%2Ftokens")
        .await
        .is(200);
    assert_eq!(page.hidden("return_to").as_deref(), Some(TOKENS));
    let fields = [("return_to", TOKENS), ("confirm_password", PASSWORD)];
    let back = browser.post("/users/confirm", &fields).await.is(303);
    assert_eq!(back.header("location"), TOKENS);
    browser.get(TOKENS).await.is(200);
    browser.post(path, &token).await.is(201);
    browser.post("/api/v4/user/emails", &[("email", "j@example.com")]).await.is(201);
    let mails = sent(&t).await;
    assert!(mails.iter().any(|mail| mail.subject == "Your e-mail addresses were changed"));
    // A token asks for nothing of the kind, however old.
    let body = json!({"name": "y", "scopes": ["k8s_proxy"]});
    by_token.post("/user/personal_access_tokens").json(&body).await.is(201);
}

#[testkit::story(noon)]
async fn the_way_back_stays_on_this_origin(t: TestServer) {
    t.user("jane").await;
    let browser = t.browser("jane").await;
    let page = browser.get("/users/confirm?return_to=%2F%2Fevil.example").await.is(200);
    assert_eq!(page.hidden("return_to").as_deref(), Some("/"));
    let fields = [("return_to", "https://evil.example"), ("confirm_password", PASSWORD)];
    let back = browser.post("/users/confirm", &fields).await.is(303);
    assert_eq!(back.header("location"), "/");
    t.new_browser().get("/users/confirm").await.is(401);
}

#[testkit::story(noon)]
async fn secrets_of_applications_need_it_too(t: TestServer) {
    t.user("jane").await;
    patient(&t).await;
    let browser = t.browser("jane").await;
    let path = "/-/user_settings/applications";
    t.advance(HOUR);
    browser.get(path).await.is(200);
    let typed = [
        ("name", "Shop"),
        ("redirect_uri", "https://app.example/cb"),
        ("confidential", "true"),
        ("scopes[]", "api"),
    ];
    browser.post(path, &typed).await.is(403);
    let right: Vec<_> = typed.into_iter().chain([("confirm_password", PASSWORD)]).collect();
    let made = browser.post(path, &right).await.is(200);
    assert!(made.text().contains("svoas-"), "{}", made.text());
}

#[testkit::story(noon)]
async fn a_remembered_cookie_is_kept_as_long_as_its_session(t: TestServer) {
    t.user("jane").await;
    let browser = t.new_browser();
    browser.get("/users/sign_in").await.is(200);
    let fields = [("login", "jane"), ("password", PASSWORD), ("remember_me", "true")];
    browser.post("/users/sign_in", &fields).await.is(302);
    t.advance(86_400);
    let later = browser.get(TOKENS).await.is(200);
    let cookie = later.header("set-cookie");
    assert!(cookie.starts_with("_service_session=") && cookie.contains("Max-Age=1209600"));
    t.advance(86_400);
    let out = browser.post("/users/sign_out", &[]).await.is(302);
    let cookies: Vec<_> = out.headers.get_all("set-cookie").iter().collect();
    assert_eq!(cookies.len(), 1, "{cookies:?}");
    assert!(!is_in(&browser).await);
    // Who did not ask for it keeps the cookie until the browser ends.
    let plain = t.browser("jane").await;
    t.advance(86_400);
    let page = plain.get(TOKENS).await.is(200);
    assert!(!page.headers.contains_key("set-cookie"));
}
