//! Keys of users through REST.

use serde_json::{Value, json};
use testkit::TestServer;

const KEY: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
const OTHER: &str = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBHwf2HMM5TRXvo2SQJjsNkiDD5KqiiNjrGVv3UUh+mMT5RHxiRtOnlqvjhQtBq0VpmpCV/PwUdhOig4vkbqAcEc=";
const SHA256: &str = "UCUiLr7Pjs9wFFJMDByLgc3NrtdU344OgUM45wZPcIQ";

fn key(title: &str, line: &str) -> Value {
    json!({"title": title, "key": format!("{line} ada@example.com")})
}

#[testkit::story]
async fn one_has_keys_that_others_see_without_an_address(t: TestServer) {
    let ada = t.user("ada").await;
    let new = json!({
        "title": "laptop",
        "key": format!("{KEY} ada@example.com"),
        "expires_at": "2099-01-01",
        "usage_type": "auth",
    });
    let made = ada.post("/user/keys").json(&new).await.is(201);
    let expected = json!({
        "id": made.id(),
        "title": "laptop",
        "created_at": made.json()["created_at"],
        "expires_at": "2099-01-01T00:00:00.000Z",
        "key": format!("{KEY} ada (127.0.0.1)"),
        "usage_type": "auth",
        "last_used_at": null,
    });
    assert_eq!(made.json(), expected);
    let order: Vec<String> = made
        .json()
        .as_object()
        .map(|keys| keys.keys().cloned().collect())
        .unwrap_or_default();
    let wanted = ["id", "title", "created_at", "expires_at", "key", "usage_type", "last_used_at"];
    assert_eq!(order, wanted);
    let other = ada.post("/user/keys").json(&key("desk", OTHER)).await.is(201);
    assert_eq!(other.json()["usage_type"], "auth_and_signing");
    let both = [json!(made.id()), json!(other.id())];
    assert_eq!(ada.get("/user/keys").await.is(200).each("id"), both);
    assert_eq!(ada.get("/user/keys?per_page=1&page=2").await.is(200).each("id"), both[1..]);
    let one = format!("/user/keys/{}", made.id());
    assert_eq!(ada.get(&one).await.is(200).json(), expected);
    // Strangers see them, too, by number and by name.
    assert_eq!(t.anonymous().get("/users/ada/keys").await.is(200).each("id"), both);
    let of_ada = format!("/users/{}/keys/{}", ada.id, made.id());
    assert_eq!(t.anonymous().get(&of_ada).await.is(200).json(), expected);
    t.anonymous().get("/users/nobody/keys").await.is(404);

    let eve = t.user("eve").await;
    eve.get(&one).await.is(404);
    eve.delete(&one).await.is(404);
    eve.delete(&of_ada).await.is(403);
    ada.delete(&one).await.is(204);
    ada.delete(&one).await.is(404);
    let gone = ada.get(&one).await.is(404).json();
    assert_eq!(gone["message"], "404 Key Not Found");
    t.settle().await;
    let mails = t.app().mailer().sent();
    let subjects = mails.iter().filter(|mail| mail.subject == "An SSH key was added");
    assert_eq!(subjects.count(), 2);
}

#[testkit::story]
async fn administrators_add_find_and_remove_keys(t: TestServer) {
    let ada = t.user("ada").await;
    let path = format!("/users/{}/keys", ada.id);
    ada.post(&path).json(&key("x", KEY)).await.is(403);
    let made = t.admin().post(&path).json(&key("laptop", KEY)).await.is(201);
    let found = t.admin().get(format!("/keys/{}", made.id())).await.is(200).json();
    assert_eq!((&found["id"], &found["user"]["username"]), (&json!(made.id()), &json!("ada")));
    assert!(found.get("deploy_keys_projects").is_none());
    let by =
        async |fingerprint: &str| t.admin().get(format!("/keys?fingerprint={fingerprint}")).await;
    assert_eq!(by(&format!("SHA256:{SHA256}")).await.is(200).id(), made.id());
    let pairs = "ae:6f:ba:1b:70:2c:ae:c7:5c:ab:6e:4d:5e:d4:c7:23";
    assert_eq!(by(pairs).await.is(200).id(), made.id());
    let absent = format!("SHA256:{}", SHA256.replace("UCUi", "UCUj"));
    assert_eq!(by(&absent).await.is(404).json()["message"], "404 Key Not Found");
    for wrong in ["x", "SHA256:x"] {
        assert_eq!(by(wrong).await.is(400).json()["message"], "Failed to return the key");
    }
    t.admin().get("/keys/999").await.is(404);
    ada.get(format!("/keys/{}", made.id())).await.is(403);
    ada.get(format!("/keys?fingerprint={pairs}")).await.is(403);
    t.admin().delete(format!("{path}/{}", made.id())).await.is(204);
}

#[testkit::story]
async fn what_is_no_good_key_is_refused_with_its_reasons(t: TestServer) {
    let (ada, eve) = (t.user("ada").await, t.user("eve").await);
    ada.post("/user/keys").json(&key("laptop", KEY)).await.is(201);
    let refused = async |body: Value| ada.post("/user/keys").json(&body).await.is(400).json();
    let taken = json!({"message": {
        "key": ["has already been taken"],
        "fingerprint": ["has already been taken"],
        "fingerprint_sha256": ["has already been taken"],
    }});
    assert_eq!(refused(key("again", KEY)).await, taken);
    // Whoever has it.
    let others = eve.post("/user/keys").json(&key("mine", KEY)).await.is(400).json();
    assert_eq!(others, taken);
    let unreadable = json!({"message": {
        "key": ["is invalid"],
        "fingerprint_sha256": ["cannot be generated"],
    }});
    assert_eq!(refused(key("x", "ssh-rsa AAAA")).await, unreadable);
    let old = refused(key("x", "ssh-dss AAAA")).await;
    let text = "type is forbidden. Must be RSA, ECDSA, ED25519, ECDSA_SK, or ED25519_SK";
    assert_eq!(old["message"]["key"], json!([text]));
    let ended = json!({"title": "x", "key": OTHER, "expires_at": "2001-01-01"});
    assert_eq!(refused(ended).await["message"]["key"], json!(["has expired"]));
    let blank = refused(key("  ", OTHER)).await;
    assert_eq!(blank["message"]["title"], json!(["can't be blank"]));
    let long = refused(key(&"x".repeat(256), OTHER)).await;
    assert_eq!(long["message"]["title"], json!(["is too long (maximum is 255 characters)"]));
    let long = refused(key("x", &format!("{OTHER} {}", "x".repeat(5000)))).await;
    assert_eq!(long["message"]["key"], json!(["is too long (maximum is 5000 characters)"]));
    refused(json!({"key": OTHER})).await;
    refused(json!({"title": "x"})).await;
    refused(json!({"title": "x", "key": OTHER, "usage_type": "all"})).await;
    assert_eq!(ada.get("/user/keys").await.is(200).each("title"), [json!("laptop")]);
}
