//! Schedules, rotations and shifts.

use crate::oncall::Watch;
use http::Method;
use serde_json::{Value, json};

/// Who is on call, from when and until when.
async fn shifts(watch: &Watch, schedule: &str, query: &str) -> Vec<(Value, String, String)> {
    let path = format!("{schedule}/shifts?{query}");
    let found = watch.jane.get(path).await.is(200).json();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let shifts = found.as_array().unwrap().iter();
    shifts
        .map(|it| (it["user"]["username"].clone(), text(&it["starts_at"]), text(&it["ends_at"])))
        .collect()
}

#[testkit::story]
async fn schedules_are_made_changed_and_removed(t: testkit::TestServer) {
    let watch = Watch::new(&t).await;
    let body = json!({"name": " Nights ", "timezone": "europe/berlin", "description": "After six"});
    let made = t.admin().post(watch.schedules()).json(&body).await.is(201).json();
    assert_eq!(
        (
            &made["iid"],
            &made["name"],
            &made["timezone"],
            &made["description"],
            &made["project_id"]
        ),
        (
            &json!(1),
            &json!("Nights"),
            &json!("Europe/Berlin"),
            &json!("After six"),
            &json!(watch.project.id)
        )
    );
    let taken = t.admin().post(watch.schedules()).json(&body).await.is(400);
    assert_eq!(taken.json()["message"]["name"], json!(["has already been taken"]));
    for wrong in [
        json!({"name": "", "timezone": "UTC"}),
        json!({"name": "x", "timezone": "Mars/Base"}),
        json!({"name": "x"}),
        json!({"name": "x".repeat(201), "timezone": "UTC"}),
        json!({"timezone": "UTC"}),
        json!({"name": "x", "timezone": "UTC", "description": "x".repeat(1_001)}),
    ] {
        t.admin().post(watch.schedules()).json(&wrong).await.is(400);
    }
    let one = format!("{}/1", watch.schedules());
    let changed = t
        .admin()
        .put(&one)
        .json(&json!({"timezone": "Asia/Tokyo", "description": null}))
        .await
        .is(200)
        .json();
    assert_eq!(
        (&changed["timezone"], &changed["description"], &changed["name"]),
        (&json!("Asia/Tokyo"), &json!(null), &json!("Nights"))
    );
    assert_eq!(watch.jane.get(&one).await.is(200).json()["timezone"], "Asia/Tokyo");
    watch.schedule("Days").await;
    let list = watch.jane.get(watch.schedules()).await.is(200);
    assert_eq!(
        (list.each("name"), list.header("x-total")),
        (vec![json!("Nights"), json!("Days")], "2")
    );
    t.admin().delete(&one).await.is(204);
    t.admin().get(&one).await.is(404);
    // Numbers are not used again.
    t.admin().delete(format!("{}/2", watch.schedules())).await.is(204);
    assert!(watch.schedule("Weekends").await.ends_with("/3"));
    let records = t.admin().get("/audit_events").await.is(200).text();
    assert!(records.contains("on_call_schedule") || records.contains("Nights"), "{records}");
}

