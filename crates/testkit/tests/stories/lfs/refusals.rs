//! Who may not, and what cannot be.

use super::{batch, follow, object, post, send};
use http::Method;
use serde_json::{Value, json};
use testkit::sha256;

#[testkit::story]
async fn roles_decide_and_strangers_learn_nothing(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    send(&t, &t.admin(), "acme/anvil", "steel").await;
    let (reporter, outsider) = (t.user("reporter").await, t.user("outsider").await);
    project.add(&reporter, 20).await;
    let objects = json!([object("steel")]);
    batch(&reporter, "acme/anvil", "download", objects.clone()).await.is(200);
    let refused = batch(&reporter, "acme/anvil", "upload", objects.clone()).await.is(403);
    assert_eq!(refused.json()["message"], "Access forbidden. Check your access level.");
    for (client, status) in [(t.anonymous(), 401), ((*outsider).clone(), 404)] {
        for path in ["acme/anvil", "acme/absent"] {
            for operation in ["download", "upload"] {
                batch(&client, path, operation, objects.clone()).await.is(status);
            }
            let listed = client.at(format!("/{path}.git/info/lfs/locks")).await;
            assert_eq!(listed.status, status, "{path}");
            post(&client, path, "locks", &json!({"path": "a"})).await.is(status);
        }
    }
    let stranger = batch(&t.anonymous(), "acme/anvil", "download", objects).await;
    assert_eq!(stranger.header("lfs-authenticate"), "Basic realm=\"Service\"");
}

#[testkit::story(noon)]
async fn a_ticket_is_for_one_way_and_for_two_hours(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    send(&t, &t.admin(), "acme/anvil", "steel").await;
    let developer = t.user("developer").await;
    project.add(&developer, 30).await;
    let down = batch(&developer, "acme/anvil", "download", json!([object("steel")]))
        .await
        .json();
    let up = batch(&developer, "acme/anvil", "upload", json!([object("tin")])).await.json();
    let authorization = |told: &Value, action: &str| {
        let way = &told["objects"][0]["actions"][action];
        way["header"]["Authorization"].as_str().unwrap().to_owned()
    };
    let put = async |authorization: &str| {
        let path = format!("/acme/anvil.git/service-lfs/objects/{}/3", sha256("tin"));
        let put = t.anonymous().request(Method::PUT, path);
        put.header("authorization", authorization).bytes("tin").await.status
    };
    assert_eq!(put(&authorization(&down, "download")).await, 403);
    assert_eq!(put("Bearer made-up").await, 401);
    assert_eq!(put("").await, 401);
    assert_eq!(put(&format!("{}x", authorization(&up, "upload"))).await, 401);
    // Who is no member any more gets nothing, and gives nothing.
    let gone = project.at(&format!("/members/{}", developer.id));
    t.admin().delete(&gone).await.is(204);
    assert_eq!(put(&authorization(&up, "upload")).await, 403);
    follow(&t, &down, "download", None).await.is(403);
    project.add(&developer, 30).await;
    follow(&t, &down, "download", None).await.is(200);
    t.advance(7200);
    follow(&t, &down, "download", None).await.is(401);
}

#[testkit::story]
async fn requests_that_make_no_sense_are_refused(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let admin = t.admin();
    let ask = async |operation: &str, objects: Value| {
        let reply = batch(&admin, "acme/anvil", operation, objects).await;
        assert!(reply.json()["message"].is_string() || reply.status == 200, "{}", reply.text());
        reply
    };
    ask("download", json!([])).await.is(404);
    ask("verify", json!([object("a")])).await.is(422);
    let many: Vec<Value> = (0..1001).map(|n| object(&n.to_string())).collect();
    ask("download", json!(many)).await.is(413);
    ask("download", json!(many[..1000])).await.is(200);
    ask("download", json!([{"oid": 7, "size": 1}])).await.is(422);
    for bad in [
        json!({"oid": "a", "size": 1}),
        json!({"oid": sha256("a").to_uppercase(), "size": 1}),
        json!({"oid": sha256("a"), "size": -1}),
        json!({"oid": "../../etc/passwd", "size": 1}),
    ] {
        let told = ask("upload", json!([bad, object("good")])).await.is(200).json();
        assert_eq!(told["objects"][0]["error"]["code"], 422, "{bad}");
        assert!(told["objects"][1]["actions"]["upload"].is_object());
    }
    let body = json!({"operation": "download", "hash_algo": "sha512", "objects": [object("a")]});
    post(&admin, "acme/anvil", "objects/batch", &body).await.is(409);
    post(&admin, "acme/anvil", "objects/batch", &json!("x".repeat(2_000_000)))
        .await
        .is(413);
    post(&admin, "acme/anvil", "objects", &json!({})).await.is(501);
    let set = json!({"receive_max_input_size": 1});
    admin.put("/application/settings").json(&set).await.is(200);
    let large = json!([{"oid": sha256("a"), "size": 1024 * 1024 + 1}]);
    let told = ask("upload", large).await.is(200).json();
    assert_eq!(told["objects"][0]["error"]["code"], 422);
}

#[testkit::story]
async fn large_files_can_be_switched_off(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    let objects = json!([object("a")]);
    admin.put(project.at("")).json(&json!({"lfs_enabled": false})).await.is(200);
    assert_eq!(admin.get(project.at("")).await.json()["lfs_enabled"], false);
    batch(&admin, "acme/anvil", "upload", objects.clone()).await.is(404);
    admin.put(project.at("")).json(&json!({"lfs_enabled": true})).await.is(200);
    let told = batch(&admin, "acme/anvil", "upload", objects.clone()).await.is(200).json();
    admin
        .put("/application/settings")
        .json(&json!({"lfs_enabled": false}))
        .await
        .is(200);
    batch(&admin, "acme/anvil", "upload", objects).await.is(501);
    follow(&t, &told, "upload", Some("a")).await.is(501);
}

#[testkit::story]
async fn a_read_only_instance_takes_no_large_file(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let admin = t.admin();
    let told = batch(&admin, "acme/anvil", "upload", json!([object("a")])).await.json();
    admin
        .put("/application/settings")
        .json(&json!({"maintenance_mode": true}))
        .await
        .is(200);
    let refused = batch(&admin, "acme/anvil", "upload", json!([object("a")])).await.is(403);
    let text = "You cannot write to this read-only Service instance.";
    assert_eq!(refused.json()["message"], text);
    follow(&t, &told, "upload", Some("a")).await.is(403);
    batch(&admin, "acme/anvil", "download", json!([object("a")])).await.is(200);
}
