//! Locks: who is at work on which path.

use super::post;
use serde_json::{Value, json};
use testkit::Client;

async fn listed(client: &Client, query: &str) -> Value {
    let path = format!("/acme/anvil.git/info/lfs/locks{query}");
    client.at(path).await.is(200).json()
}

#[testkit::story]
async fn a_path_is_locked_listed_and_unlocked(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    project.add(&jane, 30).await;
    project.add(&john, 30).await;
    let made = post(&jane, "acme/anvil", "locks", &json!({"path": "art/horn.psd"})).await;
    let lock = made.is(201).json()["lock"].clone();
    assert_eq!(lock["path"], "art/horn.psd");
    assert!(lock["id"].is_string() && lock["owner"]["name"].is_string(), "{lock}");
    let again = post(&john, "acme/anvil", "locks", &json!({"path": "art/horn.psd"})).await;
    let again = again.is(409).json();
    assert_eq!((&again["message"], &again["lock"]), (&json!("already locked"), &lock));
    assert_eq!(listed(&john, "").await["locks"], json!([lock]));
    assert_eq!(listed(&john, "?path=art").await["locks"], json!([]));
    for (who, mine, others) in [(&jane, 1, 0), (&john, 0, 1)] {
        let told = post(who, "acme/anvil", "locks/verify", &json!({})).await.is(200).json();
        let counts =
            (told["ours"].as_array().unwrap().len(), told["theirs"].as_array().unwrap().len());
        assert_eq!(counts, (mine, others));
    }
    let unlock = format!("locks/{}/unlock", lock["id"].as_str().unwrap());
    let refused = post(&john, "acme/anvil", &unlock, &json!({})).await.is(403);
    let text = format!("art/horn.psd is locked by Service User {}", jane.id);
    assert_eq!(refused.json()["message"], text);
    let force = json!({"force": true});
    let refused = post(&john, "acme/anvil", &unlock, &force).await.is(403);
    assert!(refused.text().contains("maintainer access"), "{}", refused.text());
    let gone = post(&t.admin(), "acme/anvil", &unlock, &force).await.is(200).json();
    assert_eq!(gone["lock"], lock);
    post(&jane, "acme/anvil", &unlock, &json!({})).await.is(404);
    assert_eq!(listed(&john, "").await["locks"], json!([]));
}

#[testkit::story]
async fn of_eight_who_lock_at_once_one_does(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let admin = t.admin();
    let body = json!({"path": "a"});
    let tries = (0..8).map(|_| async { post(&admin, "acme/anvil", "locks", &body).await.status });
    let mut statuses = futures_util::future::join_all(tries).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
}

#[testkit::story]
async fn many_locks_come_in_pages(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let admin = t.admin();
    for number in 0..5 {
        let body = json!({"path": format!("{number}.psd")});
        post(&admin, "acme/anvil", "locks", &body).await.is(201);
    }
    let (mut paths, mut query) = (Vec::new(), "?limit=2".to_owned());
    for _ in 0..3 {
        let page = listed(&admin, &query).await;
        let locks = page["locks"].as_array().unwrap().iter();
        paths.extend(locks.map(|lock| lock["path"].as_str().unwrap().to_owned()));
        match page["next_cursor"].as_str() {
            Some(next) => query = format!("?limit=2&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(paths, ["0.psd", "1.psd", "2.psd", "3.psd", "4.psd"]);
    let first = post(&admin, "acme/anvil", "locks/verify", &json!({"limit": 4})).await.json();
    assert_eq!(first["ours"].as_array().unwrap().len(), 4);
    let rest = json!({"cursor": first["next_cursor"]});
    let rest = post(&admin, "acme/anvil", "locks/verify", &rest).await.is(200).json();
    assert_eq!(rest["ours"][0]["path"], "4.psd");
    assert!(rest["next_cursor"].is_null());
}

#[testkit::story]
async fn locks_that_make_no_sense_are_refused(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let admin = t.admin();
    for body in [
        json!({}),
        json!({"path": ""}),
        json!({"path": "a\0"}),
        json!([1]),
        json!({"path": "a".repeat(5000)}),
    ] {
        post(&admin, "acme/anvil", "locks", &body).await.is(422);
    }
    post(&admin, "acme/anvil", "locks/7/unlock", &json!({})).await.is(404);
    let cursor = json!({"cursor": "x"});
    post(&admin, "acme/anvil", "locks/verify", &cursor).await.is(422);
}
