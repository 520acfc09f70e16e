//! Sign-in, sessions and pages.

use http::Method;
use serde_json::json;
use testkit::{Client, Reply, TestServer};

const PASSWORD: &str = "correct horse battery";

/// The value of one cookie that an answer sets.
fn cookie(reply: &Reply, name: &str) -> Option<String> {
    let set = reply.headers.get_all("set-cookie").iter();
    let mut values = set.filter_map(|value| value.to_str().ok());
    let found = values.find_map(|value| value.strip_prefix(&format!("{name}=")))?;
    Some(found.split(';').next().unwrap_or_default().to_owned())
}

/// The value of a hidden field of a form.
fn field(reply: &Reply, name: &str) -> String {
    let text = reply.text();
    let at = text
        .find(&format!("name=\"{name}\""))
        .unwrap_or_else(|| panic!("no {name}: {text}"));
    let rest = &text[at..];
    let start = rest.find("value=\"").expect("a hidden field has a value") + 7;
    rest[start..].split('"').next().unwrap_or_default().to_owned()
}

struct Browser {
    client: Client,
    form: String,
    csrf: String,
}

async fn open(t: &TestServer) -> Browser {
    let page = t.anonymous().at("/users/sign_in").await.is(200);
    Browser {
        client: t.anonymous(),
        form: cookie(&page, "_service_form").expect("the form is bound to the browser"),
        csrf: field(&page, "authenticity_token"),
    }
}

impl Browser {
    async fn sign_in(&self, login: &str, password: &str, more: &str) -> Reply {
        let password = password.replace(' ', "+");
        let body =
            format!("authenticity_token={}&login={login}&password={password}{more}", self.csrf);
        self.client
            .request(Method::POST, "/users/sign_in")
            .header("cookie", &format!("_service_form={}", self.form))
            .form(body)
            .await
    }
}

async fn session(t: &TestServer, login: &str) -> String {
    let reply = open(t).await.sign_in(login, PASSWORD, "").await.is(302);
    cookie(&reply, "_service_session").expect("a session begins")
}

fn with(session: &str) -> String {
    format!("_service_session={session}")
}

#[testkit::story]
async fn a_right_password_begins_a_session(t: TestServer) {
    t.user("jane").await;
    for login in ["jane", "JANE", "jane%40example.com"] {
        let reply = open(&t).await.sign_in(login, PASSWORD, "").await.is(302);
        assert_eq!(reply.header("location"), "/");
        let set = reply.header("set-cookie");
        assert!(set.contains("HttpOnly; SameSite=Lax") && !set.contains("Max-Age"), "{set}");
    }
    let reply = open(&t).await.sign_in("jane", PASSWORD, "&remember_me=1").await.is(302);
    assert!(reply.header("set-cookie").contains("Max-Age=1209600"));
    let cookie = with(&session(&t, "jane").await);
    let user = t.anonymous().get("/user").header("cookie", &cookie).await.is(200);
    assert_eq!(user.json()["username"], "jane");
    let page = t.anonymous().at("/-/user_settings/profile").header("cookie", &cookie).await;
    assert!(page.is(200).text().contains("jane"));
}

#[testkit::story]
async fn wrong_password_and_unknown_user_look_alike(t: TestServer) {
    t.user("jane").await;
    let browser = open(&t).await;
    let mut texts = Vec::new();
    for login in ["jane", "mary"] {
        let reply = browser.sign_in(login, "not the password", "").await.is(422);
        assert!(cookie(&reply, "_service_session").is_none());
        texts.push(reply.text().replace(login, "X"));
    }
    let cut = |text: &str| text.split("<footer").next().unwrap_or_default().to_owned();
    assert_eq!(cut(&texts[0]), cut(&texts[1]));
    assert!(texts[0].contains("Invalid login or password."));
}

