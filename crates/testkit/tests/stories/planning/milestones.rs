//! Milestones of projects and groups.

use serde_json::{Value, json};

#[testkit::story]
async fn a_milestone_is_made_closed_and_removed(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let reporter = t.user("reporter").await;
    project.add(&reporter, 20).await;
    let milestones = project.at("/milestones");

    let body = json!({"title": "1.0", "description": "first", "start_date": "2031-01-01",
        "due_date": "2031-02-01T00:00:00Z"});
    let made = reporter.post(&milestones).json(&body).await.is(201);
    let id = made.id();
    let (json, base) = (made.json(), t.app().base_url().to_owned());
    assert_eq!(json["iid"], 1);
    assert_eq!((&json["project_id"], &json["group_id"]), (&json!(project.id), &Value::Null));
    assert_eq!(
        (&json["start_date"], &json["due_date"]),
        (&json!("2031-01-01"), &json!("2031-02-01"))
    );
    assert_eq!((&json["state"], &json["expired"]), (&json!("active"), &json!(false)));
    assert_eq!(json["web_url"], format!("{base}/acme/anvil/-/milestones/1"));

    let one = format!("{milestones}/{id}");
    let changed = reporter
        .put(&one)
        .json(&json!({"due_date": "2001-02-01", "start_date": null,
        "state_event": "close"}))
        .await
        .is(200)
        .json();
    assert_eq!((&changed["state"], &changed["expired"]), (&json!("closed"), &json!(true)));
    assert_eq!(changed["start_date"], Value::Null);
    reporter.post(&milestones).json(&json!({"title": "2.0"})).await.is(201);
    for (query, titles) in [
        ("", vec!["1.0", "2.0"]),
        ("?state=closed", vec!["1.0"]),
        ("?iids[]=2", vec!["2.0"]),
        ("?title=2.0", vec!["2.0"]),
        ("?search=FIRST", vec!["1.0"]),
        ("?updated_after=2999-01-01T00:00:00Z", vec![]),
    ] {
        let found = reporter.get(format!("{milestones}{query}")).await.is(200).each("title");
        assert_eq!(found, titles, "{query}");
    }
    reporter.put(&one).json(&json!({"state_event": "activate"})).await.is(200);
    reporter.delete(&one).await.is(204);
    let gone = reporter.get(&one).await.is(404);
    assert_eq!(gone.json()["message"], "404 Milestone Not Found");
}

#[testkit::story]
async fn a_group_has_milestones_of_its_own(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let (admin, base) = (t.admin(), t.app().base_url().to_owned());
    let made = admin.post(group.at("/milestones")).json(&json!({"title": "1.0"})).await.is(201);
    let json = made.json();
    assert_eq!((&json["iid"], &json["group_id"]), (&json!(1), &json!(group.id)));
    assert_eq!(json["web_url"], format!("{base}/groups/acme/-/milestones/1"));
    assert_eq!(admin.get(project.at("/milestones")).await.is(200).json(), json!([]));
    let all = admin
        .get(project.at("/milestones?include_parent_milestones=true"))
        .await
        .is(200);
    assert_eq!(all.each("id"), [json!(made.id())]);
    let taken = admin
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(400);
    assert_eq!(taken.json()["message"], json!({"title": ["has already been taken"]}));
    admin.get(project.at(&format!("/milestones/{}", made.id()))).await.is(404);
}

#[testkit::story]
async fn promotion_gathers_milestones_of_one_title(t: testkit::TestServer) {
    let (anvil, forge) = (t.project("acme/anvil").await, t.project("acme/forge").await);
    let group = t.group("acme").await;
    let maker = t.user("maker").await;
    anvil.add(&maker, 30).await;
    let body = json!({"title": "1.0"});
    let old = maker.post(anvil.at("/milestones")).json(&body).await.is(201).id();
    t.admin().post(forge.at("/milestones")).json(&body).await.is(201);
    let promote = anvil.at(&format!("/milestones/{old}/promote"));
    maker.post(&promote).await.is(403);
    let promoted = t.admin().post(&promote).await.is(200);
    assert_eq!(promoted.json()["group_id"], group.id);
    for project in [&anvil, &forge] {
        assert_eq!(t.admin().get(project.at("/milestones")).await.is(200).json(), json!([]));
    }
}

#[testkit::story]
async fn strangers_and_guests_change_no_milestone(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let guest = t.user("guest").await;
    project.add(&guest, 10).await;
    let made = t
        .admin()
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201);
    let one = project.at(&format!("/milestones/{}", made.id()));
    for (client, status) in [((*guest).clone(), 403), (t.anonymous(), 401)] {
        client.get(&one).await.is(200);
        client.put(&one).json(&json!({"title": "x"})).await.is(status);
        client.delete(&one).await.is(status);
        client
            .post(project.at("/milestones"))
            .json(&json!({"title": "x"}))
            .await
            .is(status);
    }
}

#[testkit::story]
async fn bad_milestones_are_told(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, milestones) = (t.admin(), project.at("/milestones"));
    assert_eq!(
        admin.post(&milestones).json(&json!({})).await.is(400).json()["error"],
        "title is missing"
    );
    let order = json!({"title": "x", "start_date": "2031-02-01", "due_date": "2031-01-01"});
    let refused = admin.post(&milestones).json(&order).await.is(400);
    assert_eq!(
        refused.json()["message"]["due_date"],
        json!(["must be greater than start date"])
    );
    admin
        .post(&milestones)
        .json(&json!({"title": "x", "due_date": "soon"}))
        .await
        .is(400);
    admin.post(&milestones).json(&json!({"title": " "})).await.is(400);
    admin.get(format!("{milestones}?state=all_of_them")).await.is(400);
    for id in ["0", "-1", "99999999999"] {
        admin.get(format!("{milestones}/{id}")).await.is(404);
    }
    admin.get(format!("{milestones}/x")).await.is(400);
}

#[testkit::story]
async fn numbers_stay_dense_when_many_are_made_at_once(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let tries = (0..12).map(|n| {
        let (client, at) = (t.admin(), project.at("/milestones"));
        // Every third is refused, which takes no number.
        let title = if n % 3 == 0 { "same".to_owned() } else { format!("m{n}") };
        async move { client.post(at).json(&json!({"title": title})).await.status }
    });
    let statuses = futures_util::future::join_all(tries).await;
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 9, "{statuses:?}");
    let listed = t.admin().get(project.at("/milestones")).await.is(200).each("iid");
    let mut iids: Vec<i64> = listed.iter().filter_map(Value::as_i64).collect();
    iids.sort_unstable();
    assert_eq!(iids, (1..=9).collect::<Vec<_>>());
}
