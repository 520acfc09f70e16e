//! Exports of dependencies while servers die.

use crate::place::{Place, project, until};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{Client, run};

/// Packages of the list: writing them takes longer than killing a server.
const MANY: usize = 10_000;

#[test]
fn an_export_outlives_its_server_on_sqlite() {
    run(outlives(Place::sqlite()));
}

#[test]
fn an_export_outlives_its_server_on_postgres() {
    if let Some(place) = Place::postgres() {
        run(outlives(place));
    }
}

fn bom() -> Value {
    let component = |n: usize| {
        json!({"type": "library", "bom-ref": format!("r{n}"), "name": format!("package-{n}"),
            "version": "1.0", "purl": format!("pkg:npm/package-{n}@1.0")})
    };
    let components: Vec<Value> = (0..MANY).map(component).collect();
    json!({"bomFormat": "CycloneDX", "specVersion": "1.6", "components": components})
}

/// Waits for longer than a job is left to a server that died.
async fn ended(client: &Client, export: &str) {
    for _ in 0..1_200 {
        if client.get(export).await.status == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{export} does not end");
}

async fn outlives(place: Place) {
    let server = place.serve();
    let token = place.token();
    let client = server.client(&token);
    let project = project(&client).await;
    let sent = client.post(format!("{project}/sboms")).bytes(bom().to_string()).await.is(202);
    let sent = format!("{project}/sboms/{}", sent.json()["token"].as_str().unwrap());
    until("the list is read", async || client.get(&sent).await.json()["finished"] == true).await;

    let wanted = json!({"export_type": "cyclonedx_1_6_json"});
    let exports = format!("{project}/dependency_list_exports");
    let made = client.post(exports).json(&wanted).await.is(201).id();
    let export = format!("/dependency_list_exports/{made}");
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.kill();

    let server = place.serve();
    let client = server.client(&token);
    ended(&client, &export).await;
    assert_eq!(client.get(&export).await.is(200).json()["status"], "finished");
    let file = client.get(format!("{export}/download")).await.is(200).json();
    assert_eq!(file["components"].as_array().map(Vec::len), Some(MANY));
    let one = "select count(*) from dependency_exports where status = 'finished'";
    assert_eq!(place.row::<i64>(one).await, 1);
    place.succeeds(&["check", "--contents"]);
}