#[testkit::story]
async fn ten_failures_lock_the_account(t: TestServer) {
    let jane = t.user("jane").await;
    let wide = json!({"sign_in_limit_per_minute": 1000});
    let rules = t.admin().put("/application/settings").json(&wide).await.is(200).json();
    assert_eq!(rules["failed_login_attempts_unlock_period_in_minutes"], 10);
    let browser = open(&t).await;
    for _ in 0..9 {
        browser.sign_in("jane", "wrong password", "").await.is(422);
    }
    browser.sign_in("jane", PASSWORD, "").await.is(302);
    for _ in 0..10 {
        browser.sign_in("jane", "wrong password", "").await.is(422);
    }
    browser.sign_in("jane", PASSWORD, "").await.is(422);
    let shown = t.admin().get(format!("/users/{}", jane.id)).await.is(200);
    assert_eq!(shown.json()["locked"], true);
    let id = jane.id;
    let done = t
        .app()
        .write(move |tx| {
            let past = tx.now() - jiff::SignedDuration::from_secs(1);
            Ok(tx.execute("update users set locked_until = $2 where id = $1", (id, past))?)
        })
        .await;
    assert_eq!(done.ok(), Some(1));
    browser.sign_in("jane", PASSWORD, "").await.is(302);
}

#[testkit::story]
async fn an_address_signs_in_ten_times_a_minute_at_most(t: TestServer) {
    let browser = open(&t).await;
    for _ in 0..10 {
        browser.sign_in("nobody", "wrong password", "").await.is(422);
    }
    let refused = browser.sign_in("nobody", "wrong password", "").await.is(429);
    assert!(!refused.header("retry-after").is_empty());
}

#[testkit::story]
async fn forms_without_our_token_are_refused(t: TestServer) {
    t.user("jane").await;
    let browser = open(&t).await;
    let forged = Browser {
        client: t.anonymous(),
        form: browser.form.clone(),
        csrf: "x".into(),
    };
    forged.sign_in("jane", PASSWORD, "").await.is(403);
    let other = open(&t).await;
    let crossed = Browser { client: t.anonymous(), form: browser.form, csrf: other.csrf };
    crossed.sign_in("jane", PASSWORD, "").await.is(403);

    let cookie = with(&session(&t, "jane").await);
    let own = "/-/user_settings/tokens";
    for (path, body) in [(own, "name=a&scopes[]=api"), ("/users/sign_out", "")] {
        let post = t.anonymous().request(Method::POST, path).header("cookie", &cookie);
        post.form(body).await.is(403);
    }
    let api = t.anonymous().put("/user/status").header("cookie", &cookie);
    api.json(&json!({"message": "x"})).await.is(401);
    let page = t.anonymous().at(own).header("cookie", &cookie).await.is(200);
    let csrf = field(&page, "authenticity_token");
    let put = || {
        t.anonymous()
            .put("/user/status")
            .header("cookie", &cookie)
            .header("X-CSRF-Token", &csrf)
            .json(&json!({"message": "x"}))
    };
    put().await.is(200);
    put().header("Origin", "https://evil.example").await.is(401);
    assert_eq!(page.header("x-frame-options"), "DENY");
}

#[testkit::story]
async fn the_way_back_stays_here(t: TestServer) {
    t.user("jane").await;
    let browser = open(&t).await;
    for (sent, to) in [
        ("/admin%3Ftab%3D1", "/admin?tab=1"),
        ("https%3A%2F%2Fevil.example", "/"),
        ("%2F%2Fevil.example", "/"),
        ("%2F%5Cevil.example", "/"),
        ("%2Fa%0D%0ASet-Cookie%3Ax", "/"),
    ] {
        let reply = browser.sign_in("jane", PASSWORD, &format!("&return_to={sent}")).await;
        assert_eq!(reply.is(302).header("location"), to);
    }
}

#[testkit::story]
async fn a_session_ends_at_sign_out_and_changes_at_sign_in(t: TestServer) {
    t.user("jane").await;
    let first = session(&t, "jane").await;
    let browser = open(&t).await;
    let body = format!(
        "authenticity_token={}&login=jane&password={}",
        browser.csrf,
        PASSWORD.replace(' ', "+")
    );
    let again = t
        .anonymous()
        .request(Method::POST, "/users/sign_in")
        .header("cookie", &format!("_service_form={}; {}", browser.form, with(&first)))
        .form(body)
        .await
        .is(302);
    let second = cookie(&again, "_service_session").expect("a new session");
    assert_ne!(first, second);
    t.anonymous().get("/user").header("cookie", &with(&first)).await.is(401);
    let page = t.anonymous().at("/-/user_settings/profile").header("cookie", &with(&second));
    let csrf = field(&page.await.is(200), "authenticity_token");
    let out = t
        .anonymous()
        .request(Method::POST, "/users/sign_out")
        .header("cookie", &with(&second))
        .form(format!("authenticity_token={csrf}"))
        .await
        .is(302);
    assert!(out.header("set-cookie").contains("Max-Age=0"));
    t.anonymous().get("/user").header("cookie", &with(&second)).await.is(401);
}

