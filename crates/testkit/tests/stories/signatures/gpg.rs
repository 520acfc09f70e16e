//! What signatures by GPG are worth.

use super::{ADA, COMMITS, SHORT, ada, add_gpg_key, fixture, pushed, signature, status};
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn a_signature_is_worth_what_its_key_is(t: TestServer) {
    let further = ["ada@work.example", "short@example.com", "gone@example.com"];
    let ada = ada(&t, &further).await;
    t.user("eve").await;
    let project = pushed(&t).await;
    assert_eq!(status(&t, &project, "by-subkey").await, "unknown_key");
    for key in [ADA, SHORT, fixture!("gone.asc")] {
        add_gpg_key(&ada, key).await;
    }

    let mut said = Vec::new();
    for (name, _) in COMMITS {
        said.push((*name, status(&t, &project, name).await));
    }

    let expected = [
        ("by-subkey", "verified"),
        ("by-primary", "verified"),
        ("other-address", "same_user_different_email"),
        ("other-user", "other_user"),
        ("other-author", "unverified_author_email"),
        ("weak", "unverified"),
        ("in-time", "verified"),
        ("too-late", "expired_key"),
        ("revoked", "revoked_key"),
        ("twice", "multiple_signatures"),
        ("unknown", "unknown_key"),
        ("broken", "unverified"),
    ];
    assert_eq!(said, expected.map(|(name, status)| (name, status.to_owned())));
    let unsigned = project.at("/repository/commits/main/signature");
    let absent = t.admin().get(unsigned).await.is(404).json();
    assert_eq!(absent["message"], "404 Signature Not Found");
}

#[testkit::story]
async fn a_signature_names_its_key(t: TestServer) {
    let ada = ada(&t, &[]).await;
    let project = pushed(&t).await;
    let id = add_gpg_key(&ada, ADA).await;

    let by_primary = signature(&t, &project, "by-primary").await;
    let by_subkey = signature(&t, &project, "by-subkey").await;

    let expected = json!({
        "signature_type": "PGP",
        "verification_status": "verified",
        "gpg_key_id": id,
        "gpg_key_primary_keyid": by_primary["gpg_key_primary_keyid"],
        "gpg_key_user_name": "Ada",
        "gpg_key_user_email": "ada@example.com",
        "gpg_key_subkey_id": null,
        "commit_source": "git",
    });
    assert_eq!(by_primary, expected);
    assert_eq!(by_primary["gpg_key_primary_keyid"].as_str().map(str::len), Some(16));
    assert_eq!(by_subkey["gpg_key_primary_keyid"], by_primary["gpg_key_primary_keyid"]);
    assert!(by_subkey["gpg_key_subkey_id"].is_i64(), "{by_subkey}");
    let tag = t.admin().get(project.at("/repository/tags/v1/signature")).await.is(200).json();
    assert_eq!(tag["verification_status"], "verified");
    assert!(tag.get("commit_source").is_none(), "{tag}");
    t.admin().get(project.at("/repository/tags/v2/signature")).await.is(404);
    let query = "{project(fullPath:\"acme/anvil\"){repository{commit(ref:\"by-subkey\"){signature{\
        __typename verificationStatus commitSha project{name} \
        ...on GpgSignature{gpgKeyUserName gpgKeyUserEmail gpgKeyPrimaryKeyid user{username}}}}}}}";
    let request = t.admin().request(http::Method::POST, "/api/graphql");
    let answer = request.json(&json!({"query": query})).await.is(200).json();
    let told = &answer["data"]["project"]["repository"]["commit"]["signature"];
    let expected = json!({
        "__typename": "GpgSignature",
        "verificationStatus": "VERIFIED",
        "commitSha": told["commitSha"],
        "project": {"name": "anvil"},
        "gpgKeyUserName": "Ada",
        "gpgKeyUserEmail": "ada@example.com",
        "gpgKeyPrimaryKeyid": by_primary["gpg_key_primary_keyid"],
        "user": {"username": "ada"},
    });
    assert_eq!(*told, expected, "{answer}");

    // Code that may not be read says nothing of who signed it.
    let stranger = t.user("joe").await;
    stranger
        .get(project.at("/repository/commits/by-subkey/signature"))
        .await
        .is(404);
    stranger.get(project.at("/repository/tags/v1/signature")).await.is(404);
}

#[testkit::story]
async fn a_key_that_goes_takes_its_word_back(t: TestServer) {
    let ada = ada(&t, &["short@example.com"]).await;
    let eve = t.user("eve").await;
    let project = pushed(&t).await;

    // Eve's word is worth nothing for an address that is not hers.
    let id = add_gpg_key(&eve, SHORT).await;
    assert_eq!(status(&t, &project, "in-time").await, "unverified_key");
    eve.delete(format!("/user/gpg_keys/{id}")).await.is(204);
    assert_eq!(status(&t, &project, "in-time").await, "unknown_key");
    let id = add_gpg_key(&ada, SHORT).await;
    assert_eq!(status(&t, &project, "in-time").await, "verified");
    ada.post(format!("/user/gpg_keys/{id}/revoke")).await.is(202);
    assert_eq!(status(&t, &project, "in-time").await, "revoked_key");
    ada.get(format!("/user/gpg_keys/{id}")).await.is(404);

    // Whoever revoked it by mistake adds it again.
    add_gpg_key(&ada, SHORT).await;
    assert_eq!(status(&t, &project, "in-time").await, "verified");
}
