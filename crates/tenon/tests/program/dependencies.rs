//! kill -9 while a large list of dependencies is written.

use crate::place::{Place, Server, project, until};
use serde_json::{Value, json};
use store::sql;
use testkit::run;

/// Components of the list, and of the one before it.
const MANY: i64 = 20_000;
const FEW: i64 = 3;

#[test]
fn a_list_is_whole_after_a_kill_on_sqlite() {
    run(kill_and_go_on(Place::sqlite()));
}

#[test]
fn a_list_is_whole_after_a_kill_on_postgres() {
    if let Some(place) = Place::postgres() {
        run(kill_and_go_on(place));
    }
}

/// A list of so many components.
fn bom(count: i64) -> Value {
    let component =
        |n: i64| json!({"type": "library", "name": format!("part-{n}"), "version": "1"});
    let components: Vec<Value> = (0..count).map(component).collect();
    json!({"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components})
}

async fn kill_and_go_on(place: Place) {
    let mut server = place.serve();
    let token = place.token();
    let client = server.client(&token);
    let project = project(&client).await;
    let sboms = format!("{project}/sboms");
    client.post(&sboms).json(&bom(FEW)).await.is(202);
    until("the first list is there", async || {
        shown(&server, &token, &project).await == FEW
    })
    .await;
    let sent = client.post(&sboms).json(&bom(MANY)).await.is(202).json();
    let upload = format!("{sboms}/{}", sent["token"].as_str().unwrap());

    for kill in 1..=2 {
        until("more of the list is written", async || written(&place).await > FEW + kill).await;
        let seen = shown(&server, &token, &project).await;
        assert!(seen == FEW || seen == MANY, "{seen} of a list that is not whole");
        server.kill();
        // A job is its server's for a minute, also of one that was killed.
        place
            .within(|tx| tx.execute(sql!("update jobs set lease_until = created_at"), ()))
            .await;
        server = place.serve();
        let seen = shown(&server, &token, &project).await;
        assert!(seen == FEW || seen == MANY, "{seen} of a list that is not whole");
    }
    until("the list has been read", async || {
        server.client(&token).get(&upload).await.is(200).json()["finished"] == true
    })
    .await;

    assert_eq!(shown(&server, &token, &project).await, MANY);
    server.terminate();
    place.succeeds(&["check", "--contents"]);
}

/// Dependencies of the list that readers see; the header tells no more than 10,000.
async fn shown(server: &Server, token: &str, project: &str) -> i64 {
    let at = format!("{project}/dependencies?per_page=1&search=part-");
    let page = server.client(token).get(at).await.is(200);
    page.header("x-total").parse().unwrap_or(MANY)
}

/// Rows of all lists, seen or not.
async fn written(place: &Place) -> i64 {
    let (count,): (i64,) = place.row(sql!("select count(*) from dependencies")).await;
    count
}
