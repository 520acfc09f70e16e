//! What callers may send before it is known who they are.

use http::Method;
use serde_json::json;
use testkit::{Request, TestServer};

/// A form that is too large for who is unknown.
fn large(fields: &str) -> String {
    format!("{fields}&description={}", "x".repeat(64 * 1024))
}

fn form(request: Request, body: &str) -> Request {
    request.form(body)
}

#[testkit::story]
async fn a_body_comes_after_the_credentials(t: TestServer) {
    let token = t.admin().token().unwrap().to_owned();
    let nobody = t.anonymous();
    let small = format!("name=a&path=a&private_token={token}");
    form(nobody.post("/groups"), &small).await.is(201);

    let group = format!("name=b&path=b&private_token={token}");
    form(nobody.post("/groups"), &large(&group)).await.is(413);
    // It is read, and only then found too long for a description.
    let read = form(t.admin().post("/groups"), &large("name=b&path=b")).await;
    let told = read.is(400).json();
    assert!(told["message"]["description"].is_array(), "{told}");
}

#[testkit::story]
async fn forms_of_strangers_are_small(t: TestServer) {
    for path in ["/users/sign_in", "/users/password", "/users/sign_up", "/users/password/new"] {
        let post = t.anonymous().request(Method::POST, path);
        form(post, &large("a=b")).await.is(413);
    }
    let kind = "application/json";
    let query = json!({"query": "x".repeat(64 * 1024)}).to_string();
    let post = t.anonymous().request(Method::POST, "/api/graphql");
    post.header("content-type", kind).bytes(query).await.is(413);
}
