//! Links in mail, and mail about what happened.

use crate::identity::browser::{Browser, cookie};
use kernel::mail::Message;
use serde_json::{Value, json};
use testkit::TestServer;

/// The mails sent so far, after all jobs are done.
async fn sent(t: &TestServer) -> Vec<Message> {
    t.settle().await;
    t.app().mailer().sent()
}

/// The link in a mail, without the server's address.
fn link(t: &TestServer, mail: &Message) -> String {
    let mut words = mail.text.split_whitespace();
    let link = words.find_map(|word| word.strip_prefix(&t.url()));
    link.unwrap_or_else(|| panic!("no link: {mail:?}")).to_owned()
}

/// The token at the end of a link.
fn token(link: &str) -> String {
    link.rsplit('=').next().unwrap_or_default().to_owned()
}

async fn patient(t: &TestServer) {
    let wide = json!({"sign_in_limit_per_minute": 1000, "max_login_attempts": 3});
    t.admin().put("/application/settings").json(&wide).await.is(200);
}

/// Runs a periodic job now.
pub async fn run(t: &TestServer, name: &'static str) {
    let enqueued = t.app().write(move |tx| {
        let now = tx.now();
        Ok(tx.execute(
            "insert into jobs (name, payload, state, run_at, created_at, updated_at)
             values ($1, $2, 'queued', $3, $3, $3)",
            (name, store::Json(json!({})), now),
        )?)
    });
    assert_eq!(enqueued.await.unwrap(), 1);
    t.settle().await;
}

#[testkit::story]
async fn a_forgotten_password_is_chosen_anew_by_mail(t: TestServer) {
    t.user("jane").await;
    patient(&t).await;
    let browser = Browser::open(&t, "/users/password/new").await;
    let asked = browser.post("/users/password/new", "email=JANE%40example.com").await.is(200);
    let mails = sent(&t).await;
    assert_eq!((mails.len(), mails[0].to.as_str()), (1, "jane@example.com"));
    assert_eq!(mails[0].html, None);
    let path = link(&t, &mails[0]);
    assert!(path.starts_with("/users/password/edit?reset_password_token="), "{path}");
    assert!(!asked.text().contains(&token(&path)));

    // Opening the link, as scanners do, uses nothing up.
    let browser = Browser::open(&t, &path).await;
    assert_eq!(browser.page.header("referrer-policy"), "no-referrer");
    t.anonymous().at(&path).await.is(200);
    let fields = |password: &str, again: &str| {
        format!("token={}&password={password}&password_confirmation={again}", token(&path))
    };
    let edit = "/users/password/edit";
    browser.post(edit, &fields("short", "short")).await.is(422);
    browser.post(edit, &fields("my+very+own", "another+one")).await.is(422);
    let done = browser.post(edit, &fields("my+very+own", "my+very+own")).await.is(303);
    assert_eq!(done.header("location"), "/users/sign_in");
    let told = done.header("set-cookie").split(';').next().unwrap_or_default();
    let page = t.anonymous().at("/users/sign_in").header("cookie", told).await.is(200);
    assert!(page.text().contains("Your new password is set"));
    browser.post(edit, &fields("my+second+one", "my+second+one")).await.is(403);
    t.anonymous().at(&path).await.is(403);
    let browser = Browser::open(&t, "/users/sign_in").await;
    browser.sign_in("jane", "correct horse battery").await.is(422);
    browser.sign_in("jane", "my very own").await.is(302);
    let told = sent(&t).await;
    assert_eq!(told[1].subject, "Your password was changed");
}

#[testkit::story]
async fn asking_for_a_link_tells_nothing_and_is_limited(t: TestServer) {
    let jane = t.user("jane").await;
    let blocked = t.user("blocked").await;
    t.admin().post(format!("/users/{}/block", blocked.id)).await.is(201);
    patient(&t).await;
    let browser = Browser::open(&t, "/users/password/new").await;
    let ask = |email: &str| browser.post("/users/password/new", &format!("email={email}"));
    let known = ask("jane%40example.com").await.is(200);
    for email in ["nobody%40example.com", "blocked%40example.com", "", "%0d%0aBcc:x%40y"] {
        assert_eq!(ask(email).await.is(200).text(), known.text(), "{email}");
    }
    for _ in 0..4 {
        assert_eq!(ask("jane%40example.com").await.is(200).text(), known.text());
    }
    let mails = sent(&t).await;
    assert!((1..=3).contains(&mails.len()), "{}", mails.len());
    assert!(mails.iter().all(|mail| mail.to == "jane@example.com"));
    // Only the newest link works, and not for what it is not meant.
    let paths: Vec<String> = mails.iter().map(|mail| link(&t, mail)).collect();
    let last = paths.last().unwrap();
    t.anonymous().at(last).await.is(200);
    for old in &paths[..paths.len() - 1] {
        t.anonymous().at(old).await.is(403);
    }
    t.anonymous()
        .at(format!("/users/unlock?unlock_token={}", token(last)))
        .await
        .is(403);
    t.anonymous().at("/users/password/edit?reset_password_token=").await.is(403);
    t.anonymous().at("/users/password/edit").await.is(403);
    // A form of another site is refused, and so is too much asking.
    let forged = t.anonymous().request(http::Method::POST, "/users/password/new");
    forged.form("email=jane%40example.com").await.is(403);
    let narrow = json!({"sign_in_limit_per_minute": 1});
    t.admin().put("/application/settings").json(&narrow).await.is(200);
    ask("jane%40example.com").await.is(429);
    t.admin().delete(format!("/users/{}", jane.id)).await.is(204);
    t.anonymous().at(last).await.is(403);
}

