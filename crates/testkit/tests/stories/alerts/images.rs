//! Metric images of alerts (docs/interface/monitoring.md 2.1).

use crate::alerts::Desk;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use testkit::{Client, Reply};

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn png() -> Vec<u8> {
    STANDARD.decode(PNG).unwrap()
}

async fn upload(
    client: &Client, path: &str, name: &str, bytes: &[u8], fields: &[(&str, &str)],
) -> Reply {
    let mut body = Vec::new();
    for (field, value) in fields {
        let part =
            format!("--xx\r\ncontent-disposition: form-data; name=\"{field}\"\r\n\r\n{value}\r\n");
        body.extend(part.into_bytes());
    }
    let head = format!(
        "--xx\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\ncontent-type: image/svg+xml\r\n\r\n"
    );
    body.extend(head.into_bytes());
    body.extend(bytes);
    body.extend(b"\r\n--xx--\r\n");
    client
        .post(path)
        .header("content-type", "multipart/form-data; boundary=xx")
        .bytes(body)
        .await
}

#[testkit::story]
async fn images_are_added_shown_changed_and_removed(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    desk.send(json!({"title": "a"})).await.is(200);
    let jane = t.user("jane").await;
    desk.project.add(&jane, 30).await;
    let all = desk.project.at("/alert_management_alerts/1/metric_images");
    let fields = [("url", "https://charts.example/1"), ("urlText", "The chart")];
    let made = upload(&jane, &all, "cpu load.png", &png(), &fields).await.is(201);
    let id = made.id();
    let path = format!("/uploads/-/system/alert_metric_image/file/{id}/cpu_load.png");
    let expected = format!(
        "{{\"id\":{id},\"created_at\":{},\"filename\":\"cpu_load\",\
        \"file_path\":\"{path}\",\"url\":\"https://charts.example/1\",\"url_text\":\"The chart\"}}",
        made.json()["created_at"]
    );
    assert_eq!(made.text(), expected);
    assert_eq!(jane.get(&all).await.is(200).json(), json!([made.json()]));

    let picture = jane.at(&path).await.is(200);
    assert_eq!((picture.body.to_vec(), picture.header("content-type")), (png(), "image/png"));
    assert_eq!(picture.header("x-content-type-options"), "nosniff");
    t.anonymous().at(&path).await.is(404);
    t.user("carl").await.at(&path).await.is(404);
    jane.at(path.replace("cpu", "gpu")).await.is(404);

    let one = format!("{all}/{id}");
    let changed = jane
        .put(&one)
        .json(&json!({"url": "http://b.example", "url_text": null}))
        .await
        .is(200);
    assert_eq!(
        (&changed.json()["url"], &changed.json()["url_text"]),
        (&json!("http://b.example"), &json!(null))
    );
    jane.put(&one).json(&json!({"url": "javascript:alert(1)"})).await.is(400);
    jane.delete(&one).await.is(204);
    jane.delete(&one).await.is(404);
    jane.at(&path).await.is(404);
}

#[testkit::story]
async fn what_is_no_picture_is_refused(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    desk.send(json!({"title": "a"})).await.is(200);
    let all = desk.project.at("/alert_management_alerts/1/metric_images");
    let admin = t.admin();
    let behind = [png(), b"<script>alert(1)</script>".to_vec()].concat();
    let large = [png(), vec![0; 1 << 20]].concat();
    for (name, bytes) in [
        ("a.svg", &b"<svg xmlns='http://www.w3.org/2000/svg'/>"[..]),
        ("a.png", b"<html>"),
        ("a.gif", b"GIF89a/*<script>*/;"),
        ("a.png", &behind),
        ("a.png", &large),
        ("a.png", b""),
        ("../a.png", &png()),
        ("..", &png()),
    ] {
        upload(&admin, &all, name, bytes, &[]).await.is(400);
    }
    let long = format!("https://x/{}", "y".repeat(255));
    for url in ["ftp://x", "javascript:alert(1)", "//x", &long] {
        upload(&admin, &all, "a.png", &png(), &[("url", url)]).await.is(400);
    }
    admin.post(&all).json(&json!({"url": "https://x"})).await.is(400);
    upload(
        &admin,
        &desk.project.at("/alert_management_alerts/2/metric_images"),
        "a.png",
        &png(),
        &[],
    )
    .await
    .is(404);
    assert_eq!(admin.get(&all).await.is(200).json(), json!([]));
}
