//! Deploy keys: of a project, of several, and of all.

use serde_json::{Value, json};
use testkit::TestServer;

const KEY: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
const OTHER: &str = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBHwf2HMM5TRXvo2SQJjsNkiDD5KqiiNjrGVv3UUh+mMT5RHxiRtOnlqvjhQtBq0VpmpCV/PwUdhOig4vkbqAcEc=";

fn key(title: &str, line: &str) -> Value {
    json!({"title": title, "key": format!("{line} machine")})
}

#[testkit::story]
async fn a_project_has_keys_that_are_changed_and_go(t: TestServer) {
    let anvil = t.project("acme/anvil").await;
    let maintainer = t.user("maintainer").await;
    anvil.add(&maintainer, 40).await;
    let at = anvil.at("/deploy_keys");
    let made = maintainer.post(&at).json(&key("ci", KEY)).await.is(201);
    let shown = made.json();
    assert_eq!(shown["key"], json!(format!("{KEY} machine")));
    assert_eq!(shown["can_push"], json!(false));
    assert_eq!(shown["usage_type"], json!("auth"));
    assert_eq!(
        shown["fingerprint_sha256"],
        "SHA256:UCUiLr7Pjs9wFFJMDByLgc3NrtdU344OgUM45wZPcIQ"
    );
    assert_eq!(shown["fingerprint"].as_str().map(str::len), Some(47));
    // Once more is the same.
    let again = maintainer.post(&at).json(&key("twice", KEY)).await.is(201);
    assert_eq!((again.id(), again.json()["title"].clone()), (made.id(), json!("ci")));
    let one = anvil.at(&format!("/deploy_keys/{}", made.id()));
    maintainer.put(&one).json(&json!({})).await.is(400);
    let changed = json!({"title": "build", "can_push": true});
    let changed = maintainer.put(&one).json(&changed).await.is(200).json();
    assert_eq!((&changed["title"], &changed["can_push"]), (&json!("build"), &json!(true)));
    maintainer.put(&one).json(&json!({"title": " "})).await.is(400);
    assert_eq!(maintainer.get(&one).await.is(200).json(), changed);
    assert_eq!(maintainer.get(&at).await.is(200).json(), json!([changed]));
    // It is nobody's key.
    let mine = maintainer.post("/user/keys").json(&key("mine", KEY)).await.is(400).json();
    assert_eq!(mine["message"]["key"], json!(["has already been taken"]));

    let developer = t.user("developer").await;
    anvil.add(&developer, 30).await;
    developer.get(&at).await.is(403);
    developer.post(&at).json(&key("x", OTHER)).await.is(403);
    developer.delete(&one).await.is(403);
    t.user("stranger").await.get(&at).await.is(404);
    t.anonymous().get(&at).await.is(401);
    let bad = maintainer.post(&at).json(&key("x", "ssh-rsa AAAA")).await.is(400).json();
    assert_eq!(bad["message"]["key"], json!(["is invalid"]));

    let any = t.admin().get(format!("/keys/{}", made.id())).await.is(200).json();
    assert_eq!(any["user"]["username"], "maintainer");
    assert_eq!(any["deploy_keys_projects"][0]["project_id"], json!(anvil.id));
    assert_eq!(any["deploy_keys_projects"][0]["can_push"], json!(true));
    maintainer.delete(&one).await.is(204);
    let gone = maintainer.delete(&one).await.is(404).json();
    assert_eq!(gone["message"], "404 Deploy key Not Found");
    t.admin().get(format!("/keys/{}", made.id())).await.is(404);
}

#[testkit::story]
async fn a_key_opens_further_projects_of_who_has_it(t: TestServer) {
    let (anvil, hammer) = (t.project("acme/anvil").await, t.project("acme/hammer").await);
    let (ada, eve) = (t.user("ada").await, t.user("eve").await);
    anvil.add(&ada, 40).await;
    hammer.add(&ada, 40).await;
    hammer.add(&eve, 40).await;
    let body = json!({"title": "ci", "key": KEY, "can_push": true});
    let id = ada.post(anvil.at("/deploy_keys")).json(&body).await.is(201).id();
    // Who does not have it may neither take it nor learn that it is there.
    let enable = hammer.at(&format!("/deploy_keys/{id}/enable"));
    eve.post(&enable).await.is(404);
    eve.post(hammer.at("/deploy_keys")).json(&key("x", KEY)).await.is(400);
    let enabled = ada.post(&enable).await.is(201).json();
    assert_eq!((&enabled["id"], &enabled["can_push"]), (&json!(id), &json!(false)));
    ada.post(&enable).await.is(201);
    ada.post(hammer.at("/deploy_keys/999/enable")).await.is(404);
    // Now that it opens a project of theirs, they have it.
    eve.get(hammer.at(&format!("/deploy_keys/{id}"))).await.is(200);
    let all = t.admin().get("/deploy_keys").await.is(200).json();
    assert_eq!(all[0]["projects_with_write_access"][0]["id"], json!(anvil.id));
    assert_eq!(all[0]["projects_with_readonly_access"][0]["path_with_namespace"], "acme/hammer");
    ada.get("/deploy_keys").await.is(403);
    ada.delete(anvil.at(&format!("/deploy_keys/{id}"))).await.is(204);
    eve.get(hammer.at(&format!("/deploy_keys/{id}"))).await.is(200);
    eve.delete(hammer.at(&format!("/deploy_keys/{id}"))).await.is(204);
    assert_eq!(t.admin().get("/deploy_keys").await.is(200).json(), json!([]));
}

#[testkit::story]
async fn keys_of_administrators_are_for_every_project(t: TestServer) {
    let anvil = t.project("acme/anvil").await;
    let ada = t.user("ada").await;
    anvil.add(&ada, 40).await;
    ada.post("/deploy_keys").json(&key("x", KEY)).await.is(403);
    let id = t.admin().post("/deploy_keys").json(&key("all", KEY)).await.is(201).id();
    assert_eq!(t.admin().get("/deploy_keys?public=true").await.is(200).each("id"), [json!(id)]);
    assert_eq!(t.admin().get("/deploy_keys?public=false").await.is(200).json(), json!([]));
    let one = anvil.at(&format!("/deploy_keys/{id}"));
    ada.post(format!("{one}/enable")).await.is(201);
    ada.put(&one).json(&json!({"title": "mine"})).await.is(403);
    ada.put(&one).json(&json!({"can_push": true})).await.is(200);
    ada.delete(&one).await.is(204);
    assert_eq!(t.admin().get("/deploy_keys").await.is(200).each("title"), [json!("all")]);
}

#[testkit::story]
async fn a_protected_branch_lets_a_key_push(t: TestServer) {
    let anvil = t.project("acme/anvil").await;
    let body = json!({"title": "ci", "key": KEY, "can_push": true});
    let id = t.admin().post(anvil.at("/deploy_keys")).json(&body).await.is(201).id();
    let rule = json!({"name": "stable", "allowed_to_push": [{"deploy_key_id": id}]});
    let made = t.admin().post(anvil.at("/protected_branches")).json(&rule).await.is(201).json();
    assert_eq!(made["push_access_levels"][0]["deploy_key_id"], json!(id));
    t.admin().delete(anvil.at(&format!("/deploy_keys/{id}"))).await.is(204);
    let left = t.admin().get(anvil.at("/protected_branches/stable")).await.is(200).json();
    assert_eq!(left["push_access_levels"], json!([]));
}