#[testkit::story]
async fn blocked_users_do_not_sign_in_and_lose_their_session(t: TestServer) {
    let jane = t.user("jane").await;
    let cookie = with(&session(&t, "jane").await);
    t.admin().post(format!("/users/{}/block", jane.id)).await.is(201);
    t.anonymous().get("/user").header("cookie", &cookie).await.is(401);
    let refused = open(&t).await.sign_in("jane", PASSWORD, "").await.is(403);
    assert!(refused.text().contains("Your account has been blocked."));
}

#[testkit::story]
async fn a_password_set_by_someone_else_must_be_changed(t: TestServer) {
    let jane = t.user("jane").await;
    let given = json!({"password": "given by root"});
    t.admin().put(format!("/users/{}", jane.id)).json(&given).await.is(200);
    jane.get("/user").await.is(403);
    let browser = open(&t).await;
    let page = browser.sign_in("jane", "given by root", "").await.is(200);
    assert!(cookie(&page, "_service_session").is_none());
    let renew = |password: &str, proof: String| {
        let password = password.replace(' ', "+");
        t.anonymous()
            .request(Method::POST, "/users/password")
            .header("cookie", &format!("_service_form={}", browser.form))
            .form(format!(
                "authenticity_token={}&proof={proof}&password={password}\
                &password_confirmation={password}",
                browser.csrf
            ))
    };
    let proof = field(&page, "proof");
    renew("short", proof.clone()).await.is(422);
    renew("given by root", proof.clone()).await.is(422);
    renew("my very own", "forged".into()).await.is(403);
    let entered = renew("my very own", proof.clone()).await.is(302);
    assert!(cookie(&entered, "_service_session").is_some());
    jane.get("/user").await.is(200);
    renew("another one", proof).await.is(403);
}

#[testkit::story]
async fn tokens_are_made_on_their_page_and_shown_once(t: TestServer) {
    t.user("jane").await;
    let cookie = with(&session(&t, "jane").await);
    let path = "/-/user_settings/tokens";
    let page = t.anonymous().at(path).header("cookie", &cookie).await.is(200);
    let csrf = field(&page, "authenticity_token");
    let post = |body: &str| {
        t.anonymous()
            .request(Method::POST, path)
            .header("cookie", &cookie)
            .form(format!("authenticity_token={csrf}&{body}"))
    };
    let made = post("name=%3Cb%3Eci%3C%2Fb%3E&scopes[]=api&description=&expires_at=")
        .await
        .is(200);
    let text = made.text();
    assert!(text.contains("&#60;b&#62;ci") && !text.contains("<b>ci"), "{text}");
    let at = text.find("svpat-").expect("the token is shown");
    let token: String = text[at..]
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect();
    t.with_token(token.clone()).get("/user").await.is(200);
    let again = t.anonymous().at(path).header("cookie", &cookie).await.is(200);
    assert!(!again.text().contains(&token));
    post("name=&scopes[]=sudo").await.is(422);
}

#[testkit::story]
async fn the_administration_is_for_administrators(t: TestServer) {
    t.user("jane").await;
    let cookie = with(&session(&t, "jane").await);
    t.anonymous().at("/admin/users").await.is(401);
    t.anonymous().at("/admin/users").header("cookie", &cookie).await.is(403);
    let done = t
        .app()
        .write(|tx| Ok(tx.execute("update users set is_admin = true where username = 'jane'", ())?))
        .await;
    assert_eq!(done.ok(), Some(1));
    let list = t.anonymous().at("/admin/users?search=jane").header("cookie", &cookie).await;
    assert!(list.is(200).text().contains("jane@example.com"));
    t.anonymous().at("/admin/users/root").header("cookie", &cookie).await.is(200);
    t.anonymous().at("/admin/users/nobody").header("cookie", &cookie).await.is(404);
}
