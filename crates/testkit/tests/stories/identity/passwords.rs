//! Passwords that are guessed first are refused wherever one is chosen.

use serde_json::json;
use testkit::PASSWORD;
use testkit::service::set;

const REFUSED: &str = "must not contain commonly used combinations of words and letters";

#[testkit::story]
async fn a_password_that_is_guessed_first_is_refused_everywhere(t: testkit::TestServer) {
    let wide = json!({"signup_enabled": true, "sign_in_limit_per_minute": 1000,
        "require_admin_approval_after_user_signup": false});
    set(&t, wide).await;
    let jane = t.user("jane.miller").await;
    let refused = json!({"message": {"password": [REFUSED]}});
    for weak in ["P@ssw0rd1", "1234567890", "the miller and I"] {
        let new = json!({"username": "al.miller", "name": "A", "email": "a@example.com", "password": weak});
        let made = t.admin().post("/users").json(&new).await.is(400);
        assert_eq!(made.json(), refused, "{weak}");
        let path = format!("/users/{}", jane.id);
        let put = t.admin().put(&path).json(&json!({"password": weak})).await.is(400);
        assert_eq!(put.json(), refused, "{weak}");

        let stranger = t.new_browser();
        stranger.get("/users/sign_up").await.is(200);
        let form = [
            ("name", "Al Miller"),
            ("username", "al"),
            ("email", "al@example.com"),
            ("password", weak),
        ];
        let page = stranger.post("/users/sign_up", &form).await.is(422).text();
        assert!(page.contains("Must not contain commonly used combinations"), "{page}");

        let own = t.browser("jane.miller").await;
        let form = [
            ("current_password", PASSWORD),
            ("password", weak),
            ("password_confirmation", weak),
        ];
        let page = own.post("/-/user_settings/password", &form).await.is(422).text();
        assert!(page.contains("Must not contain commonly used combinations"), "{page}");
    }
    // By the name the user gets in the same breath.
    let path = format!("/users/{}", jane.id);
    let both = json!({"username": "kowalski", "password": "kowalski and I"});
    assert_eq!(t.admin().put(&path).json(&both).await.is(400).json(), refused);
    assert_eq!(jane.get("/user").await.is(200).json()["username"], "jane.miller");
}

#[testkit::story]
async fn a_password_chosen_by_mail_or_anew_is_looked_at_too(t: testkit::TestServer) {
    set(&t, json!({"sign_in_limit_per_minute": 1000})).await;
    let jane = t.user("jane").await;
    let browser = t.new_browser();
    browser.get("/users/password/new").await.is(200);
    browser
        .post("/users/password/new", &[("email", "jane@example.com")])
        .await
        .is(200);
    t.settle().await;
    let mail = t.app().mailer().sent().remove(0);
    let base = t.url();
    let link = mail.text.split_whitespace().find_map(|word| word.strip_prefix(base.as_str()));
    let link = link.expect("a link");
    browser.get(link).await.is(200);
    let token = link.rsplit('=').next().unwrap_or_default();
    let choose = async |password: &str| {
        let form = [("token", token), ("password", password), ("password_confirmation", password)];
        browser.post("/users/password/edit", &form).await
    };
    let page = choose("iloveyou2026").await.is(422).text();
    assert!(page.contains(&format!("The password {REFUSED}.")), "{page}");
    choose("another good phrase").await.is(303);

    let given = json!({"password": "given by an admin"});
    t.admin().put(format!("/users/{}", jane.id)).json(&given).await.is(200);
    browser.get("/users/sign_in").await.is(200);
    let form = [("login", "jane"), ("password", "given by an admin")];
    let asked = browser.post("/users/sign_in", &form).await.is(200);
    let proof = asked.hidden("proof").expect("a new password is asked for");
    let renew = async |password: &str| {
        let form =
            [("proof", &*proof), ("password", password), ("password_confirmation", password)];
        browser.post("/users/password", &form).await
    };
    let page = renew("jane's own").await.is(422).text();
    assert!(page.contains(REFUSED), "{page}");
    renew("a phrase of her own").await.is(302);
}
