//! Security keys: adding and removing them, and signing in with one. The keys
//! are soft ones, whose every byte a story may change.

mod adding;

use super::*;
use futures_util::future::join_all;
use serde_json::Value;
use store::sql;
use testkit::SoftKey;

const KEYS: &str = "/-/profile/two_factor_auth/keys";
const OPTIONS: &str = "/-/profile/two_factor_auth/keys/options";
const PROOF: &str = "/users/confirm/key/options";
const TOKENS: &str = "/-/user_settings/tokens";
const ASK: &str = "/users/sign_in/two_factor/key/options";
const ANSWER: &str = "/users/sign_in/two_factor/key";

fn fresh_key(t: &TestServer) -> SoftKey {
    SoftKey::new(t.app().base_url())
}

/// Asks to add a key; the options for the browser.
async fn ask_to_add(browser: &Browser) -> Value {
    browser.get(KEYS).await.is(200);
    let fields = [("current_password", PASSWORD)];
    browser.post(OPTIONS, &fields).await.is(200).json()
}

async fn send_new(browser: &Browser, name: &str, answer: &Value) -> Reply {
    let answer = answer.to_string();
    browser.post(KEYS, &[("name", name), ("answer", &answer)]).await
}

/// Adds a key.
async fn add(t: &TestServer, browser: &Browser, name: &str) -> (SoftKey, Reply) {
    let mut key = fresh_key(t);
    let options = ask_to_add(browser).await;
    let reply = send_new(browser, name, &key.register(&options)).await;
    (key, reply)
}

/// A user with one key.
async fn user_with_key(t: &TestServer, login: &str) -> (TestUser, SoftKey) {
    patient(t).await;
    let user = t.user(login).await;
    let browser = t.browser(login).await;
    let (key, reply) = add(t, &browser, "blue").await;
    reply.is(200);
    (user, key)
}

/// The question to the keys of a half-done sign-in.
async fn question(browser: &Browser) -> Value {
    browser.get(STEP).await.is(200);
    browser.post(ASK, &[]).await.is(200).json()
}

async fn answer(browser: &Browser, answer: &Value) -> Reply {
    browser.post(ANSWER, &[("answer", &answer.to_string())]).await
}

/// Signs in with the key.
async fn sign_in_with(t: &TestServer, login: &str, key: &mut SoftKey) -> (Browser, Reply) {
    let browser = halfway(t, login).await;
    let options = question(&browser).await;
    let reply = answer(&browser, &key.answer(&options)).await;
    (browser, reply)
}

/// What was mailed about second factors, in the order of the alphabet.
async fn subjects(t: &TestServer) -> Vec<String> {
    let all = sent(t).await.into_iter().map(|mail| mail.subject);
    let mut about: Vec<_> = all
        .filter(|subject| subject.contains("factor") || subject.contains("security key"))
        .collect();
    about.sort();
    about
}

/// Where the form posts to that removes the first key of the page.
async fn removal(browser: &Browser) -> String {
    let page = browser.get(KEYS).await.is(200).text();
    let mut actions = page.split("action=\"");
    let action = actions.find_map(|rest| rest.split('"').next().filter(|a| a.ends_with("/delete")));
    action.expect("a button that removes").to_owned()
}

#[testkit::story(noon, localhost)]
async fn a_key_proves_that_it_is_still_you_once(t: TestServer) {
    let (_, mut key) = user_with_key(&t, "jane").await;
    let (browser, reply) = sign_in_with(&t, "jane", &mut key).await;
    reply.is(302);
    t.advance(3600);
    browser.get(TOKENS).await.is(200);
    let make = async |proof: &str| {
        let typed = [("name", "x"), ("scopes[]", "api"), ("confirm_key", proof)];
        browser.post(TOKENS, &typed).await
    };
    let asked = browser.post(TOKENS, &[("name", "x"), ("scopes[]", "api")]).await.is(403);
    assert!(asked.text().contains("Use your security key"), "{}", asked.text());
    make("{}").await.is(403);
    let options = browser.post(PROOF, &[]).await.is(200).json();
    let strange = fresh_key(&t).answer(&options).to_string();
    make(&strange).await.is(403);
    let options = browser.post(PROOF, &[]).await.is(200).json();
    let answer = key.answer(&options).to_string();
    let made = make(&answer).await.is(200);
    assert!(made.text().contains("svpat-"), "{}", made.text());

    t.advance(3600);
    make(&answer).await.is(403);
}

