//! The settings of the instance, page by page.

use super::admin::administrator;
use serde_json::{Value, json};
use testkit::TestServer;

const PAGES: &[&str] = &[
    "general",
    "sign_in",
    "sessions",
    "limits",
    "spam",
    "oauth",
    "packages",
    "monitoring",
    "network",
];

async fn stored(t: &TestServer) -> Value {
    t.admin().get("/application/settings").await.is(200).json()
}

#[testkit::story]
async fn a_page_saves_its_own_fields_only(t: TestServer) {
    let ada = administrator(&t).await;
    let page = ada.get("/admin/settings/sign_in").await.is(200).text();
    assert!(page.contains("name=\"max_login_attempts\" value=\"10\""), "{page}");
    let form = [
        ("max_login_attempts", "7"),
        ("can_create_group", "0"),
        ("signup_enabled", "0"),
        ("signup_enabled", "1"),
        // Of another page.
        ("personal_access_token_prefix", "acme-"),
        ("maintenance_mode", "1"),
    ];
    let (to, page) = ada.submit("/admin/settings/sign_in", &form).await;
    assert_eq!(to, "/admin/settings/sign_in");
    assert!(page.contains("Settings saved.") && page.contains("value=\"7\""));
    let now = stored(&t).await;
    assert_eq!(now["max_login_attempts"], 7);
    assert_eq!(
        (&now["can_create_group"], &now["signup_enabled"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(now["personal_access_token_prefix"], "svpat-");
    assert_eq!(now["maintenance_mode"], false);
    assert_eq!(now["default_projects_limit"], 100_000, "what was not sent stays");
    let events = t.admin().get("/audit_events?entity_type=Instance").await.is(200).json();
    assert_eq!(events[0]["event_name"], "settings.update");
    let told = events[0]["details"].to_string();
    assert!(told.contains("max_login_attempts") && !told.contains("prefix"), "{told}");
}

#[testkit::story]
async fn what_is_wrong_stands_beside_its_field(t: TestServer) {
    let ada = administrator(&t).await;
    let wrong = [("personal_access_token_prefix", "a b"), ("impersonation_enabled", "0")];
    let page = ada.post("/admin/settings/sessions", &wrong).await.is(422).text();
    assert!(page.contains("id=\"e-personal_access_token_prefix\""), "{page}");
    assert!(page.contains("value=\"a b\""), "as it was typed");
    assert_eq!(stored(&t).await["impersonation_enabled"], true, "nothing was saved");
    for typed in ["x", "", "1.5"] {
        let page = ada.post("/admin/settings/sign_in", &[("max_login_attempts", typed)]).await;
        assert!(page.is(422).text().contains("Must be a whole number"), "{typed}");
    }
}

#[testkit::story]
async fn times_and_sizes_are_typed_as_people_write_them(t: TestServer) {
    let ada = administrator(&t).await;
    let path = "/admin/settings/sessions";
    let page = ada.get(path).await.is(200).text();
    assert!(page.contains("name=\"session_expire_delay\" value=\"7 days\""), "{page}");
    assert!(page.contains("A number alone counts minutes."));
    let (_, page) = ada.submit(path, &[("session_expire_delay", "1 h 30 min")]).await;
    assert!(page.contains("value=\"90 min\""), "{page}");
    assert_eq!(stored(&t).await["session_expire_delay"], 90);
    ada.submit(path, &[("session_expire_delay", "600")]).await;
    assert_eq!(stored(&t).await["session_expire_delay"], 600, "a number counts as in the API");
    for (typed, said) in [
        ("soon", "Is not a time such as"),
        ("30 s", "Must be a whole number of minutes"),
        ("0", "Must be greater than or equal to 1 minutes"),
        ("9999999999999999999999", "Is not a time"),
    ] {
        let page = ada.post(path, &[("session_expire_delay", typed)]).await.is(422).text();
        assert!(page.contains(said) && page.contains(&format!("value=\"{typed}\"")), "{page}");
    }

    let limits = "/admin/package_limits";
    let page = ada.get(limits).await.is(200).text();
    assert!(
        page.contains("name=\"generic_packages_max_file_size\" value=\"5 GiB\""),
        "{page}"
    );
    let (_, page) = ada.submit(limits, &[("helm_max_file_size", "1.5 MiB")]).await;
    assert!(page.contains("value=\"1536 KiB\""), "{page}");
    ada.submit(limits, &[("npm_max_file_size", "1048576")]).await;
    let now = t.admin().get("/application/plan_limits").await.is(200).json();
    assert_eq!(now["helm_max_file_size"], 1_572_864);
    assert_eq!(now["npm_max_file_size"], 1_048_576);
    let page = ada.post(limits, &[("helm_max_file_size", "5 days")]).await.is(422).text();
    assert!(page.contains("Is not a size such as") && page.contains("value=\"5 days\""));
}

#[testkit::story]
async fn a_setting_is_found_by_what_it_says(t: TestServer) {
    let ada = administrator(&t).await;
    let page = ada.get("/admin/settings?search=LOCK+accounts").await.is(200).text();
    assert!(page.contains("No setting found"), "all words have to stand there");
    let page = ada.get("/admin/settings?search=lock+account").await.is(200).text();
    assert!(page.contains("/admin/settings/sign_in#f-max_login_attempts"), "{page}");
    assert!(!page.contains("#f-signup_enabled"));
    let page = ada.get("/admin/settings?search=spam_check_api_key").await.is(200).text();
    assert!(page.contains("/admin/settings/spam#f-spam_check_api_key"), "{page}");
    let page = ada.get("/admin/settings").await.is(200).text();
    for name in PAGES {
        assert!(page.contains(&format!("href=\"/admin/settings/{name}\"")), "{name}");
    }
}

#[testkit::story]
async fn settings_are_for_administrators(t: TestServer) {
    t.user("jane").await;
    let jane = t.browser("jane").await;
    let pages = PAGES.iter().map(|name| format!("/admin/settings/{name}"));
    for path in pages.chain(["/admin/package_limits".to_owned()]) {
        jane.get(&path).await.is(403);
        jane.post(&path, &[("max_login_attempts", "1"), ("instance_name", "x")])
            .await
            .is(403);
        t.anonymous().at(&path).await.is(401);
    }
    jane.get("/admin/settings").await.is(403);
    t.anonymous().at("/admin/settings").await.is(401);
    assert_eq!(stored(&t).await["max_login_attempts"], 10);
    let ada = administrator(&t).await;
    ada.get("/admin/settings/nowhere").await.is(404);
    ada.post_bare("/admin/settings/general", &[("instance_name", "x")])
        .await
        .is(403);
}