#[testkit::story]
async fn a_rotation_tells_who_is_on_call_when(t: testkit::TestServer) {
    let watch = Watch::new(&t).await;
    let nights = watch.schedule("Nights").await;
    let rotations = format!("{nights}/rotations");
    let body = json!({"name": "Weekly", "starts_at": "2031-03-24T09:00:00+01:00", "length": 1,
        "length_unit": "weeks", "user_ids": [watch.jane.id, watch.carl.id]});
    let made = t.admin().post(&rotations).json(&body).await.is(201).json();
    assert_eq!(
        (
            &made["length_unit"],
            &made["active_period"],
            &made["participants"][1]["user"]["username"]
        ),
        (&json!("weeks"), &json!(null), &json!("carl"))
    );
    // Clocks go forward in Berlin on 30 March.
    let query = "start_time=2031-03-24T08:00:00Z&end_time=2031-04-08T00:00:00Z";
    let shown = shifts(&watch, &nights, query).await;
    let shift =
        |user: &str, from: &str, until: &str| (json!(user), from.to_owned(), until.to_owned());
    assert_eq!(
        shown,
        [
            shift("jane", "2031-03-24T08:00:00.000Z", "2031-03-31T07:00:00.000Z"),
            shift("carl", "2031-03-31T07:00:00.000Z", "2031-04-07T07:00:00.000Z"),
            shift("jane", "2031-04-07T07:00:00.000Z", "2031-04-14T07:00:00.000Z"),
        ]
    );
    let one = format!("{rotations}/{}", made["id"]);
    let part = json!({"active_period": {"start_time": "22:00", "end_time": "06:00"},
        "ends_at": "2031-03-26T00:00:00Z", "user_ids": [watch.carl.id]});
    let changed = t.admin().put(&one).json(&part).await.is(200).json();
    assert_eq!(changed["active_period"], json!({"start_time": "22:00", "end_time": "06:00"}));
    assert_eq!(
        shifts(&watch, &nights, query).await,
        [
            shift("carl", "2031-03-24T21:00:00.000Z", "2031-03-25T05:00:00.000Z"),
            shift("carl", "2031-03-25T21:00:00.000Z", "2031-03-26T00:00:00.000Z"),
        ]
    );
    let page = watch
        .jane
        .get(format!("{nights}/shifts?{query}&per_page=1&page=2"))
        .await
        .is(200);
    assert_eq!(
        (page.header("x-total"), page.each("starts_at")),
        ("2", vec![json!("2031-03-25T21:00:00.000Z")])
    );
    let whole = json!({"active_period": null, "ends_at": null, "name": "All day"});
    let changed = t.admin().put(&one).json(&whole).await.is(200).json();
    assert_eq!(
        (
            &changed["ends_at"],
            &changed["name"],
            changed["participants"].as_array().map(Vec::len)
        ),
        (&json!(null), &json!("All day"), Some(1))
    );
    for wrong in [
        "start_time=2031-01-01&end_time=2031-02-02",
        "start_time=2031-01-02&end_time=2031-01-01",
        "start_time=odd",
        "start_time=9999-12-31T23:59:59.999999Z",
    ] {
        watch.jane.get(format!("{nights}/shifts?{wrong}")).await.is(400);
    }
    assert_eq!(watch.jane.get(&rotations).await.is(200).each("name"), ["All day"]);
    assert_eq!(watch.jane.get(&one).await.is(200).json()["length"], 1);
    t.admin().delete(&one).await.is(204);
    t.admin().get(&one).await.is(404);
    assert!(shifts(&watch, &nights, query).await.is_empty());
}

#[testkit::story]
async fn what_is_no_rotation_is_refused(t: testkit::TestServer) {
    let watch = Watch::new(&t).await;
    let nights = watch.schedule("Nights").await;
    let path = format!("{nights}/rotations");
    let rita = t.user("rita").await;
    watch.project.add(&rita, 20).await;
    let zoe = t.user("zoe").await;
    let with = |changes: Value| {
        let mut body = json!({"name": "x", "starts_at": "2031-01-01T00:00:00Z", "length": 1,
            "length_unit": "days", "user_ids": [watch.jane.id]});
        body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        body
    };
    let many: Vec<i64> = (1..=101).collect();
    for (field, changes) in [
        ("name", json!({"name": " "})),
        ("length", json!({"length": 0})),
        ("length", json!({"length": 1_001})),
        ("ends_at", json!({"ends_at": "2030-01-01"})),
        ("starts_at", json!({"starts_at": "-000100-01-01T00:00:00Z"})),
        ("ends_at", json!({"ends_at": "9999-01-01T00:00:00Z"})),
        (
            "active_period",
            json!({"length_unit": "hours", "active_period": {"start_time": "08:00", "end_time": "09:00"}}),
        ),
        ("participants", json!({"user_ids": []})),
        ("participants", json!({"user_ids": [watch.jane.id, watch.jane.id]})),
        ("participants", json!({"user_ids": [999_999]})),
        // Who may not see alerts is not told of them.
        ("participants", json!({"user_ids": [rita.id]})),
        ("participants", json!({"user_ids": [zoe.id]})),
        ("participants", json!({"user_ids": many})),
    ] {
        let refused = t.admin().post(&path).json(&with(changes)).await.is(400);
        assert!(refused.json()["message"][field].is_array(), "{field}: {refused:?}");
    }
    for wrong in [
        json!({"length_unit": "years"}),
        json!({"active_period": {"start_time": "8:00", "end_time": "09:00"}}),
        json!({"active_period": {"start_time": "08:00"}}),
        json!({"starts_at": "soon"}),
        json!({"length": "long"}),
    ] {
        t.admin().post(&path).json(&with(wrong)).await.is(400);
    }
    for n in 0..20 {
        t.admin()
            .post(&path)
            .json(&with(json!({"name": format!("Turn {n}")})))
            .await
            .is(201);
    }
    let refused = t.admin().post(&path).json(&with(json!({"name": "One more"}))).await.is(400);
    assert!(refused.text().contains("20 rotations already"), "{refused:?}");
    let taken = t.admin().put(format!("{path}/{}", t.admin().get(&path).await.each("id")[1]));
    taken.json(&json!({"name": "Turn 0"})).await.is(400);
    for n in 1..50 {
        watch.schedule(&format!("Schedule {n}")).await;
    }
    let more = json!({"name": "One more", "timezone": "UTC"});
    let refused = t.admin().post(watch.schedules()).json(&more).await.is(400);
    assert!(refused.text().contains("50 schedules already"), "{refused:?}");
}

