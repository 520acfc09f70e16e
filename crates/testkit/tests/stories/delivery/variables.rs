//! REST of CI/CD variables.

use serde_json::{Value, json};
use testkit::{Client, TestServer};

const INSTANCE: &str = "/admin/ci/variables";

fn keys(one: &Value) -> Vec<&str> {
    let object = one.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

async fn refused(client: &Client, to: &str, body: Value, field: &str, text: &str) {
    let answer = client.post(to).json(&body).await.is(400).json();
    assert_eq!(answer["message"][field], json!([text]), "{body} {answer}");
}

#[testkit::story]
async fn administrators_have_variables_of_the_instance(t: TestServer) {
    let admin = t.admin();
    assert_eq!(admin.get(INSTANCE).await.is(200).json(), json!([]));
    let sent = json!({"key": " TOKEN ", "value": "iron", "description": "For the forge"});
    let made = admin.post(INSTANCE).json(&sent).await.is(201);
    let order = ["key", "description", "value", "variable_type", "protected", "masked", "raw"];
    assert_eq!(keys(&made.json()), order);
    let expected = json!({"key": "TOKEN", "description": "For the forge", "value": "iron",
        "variable_type": "env_var", "protected": false, "masked": false, "raw": false});
    assert_eq!(made.json(), expected);

    let one = format!("{INSTANCE}/TOKEN");
    let change = json!({"key": "OTHER", "value": "steel-is-hard", "masked": true,
        "variable_type": "file", "raw": true, "protected": true, "description": null});
    let changed = admin.put(&one).json(&change).await.is(200).json();
    let expected = json!({"key": "TOKEN", "description": null, "value": "steel-is-hard",
        "variable_type": "file", "protected": true, "masked": true, "raw": true});
    assert_eq!(changed, expected, "the key of the path wins");
    assert_eq!(admin.get(&one).await.is(200).json(), expected);
    let missing = admin.put(&one).json(&json!({"masked": false})).await.is(400).json();
    assert_eq!(missing["error"], "value is missing");
    // What is not named stays, and is asked of the new value, too.
    let short = admin.put(&one).json(&json!({"value": "short"})).await.is(400).json();
    assert_eq!(short["message"]["value"], json!(["is invalid"]));

    for key in ["A", "B"] {
        admin.post(INSTANCE).json(&json!({"key": key, "value": ""})).await.is(201);
    }
    let page = admin.get(format!("{INSTANCE}?per_page=2")).await.is(200);
    assert_eq!(page.each("key"), ["A", "B"]);
    assert_eq!(page.header("x-total"), "3");
    assert_eq!(admin.delete(&one).await.is(204).text(), "");
    for gone in [
        admin.get(&one).await,
        admin.delete(&one).await,
        admin.put(&one).json(&change).await,
    ] {
        assert_eq!(gone.is(404).json(), json!({"message": "404 InstanceVariable Not Found"}));
    }
}

#[testkit::story]
async fn wrong_input_is_told_by_field(t: TestServer) {
    let admin = t.admin();
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let long = "a".repeat(256);
    let long_text = "is too long (maximum is 255 characters)";
    for to in [INSTANCE, &project.at("/variables"), &group.at("/variables")] {
        let of = |key: &str, value: &str| json!({"key": key, "value": value});
        let alphabet = "can contain only letters, digits and '_'.";
        for key in ["A-B", "A B", "ä", "A\nB", "$A"] {
            refused(&admin, to, of(key, "x"), "key", alphabet).await;
        }
        refused(&admin, to, of(" ", "x"), "key", "can't be blank").await;
        refused(&admin, to, of(&long, "x"), "key", long_text).await;
        let described = json!({"key": "A", "value": "x", "description": long});
        refused(&admin, to, described, "description", long_text).await;
        let text = "The value of the provided variable exceeds the 10000 character limit";
        refused(&admin, to, of("A", &"ü".repeat(10_001)), "value", text).await;
        for (value, raw) in [("short", true), ("two words", true), ("$dollar-sign", false)] {
            let body = json!({"key": "A", "value": value, "masked": true, "raw": raw});
            refused(&admin, to, body, "value", "is invalid").await;
        }
        let odd = json!({"key": "A", "value": "x", "variable_type": "secret"});
        let answer = admin.post(to).json(&odd).await.is(400).json();
        assert_eq!(answer["error"], "variable_type does not have a valid value");
        admin.post(to).json(&json!({"value": "x"})).await.is(400);
        admin.post(to).json(&json!({"key": "A"})).await.is(400);
        admin.post(to).json(&of("A", "a\0b")).await.is(400);
        admin.post(to).json(&of("A", &"ü".repeat(10_000))).await.is(201);
        refused(&admin, to, of("A", "x"), "key", "(A) has already been taken").await;
    }
    let to = project.at("/variables");
    let scoped = |scope: &str| json!({"key": "S", "value": "x", "environment_scope": scope});
    refused(&admin, &to, scoped(""), "environment_scope", "can't be blank").await;
    refused(&admin, &to, scoped(&long), "environment_scope", long_text).await;
    let alphabet = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and \
                    spaces";
    refused(&admin, &to, scoped("a?"), "environment_scope", alphabet).await;
}

#[testkit::story]
async fn one_key_has_a_value_for_each_environment(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let admin = t.admin();
    for (to, thing) in [(project.at("/variables"), ""), (group.at("/variables"), "Group")] {
        let make = json!({"key": "URL", "value": "all"});
        let made = admin.post(&to).json(&make).await.is(201).json();
        let order = [
            "key",
            "description",
            "value",
            "variable_type",
            "protected",
            "masked",
            "raw",
            "hidden",
            "environment_scope",
        ];
        assert_eq!(keys(&made), order);
        assert_eq!(made["environment_scope"], "*");
        let one = format!("{to}/URL");
        assert_eq!(admin.get(&one).await.is(200).json(), made);
        let make = json!({"key": "URL", "value": "r", "environment_scope": "review/*"});
        admin.post(&to).json(&make).await.is(201);
        refused(&admin, &to, make.clone(), "key", "(URL) has already been taken").await;

        // Which of several has to be said.
        let several = admin.get(&one).await.is(409).json();
        assert!(several["message"].as_str().is_some_and(|text| text.contains("filter[")));
        admin.put(&one).json(&json!({"value": "x"})).await.is(409);
        admin.delete(&one).await.is(409);
        let review = format!("{one}?filter[environment_scope]=review/*");
        assert_eq!(admin.get(&review).await.is(200).json()["value"], "r");
        let change = json!({"value": "s", "environment_scope": "staging",
            "filter": {"environment_scope": "review/*"}});
        let changed = admin.put(&one).json(&change).await.is(200).json();
        assert_eq!(
            (&changed["value"], &changed["environment_scope"]),
            (&json!("s"), &json!("staging"))
        );
        let missing = admin.get(&review).await.is(404).json();
        assert_eq!(missing, json!({"message": format!("404 {thing}Variable Not Found")}));
        let taken = json!({"environment_scope": "*", "filter": {"environment_scope": "staging"}});
        let taken = admin.put(&one).json(&taken).await.is(400).json();
        assert_eq!(taken["message"]["key"], json!(["(URL) has already been taken"]));
        // Only what is named changes, and again is the same.
        let protect = json!({"protected": true, "filter": {"environment_scope": "staging"}});
        for _ in 0..2 {
            let after = admin.put(&one).json(&protect).await.is(200).json();
            assert_eq!((&after["value"], &after["protected"]), (&json!("s"), &json!(true)));
        }
        admin.delete(format!("{one}?filter[environment_scope]=staging")).await.is(204);
        assert_eq!(admin.get(&to).await.is(200).each("environment_scope"), ["*"]);
        admin.delete(&one).await.is(204);
    }
}

#[testkit::story]
async fn what_is_hidden_stays_so(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, to) = (t.admin(), project.at("/variables"));
    let make = json!({"key": "DEPLOY", "value": "hot-iron-42", "masked_and_hidden": true});
    let made = admin.post(&to).json(&make).await.is(201);
    assert!(!made.text().contains("hot-iron"), "{made:?}");
    let made = made.json();
    assert_eq!(
        (&made["value"], &made["hidden"], &made["masked"]),
        (&Value::Null, &json!(true), &json!(true))
    );
    let one = format!("{to}/DEPLOY");
    for change in [json!({"masked": false}), json!({"masked_and_hidden": false})] {
        admin.put(&one).json(&change).await.is(400);
    }
    let change = json!({"value": "cold-iron-42", "description": "Rotated"});
    let changed = admin.put(&one).json(&change).await.is(200);
    assert!(!changed.text().contains("cold-iron") && changed.text().contains("Rotated"));
    assert!(!admin.get(&to).await.is(200).text().contains("cold-iron"));
    let visible = json!({"key": "PLAIN", "value": "hot-iron-42"});
    admin.post(&to).json(&visible).await.is(201);
    let late = json!({"masked_and_hidden": true});
    admin.put(project.at("/variables/PLAIN")).json(&late).await.is(400);
    let short = json!({"key": "SHORT", "value": "x", "masked_and_hidden": true});
    refused(&admin, &to, short, "value", "is invalid").await;
}

