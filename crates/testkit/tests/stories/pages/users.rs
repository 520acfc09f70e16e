//! What administrators do to accounts on pages, by the rules of REST.

use super::admin::administrator;
use kernel::mail::Message;
use serde_json::{Value, json};
use testkit::{Browser, PASSWORD, TestServer};

const NEW: &str = "/admin/users/new";

async fn mails_to(t: &TestServer, address: &str) -> Vec<Message> {
    t.settle().await;
    let sent = t.app().mailer().sent();
    sent.into_iter().filter(|mail| mail.to == address).collect()
}

async fn user(t: &TestServer, name: &str) -> Value {
    let found = t.admin().get(format!("/users?username={name}")).await.is(200).json();
    found[0].clone()
}

async fn events(t: &TestServer, id: &Value) -> Vec<Value> {
    let path = format!("/audit_events?entity_type=User&entity_id={id}&per_page=100");
    t.admin().get(path).await.is(200).each("event_name")
}

/// The value that is shown once in a field to copy.
fn shown(page: &str, id: &str) -> String {
    let field = &page[page.find(&format!("id=\"{id}\"")).expect("it is shown")..];
    let value = field.split("value=\"").nth(1).and_then(|rest| rest.split('"').next());
    value.unwrap_or_default().to_owned()
}

async fn signs_in(t: &TestServer, login: &str, password: &str) -> (Browser, testkit::Reply) {
    let browser = t.new_browser();
    browser.get("/users/sign_in").await.is(200);
    let fields = [("login", login), ("password", password)];
    let reply = browser.post("/users/sign_in", &fields).await;
    (browser, reply)
}

#[testkit::story]
async fn an_account_is_made_with_a_link_or_a_password(t: TestServer) {
    let ada = administrator(&t).await;
    let form = [
        ("name", "Grace Hopper"),
        ("username", "grace"),
        ("email", "grace@example.com"),
        ("way", "link"),
        ("external", "1"),
        ("note", "from the navy"),
    ];
    let (to, page) = ada.submit(NEW, &form).await;
    assert_eq!(to, "/admin/users/grace");
    assert!(page.contains("User created: Grace Hopper.") && page.contains("from the navy"));
    let grace = user(&t, "grace").await;
    assert_eq!((&grace["external"], &grace["is_admin"]), (&json!(true), &json!(false)));
    let mails = mails_to(&t, "grace@example.com").await;
    assert_eq!(mails.len(), 1);
    assert!(
        mails[0].text.contains("/users/password/edit?reset_password_token="),
        "{mails:?}"
    );
    assert_eq!(events(&t, &grace["id"]).await, [json!("user.create")]);

    let form = [
        ("name", "Alan"),
        ("username", "alan"),
        ("email", "alan@example.com"),
        ("way", "password"),
        ("password", "hit-hard-2031"),
        ("skip_confirmation", "1"),
        ("admin", "1"),
    ];
    ada.submit(NEW, &form).await;
    let (alan, reply) = signs_in(&t, "alan", "hit-hard-2031").await;
    reply.is(302);
    alan.get("/admin").await.is(200);
    assert!(
        mails_to(&t, "alan@example.com")
            .await
            .iter()
            .all(|mail| !mail.text.contains("confirm"))
    );
}

#[testkit::story]
async fn an_account_that_cannot_be_is_shown_again(t: TestServer) {
    t.user("jane").await;
    let ada = administrator(&t).await;
    let form = [
        ("name", "Jane <2>"),
        ("username", "JANE"),
        ("email", "jane@example.com"),
        ("way", "link"),
    ];
    let page = ada.post(NEW, &form).await.is(422).text();
    assert!(page.contains("id=\"e-username\"") || page.contains("id=\"e-email\""), "{page}");
    assert!(page.contains("Jane &#60;2&#62;") && page.contains("already been taken"));
    let form = [
        ("name", ""),
        ("username", "admin"),
        ("email", "nobody"),
        ("way", "password"),
        ("password", "abc1x"),
    ];
    let page = ada.post(NEW, &form).await.is(422).text();
    for field in ["name", "username", "email", "password"] {
        assert!(page.contains(&format!("id=\"e-{field}\"")), "{field}: {page}");
    }
    assert!(!page.contains("abc1x"), "a password is not sent back");
}

