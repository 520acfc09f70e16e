//! Settings about spam, and what administrators see of it.

use super::*;

#[testkit::story]
async fn secrets_of_settings_are_sealed_and_never_shown(t: TestServer) {
    let service = Service::start().await;
    challenge(&t, &service).await;
    set(&t, json!({"spam_check_api_key": "key-1"})).await;
    set(&t, json!({"spam_check_api_key": "", "captcha_private_key": ""})).await;
    let shown = t.admin().get("/application/settings").await.is(200);
    let browser = t.new_browser();
    t.user("boss").await;
    let id = t.admin().get("/users?username=boss").await.json()[0]["id"].as_i64().unwrap();
    t.admin()
        .put(format!("/users/{id}"))
        .json(&json!({"admin": true}))
        .await
        .is(200);
    browser.sign_in("boss").await;
    let page = browser.get("/admin/settings/spam").await.is(200);
    let stored: Vec<String> = t
        .app()
        .read(|tx| {
            Ok(tx
                .all::<(Value,)>("select value from settings", ())?
                .into_iter()
                .map(|(value,)| value.to_string())
                .collect())
        })
        .await
        .unwrap();
    let audit = t.admin().get("/audit_events?per_page=100").await.is(200);
    for text in [shown.text(), page.text(), stored.join(" "), audit.text()] {
        assert!(!text.contains("private-1") && !text.contains("key-1"), "{text}");
    }
    assert!(
        stored.join(" ").contains("\"private_key\":\"1."),
        "it is kept, sealed: {stored:?}"
    );

    for (key, value) in [
        ("spam_check_endpoint_url", json!("javascript:alert(1)")),
        ("spam_blocked_domains", json!(["a b"])),
        ("spam_link_limit", json!(-1)),
        ("captcha_private_key", json!(null)),
        ("captcha_site_key", json!("\" onload=x")),
        ("captcha_site_key", json!("")),
        ("captcha_script_url", json!("")),
        ("captcha_widget_class", json!("x y")),
        ("captcha_origins", json!(["https://a.example/path"])),
        ("captcha_origins", json!(["https://a.example; script-src *"])),
    ] {
        let refused = t.admin().put("/application/settings").json(&json!({(key): value})).await;
        assert!(refused.is(400).json()["message"][key].is_array(), "{key}");
    }
}

#[testkit::story]
async fn administrators_look_at_spam_and_block_who_made_it(t: TestServer) {
    let jane = t.user("jane").await;
    let boss = t.user("boss").await;
    t.admin()
        .put(format!("/users/{}", boss.id))
        .json(&json!({"admin": true}))
        .await
        .is(200);
    set(&t, json!({"spam_link_limit": 2})).await;
    let mut flood = issue(&t, &jane, &format!("<b>{FLOOD}</b>")).await;
    flood.title = "<script>alert(1)</script>".into();
    assert_eq!(tried(&t, &flood).await.0, 400);
    let stranger = Subject { actor: Actor::Stranger { form: "f".into() }, ..flood.clone() };
    assert_eq!(tried(&t, &stranger).await.0, 400);

    t.anonymous().at("/admin/spam_logs").await.is(401);
    let hers = t.browser("jane").await;
    hers.get("/admin/spam_logs").await.is(403);
    hers.get("/-/user_settings/profile").await.is(200);
    hers.post("/admin/spam_logs/1/delete", &[]).await.is(403);
    let browser = t.browser("boss").await;
    let page = browser.get("/admin/spam_logs").await.is(200).text();
    assert!(page.contains("&#60;script&#62;") && !page.contains("<script>alert"), "{page}");
    assert!(page.contains("@jane") && page.contains("stranger"));
    browser.post_bare("/admin/spam_logs/1/delete", &[]).await.is(403);
    browser.get("/admin/spam_logs").await.is(200);
    browser.post("/admin/spam_logs/2/block_user", &[]).await.is(400);
    browser.post("/admin/spam_logs/1/block_user", &[]).await.is(303);
    jane.get("/user").await.is(403);
    browser.post("/admin/spam_logs/1/delete", &[]).await.is(303);
    browser.post("/admin/spam_logs/1/delete", &[]).await.is(404);
    assert_eq!(rows(&t).await.len(), 1);
    let told = t.admin().get("/audit_events?entity_type=SpamLog").await.is(200);
    assert_eq!(told.json()[0]["event_name"], "spam_log.delete");
}

#[testkit::story]
async fn every_setting_has_its_field(t: TestServer) {
    let boss = t.user("boss").await;
    t.admin()
        .put(format!("/users/{}", boss.id))
        .json(&json!({"admin": true}))
        .await
        .is(200);
    let browser = t.browser("boss").await;
    let index = browser.get("/admin/settings").await.is(200).text();
    let mut page = String::new();
    for link in index.split("href=\"/admin/settings/").skip(1) {
        let name = link.split('"').next().unwrap_or_default();
        page += &browser.get(&format!("/admin/settings/{name}")).await.is(200).text();
    }
    let document: Value = serde_json::from_str(&tenon::system::openapi_file()).unwrap();
    let operation = &document["paths"]["/api/v4/application/settings"]["put"];
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let known = schema["properties"].as_object().expect("the settings").keys();
    let shown = t.admin().get("/application/settings").await.json();
    let shown = shown.as_object().unwrap().keys().cloned();
    // Said by the program, not chosen.
    let fixed = ["minimum_password_length"];
    for key in known.cloned().chain(shown).filter(|key| !fixed.contains(&key.as_str())) {
        assert!(page.contains(&format!("name=\"{key}\"")), "{key} has no field");
    }
}
