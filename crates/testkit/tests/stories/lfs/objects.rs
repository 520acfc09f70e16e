//! Files that are sent and got.

use super::{batch, follow, object, send};
use http::Method;
use serde_json::{Value, json};
use testkit::sha256;

#[testkit::story]
async fn a_large_file_is_sent_and_got(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let told = batch(&t.admin(), "acme/anvil", "upload", json!([object("steel")]))
        .await
        .is(200);
    assert_eq!(told.header("content-type"), "application/vnd.git-lfs+json");
    let told = told.json();
    assert_eq!(told["transfer"], "basic");
    let way = &told["objects"][0]["actions"]["upload"];
    assert_eq!(way["expires_in"], 7200);
    assert_eq!(way["header"]["Content-Type"], "application/octet-stream");
    let href = way["href"].as_str().unwrap();
    let end = format!("/acme/anvil.git/service-lfs/objects/{}/5", sha256("steel"));
    assert!(href.ends_with(&end), "{href}");
    follow(&t, &told, "upload", Some("steel")).await.is(200);
    // Nobody sends again what is there.
    let told = batch(&t.admin(), "acme/anvil", "upload", json!([object("steel")]))
        .await
        .is(200);
    assert!(told.json()["objects"][0]["actions"].is_null(), "{}", told.text());
    let told = batch(&t.admin(), "acme/anvil", "download", json!([object("steel")]))
        .await
        .json();
    let got = follow(&t, &told, "download", None).await.is(200);
    assert_eq!(got.text(), "steel");
    assert_eq!(got.header("x-content-type-options"), "nosniff");
    let way = &told["objects"][0]["actions"]["download"];
    let href = way["href"].as_str().unwrap();
    let path = &href[href.find("/acme").unwrap()..];
    let part = t
        .anonymous()
        .request(Method::GET, path)
        .header("authorization", way["header"]["Authorization"].as_str().unwrap())
        .header("range", "bytes=1-2")
        .await
        .is(206);
    assert_eq!(part.text(), "te");
    let statistics = t.admin().get(project.at("?statistics=true")).await.is(200).json();
    assert_eq!(statistics["statistics"]["lfs_objects_size"], 5);
    let query = "{project(fullPath:\"acme/anvil\"){statistics{lfsObjectsSize storageSize}}}";
    let asked = t.admin().request(Method::POST, "/api/graphql").json(&json!({"query": query}));
    let told = asked.await.is(200).json();
    assert_eq!(
        told["data"]["project"]["statistics"],
        json!({"lfsObjectsSize": 5.0, "storageSize": 5.0})
    );
}

#[testkit::story]
async fn a_file_of_another_project_is_not_there(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    t.project("acme/horn").await;
    send(&t, &t.admin(), "acme/anvil", "steel").await;
    let told = batch(&t.admin(), "acme/horn", "download", json!([object("steel")]))
        .await
        .json();
    assert_eq!(told["objects"][0]["error"]["code"], 404);
    // Who has only its name has to send its bytes.
    let told = batch(&t.admin(), "acme/horn", "upload", json!([object("steel")])).await.json();
    follow(&t, &told, "upload", Some("tin")).await.is(400);
    follow(&t, &told, "upload", Some("steel")).await.is(200);
}

#[testkit::story]
async fn what_is_not_as_it_was_told_is_not_kept(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let told = batch(&t.admin(), "acme/anvil", "upload", json!([object("steel")])).await.json();
    for wrong in ["", "stee", "steeL", "steel and more"] {
        let refused = follow(&t, &told, "upload", Some(wrong)).await.is(400);
        assert_eq!(refused.json()["message"], "SHA256 or size mismatch", "{wrong}");
    }
    let told = batch(&t.admin(), "acme/anvil", "download", json!([object("steel")]))
        .await
        .json();
    assert_eq!(told["objects"][0]["error"]["code"], 404);
    let statistics = t.admin().get(project.at("?statistics=true")).await.json();
    assert_eq!(statistics["statistics"]["lfs_objects_size"], 0);
}

#[testkit::story]
async fn eight_who_send_the_same_keep_one(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    // All are told to send it before the first one has.
    let asking = (0..8).map(|_| batch(&admin, "acme/anvil", "upload", json!([object("steel")])));
    let tickets = futures_util::future::join_all(asking).await;
    let tickets: Vec<Value> = tickets.into_iter().map(|reply| reply.is(200).json()).collect();
    let sending = tickets.iter().map(|ticket| follow(&t, ticket, "upload", Some("steel")));
    for sent in futures_util::future::join_all(sending).await {
        sent.is(200);
    }
    let statistics = t.admin().get(project.at("?statistics=true")).await.json();
    assert_eq!(statistics["statistics"]["lfs_objects_size"], 5);
}