#[testkit::story]
async fn reporters_see_who_is_on_call_and_maintainers_say_it(t: testkit::TestServer) {
    let watch = Watch::new(&t).await;
    let nights = watch.schedule("Nights").await;
    let turns = watch.rotation(&nights, "2031-01-01T00:00:00Z", &[&watch.jane]).await;
    let policy = watch
        .policy(json!([{"elapsed_time_seconds": 0, "status": "resolved",
        "oncall_schedule_iid": 1}]))
        .await;
    let rotations = format!("{nights}/rotations");
    let reads = [
        watch.schedules(),
        nights.clone(),
        rotations.clone(),
        turns.clone(),
        format!("{nights}/shifts"),
        watch.policies(),
        policy.clone(),
    ];
    let rule = json!([{"elapsed_time_seconds": 0, "status": "resolved", "user_id": watch.jane.id}]);
    let rotation = json!({"name": "x", "starts_at": "2031-01-01", "length": 1, "length_unit": "days",
        "user_ids": [watch.jane.id]});
    let writes = [
        (Method::POST, watch.schedules(), json!({"name": "x", "timezone": "UTC"})),
        (Method::PUT, nights.clone(), json!({"name": "y"})),
        (Method::POST, rotations, rotation),
        (Method::PUT, turns.clone(), json!({"name": "z"})),
        (Method::POST, watch.policies(), json!({"name": "x", "rules": rule})),
        (Method::PUT, policy.clone(), json!({"name": "y"})),
        (Method::DELETE, policy, json!({})),
        (Method::DELETE, turns, json!({})),
        (Method::DELETE, nights, json!({})),
    ];
    let (gus, rita, mia, zoe) = (
        t.user("gus").await,
        t.user("rita").await,
        t.user("mia").await,
        t.user("zoe").await,
    );
    watch.project.add(&gus, 10).await;
    watch.project.add(&rita, 20).await;
    watch.project.add(&mia, 40).await;
    for path in &reads {
        t.anonymous().get(path).await.is(401);
        zoe.get(path).await.is(404);
        gus.get(path).await.is(403);
        rita.get(path).await.is(200);
    }
    for (method, path, body) in &writes {
        t.anonymous().api(method.clone(), path).json(body).await.is(401);
        zoe.api(method.clone(), path).json(body).await.is(404);
        for client in [&rita, &watch.jane] {
            client.api(method.clone(), path).json(body).await.is(403);
        }
    }
    let other = t.project("other/hammer").await;
    other.add(&mia, 40).await;
    for path in reads.iter().skip(1).filter(|path| !path.ends_with("policies")) {
        let path = path.replace(&watch.project.at("/"), &other.at("/"));
        mia.get(&path).await.is(404);
    }
    let reader = t.token_of(mia.id, &["read_api"]).await;
    reader.get(&reads[0]).await.is(200);
    reader
        .post(&reads[0])
        .json(&json!({"name": "x", "timezone": "UTC"}))
        .await
        .is(403);
    for (method, path, body) in writes {
        // There is a policy already.
        if method == Method::POST && path == watch.policies() {
            mia.api(method, path).json(&body).await.is(400);
            continue;
        }
        mia.api(method, path).json(&body).await.is_ok();
    }
}

#[testkit::story]
async fn a_user_who_goes_takes_no_turns_any_more(t: testkit::TestServer) {
    let watch = Watch::new(&t).await;
    let nights = watch.schedule("Nights").await;
    let turns = watch
        .rotation(&nights, "2031-01-01T00:00:00Z", &[&watch.jane, &watch.carl])
        .await;
    let rule = |key: &str, value: i64| json!({"elapsed_time_seconds": 0, "status": "resolved", key: value});
    let policy = watch
        .policy(json!([rule("oncall_schedule_iid", 1), rule("user_id", watch.jane.id)]))
        .await;
    t.admin().delete(format!("/users/{}", watch.jane.id)).await.is(204);
    let left = t.admin().get(&turns).await.is(200).json();
    assert_eq!(left["participants"].as_array().map(Vec::len), Some(1));
    assert_eq!(left["participants"][0]["user"]["username"], "carl");
    let left = t.admin().get(&policy).await.is(200).json();
    assert_eq!(left["rules"].as_array().map(Vec::len), Some(1));
    t.settle().await;
}