#[testkit::story(noon, localhost)]
async fn who_is_asked_to_add_a_key_proves_nothing_with_it(t: TestServer) {
    let (_, mut key) = user_with_key(&t, "jane").await;
    let (browser, reply) = sign_in_with(&t, "jane", &mut key).await;
    reply.is(302);
    let options = browser.get(TOKENS).await.is(200);
    assert!(!options.text().contains("Use your security key"));
    let answer = {
        let options = browser.post(PROOF, &[]).await.is(200).json();
        key.answer(&options).to_string()
    };
    t.advance(3540);
    ask_to_add(&browser).await;
    t.advance(60); // the question still stands, the sign-in proves no more
    browser.get(TOKENS).await.is(200);
    let typed = [("name", "x"), ("scopes[]", "api"), ("confirm_key", answer.as_str())];
    browser.post(TOKENS, &typed).await.is(403);
}

#[testkit::story(noon, localhost)]
async fn who_has_no_key_is_asked_for_none(t: TestServer) {
    t.user("jane").await;
    let browser = t.browser("jane").await;
    t.advance(3600);
    browser.get(TOKENS).await.is(200);
    let asked = browser.post(TOKENS, &[("name", "x"), ("scopes[]", "api")]).await.is(403);
    assert!(!asked.text().contains("Use your security key"));
    browser.post(PROOF, &[]).await.is(422);
}

#[testkit::story(noon, localhost)]
async fn a_key_is_added_and_signs_in(t: TestServer) {
    patient(&t).await;
    t.user("jane").await;
    let browser = t.browser("jane").await;
    let (mut key, reply) = add(&t, &browser, "blue one").await;
    let page = reply.is(200).text();
    assert_eq!(page.matches("<li><code>").count(), 10, "{page}");
    assert!(browser.get(KEYS).await.is(200).text().contains("blue one"));
    assert_eq!(recorded(&t, "user.two_factor_enable").await, 1);

    let (other, reply) = sign_in_with(&t, "jane", &mut key).await;
    assert_eq!(reply.is(302).header("location"), "/");

    assert!(is_in(&other).await);
    assert!(other.get(KEYS).await.text().contains("last used"));
    assert_eq!(subjects(&t).await, ["Two-factor authentication is on"]);
    let (_, again) = sign_in_with(&t, "jane", &mut key).await;
    again.is(302);
}

#[testkit::story(noon, localhost)]
async fn a_recovery_code_stands_in_for_a_lost_key(t: TestServer) {
    patient(&t).await;
    t.user("jane").await;
    let browser = t.browser("jane").await;
    let page = add(&t, &browser, "").await.1.is(200).text();
    let code = page.split("<code>").nth(1).and_then(|rest| rest.split('<').next());
    let half = halfway(&t, "jane").await;
    enter(&half, code.unwrap_or_default()).await.is(302);
    assert!(is_in(&half).await);
}

#[testkit::story(noon, localhost)]
async fn a_second_key_is_told_of_and_makes_no_new_codes(t: TestServer) {
    let (_, mut first) = user_with_key(&t, "jane").await;
    let browser = sign_in_with(&t, "jane", &mut first).await.0;
    let (mut second, reply) = add(&t, &browser, "green").await;
    reply.is(303);

    assert!(browser.get(KEYS).await.text().contains("green"));
    let told = ["A security key was added", "Two-factor authentication is on"];
    assert_eq!(subjects(&t).await, told);
    sign_in_with(&t, "jane", &mut second).await.1.is(302);
    sign_in_with(&t, "jane", &mut first).await.1.is(302);
}

#[testkit::story(noon, localhost)]
async fn a_question_is_answered_once_and_in_time(t: TestServer) {
    patient(&t).await;
    t.user("jane").await;
    let browser = t.browser("jane").await;
    let options = ask_to_add(&browser).await;
    t.advance(300);
    let late = send_new(&browser, "late", &fresh_key(&t).register(&options)).await.is(422);
    assert!(late.text().contains("has expired or was answered before"), "{late:?}");

    let options = ask_to_add(&browser).await;
    t.advance(299);
    let wrong = json!({"id": "nothing"});
    send_new(&browser, "wrong", &wrong).await.is(422);
    let again = send_new(&browser, "again", &fresh_key(&t).register(&options)).await.is(422);
    assert!(again.text().contains("has expired or was answered before"), "{again:?}");
}

#[testkit::story(noon, localhost)]
async fn questions_to_others_are_not_answered(t: TestServer) {
    let (_, mut janes) = user_with_key(&t, "jane").await;
    let (_, mut bobs) = user_with_key(&t, "bob").await;
    let (jane, bob) = (halfway(&t, "jane").await, halfway(&t, "bob").await);
    let (_, to_bob) = (question(&jane).await, question(&bob).await);

    let reply = answer(&jane, &janes.answer(&to_bob)).await.is(422);
    assert!(reply.text().contains("another question"), "{reply:?}");
    question(&jane).await;
    let reply = answer(&jane, &bobs.answer(&to_bob)).await.is(422);
    assert!(reply.text().contains("not one of this account"), "{reply:?}");
    assert!(!is_in(&jane).await);

    let (one, _) = sign_in_with(&t, "jane", &mut janes).await;
    let (two, _) = sign_in_with(&t, "bob", &mut bobs).await;
    let (_, asked) = (ask_to_add(&one).await, ask_to_add(&two).await);
    let reply = send_new(&one, "x", &fresh_key(&t).register(&asked)).await.is(422);
    assert!(reply.text().contains("another question"), "{reply:?}");
}