#[testkit::story]
async fn maintainers_and_owners_have_them(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let (owner, maintainer, developer, stranger) = (
        t.user("owner").await,
        t.user("mia").await,
        t.user("dev").await,
        t.user("stranger").await,
    );
    group.add(&owner, 50).await;
    group.add(&maintainer, 40).await;
    group.add(&developer, 30).await;
    let make = json!({"key": "A", "value": "top-secret-iron"});
    for to in [project.at("/variables"), group.at("/variables")] {
        owner.post(&to).json(&make).await.is(201);
        let one = format!("{to}/A");
        let is_project = to.contains("/projects/");
        let allowed = if is_project { 200 } else { 403 };
        maintainer.get(&one).await.is(allowed);
        maintainer.put(&one).json(&make).await.is(allowed);
        for (client, status) in [(&*developer, 403), (&*stranger, 404), (&t.anonymous(), 401)] {
            let answers = [
                client.get(&to).await,
                client.get(&one).await,
                client.post(&to).json(&make).await,
                client.put(&one).json(&make).await,
                client.delete(&one).await,
            ];
            for answer in answers {
                assert!(!answer.is(status).text().contains("top-secret"));
            }
        }
    }
    for client in [&*owner, &*stranger] {
        client.get(INSTANCE).await.is(403);
        client.post(INSTANCE).json(&make).await.is(403);
        client.delete(format!("{INSTANCE}/A")).await.is(403);
    }
    t.anonymous().get(INSTANCE).await.is(401);
    let reader = t.token_of(1, &["read_api"]).await;
    reader.get(INSTANCE).await.is(200);
    reader.post(INSTANCE).json(&make).await.is(403);
    // One key of one project is not found below another.
    let other = t.project("acme/bellows").await;
    owner.get(other.at("/variables/A")).await.is(404);
}

