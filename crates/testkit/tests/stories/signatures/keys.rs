//! GPG keys of users through REST.

use super::{ADA, add_gpg_key};
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn one_has_gpg_keys_that_others_see(t: TestServer) {
    let (ada, eve) = (t.user("ada").await, t.user("eve").await);

    let made = ada.post("/user/gpg_keys").json(&json!({"key": ADA})).await.is(201);

    let id = made.id();
    let expected = json!({"id": id, "key": ADA.trim(), "created_at": made.json()["created_at"]});
    assert_eq!(made.json(), expected);
    assert_eq!(ada.get("/user/gpg_keys").await.is(200).json(), json!([expected]));
    let one = format!("/user/gpg_keys/{id}");
    assert_eq!(ada.get(&one).await.is(200).json(), expected);
    assert_eq!(t.anonymous().get("/users/ada/gpg_keys").await.is(200).each("id"), [json!(id)]);
    let of_ada = format!("/users/{}/gpg_keys/{id}", ada.id);
    assert_eq!(t.anonymous().get(&of_ada).await.is(200).json(), expected);

    t.anonymous().get("/user/gpg_keys").await.is(401);
    t.anonymous().get("/users/nobody/gpg_keys").await.is(404);
    eve.get(&one).await.is(404);
    eve.delete(&one).await.is(404);
    eve.post(format!("{one}/revoke")).await.is(404);
    eve.delete(&of_ada).await.is(403);
    eve.post(format!("{of_ada}/revoke")).await.is(403);
    eve.post(format!("/users/{}/gpg_keys", ada.id))
        .json(&json!({"key": ADA}))
        .await
        .is(403);
    let taken = eve.post("/user/gpg_keys").json(&json!({"key": ADA})).await.is(400).json();
    assert_eq!(taken, json!({"message": {"key": ["has already been taken"]}}));
    ada.delete(&one).await.is(204);
    let gone = ada.get(&one).await.is(404).json();
    assert_eq!(gone["message"], "404 GPG Key Not Found");
    t.settle().await;
    let mails = t.app().mailer().sent();
    assert_eq!(mails.iter().filter(|mail| mail.subject == "A GPG key was added").count(), 1);
}

#[testkit::story]
async fn administrators_have_a_say_in_gpg_keys(t: TestServer) {
    let ada = t.user("ada").await;
    let path = format!("/users/{}/gpg_keys", ada.id);

    let id = t.admin().post(&path).json(&json!({"key": ADA})).await.is(201).id();

    assert_eq!(ada.get("/user/gpg_keys").await.is(200).each("id"), [json!(id)]);
    t.admin().post(format!("{path}/{id}/revoke")).await.is(202);
    assert_eq!(ada.get("/user/gpg_keys").await.is(200).json(), json!([]));
    t.admin().delete(format!("{path}/{id}")).await.is(404);
    let id = add_gpg_key(&ada, ADA).await;
    t.admin().delete(format!("{path}/{id}")).await.is(204);
}

#[testkit::story]
async fn what_is_no_gpg_key_is_refused(t: TestServer) {
    let ada = t.user("ada").await;
    let refused = async |key: &str| {
        let answer = ada.post("/user/gpg_keys").json(&json!({"key": key})).await.is(400);
        answer.json()["message"]["key"].clone()
    };
    let invalid = json!(["is invalid"]);
    let begin = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n";
    for wrong in [
        "x",
        "ssh-ed25519 AAAA",
        begin,
        &ADA[..ADA.len() / 2],
        &ADA.replace("PUBLIC KEY BLOCK", "PRIVATE KEY BLOCK"),
        &ADA.replace("PUBLIC KEY BLOCK", "SIGNATURE"),
        &format!("{begin}{}\n-----END PGP PUBLIC KEY BLOCK-----\n", "xsBNB".repeat(500)),
    ] {
        assert_eq!(refused(wrong).await, invalid, "{wrong}");
    }
    assert_eq!(refused(" ").await, json!(["can't be blank"]));
    let long = refused(&format!("{ADA}{}", "\n#".repeat(70_000))).await;
    assert_eq!(long, json!(["is too long (maximum is 131072 bytes)"]));
    ada.post("/user/gpg_keys").json(&json!({})).await.is(400);
    assert_eq!(ada.get("/user/gpg_keys").await.is(200).json(), Value::Array(Vec::new()));
}
