//! Addresses that are confirmed, before the first sign-in or after it, or never.

use super::*;

#[testkit::story]
async fn an_address_is_confirmed_before_the_first_sign_in(t: TestServer) {
    open(&t, json!({})).await;
    sign_up(&t, "jane", "jane@example.com").await.is(200);
    let refused = signs_in(&t, "jane").await.is(403);
    assert!(refused.text().contains("You have to confirm your e-mail address"));
    signs_in(&t, "john").await.is(422);
    // A new link ends the first.
    let first = mails_to(&t, "jane@example.com").await.remove(0);
    let browser = t.new_browser();
    browser.get("/users/confirmation/new").await.is(200);
    let again = "/users/confirmation/new";
    let known = browser.post(again, &[("email", "JANE@example.com")]).await.is(200);
    let unknown = browser.post(again, &[("email", "nobody@example.com")]).await.is(200);
    assert_eq!(known.text(), unknown.text());
    let mails = mails_to(&t, "jane@example.com").await;
    assert_eq!(mails.len(), 2);
    t.anonymous().at(link(&t, &first)).await.is(403);
    confirm(&t, &mails[1]).await;
    signs_in(&t, "jane").await.is(302);
    browser.post(again, &[("email", "jane@example.com")]).await.is(200);
    assert_eq!(mails_to(&t, "jane@example.com").await.len(), 2, "confirmed already");
}

#[testkit::story(noon)]
async fn accounts_that_nobody_confirms_end_where_that_is_wanted(t: TestServer) {
    open(&t, json!({})).await;
    sign_up(&t, "fake", "fake@example.com").await.is(200);
    set(&t, json!({"require_admin_approval_after_user_signup": true})).await;
    sign_up(&t, "waiting", "waiting@example.com").await.is(200);
    set(&t, json!({"require_admin_approval_after_user_signup": false})).await;
    sign_up(&t, "jane", "jane@example.com").await.is(200);
    confirm(&t, &mails_to(&t, "jane@example.com").await[0]).await;
    let made = async |name: &str, more: Value| {
        let mut body = json!({"name": name, "username": name, "email": format!("{name}@example.com"),
            "password": PASSWORD});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        t.admin().post("/users").json(&body).await.is(201).id()
    };
    made("chief", json!({"admin": true})).await;
    let owner = made("owner", json!({})).await;
    let group = t.group("acme").await;
    t.admin()
        .post(group.at("/members"))
        .json(&json!({"user_id": owner, "access_level": 50}))
        .await
        .is(201);
    t.admin().delete(group.at("/members/1")).await.is(204);
    t.advance(7 * 86_400 - 60);
    sign_up(&t, "late", "late@example.com").await.is(200);
    t.advance(120);
    let sweep = async || crate::identity::mail::run(&t, "identity.end_unconfirmed").await;
    let left = async || {
        let mut left = Vec::new();
        for name in ["fake", "waiting", "jane", "chief", "owner", "late"] {
            if found(&t, name).await.is_some() {
                left.push(name);
            }
        }
        left
    };

    sweep().await;
    assert_eq!(left().await.len(), 6, "nothing ends unless it is wanted");
    set(
        &t,
        json!({"delete_unconfirmed_users": true, "email_confirmation_setting": "off"}),
    )
    .await;
    sweep().await;
    assert_eq!(left().await.len(), 6, "nobody has to confirm");
    set(&t, json!({"email_confirmation_setting": "hard"})).await;
    sweep().await;
    assert_eq!(left().await, ["jane", "chief", "owner", "late"]);
    sweep().await;
    assert_eq!(left().await, ["jane", "chief", "owner", "late"]);
    let told = t.admin().get("/audit_events?per_page=100").await.is(200).json();
    let of_fake: Vec<&Value> = told
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one.to_string().contains("user.end_unconfirmed"))
        .collect();
    assert_eq!(of_fake.len(), 2, "{told}");
    sign_up(&t, "fake", "fake@example.com").await.is(200);
    assert!(found(&t, "fake").await.is_some(), "the name and the address are free");
}

#[testkit::story(noon)]
async fn unconfirmed_accounts_outlive_their_grace(t: TestServer) {
    for (settings, status) in [
        (json!({"unconfirmed_users_delete_after_days": 0}), 400),
        (json!({"unconfirmed_users_delete_after_days": 366}), 400),
        (json!({"unconfirmed_users_delete_after_days": 1}), 200),
        (json!({"email_confirmation_setting": "soft"}), 400),
        (
            json!({"email_confirmation_setting": "soft", "unconfirmed_users_delete_after_days": 3}),
            400,
        ),
        (
            json!({"email_confirmation_setting": "soft", "unconfirmed_users_delete_after_days": 4}),
            200,
        ),
    ] {
        t.admin().put("/application/settings").json(&settings).await.is(status);
    }
}

#[testkit::story(noon)]
async fn soft_confirmation_waits_three_days(t: TestServer) {
    open(&t, json!({"email_confirmation_setting": "soft"})).await;
    sign_up(&t, "jane", "jane@example.com").await.is(200);
    t.advance(3 * 86_400 - 60);
    signs_in(&t, "jane").await.is(302);
    t.advance(120);
    signs_in(&t, "jane").await.is(403);
    set(&t, json!({"email_confirmation_setting": "off"})).await;
    signs_in(&t, "jane").await.is(302);
    let refused = t
        .admin()
        .put("/application/settings")
        .json(&json!({"email_confirmation_setting": "perhaps"}))
        .await;
    refused.is(400);
}
