//! Who is told what.

use super::{deed, deeds, workshop};
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn only_who_sees_a_thing_is_told_of_it(t: TestServer) {
    let (project, jane, joe) = workshop(&t).await;
    let hidden = json!({"title": "Secret", "confidential": true});
    jane.post(project.at("/issues")).json(&hidden).await.is(201);
    jane.post(project.at("/issues/1/notes"))
        .json(&json!({"body": "Psst."}))
        .await
        .is(201);
    jane.post(project.at("/issues")).json(&json!({"title": "Open"})).await.is(201);
    let internal = json!({"body": "Among us.", "internal": true});
    jane.post(project.at("/issues/2/notes")).json(&internal).await.is(201);

    let events = project.at("/events");
    let of_jane = deeds(&jane, &events).await;
    let told = ["commented on", "opened", "commented on", "opened"];
    assert_eq!(of_jane[..4].iter().map(|(action, _)| action.as_str()).collect::<Vec<_>>(), told);
    // A guest sees neither the confidential issue nor what only reporters read.
    let seen = joe.get(&events).await.is(200);
    assert_eq!(seen.header("x-total"), "4");
    assert_eq!(deeds(&joe, &events).await[0], deed("opened", "Open"));
    assert_eq!(deeds(&joe, "/users/jane/events").await.len(), 2);
    assert_eq!(deeds(&joe, &format!("{events}?target_type=note")).await, []);

    let outsider = t.user("outsider").await;
    outsider.get(&events).await.is(404);
    assert_eq!(deeds(&outsider, "/users/jane/events").await, []);
    t.anonymous().get(&events).await.is(404);
    t.anonymous().get("/events").await.is(401);
    assert_eq!(deeds(&t.anonymous(), "/users/jane/events").await, []);
    jane.get("/users/nobody/events").await.is(404);
    jane.get("/users/0/events").await.is(404);
}

#[testkit::story]
async fn strangers_are_told_of_public_projects(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let expected = [deed("opened", "Hinge"), deed("joined", "")];
    assert_eq!(deeds(&t.anonymous(), "/users/jane/events").await, expected);
    assert_eq!(deeds(&t.anonymous(), &project.at("/events")).await[..2], expected);

    // Issues for members alone are nobody else's business.
    let private = json!({"issues_access_level": "private"});
    t.admin().put(project.at("")).json(&private).await.is(200);
    assert_eq!(deeds(&t.anonymous(), "/users/jane/events").await, expected[1..]);
    assert_eq!(deeds(&jane, "/users/jane/events").await, expected);
}

#[testkit::story]
async fn a_private_profile_tells_others_nothing(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 30).await;
    let private = json!({"private_profile": true});
    t.admin().put(format!("/users/{}", jane.id)).json(&private).await.is(200);
    assert_eq!(deeds(&joe, "/users/jane/events").await, []);
    assert_eq!(deeds(&t.anonymous(), "/users/jane/events").await, []);
    assert_eq!(deeds(&jane, "/users/jane/events").await, [deed("joined", "")]);
    assert_eq!(deeds(&t.admin(), "/users/jane/events").await, [deed("joined", "")]);
    // What she did in a project shows there, as the things themselves do.
    assert_eq!(deeds(&joe, &project.at("/events")).await[0], deed("joined", ""));
}

#[testkit::story]
async fn scopes_say_which_tokens_read_it(t: TestServer) {
    let (project, jane, _) = workshop(&t).await;
    for (scopes, status) in [(["read_user"], 200), (["read_api"], 200), (["read_registry"], 403)] {
        let token = t.token_of(jane.id, &scopes).await;
        token.get("/events").await.is(status);
        token.get(project.at("/events")).await.is(status);
    }
    jane.head("/events").await.is(200);
}
