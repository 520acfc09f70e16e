//! Which project an import makes.

use super::double::{Thing, Upstream};
use super::of_server;
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn a_name_that_is_taken_is_refused_and_groups_are_made(t: TestServer) {
    let upstream = Upstream::start(&t, false).await;
    upstream.has(
        "/projects/KEY/repos/tool",
        Thing::One(json!({"id": 7, "slug": "tool", "name": "Tool", "public": true})),
    );
    let jane = t.user("jane").await;
    let post = |more: serde_json::Value| {
        jane.post("/import/provider_b_server").json(&of_server(&t, &upstream, more))
    };
    let made = post(json!({})).await.is(201).json();
    assert_eq!(
        (&made["full_path"], &made["import_warning"]),
        (&json!("/jane/tool"), &json!(null))
    );
    let told = jane.get(format!("/projects/{}", made["id"])).await.is(200).json();
    assert_eq!(told["visibility"], "public", "as it is there");
    let said = post(json!({})).await.is(422).json();
    let text = said["message"]["error"].as_str().expect("a text");
    assert_eq!(text, "Name has already been taken, Path has already been taken");

    let made = post(json!({"target_namespace": "fresh/deep", "new_name": "My tool"})).await;
    let made = made.is(201).json();
    assert_eq!(
        (&made["full_path"], &made["full_name"]),
        (&json!("/fresh/deep/my-tool"), &json!("fresh / deep / My tool"))
    );
    let group = jane.get("/groups/fresh%2Fdeep").await.is(200).json();
    assert_eq!(group["visibility"], "private");
}
