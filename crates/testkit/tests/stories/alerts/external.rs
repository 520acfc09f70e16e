//! Another tool that looks after incidents: while it is in use, no integration
//! is active (docs/interface/monitoring.md 1.1).

use crate::alerts::Desk;
use crate::alerts::graphql::done;
use serde_json::json;

const SETTINGS: &str = "/acme/anvil/-/settings/alerts";

/// Whether the form would make an active integration.
fn checked(page: &str) -> bool {
    let field = page.split("name=\"active\"").nth(1).expect("the field");
    field.split('>').next().is_some_and(|rest| rest.contains("checked"))
}

#[testkit::story]
async fn it_and_integrations_exclude_each_other(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let settings = desk.project.at("/alert_management/settings");
    let on =
        json!({"external_tool_enabled": true, "external_tool_url": "https://calls.example/acme"});
    let refused = t.admin().put(&settings).json(&on).await.is(400).json();
    assert_eq!(
        refused["message"]["external_tool_enabled"],
        json!(["cannot be turned on while an alert integration is active"])
    );
    t.admin().put(desk.path()).json(&json!({"active": false})).await.is(200);
    let shown = t.admin().put(&settings).json(&on).await.is(200).json();
    assert_eq!(
        (&shown["external_tool_enabled"], &shown["external_tool_url"]),
        (&json!(true), &json!("https://calls.example/acme"))
    );
    let text = "cannot be turned on while an external incident tool is in use";
    let active = json!({"name": "n", "active": true});
    let all = desk.project.at("/alert_management/http_integrations");
    for refused in [
        t.admin().put(desk.path()).json(&json!({"active": true})).await,
        t.admin().post(&all).json(&active).await,
    ] {
        assert_eq!(refused.is(400).json()["message"]["active"], json!([text]));
    }
    let made = done(
        &t.admin(),
        "prometheusIntegrationCreate",
        "projectPath:\"acme/anvil\",active:true",
        "integration{id}",
    )
    .await;
    assert_eq!(made["errors"], json!([format!("Active {text}")]));
    // One that receives nothing may be made and renamed.
    t.admin().post(&all).json(&json!({"name": "n", "active": false})).await.is(201);
    t.admin().put(desk.path()).json(&json!({"name": "other"})).await.is(200);
    t.admin()
        .put(&settings)
        .json(&json!({"external_tool_enabled": false}))
        .await
        .is(200);
    t.admin().put(desk.path()).json(&json!({"active": true})).await.is(200);
}

#[testkit::story]
async fn its_address_is_one_of_the_web(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let settings = project.at("/alert_management/settings");
    let long = format!("https://x.example/{}", "a".repeat(255));
    for url in ["http://x.example", "javascript:alert(1)", "https://", "x", &long] {
        let put = t
            .admin()
            .put(&settings)
            .json(&json!({"external_tool_url": url}))
            .await
            .is(400)
            .json();
        assert!(put["message"]["external_tool_url"].is_array(), "{put}");
    }
    let blank = json!({"external_tool_enabled": true});
    t.admin().put(&settings).json(&blank).await.is(400);
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    let browser = t.browser("jane").await;
    let save = |url: &'static str| {
        [
            ("action", "external"),
            ("external_tool_enabled", "1"),
            ("external_tool_url", url),
        ]
    };
    let refused = browser.post(SETTINGS, &save("http://x.example/?<b>")).await.is(422).text();
    assert!(refused.contains("Must be an address that begins with https://"), "{refused}");
    let (_, shown) = browser.submit(SETTINGS, &save("https://calls.example/a")).await;
    assert!(shown.contains("Settings saved."), "{shown}");
    let list = browser.get("/acme/anvil/-/alert_management").await.is(200).text();
    assert!(list.contains("href=\"https://calls.example/a\""), "{list}");
    let disabled = [("action", "create"), ("name", "Spare")];
    let active = [&disabled[..], &[("active", "1")]].concat();
    let refused = browser.post(SETTINGS, &active).await.is(422).text();
    assert!(refused.contains("while an external incident tool is in use"), "{refused}");
    // One that receives nothing may be made, and is what the form offers.
    let offered = browser.get(SETTINGS).await.is(200).text();
    assert!(!checked(&offered), "{offered}");
    let (to, _) = browser.submit(SETTINGS, &disabled).await;
    let id = to.rsplit('/').next().unwrap();
    let path = project.at(&format!("/alert_management/http_integrations/{id}"));
    assert_eq!(t.admin().get(path).await.is(200).json()["active"], false);
    let (_, shown) = browser
        .submit(SETTINGS, &[("action", "external"), ("external_tool_url", "")])
        .await;
    assert!(!shown.contains("calls.example") && checked(&shown), "{shown}");
}