#[testkit::story(noon, localhost)]
async fn a_replayed_answer_is_refused(t: TestServer) {
    let (_, mut key) = user_with_key(&t, "jane").await;
    let browser = halfway(&t, "jane").await;
    let options = question(&browser).await;
    let sent = key.answer(&options);
    answer(&browser, &sent).await.is(302);

    let thief = halfway(&t, "jane").await;
    let reply = answer(&thief, &sent).await.is(422);
    assert!(reply.text().contains("expired or was answered before"), "{reply:?}");
    question(&thief).await;
    let reply = answer(&thief, &sent).await.is(422);
    assert!(reply.text().contains("another question"), "{reply:?}");
    assert!(!is_in(&thief).await);
}

#[testkit::story(noon, localhost)]
async fn a_question_at_sign_in_expires(t: TestServer) {
    let (_, mut key) = user_with_key(&t, "jane").await;
    let browser = halfway(&t, "jane").await;
    let options = question(&browser).await;
    t.advance(301);
    let reply = answer(&browser, &key.answer(&options)).await.is(303);
    assert_eq!(reply.header("location"), "/users/sign_in");
    assert!(!is_in(&browser).await);
}

#[testkit::story(noon, localhost)]
async fn ten_wrong_answers_lock_the_account(t: TestServer) {
    let (_, mut key) = user_with_key(&t, "jane").await;
    for step in 0..2 {
        let browser = halfway(&t, "jane").await;
        for left in (0..5).rev() {
            let options = question(&browser).await;
            key.origin = "https://evil.example".into();
            let reply = answer(&browser, &key.answer(&options)).await;
            let ends = left == 0;
            let reply = reply.is(if ends { 303 } else { 422 });
            if !ends {
                assert!(reply.text().contains(&format!("You have {left} ")), "{reply:?}");
            }
            let locked = recorded(&t, "user.lock").await;
            assert_eq!(locked, i64::from(step == 1 && ends));
        }
    }
    key.origin = t.app().base_url().to_owned();
    let browser = t.new_browser();
    browser.get("/users/sign_in").await.is(200);
    let fields = [("login", "jane"), ("password", PASSWORD)];
    browser.post("/users/sign_in", &fields).await.is(422);
    t.advance(601);
    sign_in_with(&t, "jane", &mut key).await.1.is(302);
}

#[testkit::story(noon, localhost)]
async fn a_locked_account_takes_no_key(t: TestServer) {
    let (_, mut key) = user_with_key(&t, "jane").await;
    let waiting = halfway(&t, "jane").await;
    let options = question(&waiting).await;
    let wrong = t.new_browser();
    wrong.get("/users/sign_in").await.is(200);
    for _ in 0..10 {
        let fields = [("login", "jane"), ("password", "wrong password")];
        wrong.post("/users/sign_in", &fields).await.is(422);
    }
    answer(&waiting, &key.answer(&options)).await.is(422);
    assert!(!is_in(&waiting).await);
}

#[testkit::story(noon, localhost)]
async fn one_of_many_answers_at_once_is_taken(t: TestServer) {
    let (_, mut key) = user_with_key(&t, "jane").await;
    let browser = halfway(&t, "jane").await;
    let options = question(&browser).await;
    let sent = key.answer(&options);
    let all = join_all((0..8).map(|_| answer(&browser, &sent))).await;
    let taken = all.iter().filter(|reply| reply.status == 302);
    assert_eq!(taken.count(), 1, "{all:?}");
    assert_eq!(recorded(&t, "user.sign_in").await, 2);

    let (other, _) = sign_in_with(&t, "jane", &mut key).await;
    let options = ask_to_add(&other).await;
    let new = fresh_key(&t).register(&options);
    let all = join_all((0..8).map(|_| send_new(&other, "one", &new))).await;
    assert_eq!(all.iter().filter(|reply| reply.status == 303).count(), 1, "{all:?}");
}

