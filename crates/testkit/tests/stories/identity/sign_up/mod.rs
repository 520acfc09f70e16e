//! People who make their own accounts.

mod confirmation;

use kernel::mail::Message;
use serde_json::{Value, json};
use testkit::service::{Service, challenge, set};
use testkit::{Browser, PASSWORD, Reply, TestServer};

/// Sign-up without an administrator's approval, with these settings besides.
async fn open(t: &TestServer, more: Value) {
    let settings = json!({"signup_enabled": true, "sign_in_limit_per_minute": 1000,
        "require_admin_approval_after_user_signup": false});
    set(t, settings).await;
    set(t, more).await;
}

async fn send(browser: &Browser, username: &str, email: &str, more: &[(&str, &str)]) -> Reply {
    browser.get("/users/sign_up").await.is(200);
    let mut fields = vec![
        ("name", "Jane Doe"),
        ("username", username),
        ("email", email),
        ("password", PASSWORD),
    ];
    fields.extend_from_slice(more);
    browser.post("/users/sign_up", &fields).await
}

/// One sign-up in a browser of its own.
async fn sign_up(t: &TestServer, username: &str, email: &str) -> Reply {
    send(&t.new_browser(), username, email, &[]).await
}

async fn mails_to(t: &TestServer, address: &str) -> Vec<Message> {
    t.settle().await;
    let mut mails = t.app().mailer().sent();
    mails.retain(|mail| mail.to == address);
    mails
}

/// The path of the link in a mail.
fn link(t: &TestServer, mail: &Message) -> String {
    let base = t.url();
    let mut words = mail.text.split_whitespace();
    let url = words.find(|word| word.starts_with(&base)).expect("a link");
    url[base.len()..].to_owned()
}

/// Opens the link that confirms an address and presses the button.
async fn confirm(t: &TestServer, mail: &Message) {
    let path = link(t, mail);
    assert!(path.starts_with("/users/confirmation?confirmation_token="), "{path}");
    let browser = t.new_browser();
    browser.get(&path).await.is(200);
    let token = path.rsplit('=').next().unwrap();
    browser.post("/users/confirmation", &[("token", token)]).await.is(303);
}

async fn signs_in(t: &TestServer, login: &str) -> Reply {
    let browser = t.new_browser();
    browser.get("/users/sign_in").await.is(200);
    let fields = [("login", login), ("password", PASSWORD)];
    browser.post("/users/sign_in", &fields).await
}

async fn found(t: &TestServer, username: &str) -> Option<Value> {
    let found = t.admin().get(format!("/users?username={username}")).await.is(200);
    found.json().as_array().and_then(|all| all.first().cloned())
}

async fn boss(t: &TestServer) -> Browser {
    let boss = t.user("boss").await;
    let admin = json!({"admin": true});
    t.admin().put(format!("/users/{}", boss.id)).json(&admin).await.is(200);
    t.browser("boss").await
}

#[testkit::story]
async fn nobody_signs_up_unless_administrators_let_them(t: TestServer) {
    t.anonymous().at("/users/sign_up").await.is(403);
    let page = t.anonymous().at("/users/sign_in").await.is(200);
    assert!(!page.text().contains("/users/sign_up"));
    let browser = t.new_browser();
    browser.get("/users/sign_in").await.is(200);
    let fields = [
        ("name", "J"),
        ("username", "jane"),
        ("email", "j@example.com"),
        ("password", PASSWORD),
    ];
    browser.post("/users/sign_up", &fields).await.is(403);
    assert_eq!(found(&t, "jane").await, None);

    open(&t, json!({})).await;
    let page = t.anonymous().at("/users/sign_in").await.is(200);
    assert!(page.text().contains("/users/sign_up"));
    t.user("mary").await;
    let signed_in = t.browser("mary").await;
    assert_eq!(signed_in.get("/users/sign_up").await.is(302).header("location"), "/");
    // A form of another site, or of another browser, is refused.
    t.new_browser().post_bare("/users/sign_up", &fields).await.is(403);
    let other = t.new_browser();
    other.get("/users/sign_up").await.is(200);
    let foreign = t.anonymous().at("/users/sign_up").await.hidden("authenticity_token").unwrap();
    let mut forged = vec![("authenticity_token", foreign.as_str())];
    forged.extend_from_slice(&fields);
    other.post_bare("/users/sign_up", &forged).await.is(403);
    assert_eq!(found(&t, "jane").await, None);
}

