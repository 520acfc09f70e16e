//! Generic uploads as multipart forms whose fields count beside the query's.

use crate::packages::registry::Registry;
use serde_json::json;
use testkit::{Client, Reply};

fn field(name: &str, text: &str) -> String {
    format!("--cut\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
}

fn file(bytes: &str) -> String {
    format!(
        "--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n{bytes}\r\n"
    )
}

async fn send(who: &Client, path: String, parts: &[String]) -> Reply {
    who.put(path)
        .header("content-type", "multipart/form-data; boundary=cut")
        .bytes(format!("{}--cut--\r\n", parts.concat()))
        .await
}

#[testkit::story]
async fn fields_count_before_and_after_the_file(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let hidden = field("status", "hidden");
    send(&t.admin(), r.generic("before/1.0/a"), &[hidden.clone(), file("a")])
        .await
        .is(201);
    send(&t.admin(), r.generic("after/1.0/a"), &[file("a"), hidden]).await.is(201);
    send(&t.admin(), r.generic("shown/1.0/a"), &[file("a"), field("status", "default")])
        .await
        .is(201);

    assert_eq!(t.admin().get(r.at("")).await.is(200).each("name"), ["shown"]);
    let hidden = t.admin().get(r.at("?status=hidden&order_by=name&sort=asc")).await.is(200);
    assert_eq!(hidden.each("name"), ["after", "before"]);
}

#[testkit::story]
async fn a_form_may_ask_for_the_record(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let select = field("select", "package_file");
    let reply = send(&t.admin(), r.generic("hammer/1.0/a.txt"), &[select, file("strike")])
        .await
        .is(200);
    assert_eq!(
        (&reply.json()["file_name"], &reply.json()["size"]),
        (&json!("a.txt"), &json!(6))
    );
    // The address says where it goes, whatever a field says.
    let elsewhere = [field("package_name", "nail"), field("file_path", "b"), file("x")];
    send(&t.admin(), r.generic("hammer/1.0/c"), &elsewhere).await.is(201);
    assert_eq!(r.get(&t, "hammer/1.0/c").await, "x");
    assert_eq!(t.admin().get(r.at("")).await.is(200).each("name"), ["hammer"]);
}

#[testkit::story]
async fn wrong_fields_leave_nothing(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let path = || r.generic("hammer/1.0/a");
    for wrong in [field("status", "error"), field("select", "all")] {
        send(&t.admin(), path(), &[wrong.clone(), file("a")]).await.is(400);
        send(&t.admin(), path(), &[file("a"), wrong]).await.is(400);
    }
    send(&t.admin(), path(), &[field("status", "hidden")]).await.is(400);
    send(&t.admin(), path(), &[file("a"), file("b")]).await.is(400);
    send(&t.anonymous(), path(), &[file("a")]).await.is(401);
    assert_eq!(t.admin().get(r.at("?status=hidden")).await.is(200).json(), json!([]));
    assert_eq!(t.admin().get(r.at("")).await.is(200).json(), json!([]));
}
