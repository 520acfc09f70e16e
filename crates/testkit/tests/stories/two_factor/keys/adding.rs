//! Who may add a key, with what proof, and what an added key may look like.

use super::*;

#[testkit::story(noon, localhost)]
async fn options_name_the_account_and_its_keys(t: TestServer) {
    let (_, mut key) = user_with_key(&t, "jane").await;
    let (browser, _) = sign_in_with(&t, "jane", &mut key).await;
    let first = ask_to_add(&browser).await;
    let second = ask_to_add(&browser).await;

    assert_eq!(first["rp"]["id"], "localhost");
    assert_eq!(first["user"]["name"], "jane");
    assert_eq!(first["user"]["id"], second["user"]["id"]);
    assert_ne!(first["challenge"], second["challenge"]);
    assert_eq!(first["excludeCredentials"][0]["id"], key.id());
    let asked = question(&halfway(&t, "jane").await).await;
    assert_eq!(asked["allowCredentials"][0]["id"], key.id());
}

#[testkit::story(noon, localhost)]
async fn adding_needs_the_password_and_a_session(t: TestServer) {
    patient(&t).await;
    let jane = t.user("jane").await;
    let browser = t.browser("jane").await;
    browser.get(KEYS).await.is(200);
    for wrong in [&[("current_password", "wrong password")][..], &[]] {
        let reply = browser.post(OPTIONS, wrong).await.is(422);
        assert_eq!(reply.json()["message"], "That is not your password.");
    }
    for path in [OPTIONS, KEYS, "/-/profile/two_factor_auth/keys/1/delete"] {
        let body = json!({"current_password": PASSWORD, "answer": "{}"});
        jane.request(http::Method::POST, path).json(&body).await.is(401);
        t.anonymous().request(http::Method::POST, path).json(&body).await.is(401);
        browser.post_bare(path, &[("current_password", PASSWORD)]).await.is(403);
    }
    browser.post_bare(ASK, &[]).await.is(403);
    browser.post_bare(ANSWER, &[]).await.is(403);
}

#[testkit::story(noon, localhost)]
async fn adding_needs_a_confirmed_address(t: TestServer) {
    let jane = t.user("jane").await;
    let browser = t.browser("jane").await;
    let (page, id) = (browser.get(KEYS).await.is(200), jane.id);
    let forget = t.app().write(move |tx| {
        Ok(tx.execute(sql!("update users set confirmed_at = null where id = $1"), (id,))?)
    });
    forget.await.expect("it is forgotten");
    drop(page);
    let reply = browser.post(OPTIONS, &[("current_password", PASSWORD)]).await.is(422);
    assert_eq!(reply.json()["message"], "Confirm your e-mail address first.");
}

#[testkit::story(noon, localhost)]
async fn only_answers_to_our_question_add_a_key(t: TestServer) {
    patient(&t).await;
    t.user("jane").await;
    let browser = t.browser("jane").await;
    let changes: [(fn(&mut SoftKey, &mut Value), &str); 5] = [
        (|key, _| key.origin = "https://evil.example".into(), "another site"),
        (|key, _| key.rp_id = "evil.example".into(), "another site"),
        (|key, _| key.framed = true, "another site"),
        (|key, _| key.touched = false, "not touched"),
        (|_, options| options["challenge"] = json!("A".repeat(43)), "another question"),
    ];
    for (change, why) in changes {
        let (mut key, mut options) = (fresh_key(&t), ask_to_add(&browser).await);
        change(&mut key, &mut options);
        let reply = send_new(&browser, "blue", &key.register(&options)).await.is(422);
        assert!(reply.text().contains(why), "{why}: {reply:?}");
    }
    ask_to_add(&browser).await;
    for odd in [json!({}), json!("x"), json!([1]), json!({"id": "x".repeat(40_000)})] {
        send_new(&browser, "blue", &odd).await.is(422);
    }
    browser.post(KEYS, &[]).await.is(422);

    assert!(browser.get(KEYS).await.text().contains("No security keys"));
    assert_eq!(recorded(&t, "user.two_factor_enable").await, 0);
}

#[testkit::story(noon, localhost)]
async fn a_key_belongs_to_one_account(t: TestServer) {
    let (_, key) = user_with_key(&t, "jane").await;
    t.user("bob").await;
    let bob = t.browser("bob").await;
    let options = ask_to_add(&bob).await;
    let reply = send_new(&bob, "mine", &key.clone().register(&options)).await.is(422);
    assert!(reply.text().contains("in use already"), "{reply:?}");
    let (again, _) = sign_in_with(&t, "jane", &mut key.clone()).await;
    let options = ask_to_add(&again).await;
    let reply = send_new(&again, "twice", &key.clone().register(&options)).await.is(422);
    assert!(reply.text().contains("already one of this account"), "{reply:?}");
}

#[testkit::story(noon, localhost)]
async fn names_are_bounded_and_never_markup(t: TestServer) {
    patient(&t).await;
    t.user("jane").await;
    let browser = t.browser("jane").await;
    let (_, long) = add(&t, &browser, &"x".repeat(101)).await;
    assert!(long.is(422).text().contains("maximum is 100 characters"));
    add(&t, &browser, "<script>alert(1)</script>").await.1.is(200);
    let page = browser.get(KEYS).await.is(200).text();
    assert!(page.contains("&#60;script&#62;alert(1)"), "{page}");
    assert!(!page.contains("<script>alert"));
}

#[testkit::story(noon, localhost)]
async fn nobody_has_more_than_twenty_keys(t: TestServer) {
    let (jane, mut key) = user_with_key(&t, "jane").await;
    let (browser, _) = sign_in_with(&t, "jane", &mut key).await;
    let copies = t.app().write(move |tx| {
        for copy in 1..20_u8 {
            tx.execute(
                sql!(
                    "insert into webauthn_keys (user_id, name, credential_id, credential,
                            user_handle, created_at)
                         select user_id, name, $2, credential, user_handle, created_at
                         from webauthn_keys where user_id = $1 order by id limit 1"
                ),
                (jane.id, vec![copy]),
            )?;
        }
        Ok(())
    });
    copies.await.expect("they are stored");
    browser.get(KEYS).await.is(200);
    let reply = browser.post(OPTIONS, &[("current_password", PASSWORD)]).await.is(422);
    let text = "You have 20 security keys. Remove one before you add another.";
    assert_eq!(reply.json()["message"], text);
}