#[testkit::story]
async fn an_account_is_edited(t: TestServer) {
    let jane = t.user("jane").await;
    let ada = administrator(&t).await;
    let edit = "/admin/users/jane/edit";
    let page = ada.get(edit).await.is(200).text();
    assert!(page.contains("value=\"jane@example.com\"") && page.contains("value=\"100000\""));
    let form = [
        ("name", "Jane Doe"),
        ("new_username", "janed"),
        ("email", "jd@example.com"),
        ("projects_limit", "3"),
        ("external", "1"),
        ("note", "away in May"),
    ];
    let (to, page) = ada.submit(edit, &form).await;
    assert_eq!(to, "/admin/users/janed");
    assert!(page.contains("Jane Doe is saved.") && page.contains("away in May"));
    assert!(page.contains("not confirmed"), "a new address is confirmed first");
    assert_eq!(mails_to(&t, "jd@example.com").await.len(), 1);
    let stored = t.admin().get(format!("/users/{}", jane.id)).await.is(200).json();
    assert_eq!(
        (&stored["projects_limit"], &stored["can_create_group"], &stored["external"]),
        (&json!(3), &json!(false), &json!(true))
    );
    let (_, page) = ada.submit("/admin/users/janed/confirm", &[]).await;
    assert!(!page.contains("not confirmed"));
    let wrong = [("name", "x"), ("new_username", "ada"), ("email", "jd@example.com")];
    let typed = [wrong[0], wrong[1], wrong[2], ("projects_limit", "many")];
    let page = ada.post("/admin/users/janed/edit", &typed).await.is(422).text();
    assert!(page.contains("id=\"e-projects_limit\"") && page.contains("value=\"many\""));
    let typed = [wrong[0], wrong[1], wrong[2], ("projects_limit", "3")];
    let page = ada.post("/admin/users/janed/edit", &typed).await.is(422).text();
    assert!(page.contains("id=\"e-new_username\"") && page.contains("already been taken"));
}

#[testkit::story]
async fn rights_are_given_and_taken_but_never_ones_own(t: TestServer) {
    let jane = t.user("jane").await;
    let ada = administrator(&t).await;
    let (_, page) = ada.submit("/admin/users/jane/promote", &[]).await;
    assert!(page.contains("jane is an administrator now."));
    let browser = t.browser("jane").await;
    browser.get("/admin").await.is(200);
    let own = browser.get("/admin/users/jane").await.is(200).text();
    assert!(own.contains("This is your own account") && !own.contains("/jane/demote"));
    for verb in ["demote", "block", "ban", "deactivate"] {
        let (_, page) = browser.submit(&format!("/admin/users/jane/{verb}"), &[]).await;
        assert!(page.contains("class=\"flash bad\""), "{verb}: {page}");
    }
    let form = [("name", "Jane"), ("new_username", "jane"), ("email", "jane@example.com")];
    let form = [form[0], form[1], form[2], ("projects_limit", "5")];
    browser.submit("/admin/users/jane/edit", &form).await;
    browser.get("/admin").await.is(200);
    let (_, page) = ada.submit("/admin/users/jane/demote", &[]).await;
    assert!(page.contains("is no administrator any more."));
    browser.get("/admin").await.is(403);
    let told = events(&t, &json!(jane.id)).await;
    assert!(
        told.iter().filter(|event| **event == json!("user.update")).count() >= 3,
        "{told:?}"
    );
}

