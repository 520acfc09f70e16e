//! What counts as a user's last activity: what they do, not what is done to them.

use serde_json::{Value, json};
use testkit::TestServer;

/// The day, as administrators see it.
async fn last(t: &TestServer, id: i64) -> Value {
    let user = t.admin().get(format!("/users/{id}")).await.is(200);
    user.json()["last_activity_on"].clone()
}

/// It is written down beside the request: asks until it is another day.
async fn becomes(t: &TestServer, id: i64, day: &str) {
    for _ in 0..2_000 {
        if last(t, id).await == json!(day) {
            return;
        }
    }
    panic!("{day} was never noted");
}

#[testkit::story(noon)]
async fn activity_is_what_people_do(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let path = format!("/users/{}", jane.id);
    t.admin().put(&path).json(&json!({"bio": "x", "note": "y"})).await.is(200);
    t.admin().get("/user?sudo=jane").await.is(200);
    assert_eq!(last(&t, jane.id).await, Value::Null, "others did that");

    let day = |t: &TestServer| t.now().strftime("%Y-%m-%d").to_string();
    let browser = t.new_browser();
    browser.sign_in("jane").await;
    assert_eq!(last(&t, jane.id).await, json!(day(&t)), "signing in");
    t.advance(24 * 60 * 60);
    let issue = json!({"title": "It cracks"});
    jane.post(project.at("/issues")).json(&issue).await.is(201);
    becomes(&t, jane.id, &day(&t)).await;
    t.advance(24 * 60 * 60);
    let file = project.at("/packages/generic/hammer/1.0/hammer.txt");
    jane.put(file).bytes("a hammer").await.is(201);
    becomes(&t, jane.id, &day(&t)).await;
    t.advance(24 * 60 * 60);
    browser.get("/acme/anvil").await.is(200);
    becomes(&t, jane.id, &day(&t)).await;
}