#[testkit::story]
async fn a_person_signs_up_confirms_and_is_let_in(t: TestServer) {
    let boss = boss(&t).await;
    set(&t, json!({"signup_enabled": true, "sign_in_limit_per_minute": 1000})).await;
    let told = sign_up(&t, "jane", "jane@example.com").await.is(200);
    assert!(told.text().contains("A mail is on its way") && told.text().contains("administrator"));
    let jane = found(&t, "jane").await.expect("an account");
    assert_eq!(
        (&jane["state"], &jane["is_admin"], &jane["confirmed_at"]),
        (&json!("blocked_pending_approval"), &json!(false), &Value::Null)
    );
    for administrator in ["admin@example.com", "boss@example.com"] {
        let mails = mails_to(&t, administrator).await;
        let about: Vec<&Message> = mails
            .iter()
            .filter(|mail| mail.subject == "Somebody waits for approval")
            .collect();
        assert_eq!(about.len(), 1, "{mails:?}");
        assert!(about[0].text.contains("@jane") && about[0].text.contains("/admin/users/jane"));
    }
    let refused = signs_in(&t, "jane").await.is(403);
    assert!(refused.text().contains("pending approval"), "{}", refused.text());
    confirm(&t, &mails_to(&t, "jane@example.com").await[0]).await;
    signs_in(&t, "jane").await.is(403);

    let list = boss.get("/admin/users?filter=pending").await.is(200).text();
    assert!(
        list.contains("/admin/users/jane/approve") && !list.contains("href=\"/admin/users/boss\"")
    );
    boss.post("/admin/users/jane/approve", &[]).await.is(303);
    boss.post("/admin/users/jane/approve", &[]).await.is(409);
    let mails = mails_to(&t, "jane@example.com").await;
    assert_eq!(mails.last().unwrap().subject, "Your account is approved");
    signs_in(&t, "jane@example.com").await.is(302);
    let id = jane["id"].as_i64().unwrap();
    let events = t.admin().get(format!("/audit_events?entity_type=User&entity_id={id}")).await;
    let events = events.json();
    let made = events
        .as_array()
        .unwrap()
        .iter()
        .find(|event| event["event_name"] == "user.sign_up")
        .expect("a record")
        .clone();
    assert_eq!(
        (&made["author_id"], &made["details"]["ip_address"]),
        (&json!(-1), &json!("127.0.0.1"))
    );
}

#[testkit::story]
async fn who_is_turned_away_is_deleted_and_told(t: TestServer) {
    let boss = boss(&t).await;
    set(&t, json!({"signup_enabled": true, "email_confirmation_setting": "off"})).await;
    sign_up(&t, "jane", "jane@example.com").await.is(200);
    boss.get("/admin/users/jane").await.is(200);
    boss.post("/admin/users/jane/reject", &[]).await.is(303);
    let mails = mails_to(&t, "jane@example.com").await;
    assert_eq!(
        (mails.len(), mails[0].subject.as_str()),
        (1, "Your request to join was rejected")
    );
    assert_eq!(found(&t, "jane").await, None);
    boss.post("/admin/users/boss/reject", &[]).await.is(409);
    boss.post("/admin/users/nobody/approve", &[]).await.is(404);
    t.user("mary").await;
    let mary = t.browser("mary").await;
    mary.get("/-/user_settings/profile").await.is(200);
    mary.post("/admin/users/boss/approve", &[]).await.is(403);
}

#[testkit::story]
async fn that_an_address_has_an_account_is_told_to_it_alone(t: TestServer) {
    let jane = t.user("jane").await;
    t.user("john").await;
    let more = json!({"email": "second@example.com", "skip_confirmation": true});
    t.admin().post(format!("/users/{}/emails", jane.id)).json(&more).await.is(201);
    open(&t, json!({})).await;
    let new = sign_up(&t, "fresh", "fresh@example.com").await.is(200).text();
    for (username, email) in [
        ("a1", "jane@example.com"),
        ("a2", "JANE@Example.com"),
        ("a3", "second@example.com"),
    ] {
        assert_eq!(sign_up(&t, username, email).await.is(200).text(), new, "{email}");
        assert_eq!(found(&t, username).await, None);
    }
    for address in ["jane@example.com", "second@example.com"] {
        let mails = mails_to(&t, address).await;
        assert_eq!(mails.len(), 1, "once an hour: {mails:?}");
        assert_eq!(mails[0].subject, "You have an account already");
    }
    // A name that is taken is told alike, whosever the address.
    for email in ["jane@example.com", "other@example.com"] {
        let refused = sign_up(&t, "John", email).await.is(422);
        assert!(refused.text().contains("Has already been taken"), "{}", refused.text());
    }
    t.group("taken").await;
    let names = |page: String| page.contains("taken");
    let known = sign_up(&t, "taken", "jane@example.com").await.is(422);
    let unknown = sign_up(&t, "taken", "other@example.com").await.is(422);
    assert!(names(known.text()) && names(unknown.text()));
    assert_eq!(found(&t, "taken").await, None);
}

