//! Further addresses belong to who confirms them.

use serde_json::{Value, json};
use testkit::service::set;
use testkit::{PASSWORD, Reply, TestServer, TestUser};

const WANTED: &str = "wanted@example.org";

async fn enter(user: &TestUser) -> Reply {
    user.post("/user/emails").json(&json!({"email": WANTED})).await
}

/// The links in the mails to the address, in the order of the mails.
async fn links(t: &TestServer) -> Vec<String> {
    t.settle().await;
    let mails = t.app().mailer().sent();
    let base = t.url();
    let link = |text: &str| {
        let mut words = text.split_whitespace();
        words.find_map(|word| word.strip_prefix(base.as_str()).map(str::to_owned))
    };
    let to_it = mails.iter().filter(|mail| mail.to == WANTED);
    to_it.filter_map(|mail| link(&mail.text)).collect()
}

/// Opens a link and presses its button.
async fn press(t: &TestServer, link: &str) -> Reply {
    let browser = t.new_browser();
    let page = browser.get(link).await;
    if page.status != 200 {
        return page;
    }
    let token = link.rsplit('=').next().unwrap_or_default();
    browser.post("/users/confirmation", &[("token", token)]).await
}

/// The address among those of a user, and whether it is confirmed.
async fn listed(user: &TestUser) -> Option<bool> {
    let list = user.get("/user/emails").await.is(200).json();
    let all = list.as_array().cloned().unwrap_or_default();
    let found = all.into_iter().find(|one| one["email"] == WANTED)?;
    Some(found["confirmed_at"] != Value::Null)
}

#[testkit::story]
async fn an_address_that_was_only_entered_is_still_free(t: TestServer) {
    let mallory = t.user("mallory").await;
    enter(&mallory).await.is(201);
    enter(&mallory).await.is(400);
    let link = links(&t).await.remove(0);
    let new = json!({"username": "jane", "name": "Jane", "email": "Wanted@Example.org",
        "password": PASSWORD, "skip_confirmation": true});
    t.admin().post("/users").json(&new).await.is(201);
    // The account whose address it is has it alone.
    assert_eq!(listed(&mallory).await, None);
    press(&t, &link).await.is(403);
    enter(&mallory).await.is(400);
}

#[testkit::story]
async fn an_address_that_was_only_entered_may_sign_up(t: TestServer) {
    let mallory = t.user("mallory").await;
    enter(&mallory).await.is(201);
    let link = links(&t).await.remove(0);
    set(
        &t,
        json!({"signup_enabled": true, "require_admin_approval_after_user_signup": false,
        "sign_in_limit_per_minute": 1000}),
    )
    .await;
    let browser = t.new_browser();
    browser.get("/users/sign_up").await.is(200);
    let form = [
        ("name", "Jane"),
        ("username", "jane"),
        ("email", WANTED),
        ("password", PASSWORD),
    ];
    browser.post("/users/sign_up", &form).await.is(200);
    let own = links(&t).await.pop().expect("a mail");
    // Whose account it is has not shown yet, but a second one it is not.
    press(&t, &link).await.is(409);
    press(&t, &own).await.is(303);
    assert_eq!(listed(&mallory).await, None);
    press(&t, &link).await.is(403);
}

#[testkit::story]
async fn who_confirms_an_address_has_it(t: TestServer) {
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    enter(&jane).await.is(201);
    let first = links(&t).await.remove(0);
    enter(&john).await.is(201);
    let second = links(&t).await.remove(1);
    press(&t, &second).await.is(303);
    assert_eq!((listed(&jane).await, listed(&john).await), (None, Some(true)));
    press(&t, &first).await.is(403);
    enter(&jane).await.is(400);
    let put = json!({"email": WANTED});
    t.admin().put(format!("/users/{}", jane.id)).json(&put).await.is(409);
    let path = format!("/users/{}/emails", jane.id);
    let more = json!({"email": WANTED, "skip_confirmation": true});
    t.admin().post(&path).json(&more).await.is(400);
}

#[testkit::story]
async fn an_administrators_word_takes_an_address(t: TestServer) {
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    enter(&jane).await.is(201);
    let path = format!("/users/{}/emails", john.id);
    let more = json!({"email": WANTED, "skip_confirmation": true});
    t.admin().post(&path).json(&more).await.is(201);
    assert_eq!((listed(&jane).await, listed(&john).await), (None, Some(true)));
}

#[testkit::story]
async fn of_two_who_confirm_at_once_one_has_it(t: TestServer) {
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    enter(&jane).await.is(201);
    links(&t).await;
    enter(&john).await.is(201);
    let links = links(&t).await;
    let pressed = links.iter().map(|link| press(&t, link));
    let replies = futures_util::future::join_all(pressed).await;
    let mut statuses: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert!(matches!(statuses[..], [303, 403 | 409]), "{statuses:?}");
    let both = [listed(&jane).await, listed(&john).await];
    assert_eq!(both.iter().filter(|one| **one == Some(true)).count(), 1, "{both:?}");
}
