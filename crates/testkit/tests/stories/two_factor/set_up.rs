//! Setting up an app, recovery codes, and taking it back.

use super::*;

#[testkit::story(noon)]
async fn an_app_is_set_up_with_password_and_code(t: TestServer) {
    t.user("jane").await;
    patient(&t).await;
    let browser = t.browser("jane").await;
    let page = browser.get(PAGE).await.is(200);
    assert!(page.text().contains("<svg role=\"img\""));
    assert!(page.header("content-security-policy").starts_with("default-src 'self'"));
    let (phone, codes) = set_up(&t, &browser).await;

    assert_eq!(codes.len(), 10);
    let page = browser.get(PAGE).await.is(200).text();
    assert!(page.contains("10 codes left") && !page.contains(&codes[0]), "{page}");
    assert!(!page.contains("<svg role=\"img\""));
    let mails = sent(&t).await;
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].subject, "Two-factor authentication is on");
    assert_eq!(recorded(&t, "user.two_factor_enable").await, 1);
    // The code that set it up is used.
    enter(&halfway(&t, "jane").await, &phone.code(&t)).await.is(422);
    t.advance(SHOWN);
    browser_of(&t, "jane", &phone).await;
}

#[testkit::story(noon)]
async fn what_is_stored_tells_no_secret(t: TestServer) {
    t.user("jane").await;
    let browser = t.browser("jane").await;
    let (phone, codes) = set_up(&t, &browser).await;
    let stored = t.app().read(|tx| {
        let sealed: String = tx.one("select sealed from totp", ())?;
        let digests: Vec<(Vec<u8>,)> = tx.all("select digest from recovery_codes", ())?;
        Ok((sealed, digests))
    });
    let (sealed, digests) = stored.await.expect("rows");
    assert!(sealed.starts_with("1.") && !sealed.contains(&phone.secret));
    let plain = codes[0].replace('-', "");
    assert!(digests.iter().all(|(digest,)| digest.len() == 32));
    assert!(digests.iter().any(|(digest,)| hex::encode(digest) == testkit::sha256(&plain)));
}

#[testkit::story(noon)]
async fn a_wrong_form_is_shown_again_with_the_same_secret(t: TestServer) {
    t.user("jane").await;
    patient(&t).await;
    let browser = t.browser("jane").await;
    let page = browser.get(PAGE).await.is(200);
    let (secret, sealed) = (secret_in(&page), page.hidden("secret").expect("sealed"));
    let phone = Phone { secret: secret.clone() };
    for (code, password, says) in [
        ("000000".to_owned(), PASSWORD, "Is not what the app should show now"),
        (phone.code(&t), "wrong password", "Is not your present password"),
        (phone.code(&t), "", "Is not your present password"),
        (String::new(), PASSWORD, "Is not what the app should show now"),
    ] {
        let fields = [
            ("secret", sealed.as_str()),
            ("code", code.as_str()),
            ("current_password", password),
        ];
        let again = browser.post(PAGE, &fields).await.is(422);
        assert!(again.text().contains(says), "{}", again.text());
        assert_eq!(secret_in(&again), secret);
    }
    let fields = [
        ("secret", sealed.as_str()),
        ("code", &phone.code(&t)),
        ("current_password", PASSWORD),
    ];
    browser.post_bare(PAGE, &fields).await.is(403);
    // Another session's form, a made-up one, and one that is too old.
    let other = t.browser("jane").await;
    other.get(PAGE).await.is(200);
    other.post(PAGE, &fields).await.is(422);
    browser.get(PAGE).await.is(200);
    let made_up = [("secret", "x"), ("code", "000000"), ("current_password", PASSWORD)];
    browser.post(PAGE, &made_up).await.is(422);
    t.advance(3600);
    let late = [
        ("secret", sealed.as_str()),
        ("code", &phone.code(&t)),
        ("current_password", PASSWORD),
    ];
    let refused = browser.post(PAGE, &late).await.is(422);
    assert_ne!(secret_in(&refused), secret);
    assert_eq!(recorded(&t, "user.two_factor_enable").await, 0);
}

#[testkit::story(noon)]
async fn an_unconfirmed_address_comes_first(t: TestServer) {
    let body = json!({"username": "mary", "name": "Mary", "email": "mary@example.com",
        "password": PASSWORD});
    t.admin().post("/users").json(&body).await.is(201);
    let soft = json!({"email_confirmation_setting": "soft"});
    t.admin().put("/application/settings").json(&soft).await.is(200);
    t.app()
        .write(|tx| {
            Ok(tx
                .execute("update users set password_expired = false where username = 'mary'", ())?)
        })
        .await
        .expect("a user");
    let browser = t.browser("mary").await;
    let page = browser.get(PAGE).await.is(200);
    assert!(page.text().contains("Confirm your e-mail address mary@example.com first"));
    assert!(page.hidden("secret").is_none());
    let fields = [("secret", "x"), ("code", "000000"), ("current_password", PASSWORD)];
    browser.post(PAGE, &fields).await.is(200);
    assert_eq!(recorded(&t, "user.two_factor_enable").await, 0);
}

