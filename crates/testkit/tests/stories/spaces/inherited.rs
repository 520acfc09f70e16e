//! Roles from groups above bound those given below.

use crate::spaces::add;
use serde_json::json;

fn refusal(role: &str, group: &str) -> serde_json::Value {
    let text = format!(
        "should be greater than or equal to {role} inherited membership from group {group}"
    );
    json!({"message": {"access_level": [text]}})
}

#[testkit::story]
async fn nobody_is_added_below_the_role_they_inherit(t: testkit::TestServer) {
    let anvil = t.project("acme/tools/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    let (acme, tools) = (t.group("acme").await, t.group("acme/tools").await);
    acme.add(&jane, 30).await;
    let admin = t.admin();

    let below = add(&admin, &anvil.at(""), &jane, 20).await.is(400).json();
    let in_group = add(&admin, &tools.at(""), &jane, 10).await.is(400).json();

    assert_eq!((below, in_group), (refusal("Developer", "acme"), refusal("Developer", "acme")));
    // The nearer of two equal ones is named; the own role bounds nothing.
    add(&admin, &tools.at(""), &jane, 30).await.is(201);
    let nearer = add(&admin, &anvil.at(""), &jane, 20).await.is(400).json();
    assert_eq!(nearer, refusal("Developer", "tools"));
    let own = admin.put(tools.at(&format!("/members/{}", jane.id)));
    own.json(&json!({"access_level": 40})).await.is(200);
    add(&admin, &anvil.at(""), &jane, 40).await.is(201);
    let lower = admin.put(anvil.at(&format!("/members/{}", jane.id)));
    let lower = lower.json(&json!({"access_level": 30})).await.is(400).json();
    assert_eq!(lower, refusal("Maintainer", "tools"));
    // Of several the others are added.
    let both = json!({"user_id": format!("{},{}", joe.id, jane.id), "access_level": 10});
    let hammer = t.project("acme/tools/hammer").await;
    let told = admin.post(hammer.at("/members")).json(&both).await.is(201).json();
    assert_eq!(told["status"], "error");
    assert!(
        told["message"]["jane"].as_str().expect("a reason").contains("Maintainer"),
        "{told}"
    );
    admin.get(hammer.at(&format!("/members/{}", joe.id))).await.is(200);
}

#[testkit::story]
async fn a_role_asked_for_is_not_granted_below_the_inherited_one(t: testkit::TestServer) {
    let anvil = t.project_with("acme/anvil", "public").await;
    let (admin, jane) = (t.admin(), t.user("jane").await);
    jane.post(anvil.at("/access_requests")).await.is(201);
    t.group("acme").await.add(&jane, 40).await;
    let approve = anvil.at(&format!("/access_requests/{}/approve", jane.id));

    let lower = admin.put(&approve).json(&json!({"access_level": 30})).await.is(400).json();

    assert_eq!(lower, refusal("Maintainer", "acme"));
    admin.put(&approve).json(&json!({"access_level": 40})).await.is(201);
}