#[testkit::story]
async fn addresses_of_some_domains_cannot_sign_up(t: TestServer) {
    open(
        &t,
        json!({"domain_allowlist": ["corp.example", "*.corp.example"],
        "domain_denylist": ["mail.corp.example"], "domain_denylist_enabled": true}),
    )
    .await;
    for (username, email, status) in [
        ("a1", "jane@corp.example", 200),
        ("a2", "jane@dev.CORP.example", 200),
        ("a3", "jane@mail.corp.example", 422),
        ("a4", "jane@example.com", 422),
        ("a5", "jane@corp.example@example.com", 422),
        ("a6", "jane@notcorp.example", 422),
    ] {
        sign_up(&t, username, email).await.is(status);
    }
    set(&t, json!({"domain_allowlist": [], "domain_denylist_enabled": false})).await;
    sign_up(&t, "a7", "jane@mail.corp.example").await.is(200);
}

#[testkit::story]
async fn what_is_wrong_stands_beside_its_field(t: TestServer) {
    open(&t, json!({})).await;
    let browser = t.new_browser();
    browser.get("/users/sign_up").await.is(200);
    let empty = browser.post("/users/sign_up", &[]).await.is(422).text();
    assert!(
        empty.matches("Can't be blank").count() + empty.matches("Can&#39;t be blank").count() == 4,
        "{empty}"
    );
    let fields = [
        ("name", "<script>alert(1)</script>"),
        ("username", "admin"),
        ("email", "a@b.example\r\nBcc: c@d.example"),
        ("password", "short"),
    ];
    let page = browser.post("/users/sign_up", &fields).await.is(422).text();
    assert!(!page.contains("<script>alert(1)") && page.contains("&#60;script&#62;"));
    assert!(page.contains("Is a reserved name") && page.contains("too short"));
    assert!(!page.contains("value=\"short\""), "a password is not sent back");
    assert!(t.app().mailer().sent().is_empty());
}

#[testkit::story]
async fn of_people_who_want_one_name_one_gets_it(t: TestServer) {
    open(&t, json!({})).await;
    let tries: Vec<_> = (0..8)
        .map(|n| {
            let browser = t.new_browser();
            tokio::spawn(async move {
                send(&browser, "jane", &format!("jane{n}@example.com"), &[]).await.status
            })
        })
        .collect();
    let mut won = 0;
    for one in tries {
        match one.await.unwrap() {
            200 => won += 1,
            other => assert_eq!(other, 422),
        }
    }
    assert_eq!(won, 1);
}

#[testkit::story]
async fn a_challenge_stands_on_the_page_where_one_is_configured(t: TestServer) {
    let verifier = Service::start().await;
    challenge(&t, &verifier).await;
    open(
        &t,
        json!({"captcha_origins": ["https://static.widgets.example"],
        "spam_blocked_domains": ["evil.example"]}),
    )
    .await;
    let plain = t.anonymous().at("/users/sign_in").await.is(200);
    assert!(!plain.header("content-security-policy").contains("widgets"));
    let browser = t.new_browser();
    let page = browser.get("/users/sign_up").await.is(200);
    let policy = page.header("content-security-policy").to_owned();
    let sources = "'self' https://widgets.example https://static.widgets.example";
    assert!(policy.contains(&format!("script-src {sources};")), "{policy}");
    assert!(
        policy.contains(&format!("frame-src {sources};")) && policy.contains("default-src 'self';")
    );
    assert!(page.text().contains("data-sitekey=\"site-1\""));
    assert!(page.text().contains("src=\"https://widgets.example/api.js\""));

    verifier.answers(json!({"success": false}));
    let refused = send(&browser, "jane", "jane@example.com", &[]).await.is(422);
    assert!(refused.text().contains("Solve the challenge first."));
    assert!(verifier.asked().is_empty(), "there is nothing to verify");
    let solution = [("g-recaptcha-response", "solved")];
    send(&browser, "jane", "jane@example.com", &solution).await.is(422);
    verifier.answers(json!({"success": true}));
    // A solution does not make spam good.
    let spam = send(&browser, "jane", "jane@evil.example", &solution).await.is(422);
    assert!(spam.text().contains("recognized as spam"), "{}", spam.text());
    assert_eq!(found(&t, "jane").await, None);
    send(&browser, "jane", "jane@example.com", &solution).await.is(200);
    assert!(found(&t, "jane").await.is_some());
    let (_, form) = verifier.asked().pop().unwrap();
    assert_eq!(form, "secret=private-1&response=solved&remoteip=127.0.0.1");
    let logged: Vec<(String, String, Option<i64>)> = t
        .app()
        .read(|tx| Ok(tx.all("select action, title, user_id from spam_logs", ())?))
        .await
        .unwrap();
    assert_eq!(logged, [("sign_up".to_owned(), "jane".to_owned(), None)]);
}

#[testkit::story(noon)]
async fn an_address_signs_up_twenty_times_a_minute(t: TestServer) {
    open(&t, json!({})).await;
    let browser = t.new_browser();
    for _ in 0..20 {
        send(&browser, "a", "", &[]).await.is(422);
    }
    send(&browser, "jane", "jane@example.com", &[]).await.is(429);
    t.advance(61);
    send(&browser, "jane", "jane@example.com", &[]).await.is(200);
}