#[testkit::story(noon, localhost)]
async fn a_copy_of_a_key_is_refused_and_told_of(t: TestServer) {
    let (_, mut key) = user_with_key(&t, "jane").await;
    let mut copy = key.clone();
    sign_in_with(&t, "jane", &mut key).await.1.is(302);
    let (thief, reply) = sign_in_with(&t, "jane", &mut copy).await;

    assert!(reply.is(422).text().contains("counted backwards"));
    assert!(!is_in(&thief).await);
    assert_eq!(recorded(&t, "user.security_key_copy").await, 1);
    let told = subjects(&t).await;
    assert!(told.contains(&"There may be a copy of your security key".into()), "{told:?}");
    sign_in_with(&t, "jane", &mut key).await.1.is(302);
}

#[testkit::story(noon, localhost)]
async fn keys_of_blocked_and_deleted_users_sign_nobody_in(t: TestServer) {
    let (jane, mut janes) = user_with_key(&t, "jane").await;
    let (bob, mut bobs) = user_with_key(&t, "bob").await;
    let (one, two) = (halfway(&t, "jane").await, halfway(&t, "bob").await);
    let (to_jane, to_bob) = (question(&one).await, question(&two).await);
    t.admin().post(format!("/users/{}/block", jane.id)).await.is(201);
    t.admin().delete(format!("/users/{}", bob.id)).await.is(204);
    t.settle().await;

    answer(&one, &janes.answer(&to_jane)).await.is(403);
    let gone = answer(&two, &bobs.answer(&to_bob)).await.is(303);
    assert_eq!(gone.header("location"), "/users/sign_in");
    assert!(!is_in(&one).await && !is_in(&two).await);
    let left = t.app().read(|tx| Ok(tx.one("select count(*) from webauthn_keys", ())?));
    let left: i64 = left.await.expect("a number");
    assert_eq!(left, 1);
}

#[testkit::story(noon, localhost)]
async fn the_last_key_takes_the_second_step_along(t: TestServer) {
    let (_, mut key) = user_with_key(&t, "jane").await;
    let (_, mut bobs) = user_with_key(&t, "bob").await;
    let (jane, _) = sign_in_with(&t, "jane", &mut key).await;
    let (bob, _) = sign_in_with(&t, "bob", &mut bobs).await;
    let delete = removal(&jane).await;
    bob.get(KEYS).await.is(200);
    bob.post(&delete, &[]).await.is(404);
    jane.post(&delete, &[]).await.is(303);

    assert!(jane.get(KEYS).await.text().contains("No security keys"));
    assert_eq!(recorded(&t, "user.two_factor_disable").await, 1);
    let told = subjects(&t).await;
    assert!(told.contains(&"Two-factor authentication is off".into()), "{told:?}");
    let plain = t.browser("jane").await;
    assert!(is_in(&plain).await);
}

#[testkit::story(noon, localhost)]
async fn removing_needs_a_fresh_proof(t: TestServer) {
    let (_, mut key) = user_with_key(&t, "jane").await;
    let (jane, _) = sign_in_with(&t, "jane", &mut key).await;
    let delete = removal(&jane).await;
    t.advance(3601);
    let asked = jane.post(&delete, &[]).await.is(403);
    assert!(asked.text().contains("Confirm that it is you"), "{asked:?}");
    jane.post(&delete, &[("confirm_password", PASSWORD)]).await.is(303);
    assert!(jane.get(KEYS).await.text().contains("No security keys"));
}

#[testkit::story(noon, localhost)]
async fn an_administrator_removes_lost_keys(t: TestServer) {
    let (jane, _) = user_with_key(&t, "jane").await;
    let shown = t.admin().get(format!("/users/{}", jane.id)).await.is(200);
    assert_eq!(shown.json()["two_factor_enabled"], true);
    let path = format!("/users/{}/disable_two_factor", jane.id);
    t.admin().patch(&path).await.is(204);
    t.admin().patch(&path).await.is(400);
    let browser = t.browser("jane").await;
    assert!(browser.get(KEYS).await.text().contains("No security keys"));
}

#[testkit::story(noon, localhost)]
async fn huge_bodies_are_refused(t: TestServer) {
    let (_, _) = user_with_key(&t, "jane").await;
    let browser = halfway(&t, "jane").await;
    question(&browser).await;
    let huge = "x".repeat(9 * 1024 * 1024);
    browser.post(ANSWER, &[("answer", &huge)]).await.is(413);
    browser.post(ANSWER, &[("answer", &huge[..60_000])]).await.is(422);
}

#[testkit::story(noon)]
async fn an_address_by_number_has_no_keys(t: TestServer) {
    t.user("jane").await;
    let browser = t.browser("jane").await;
    let text = "need an external address with a host name";
    assert!(browser.get(KEYS).await.is(200).text().contains(text));
    let reply = browser.post(OPTIONS, &[("current_password", PASSWORD)]).await.is(422);
    assert!(reply.text().contains(text), "{reply:?}");
}
