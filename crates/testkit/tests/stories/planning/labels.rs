//! Labels of projects and groups.

use serde_json::{Value, json};

#[testkit::story]
async fn a_label_is_made_found_changed_and_removed(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let reporter = t.user("reporter").await;
    project.add(&reporter, 20).await;
    let labels = project.at("/labels");

    let body = json!({"name": "To do", "color": "#FFAABB", "description": "*next*", "priority": 3});
    let made = reporter.post(&labels).json(&body).await.is(201);
    let id = made.id();
    assert_eq!(
        made.json(),
        json!({
            "id": id, "name": "To do", "color": "#ffaabb", "text_color": "#1F1E24",
            "description": "*next*", "description_html": "<p><em>next</em></p>\n",
            "open_issues_count": 0, "closed_issues_count": 0, "open_merge_requests_count": 0,
            "subscribed": false, "priority": 3, "is_project_label": true, "archived": false,
        })
    );
    reporter
        .post(&labels)
        .json(&json!({"name": "bug", "color": "red"}))
        .await
        .is(201);
    assert_eq!(reporter.get(&labels).await.is(200).each("name"), [json!("To do"), json!("bug")]);
    let listed = reporter.get(format!("{labels}?with_counts=true&search=TO+d")).await.is(200);
    assert_eq!(listed.each("open_issues_count"), [json!(0)]);
    assert_eq!(reporter.get(&labels).await.json()[0]["open_issues_count"], Value::Null);
    assert_eq!(reporter.get(format!("{labels}/To%20do")).await.is(200).id(), id);
    assert_eq!(reporter.get(format!("{labels}/{id}")).await.is(200).id(), id);

    let change = json!({"new_name": "Later", "color": "#123", "priority": null, "description": ""});
    let changed = reporter.put(format!("{labels}/{id}")).json(&change).await.is(200).json();
    assert_eq!((&changed["name"], &changed["color"]), (&json!("Later"), &json!("#112233")));
    assert_eq!((&changed["priority"], &changed["description"]), (&Value::Null, &Value::Null));
    let old = json!({"name": "Later", "new_name": "Now"});
    assert_eq!(reporter.put(&labels).json(&old).await.is(200).json()["name"], "Now");

    reporter.delete(format!("{labels}/Now")).await.is(204);
    reporter.delete(format!("{labels}?name=bug")).await.is(204);
    let gone = reporter.get(format!("{labels}/{id}")).await.is(404);
    assert_eq!(gone.json()["message"], "404 Label Not Found");
    assert_eq!(reporter.get(&labels).await.is(200).json(), json!([]));
}

#[testkit::story]
async fn a_groups_labels_are_used_below_it(t: testkit::TestServer) {
    let project = t.project("acme/tools/anvil").await;
    let (top, group) = (t.group("acme").await, t.group("acme/tools").await);
    let admin = t.admin();
    let body = json!({"name": "bug", "color": "#ff0000"});
    let made = admin.post(top.at("/labels")).json(&body).await.is(201);
    assert_eq!(made.json()["is_project_label"], false);
    for taken in [project.at("/labels"), group.at("/labels")] {
        let refused = admin.post(taken).json(&body).await.is(409);
        assert_eq!(refused.json(), json!({"message": "Label already exists"}));
    }

    let seen = admin.get(project.at("/labels")).await.is(200);
    assert_eq!(seen.each("id"), [json!(made.id())]);
    let own = admin.get(project.at("/labels?include_ancestor_groups=false")).await.is(200);
    assert_eq!(own.json(), json!([]));

    // A project says only how much it matters there.
    let one = project.at(&format!("/labels/{}", made.id()));
    let changed = admin.put(&one).json(&json!({"priority": 1})).await.is(200);
    assert_eq!(changed.json()["priority"], 1);
    admin.put(&one).json(&json!({"color": "blue"})).await.is(404);
    admin.delete(&one).await.is(404);
    let refused = admin.put(top.at("/labels/bug")).json(&json!({"priority": 1})).await.is(400);
    assert_eq!(
        refused.json()["message"]["priority"],
        json!(["is set in projects, not in groups"])
    );
}

#[testkit::story]
async fn promotion_gathers_labels_of_one_title(t: testkit::TestServer) {
    let (anvil, forge) = (t.project("acme/anvil").await, t.project("acme/forge").await);
    let group = t.group("acme").await;
    let maker = t.user("maker").await;
    anvil.add(&maker, 30).await;
    let admin = t.admin();
    let body = json!({"name": "bug", "color": "#ff0000"});
    let old = maker.post(anvil.at("/labels")).json(&body).await.is(201).id();
    admin.post(forge.at("/labels")).json(&body).await.is(201);

    maker.put(anvil.at("/labels/bug/promote")).await.is(403);
    let promoted = admin.put(anvil.at("/labels/bug/promote")).await.is(200);
    assert_ne!(promoted.id(), old);

    for place in [anvil.at("/labels"), forge.at("/labels"), group.at("/labels")] {
        assert_eq!(admin.get(place).await.is(200).each("id"), [json!(promoted.id())]);
    }
    let own = admin.post("/projects").json(&json!({"name": "mine"})).await.is(201).id();
    admin.post(format!("/projects/{own}/labels")).json(&body).await.is(201);
    let refused = admin.put(format!("/projects/{own}/labels/bug/promote")).await.is(400);
    assert!(refused.text().contains("Failed to promote project label to group label"));
}