#[testkit::story]
async fn the_last_administrator_stays_one(t: TestServer) {
    let ada = administrator(&t).await;
    let ada_id = user(&t, "ada").await["id"].as_i64().expect("an id");
    let root = user(&t, "root").await["id"].as_i64().expect("an id");
    ada.submit("/admin/users/root/block", &[]).await;
    // Who decided before somebody else took their rights: Ada is the last now.
    let by = identity::author::Author::at(root, "127.0.0.1");
    let refused = t.app().write(move |tx| {
        identity::users::transition(tx, &by, ada_id, identity::users::Transition::Block)
    });
    let refused = refused.await.expect_err("the last one");
    assert!(format!("{refused:?}").contains("last administrator"), "{refused:?}");
    let by = identity::author::Author::at(root, "127.0.0.1");
    let refused = t.app().write(move |tx| identity::users::destroy(tx, &by, ada_id, true)).await;
    assert!(format!("{:?}", refused.expect_err("the last one")).contains("last administrator"));
    ada.get("/admin").await.is(200);
}

#[testkit::story]
async fn states_change_by_the_rules(t: TestServer) {
    t.user("jane").await;
    let ada = administrator(&t).await;
    for (verb, state, said) in [
        ("ban", "banned", "is banned"),
        ("unban", "active", "may sign in again"),
        ("block", "blocked", "is blocked"),
        ("unblock", "active", "may sign in again"),
    ] {
        let (_, page) = ada.submit(&format!("/admin/users/jane/{verb}"), &[]).await;
        assert!(page.contains(said), "{verb}: {page}");
        assert_eq!(user(&t, "jane").await["state"], state, "{verb}");
    }
    let (_, page) = ada.submit("/admin/users/jane/deactivate", &[]).await;
    assert!(page.contains("has been active in the past 90 days"), "{page}");
    let (_, page) = ada.submit("/admin/users/jane/unban", &[]).await;
    assert!(page.contains("You cannot unban active users."), "{page}");
}

#[testkit::story]
async fn a_password_is_reset_by_link_or_shown_once(t: TestServer) {
    let jane = t.user("jane").await;
    let ada = administrator(&t).await;
    let (_, page) = ada.submit("/admin/users/jane/password_link", &[]).await;
    assert!(page.contains("gets a mail with a link"));
    let mails = mails_to(&t, "jane@example.com").await;
    assert!(
        mails.iter().any(|mail| mail.text.contains("reset_password_token=")),
        "{mails:?}"
    );

    let browser = t.browser("jane").await;
    let page = ada.post("/admin/users/jane/password", &[]).await.is(200).text();
    let password = shown(&page, "new-password");
    assert!(password.len() >= 20, "{page}");
    browser.get("/-/user_settings/profile").await.is(401);
    let again = ada.get("/admin/users/jane").await.is(200).text();
    assert!(!again.contains(&password) && again.contains("must be changed"));
    signs_in(&t, "jane", PASSWORD).await.1.is(422);
    let (_, reply) = signs_in(&t, "jane", &password).await;
    assert!(reply.text().contains("Choose a new password"), "{reply:?}");
    let told = events(&t, &json!(jane.id)).await;
    assert!(told.contains(&json!("user.password")) && told.contains(&json!("user.password_link")));
    let own = ada.post("/admin/users/ada/password", &[]).await.is(422).text();
    assert!(own.contains("Change your own password on your profile"), "{own}");
    ada.submit("/admin/users/jane/block", &[]).await;
    let (_, page) = ada.submit("/admin/users/jane/password_link", &[]).await;
    assert!(page.contains("cannot sign in, so no link was sent"), "{page}");
}

#[testkit::story]
async fn sessions_and_tokens_of_somebody_end(t: TestServer) {
    let jane = t.user("jane").await;
    let browser = t.browser("jane").await;
    let ada = administrator(&t).await;
    let page = ada.get("/admin/users/jane").await.is(200).text();
    assert!(page.contains("Sessions <span class=\"tally\">1</span>"), "{page}");
    ada.submit("/admin/users/jane/end_sessions", &[]).await;
    browser.get("/-/user_settings/profile").await.is(401);
    ada.submit("/admin/users/ada/end_sessions", &[]).await;
    ada.get("/admin").await.is(200);

    let at = page.find("/admin/users/jane/tokens/").expect("her token is listed");
    let revoke = page[at..].split('"').next().unwrap_or_default().to_owned();
    jane.get("/user").await.is(200);
    ada.post(&revoke.replace("jane", "ada"), &[]).await.is(404);
    let (_, page) = ada.submit(&revoke, &[]).await;
    assert!(page.contains("it is revoked") && page.contains("No tokens"), "{page}");
    jane.get("/user").await.is(401);
}

