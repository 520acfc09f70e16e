//! Escalation policies.

use crate::oncall::Watch;
use serde_json::{Value, json};

fn rule(seconds: i64, status: &str, key: &str, value: i64) -> Value {
    json!({"elapsed_time_seconds": seconds, "status": status, key: value})
}

#[testkit::story]
async fn a_project_has_one_policy_with_rules_in_order(t: testkit::TestServer) {
    let watch = Watch::new(&t).await;
    let nights = watch.schedule("Nights").await;
    let rules = json!([
        rule(600, "resolved", "user_id", watch.carl.id),
        rule(0, "acknowledged", "oncall_schedule_iid", 1)
    ]);
    let body = json!({"name": "Wake up", "description": "At night", "rules": rules});
    let made = t.admin().post(watch.policies()).json(&body).await.is(201).json();
    assert_eq!((&made["name"], &made["description"]), (&json!("Wake up"), &json!("At night")));
    let first = &made["rules"][0];
    assert_eq!(
        (
            &first["elapsed_time_seconds"],
            &first["status"],
            &first["oncall_schedule_iid"],
            &first["user"]
        ),
        (&json!(0), &json!("acknowledged"), &json!(1), &json!(null))
    );
    let second = &made["rules"][1];
    assert_eq!(
        (&second["elapsed_time_seconds"], &second["user"]["username"]),
        (&json!(600), &json!("carl"))
    );
    let again = t.admin().post(watch.policies()).json(&body).await.is(400);
    assert!(again.text().contains("has an escalation policy already"), "{again:?}");
    let refused = t.admin().delete(&nights).await.is(400);
    assert!(refused.text().contains("names this schedule"), "{refused:?}");
    let one = format!("{}/{}", watch.policies(), made["id"]);
    let kept = t.admin().put(&one).json(&json!({"name": "Call"})).await.is(200).json();
    assert_eq!((&kept["name"], &kept["rules"]), (&json!("Call"), &made["rules"]));
    let body =
        json!({"description": "", "rules": [rule(60, "resolved", "user_id", watch.jane.id)]});
    let changed = t.admin().put(&one).json(&body).await.is(200).json();
    assert_eq!(
        (&changed["description"], changed["rules"].as_array().map(Vec::len)),
        (&json!(null), Some(1))
    );
    assert_eq!(watch.jane.get(watch.policies()).await.is(200).each("name"), ["Call"]);
    t.admin().delete(&nights).await.is(204);
    t.admin().delete(&one).await.is(204);
    t.admin().get(&one).await.is(404);
    watch.policy(json!([rule(0, "resolved", "user_id", watch.jane.id)])).await;
}

#[testkit::story]
async fn what_is_no_policy_is_refused(t: testkit::TestServer) {
    let watch = Watch::new(&t).await;
    watch.schedule("Nights").await;
    let rita = t.user("rita").await;
    watch.project.add(&rita, 20).await;
    let fine = || rule(0, "resolved", "oncall_schedule_iid", 1);
    let eleven: Vec<Value> =
        (0..11).map(|n| rule(n, "resolved", "oncall_schedule_iid", 1)).collect();
    let mut both = fine();
    both["user_id"] = json!(watch.jane.id);
    for rules in [
        json!([]),
        json!(eleven),
        json!([fine(), fine()]),
        json!([both]),
        json!([{"elapsed_time_seconds": 0, "status": "resolved"}]),
        json!([rule(-1, "resolved", "oncall_schedule_iid", 1)]),
        json!([rule(86_401, "resolved", "oncall_schedule_iid", 1)]),
        json!([rule(0, "resolved", "oncall_schedule_iid", 9)]),
        json!([rule(0, "resolved", "user_id", 999_999)]),
        json!([rule(0, "resolved", "user_id", rita.id)]),
    ] {
        let body = json!({"name": "x", "rules": rules});
        let refused = t.admin().post(watch.policies()).json(&body).await.is(400);
        assert!(refused.json()["message"]["rules"].is_array(), "{refused:?}");
    }
    for body in [
        json!({"name": "", "rules": [fine()]}),
        json!({"name": "x"}),
        json!({"rules": [fine()]}),
        json!({"name": "x", "rules": [rule(0, "ignored", "oncall_schedule_iid", 1)]}),
        json!({"name": "x", "rules": ["odd"]}),
        json!({"name": "x".repeat(201), "rules": [fine()]}),
    ] {
        t.admin().post(watch.policies()).json(&body).await.is(400);
    }
    let ten: Vec<Value> =
        (0..10).map(|n| rule(n * 9_600, "resolved", "oncall_schedule_iid", 1)).collect();
    watch.policy(json!(ten)).await;
}