#[testkit::story]
async fn subscriptions_are_one_for_each_user(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let guest = t.user("guest").await;
    project.add(&guest, 10).await;
    let body = json!({"name": "bug", "color": "#ff0000"});
    t.admin().post(project.at("/labels")).json(&body).await.is(201);

    let subscribed = guest.post(project.at("/labels/bug/subscribe")).await.is(201);
    assert_eq!(subscribed.json()["subscribed"], true);
    guest.post(project.at("/labels/bug/subscribe")).await.is(304);
    let seen = t.admin().get(project.at("/labels/bug")).await.is(200);
    assert_eq!(seen.json()["subscribed"], false);
    guest.post(project.at("/labels/bug/unsubscribe")).await.is(201);
    guest.post(project.at("/labels/bug/unsubscribe")).await.is(304);
}

#[testkit::story]
async fn only_reporters_change_labels(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (guest, outsider) = (t.user("guest").await, t.user("outsider").await);
    project.add(&guest, 10).await;
    let body = json!({"name": "bug", "color": "#ff0000"});
    t.admin().post(project.at("/labels")).json(&body).await.is(201);
    let labels = project.at("/labels");
    for (client, status) in
        [((*guest).clone(), 403), ((*outsider).clone(), 403), (t.anonymous(), 401)]
    {
        client.get(&labels).await.is(200);
        client
            .post(&labels)
            .json(&json!({"name": "x", "color": "red"}))
            .await
            .is(status);
        client
            .put(format!("{labels}/bug"))
            .json(&json!({"color": "red"}))
            .await
            .is(status);
        client.delete(format!("{labels}/bug")).await.is(status);
        client.put(format!("{labels}/bug/promote")).await.is(status);
    }
    t.anonymous().post(format!("{labels}/bug/subscribe")).await.is(401);
    t.admin().post(project.at("/archive")).await.is(201);
    t.admin()
        .post(&labels)
        .json(&json!({"name": "x", "color": "red"}))
        .await
        .is(403);
}

#[testkit::story]
async fn bad_labels_are_told(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, labels) = (t.admin(), project.at("/labels"));
    let missing = admin.post(&labels).json(&json!({"name": "x"})).await.is(400);
    assert_eq!(missing.json()["error"], "color is missing");
    for (body, field) in [
        (json!({"name": "", "color": "red"}), "title"),
        (json!({"name": "a,b", "color": "red"}), "title"),
        (json!({"name": "x".repeat(256), "color": "red"}), "title"),
        (json!({"name": "x", "color": "reddish"}), "color"),
        (
            json!({"name": "x", "color": "red", "description": "x".repeat(513)}),
            "description",
        ),
        (json!({"name": "x", "color": "red", "priority": -1}), "priority"),
    ] {
        let refused = admin.post(&labels).json(&body).await.is(400);
        assert!(refused.json()["message"][field].is_array(), "{refused:?}");
    }
    admin.post(&labels).json(&json!({"name": "bug", "color": "red"})).await.is(201);
    admin.post(&labels).json(&json!({"name": "top", "color": "red"})).await.is(201);
    let nothing = admin.put(format!("{labels}/bug")).json(&json!({})).await.is(400);
    assert!(nothing.text().contains("at least one parameter must be provided"));
    let taken = admin
        .put(format!("{labels}/bug"))
        .json(&json!({"new_name": "top"}))
        .await
        .is(400);
    assert_eq!(taken.json()["message"]["title"], json!(["has already been taken"]));
    admin
        .put(&labels)
        .json(&json!({"name": "bug", "label_id": "1", "color": "red"}))
        .await
        .is(400);
    admin.delete(&labels).await.is(400);
    admin.get(format!("{labels}/9999999999999999999999")).await.is(404);
    admin.get(format!("{labels}?per_page=x")).await.is(400);
}

#[testkit::story]
async fn equal_labels_made_at_once_become_one(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let body = json!({"name": "bug", "color": "red"});
    let tries =
        (0..12).map(|_| async { t.admin().post(project.at("/labels")).json(&body).await.status });
    let mut statuses = futures_util::future::join_all(tries).await;
    statuses.sort_unstable();
    assert_eq!(statuses[0], 201);
    assert!(statuses[1..].iter().all(|status| *status == 409), "{statuses:?}");
    assert_eq!(t.admin().get(project.at("/labels")).await.is(200).each("name"), [json!("bug")]);
}