#[testkit::story]
async fn there_are_as_many_as_the_plan_has_room_for(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let admin = t.admin();
    let limits = "/application/plan_limits";
    let shown = admin.get(limits).await.is(200).json();
    let of = |name: &str| shown[name].as_i64().unwrap_or_default();
    assert_eq!(of("ci_instance_level_variables"), 25);
    assert_eq!((of("project_ci_variables"), of("group_ci_variables")), (8_000, 30_000));
    let few = json!({"ci_instance_level_variables": 2, "project_ci_variables": 2,
        "group_ci_variables": 2});
    admin.put(limits).json(&few).await.is(200);
    for (to, what) in [
        (INSTANCE.to_owned(), "ci instance level variables"),
        (project.at("/variables"), "project ci variables"),
        (group.at("/variables"), "group ci variables"),
    ] {
        let make = |key: &str| json!({"key": key, "value": "x"});
        admin.post(&to).json(&make("A")).await.is(201);
        admin.post(&to).json(&make("B")).await.is(201);
        let text = format!("Maximum number of {what} (2) exceeded");
        refused(&admin, &to, make("C"), "base", &text).await;
        admin.put(format!("{to}/A")).json(&make("A")).await.is(200);
    }
    admin.put(limits).json(&json!({"project_ci_variables": 0})).await.is(200);
    let more = json!({"key": "C", "value": "x"});
    admin.post(project.at("/variables")).json(&more).await.is(201);
    admin.put(limits).json(&json!({"project_ci_variables": -1})).await.is(400);
}

#[testkit::story]
async fn of_eight_who_make_one_key_at_once_one_does(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, to) = (t.admin(), project.at("/variables"));
    let make = json!({"key": "ONE", "value": "x"});
    let tries = (0..8).map(|_| async { admin.post(&to).json(&make).await });
    let answers = futures_util::future::join_all(tries).await;
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(made, 1, "{answers:?}");
    assert!(answers.iter().all(|answer| [201, 400].contains(&answer.status)), "{answers:?}");
}

#[testkit::story]
async fn values_are_written_down_nowhere_else(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, to) = (t.admin(), project.at("/variables"));
    let make = json!({"key": "DEPLOY", "value": "hot-iron-42"});
    admin.post(&to).json(&make).await.is(201);
    let change = json!({"value": "cold-iron-42"});
    admin.put(format!("{to}/DEPLOY")).json(&change).await.is(200);
    admin.delete(format!("{to}/DEPLOY")).await.is(204);
    let events = admin.get("/audit_events").await.is(200);
    for action in ["create", "update", "destroy"] {
        assert!(events.text().contains(&format!("ci_variable.{action}")), "{events:?}");
    }
    assert!(events.text().contains("DEPLOY") && !events.text().contains("iron-42"));
    admin.post(&to).json(&make).await.is(201);
    let stored = t.app().read(|tx| {
        let all: Vec<String> = tx.all("select sealed_value from ci_variables", ())?;
        Ok(all)
    });
    let stored = stored.await.unwrap();
    assert_eq!(stored.len(), 1);
    assert!(!stored[0].contains("iron"), "{stored:?}");
}

#[testkit::story]
async fn they_go_with_what_has_them(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let make = json!({"key": "A", "value": "x"});
    t.admin().post(project.at("/variables")).json(&make).await.is(201);
    t.admin().post(group.at("/variables")).json(&make).await.is(201);
    t.admin().delete(group.at("")).await.is(202);
    t.settle().await;
    let left = t.app().read(|tx| {
        let left: i64 = tx.one("select count(*) from ci_variables", ())?;
        Ok(left)
    });
    assert_eq!(left.await.unwrap(), 0);
}
