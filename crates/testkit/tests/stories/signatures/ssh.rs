//! What signatures by SSH are worth.

use super::{ada, signature, status};
use serde_json::{Value, json};
use testkit::{Client, Git, TestServer};

async fn add(client: &Client, git: &Git, usage: &str) -> Value {
    let key = json!({"title": "laptop", "key": git.public_key(), "usage_type": usage});
    client.post("/user/keys").json(&key).await.is(201).json()
}

#[testkit::story]
async fn what_git_signs_with_an_ssh_key_is_verified(t: TestServer) {
    let (ada, eve) = (ada(&t, &[]).await, t.user("eve").await);
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.sign("ed25519").await;
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["tag", "--annotate", "v1", "--message", "One"]).await.done();
    git.run_in("one", &["push", "--quiet", "origin", "main", "v1"]).await.done();

    let unknown = json!({
        "signature_type": "SSH",
        "verification_status": "unknown_key",
        "key": null,
        "commit_source": "git",
    });
    assert_eq!(signature(&t, &project, "main").await, unknown);
    // A key that only lets in signs nothing.
    let key = add(&ada, &git, "auth").await;
    assert_eq!(signature(&t, &project, "main").await, unknown);
    ada.delete(format!("/user/keys/{}", key["id"])).await.is(204);
    let key = add(&eve, &git, "signing").await;
    assert_eq!(status(&t, &project, "main").await, "other_user");
    eve.delete(format!("/user/keys/{}", key["id"])).await.is(204);

    let key = add(&ada, &git, "auth_and_signing").await;

    let verified = signature(&t, &project, "main").await;
    assert_eq!((&verified["verification_status"], &verified["key"]), (&json!("verified"), &key));
    let tag = t.admin().get(project.at("/repository/tags/v1")).await.is(200).json();
    assert_eq!(tag["message"], "One");
    let tag = t.admin().get(project.at("/repository/tags/v1/signature")).await.is(200).json();
    assert_eq!(tag["signature_type"], "SSH");
    assert_eq!(tag["verification_status"], "verified");
    // Whoever changes a commit loses its signature.
    git.run_in("one", &["commit", "--quiet", "--amend", "--no-gpg-sign", "--message", "x"])
        .await
        .done();
    git.run_in("one", &["push", "--quiet", "origin", "HEAD:plain"]).await.done();
    t.admin().get(project.at("/repository/commits/plain/signature")).await.is(404);
}

#[testkit::story]
async fn keys_of_each_kind_sign(t: TestServer) {
    let ada = ada(&t, &[]).await;
    let project = t.project("acme/anvil").await;
    for kind in ["rsa", "ecdsa"] {
        let git = Git::of(&t.admin());
        git.sign(kind).await;
        git.begin("one", "acme/anvil").await;
        add(&ada, &git, "signing").await;
        git.run_in("one", &["push", "--quiet", "origin", &format!("HEAD:{kind}")])
            .await
            .done();
        assert_eq!(status(&t, &project, kind).await, "verified", "{kind}");
    }
}

#[testkit::story]
async fn an_instance_signs_what_is_made_here_if_it_shall(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let make = async |file: &str, author: &str| {
        let path = project.at(&format!("/repository/files/{file}"));
        let body = json!({
            "branch": "main", "content": "x", "commit_message": "Say\n\nmore\n",
            "author_email": author,
        });
        t.admin().post(path).json(&body).await.is(201);
    };
    make("one", "").await;
    t.admin().get(project.at("/repository/commits/main/signature")).await.is(404);
    t.user("joe").await.put("/application/settings").json(&json!({})).await.is(403);
    let on = json!({"web_based_commit_signing_enabled": true});
    let settings = t.admin().put("/application/settings").json(&on).await.is(200).json();
    assert_eq!(settings["web_based_commit_signing_enabled"], true);

    make("two", "").await;

    let expected = json!({
        "signature_type": "SSH",
        "verification_status": "verified_system",
        "key": null,
        "commit_source": "git",
    });
    assert_eq!(signature(&t, &project, "main").await, expected);
    let commit = t.admin().get(project.at("/repository/commits/main")).await.is(200).json();
    assert_eq!(commit["message"], "Say\n\nmore\n");
    make("three", "eve@example.com").await;
    assert_eq!(status(&t, &project, "main").await, "unverified_author_email");
}

#[testkit::story]
async fn unsigned_commits_are_refused_where_the_rule_says_so(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let rule = json!({"reject_unsigned_commits": true});
    t.admin().post(project.at("/push_rule")).json(&rule).await.is(201);
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    let push = ["push", "--quiet", "origin", "main"];
    git.run_in("one", &push).await.refused("Commit must be signed with a GPG key");

    git.sign("ed25519").await;
    git.run_in("one", &["commit", "--quiet", "--amend", "--message", "Begin"])
        .await
        .done();

    git.run_in("one", &push).await.done();
}
