//! Who does what: developers see alerts and look after them, maintainers see
//! keys and set things up.

use crate::alerts::Desk;
use http::Method;
use serde_json::json;

#[testkit::story]
async fn developers_look_after_alerts_and_maintainers_set_things_up(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    desk.send(json!({"title": "a"})).await.is(200);
    let integrations = desk.project.at("/alert_management/http_integrations");
    let settings = desk.project.at("/alert_management/settings");
    let windows = desk.project.at("/alert_management/maintenance_windows");
    let alerts = desk.project.at("/alert_management/alerts");
    let images = desk.project.at("/alert_management_alerts/1/metric_images");
    let of_developers = [
        (Method::GET, alerts.clone()),
        (Method::GET, desk.alert(1)),
        (Method::PUT, desk.alert(1)),
        (Method::GET, images.clone()),
        (Method::GET, windows.clone()),
    ];
    let of_maintainers = [
        (Method::GET, integrations.clone()),
        (Method::GET, desk.path()),
        (Method::PUT, desk.path()),
        (Method::GET, format!("{}/deliveries", desk.path())),
        (Method::GET, settings.clone()),
        (Method::PUT, settings),
    ];
    let (jane, carl, rita) = (t.user("jane").await, t.user("carl").await, t.user("rita").await);
    for (method, path) in of_developers.iter().chain(&of_maintainers) {
        t.anonymous().api(method.clone(), path).await.is(401);
        jane.api(method.clone(), path).await.is(404);
    }
    desk.project.add(&rita, 20).await;
    desk.project.add(&jane, 30).await;
    desk.project.add(&carl, 40).await;
    for (method, path) in &of_developers {
        rita.api(method.clone(), path).await.is(403);
        jane.api(method.clone(), path).await.is(200);
    }
    for (method, path) in &of_maintainers {
        rita.api(method.clone(), path).await.is(403);
        jane.api(method.clone(), path).await.is(403);
        carl.api(method.clone(), path).await.is(200);
    }
    for (path, body) in [
        (integrations.clone(), json!({"name": "n", "active": true})),
        (format!("{}/reset_token", desk.path()), json!({})),
        (windows, json!({"name": "n", "ends_at": "2100-01-01"})),
    ] {
        jane.post(&path).json(&body).await.is(403);
    }
    jane.delete(desk.path()).await.is(403);
    rita.post(format!("{}/test", desk.path()))
        .json(&json!({"payload": {}}))
        .await
        .is(403);
    let reads = t.token_of(carl.id, &["read_api"]).await;
    reads.get(&integrations).await.is(200);
    reads.put(desk.path()).json(&json!({})).await.is(403);
}

#[testkit::story]
async fn other_projects_lend_nothing(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let other = Desk::new(&t, "other/hammer").await;
    desk.send(json!({"title": "a"})).await.is(200);
    let wrong = other.bare().header("authorization", &format!("Bearer {}", desk.token()));
    wrong.json(&json!({"title": "a"})).await.is(401);
    let id = &desk.integration["id"];
    let path = other.project.at(&format!("/alert_management/http_integrations/{id}"));
    t.admin().get(&path).await.is(404);
    t.admin().put(&path).json(&json!({"active": false})).await.is(404);
    t.admin().delete(&path).await.is(404);
    t.admin().post(format!("{path}/reset_token")).await.is(404);
    t.admin().get(other.alert(1)).await.is(404);
    // Keys and addresses do not show in what is logged or listed elsewhere.
    let records = t.admin().get("/audit_events").await.is(200);
    assert!(!records.text().contains(desk.token()));
}
