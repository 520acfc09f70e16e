//! Protected environments of projects, and tiers of groups: how they are changed.

use serde_json::{Value, json};
use testkit::TestServer;

fn keys(value: &Value) -> Vec<String> {
    value.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default()
}

#[testkit::story]
async fn an_environment_of_a_project_is_protected(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (developer, maintainer) = (t.user("dev").await, t.user("mia").await);
    project.add(&developer, 30).await;
    project.add(&maintainer, 40).await;
    let at = project.at("/protected_environments");
    let body = json!({
        "name": "review/eu.1",
        "deploy_access_levels": [{"access_level": 40}, {"user_id": developer.id}],
        "approval_rules": [{"access_level": 40, "required_approvals": 2}],
    });
    developer.post(&at).json(&body).await.is(403);
    developer.get(&at).await.is(403);
    t.user("out").await.get(&at).await.is(404);
    t.anonymous().get(&at).await.is(401);
    let made = maintainer.post(&at).json(&body).await.is(201).json();
    let order = ["name", "deploy_access_levels", "required_approval_count", "approval_rules"];
    assert_eq!(keys(&made), order);
    let order = [
        "id",
        "access_level",
        "access_level_description",
        "user_id",
        "group_id",
        "group_inheritance_type",
    ];
    assert_eq!(keys(&made["deploy_access_levels"][0]), order);
    assert_eq!(made["deploy_access_levels"][0]["access_level_description"], "Maintainers");
    assert_eq!(
        (
            &made["deploy_access_levels"][1]["access_level"],
            &made["required_approval_count"]
        ),
        (&json!(null), &json!(0))
    );
    let order = [
        "id",
        "user_id",
        "group_id",
        "access_level",
        "access_level_description",
        "required_approvals",
        "group_inheritance_type",
    ];
    assert_eq!(keys(&made["approval_rules"][0]), order);
    let taken = maintainer.post(&at).json(&body).await.is(409).json();
    assert_eq!(taken["message"], "Environment 'review/eu.1' is already protected");
    let one = format!("{at}/review%2Feu.1");
    assert_eq!(maintainer.get(&one).await.is(200).json(), made);
    let missing = maintainer.post(&at).json(&json!({"name": "a"})).await.is(400).json();
    assert_eq!(missing["error"], "deploy_access_levels is missing");

    // An item is changed, one goes, one comes, and one stays.
    let id = |list: &str, at: usize| made[list][at]["id"].clone();
    let change = json!({
        "deploy_access_levels": [
            {"id": id("deploy_access_levels", 0), "access_level": null, "user_id": maintainer.id},
            {"id": id("deploy_access_levels", 1), "_destroy": true, "access_level": 99},
            {"access_level": 60},
        ],
        "required_approval_count": 3,
    });
    let changed = maintainer.put(&one).json(&change).await.is(200).json();
    let levels = changed["deploy_access_levels"].as_array().unwrap();
    assert_eq!(levels.len(), 2);
    assert_eq!(
        (&levels[0]["id"], &levels[0]["user_id"], &levels[0]["access_level"]),
        (&id("deploy_access_levels", 0), &json!(maintainer.id), &json!(null))
    );
    assert_eq!(levels[1]["access_level_description"], "Administrators");
    assert_eq!(changed["approval_rules"], made["approval_rules"]);
    assert_eq!(changed["required_approval_count"], 3);
    assert_eq!(maintainer.get(&one).await.is(200).json(), changed);

    maintainer.delete(&one).await.is(204);
    let again = json!({"name": "review/eu.1", "deploy_access_levels": []});
    let again = maintainer.post(&at).json(&again).await.is(201).json();
    assert_eq!(
        (&again["approval_rules"], &again["deploy_access_levels"]),
        (&json!([]), &json!([]))
    );
    maintainer.delete(&one).await.is(204);
    assert_eq!(maintainer.get(&one).await.is(404).json()["message"], "404 Not found");
}