#[testkit::story(noon)]
async fn each_recovery_code_works_once(t: TestServer) {
    t.user("jane").await;
    patient(&t).await;
    let (_, codes) = set_up(&t, &t.browser("jane").await).await;
    let shouted = codes[0].to_uppercase().replace('-', " ");
    enter(&halfway(&t, "jane").await, &shouted).await.is(302);
    let again = halfway(&t, "jane").await;
    enter(&again, &codes[0]).await.is(422);
    enter(&again, "0000-0000-0000-0000").await.is(422);
    enter(&again, &codes[1]).await.is(302);
    let page = again.get(PAGE).await.is(200);
    assert!(page.text().contains("8 codes left"));
    assert_eq!(recorded(&t, "user.recovery_code_use").await, 2);
    let mails = sent(&t).await;
    let told = mails.iter().filter(|mail| mail.subject == "A recovery code was used");
    assert_eq!(told.count(), 2);
}

#[testkit::story(noon)]
async fn of_many_uses_of_one_recovery_code_at_once_one_succeeds(t: TestServer) {
    t.user("jane").await;
    patient(&t).await;
    let (_, codes) = set_up(&t, &t.browser("jane").await).await;
    let mut browsers = Vec::new();
    for _ in 0..6 {
        browsers.push(halfway(&t, "jane").await);
    }
    let tries = browsers.iter().map(|browser| enter(browser, &codes[3]));
    let replies = futures_util::future::join_all(tries).await;
    let passed = replies.iter().filter(|reply| reply.status == 302).count();
    assert_eq!(passed, 1);
}

#[testkit::story(noon)]
async fn new_recovery_codes_end_the_old(t: TestServer) {
    t.user("jane").await;
    patient(&t).await;
    let browser = t.browser("jane").await;
    let (_, old) = set_up(&t, &browser).await;
    browser.get(PAGE).await.is(200);
    browser.post_bare(&format!("{PAGE}/codes"), &[]).await.is(403);
    let new = browser.post(&format!("{PAGE}/codes"), &[]).await.is(200);
    let codes = codes_in(&new);
    assert_eq!(codes.len(), 10);
    assert!(codes.iter().all(|code| !old.contains(code)));
    let other = halfway(&t, "jane").await;
    enter(&other, &old[0]).await.is(422);
    enter(&other, &codes[0]).await.is(302);
    assert_eq!(recorded(&t, "user.recovery_codes_make").await, 1);
    let mails = sent(&t).await;
    assert!(mails.iter().any(|mail| mail.subject == "You have new recovery codes"));
}

#[testkit::story(noon)]
async fn the_codes_are_a_file_once(t: TestServer) {
    t.user("jane").await;
    t.user("mary").await;
    let browser = t.browser("jane").await;
    set_up(&t, &browser).await;
    browser.get(PAGE).await.is(200);
    let shown = browser.post(&format!("{PAGE}/codes"), &[]).await.is(200);
    let sealed = shown.hidden("codes").expect("the sealed codes");
    let path = format!("{PAGE}/codes/download");
    let file = browser.post(&path, &[("codes", &sealed)]).await.is(200);
    assert_eq!(
        file.header("content-disposition"),
        "attachment; filename=\"service-recovery-codes.txt\""
    );
    assert_eq!(file.header("cache-control"), "no-store");
    assert_eq!(file.text().lines().collect::<Vec<_>>(), codes_in(&shown));
    let mary = t.browser("mary").await;
    mary.get(PAGE).await.is(200);
    mary.post(&path, &[("codes", &sealed)]).await.is(403);
}

#[testkit::story(noon)]
async fn without_the_app_the_password_alone_signs_in(t: TestServer) {
    t.user("jane").await;
    patient(&t).await;
    let browser = t.browser("jane").await;
    let (_, codes) = set_up(&t, &browser).await;
    let waiting = halfway(&t, "jane").await;
    browser.get(PAGE).await.is(200);
    browser.post_bare(&format!("{PAGE}/disable"), &[]).await.is(403);
    browser.post(&format!("{PAGE}/disable"), &[]).await.is(303);

    let again = t.browser("jane").await;
    assert!(is_in(&again).await);
    // A sign-in that waited begins anew.
    enter(&waiting, &codes[0]).await.is(303);
    assert!(!is_in(&waiting).await);
    assert_eq!(recorded(&t, "user.two_factor_disable").await, 1);
    let mails = sent(&t).await;
    assert!(mails.iter().any(|mail| mail.subject == "Two-factor authentication is off"));
    // Doing it twice changes nothing.
    browser.get(PAGE).await.is(200);
    browser.post(&format!("{PAGE}/disable"), &[]).await.is(303);
    browser.post(&format!("{PAGE}/codes"), &[]).await.is(303);
    assert_eq!(recorded(&t, "user.two_factor_disable").await, 1);
}

#[testkit::story(noon)]
async fn a_new_password_ends_sign_ins_that_wait(t: TestServer) {
    let jane = t.user("jane").await;
    let phone = phone(&t, &jane).await;
    let waiting = halfway(&t, "jane").await;
    let new = json!({"password": "given by an admin"});
    t.admin().put(format!("/users/{}", jane.id)).json(&new).await.is(200);
    enter(&waiting, &phone.code(&t)).await.is(303);
    assert!(!is_in(&waiting).await);
}