#[testkit::story]
async fn a_link_is_used_once_however_many_try(t: TestServer) {
    t.user("jane").await;
    let wide = json!({"sign_in_limit_per_minute": 1000});
    t.admin().put("/application/settings").json(&wide).await.is(200);
    let browser = Browser::open(&t, "/users/password/new").await;
    browser.post("/users/password/new", "email=jane%40example.com").await.is(200);
    let token = token(&link(&t, &sent(&t).await[0]));
    let browser = std::sync::Arc::new(browser);
    let tries: Vec<_> = (0..10)
        .map(|n| {
            let fields = format!(
                "token={token}&password=another+phrase+{n}&password_confirmation=another+phrase+{n}"
            );
            let browser = browser.clone();
            testkit::tokio::spawn(async move {
                browser.post("/users/password/edit", &fields).await.status
            })
        })
        .collect();
    let mut won = 0;
    for one in tries {
        match one.await {
            Ok(303) => won += 1,
            Ok(403) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(won, 1);
}

#[testkit::story]
async fn a_new_user_chooses_their_password_by_mail(t: TestServer) {
    let body = json!({"username": "jane", "name": "Jane <b>&", "email": "jane@example.com",
        "reset_password": true});
    let made = t.admin().post("/users").json(&body).await.is(201);
    assert_eq!(made.json()["confirmed_at"], Value::Null);
    let mails = sent(&t).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert!(mails[0].text.contains("Hello Jane <b>&,") && mails[0].html.is_none());
    let path = link(&t, &mails[0]);
    let browser = Browser::open(&t, &path).await;
    let fields =
        format!("token={}&password=my+very+own&password_confirmation=my+very+own", token(&path));
    browser.post("/users/password/edit", &fields).await.is(303);
    let shown = t.admin().get(format!("/users/{}", made.id())).await.is(200);
    assert!(shown.json()["confirmed_at"].is_string());
    Browser::open(&t, "/users/sign_in")
        .await
        .sign_in("jane", "my very own")
        .await
        .is(302);
}

#[testkit::story]
async fn a_locked_account_is_unlocked_by_mail(t: TestServer) {
    let jane = t.user("jane").await;
    patient(&t).await;
    let browser = Browser::open(&t, "/users/sign_in").await;
    for _ in 0..3 {
        browser.sign_in("jane", "wrong password").await.is(422);
    }
    browser.sign_in("jane", "correct horse battery").await.is(422);
    let mails = sent(&t).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    let path = link(&t, &mails[0]);
    assert!(path.starts_with("/users/unlock?unlock_token="), "{path}");
    let page = Browser::open(&t, &path).await;
    let locked = t.admin().get(format!("/users/{}", jane.id)).await.json();
    assert_eq!(locked["locked"], true, "opening the link changes nothing");
    page.post("/users/unlock", &format!("token={}", token(&path))).await.is(303);
    page.post("/users/unlock", &format!("token={}", token(&path))).await.is(403);
    let signed_in = browser.sign_in("jane", "correct horse battery").await.is(302);
    assert!(cookie(&signed_in, "_service_session").is_some());
}

#[testkit::story]
async fn an_address_is_confirmed_by_mail(t: TestServer) {
    let jane = t.user("jane").await;
    let added = jane.post("/user/emails").json(&json!({"email": "j@example.org"})).await.is(201);
    assert_eq!(added.json()["confirmed_at"], Value::Null);
    let mails = sent(&t).await;
    assert_eq!((mails.len(), mails[0].to.as_str()), (1, "j@example.org"));
    let path = link(&t, &mails[0]);
    let page = Browser::open(&t, &path).await;
    page.post("/users/confirmation", &format!("token={}", token(&path)))
        .await
        .is(303);
    let shown = jane.get(format!("/user/emails/{}", added.id())).await.is(200);
    assert!(shown.json()["confirmed_at"].is_string());

    let path = format!("/users/{}", jane.id);
    let change = json!({"email": "jane@example.net"});
    let changed = t.admin().put(&path).json(&change).await.is(200);
    assert_eq!(changed.json()["confirmed_at"], Value::Null);
    let mails = sent(&t).await;
    let to: Vec<&str> = mails[1..].iter().map(|mail| mail.to.as_str()).collect();
    assert!(to.contains(&"jane@example.com") && to.contains(&"jane@example.net"), "{to:?}");
    let told = mails.iter().find(|mail| mail.to == "jane@example.com").unwrap();
    assert_eq!(told.subject, "Your e-mail address was changed");
    let link = link(&t, mails.iter().find(|mail| mail.to == "jane@example.net").unwrap());
    let page = Browser::open(&t, &link).await;
    page.post("/users/confirmation", &format!("token={}", token(&link)))
        .await
        .is(303);
    assert!(t.admin().get(&path).await.json()["confirmed_at"].is_string());
    let quiet = json!({"email": "jane@example.com", "skip_reconfirmation": true});
    assert!(t.admin().put(&path).json(&quiet).await.is(200).json()["confirmed_at"].is_string());
}

#[testkit::story]
async fn owners_are_told_once_at_each_stage_that_a_token_ends(t: TestServer) {
    let jane = t.user("jane").await;
    let made = json!({"name": "ci\u{202e} «x»", "scopes": ["api"]});
    let path = format!("/users/{}/personal_access_tokens", jane.id);
    let id = t.admin().post(&path).json(&made).await.is(201).id();
    let set = async |days_left: i64, days_old: i64| {
        let done = t.app().write(move |tx| {
            let now = tx.now();
            let day = 24 * 60 * 60;
            let made = now - jiff::SignedDuration::from_secs(days_old * day);
            let end = now + jiff::SignedDuration::from_secs(days_left * day);
            Ok(tx.execute(
                "update access_tokens set expires_at = $2, created_at = $3 where id = $1",
                (id, kernel::time::date_of(end), made),
            )?)
        });
        assert_eq!(done.await.unwrap(), 1);
    };
    let count = async |expected: usize| {
        // Twice, as two nodes would.
        run(&t, "identity.expiring_tokens").await;
        run(&t, "identity.expiring_tokens").await;
        assert_eq!(t.app().mailer().sent().len(), expected);
    };
    set(61, 200).await;
    count(0).await;
    set(60, 200).await;
    count(1).await;
    set(31, 200).await;
    count(1).await;
    set(30, 200).await;
    count(2).await;
    set(7, 200).await;
    count(3).await;
    set(1, 200).await;
    count(3).await;
    let mails = t.app().mailer().sent();
    assert!(mails.iter().all(|mail| mail.to == "jane@example.com"));
    assert!(mails[0].text.contains("«ci\u{202e} «x»»") && mails[0].html.is_none());
    assert!(!mails[0].subject.contains("ci"));
    // A token made for a week is not told of on its first day, nor is a
    // revoked one, nor anything a blocked user has.
    let week = t.admin().post(&path).json(&json!({"name": "week", "scopes": ["api"]}));
    let id = week.await.is(201).id();
    let short = t.app().write(move |tx| {
        let end = tx.now() + jiff::SignedDuration::from_hours(7 * 24);
        Ok(tx.execute(
            "update access_tokens set expires_at = $2 where id = $1",
            (id, kernel::time::date_of(end)),
        )?)
    });
    assert_eq!(short.await.unwrap(), 1);
    count(3).await;
    let john = t.user("john").await;
    let due = t.app().write(move |tx| {
        let now = tx.now();
        let end = kernel::time::date_of(now + jiff::SignedDuration::from_hours(48));
        let old = now - jiff::SignedDuration::from_hours(24 * 100);
        Ok(tx.execute(
            "update access_tokens set expires_at = $1, created_at = $2, expiry_told = null
                where kind = 'personal' and expires_at is not null",
            (end, old),
        )?)
    });
    assert!(due.await.unwrap() >= 3);
    t.admin().post(format!("/users/{}/block", john.id)).await.is(201);
    jane.delete(format!("/personal_access_tokens/{id}")).await.is(204);
    run(&t, "identity.expiring_tokens").await;
    let mails = t.app().mailer().sent().split_off(3);
    assert!(!mails.is_empty() && mails.iter().all(|mail| mail.to == "jane@example.com"));
    assert!(mails.iter().all(|mail| !mail.text.contains("«week»")), "{mails:?}");
}