#[testkit::story]
async fn bad_items_change_nothing(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (maintainer, stranger) = (t.user("mia").await, t.user("out").await);
    project.add(&maintainer, 40).await;
    let at = project.at("/protected_environments");
    let body = |name: &str| json!({"name": name, "deploy_access_levels": [{"access_level": 40}]});
    let made = maintainer.post(&at).json(&body("production")).await.is(201).json();
    let other = maintainer.post(&at).json(&body("staging")).await.is(201).json();
    let one = format!("{at}/production");
    let elsewhere = t.group("elsewhere").await.id;
    let foreign = &other["deploy_access_levels"][0]["id"];
    for (status, item) in [
        (422, json!({})),
        (422, json!({"access_level": 30, "user_id": maintainer.id})),
        (422, json!({"user_id": stranger.id})),
        (422, json!({"user_id": 999_999})),
        (422, json!({"group_id": elsewhere})),
        (422, json!({"group_id": -1})),
        (422, json!({"access_level": 40})),
        (422, json!({"id": foreign, "access_level": 30})),
        (422, json!({"id": foreign, "_destroy": true})),
        (400, json!({"access_level": 31})),
        (400, json!({"access_level": "x"})),
        (400, json!({"access_level": 30, "group_inheritance_type": 2})),
    ] {
        let change = json!({"deploy_access_levels": [{"access_level": 60}, item]});
        let refused = maintainer.put(&one).json(&change).await;
        assert_eq!(refused.status, status, "{change} {refused:?}");
        if status == 422 {
            assert!(refused.json()["message"][0].is_string(), "{refused:?}");
        }
    }
    for change in [
        json!({"approval_rules": [{"access_level": 40, "required_approvals": 0}]}),
        json!({"approval_rules": [{"access_level": 40, "required_approvals": 101}]}),
        json!({"required_approval_count": 101}),
        json!({"required_approval_count": -1}),
    ] {
        maintainer.put(&one).json(&change).await.is(422);
    }
    let twice = json!({"name": "qa", "deploy_access_levels": [{"access_level": 40},
        {"access_level": 40}]});
    let refused = maintainer.post(&at).json(&twice).await.is(422).json();
    let text = "Deploy access levels access level has already been taken";
    assert_eq!(refused["message"], json!([text]));
    assert_eq!(maintainer.get(&one).await.is(200).json(), made);
    assert_eq!(maintainer.get(format!("{at}/staging")).await.is(200).json(), other);
    for (name, status) in [("", 422), ("/a", 422), ("a\u{0}b", 400)] {
        maintainer.post(&at).json(&body(name)).await.is(status);
    }
}

#[testkit::story]
async fn a_tier_of_a_group_is_protected(t: TestServer) {
    let group = t.group("acme").await;
    let (owner, maintainer) = (t.user("owner").await, t.user("mia").await);
    group.add(&owner, 50).await;
    group.add(&maintainer, 40).await;
    let below = json!({"name": "ops", "path": "ops", "parent_id": group.id});
    let below = t.admin().post("/groups").json(&below).await.is(201).id();
    let at = group.at("/protected_environments");
    let body = json!({"name": "production", "deploy_access_levels": [{"group_id": below}]});
    for method in ["get", "post"] {
        let asked = match method {
            "get" => maintainer.get(&at),
            _ => maintainer.post(&at).json(&body),
        };
        asked.await.is(403);
    }
    t.anonymous().get(&at).await.is(401);
    let made = owner.post(&at).json(&body).await.is(201).json();
    assert_eq!(made["deploy_access_levels"][0]["access_level_description"], "ops");
    let taken = owner.post(&at).json(&body).await.is(409).json();
    assert_eq!(taken["message"], "Protected environment 'production' already exists");
    let wrong = json!({"name": "live", "deploy_access_levels": []});
    let refused = owner.post(&at).json(&wrong).await.is(422).json();
    let text = "Name must be one of environment tiers: production, staging, testing, \
         development, other.";
    assert_eq!(refused["message"], json!([text]));
    // Who is named is a maintainer of the group, or a group below it.
    let developer = t.user("dev").await;
    group.add(&developer, 30).await;
    let one = format!("{at}/production");
    let add = |item: Value| json!({"deploy_access_levels": [item]});
    owner.put(&one).json(&add(json!({"user_id": developer.id}))).await.is(422);
    owner.put(&one).json(&add(json!({"group_id": group.id}))).await.is(422);
    owner.put(&one).json(&add(json!({"user_id": maintainer.id}))).await.is(200);
    let gone = owner.get(&one).await.is(200).json()["deploy_access_levels"].clone();
    let gone: Vec<Value> = gone
        .as_array()
        .unwrap()
        .iter()
        .map(|item| json!({"id": item["id"], "_destroy": true}))
        .collect();
    let empty = owner.put(&one).json(&json!({"deploy_access_levels": gone})).await.is(200);
    assert_eq!(empty.json()["deploy_access_levels"], json!([]));
    assert_eq!(owner.delete(&one).await.is(200).json(), json!({}));
    owner.delete(&one).await.is(404);
    let told = t.admin().get("/audit_events?per_page=100").await.is(200).text();
    for action in ["create", "update", "destroy"] {
        assert!(told.contains(&format!("protected_environment.{action}")), "{action}: {told}");
    }
}