#[testkit::story]
async fn an_account_is_deleted_by_typing_its_name(t: TestServer) {
    t.user("jane").await;
    let owner = t.user("olga").await;
    t.group("labs").await.add(&owner, 50).await;
    let ada = administrator(&t).await;
    let wrong = [("confirm", "Jane")];
    let page = ada.post("/admin/users/jane/delete", &wrong).await.is(422).text();
    assert!(page.contains("Must be jane") && page.contains("<details class=\"confirm\" open"));
    let (to, page) = ada.submit("/admin/users/jane/delete", &[("confirm", "jane")]).await;
    assert_eq!(to, "/admin/users");
    assert!(page.contains("jane is deleted."));
    assert_eq!(user(&t, "jane").await, Value::Null);
    let own = ada.post("/admin/users/ada/delete", &[("confirm", "ada")]).await.is(422).text();
    assert!(own.contains("You cannot delete yourself"), "{own}");
    let hard = [("confirm", "olga"), ("hard", "1")];
    ada.submit("/admin/users/olga/delete", &hard).await;
    assert_eq!(user(&t, "olga").await, Value::Null);
}

#[testkit::story]
async fn memberships_of_somebody_are_listed(t: TestServer) {
    let jane = t.user("jane").await;
    t.project("acme/anvil").await.add(&jane, 30).await;
    t.group("labs").await.add(&jane, 50).await;
    let ada = administrator(&t).await;
    let page = ada.get("/admin/users/jane/memberships").await.is(200).text();
    for there in ["href=\"/acme/anvil\"", "href=\"/groups/labs\"", "Developer", "Owner"] {
        assert!(page.contains(there), "{there}: {page}");
    }
    let none = ada.get("/admin/users/ada/memberships").await.is(200).text();
    assert!(none.contains("No memberships"));
    ada.get("/admin/users/nobody/memberships").await.is(404);
}

#[testkit::story]
async fn nobody_else_does_any_of_it(t: TestServer) {
    t.user("jane").await;
    let jane = t.browser("jane").await;
    for path in [NEW, "/admin/users/root/edit", "/admin/users/root/memberships"] {
        jane.get(path).await.is(403);
        t.anonymous().at(path).await.is(401);
    }
    for verb in [
        "edit",
        "promote",
        "demote",
        "block",
        "ban",
        "deactivate",
        "confirm",
        "end_sessions",
        "password_link",
        "password",
        "delete",
        "tokens/1/revoke",
    ] {
        let path = format!("/admin/users/root/{verb}");
        jane.post(&path, &[("confirm", "root")]).await.is(403);
        jane.post_bare(&path, &[("confirm", "root")]).await.is(403);
    }
    let form = [("name", "x"), ("username", "xx"), ("email", "x@example.com"), ("admin", "1")];
    jane.post(NEW, &form).await.is(403);
    assert_eq!(user(&t, "xx").await, Value::Null);
}

#[testkit::story(noon)]
async fn who_signed_in_long_ago_proves_it_again(t: TestServer) {
    t.user("jane").await;
    let ada = administrator(&t).await;
    t.advance(3700);
    for verb in ["promote", "password", "delete", "edit"] {
        let path = format!("/admin/users/jane/{verb}");
        let asked = ada.post(&path, &[("confirm", "jane")]).await.is(403).text();
        assert!(asked.contains("Confirm that it is you"), "{verb}: {asked}");
    }
    assert_eq!(user(&t, "jane").await["is_admin"], false);
    let proof = [("confirm_password", PASSWORD)];
    ada.post("/admin/users/jane/promote", &proof).await.is(303);
    assert_eq!(user(&t, "jane").await["is_admin"], true);
}
