//! Mirrors over SSH, with a key of their own.

use super::{Pair, failure, shown};
use serde_json::json;
use testkit::{Git, TestServer};

#[testkit::story(noon)]
async fn a_key_opens_a_mirror_over_ssh(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let port = t.ssh().await;
    let url = format!("ssh://git@127.0.0.1:{port}/acme/copy.git");
    let mirror = pair.mirror(&t, json!({"url": url, "auth_method": "ssh_public_key"})).await;
    let told = shown(&t, &mirror).await;
    assert_eq!((&told["url"], &told["host_keys"]), (&json!(url), &json!([])));
    let key = t.admin().get(format!("{mirror}/public_key")).await.is(200).json();
    let key = key["public_key"].as_str().expect("a key").to_owned();
    assert!(key.starts_with("ssh-ed25519 "), "{key}");

    pair.push(&["main"]).await;
    t.settle().await;
    let said = failure(&t, &mirror).await;
    assert_eq!(said, "The server does not let the key of this mirror in.");
    let opened = json!({"title": "mirror", "key": key, "can_push": true});
    pair.robot.post(pair.copy.at("/deploy_keys")).json(&opened).await.is(201);
    t.advance(60);
    t.admin().post(format!("{mirror}/sync")).await.is(204);
    t.settle().await;
    let told = shown(&t, &mirror).await;
    assert_eq!(told["update_status"], "finished", "{told}");
    assert_eq!(pair.names_there().await, ["refs/heads/main"]);
    // What it showed first it has to show again.
    let known = told["host_keys"][0]["fingerprint_sha256"].as_str().expect("a key");
    assert!(known.starts_with("SHA256:"), "{told}");
    let other = Git::over_ssh(port, "ed25519").await.public_key();
    let change = json!({"host_keys": [other]});
    let told = t.admin().put(&mirror).json(&change).await.is(200).json();
    assert_ne!(told["host_keys"][0]["fingerprint_sha256"], known);
    t.advance(60);
    t.admin().post(format!("{mirror}/sync")).await.is(204);
    t.settle().await;
    let said = failure(&t, &mirror).await;
    assert_eq!(said, "The server shows another key than it is known by.");

    // Without a trace of the private half.
    let kept = t.app().read(|tx| {
        let rows: Vec<(Option<String>, Option<String>)> =
            tx.all(store::sql!("select sealed_key, last_error from remote_mirrors"), ())?;
        Ok(format!("{rows:?}"))
    });
    let kept = kept.await.unwrap();
    assert!(!kept.contains("PRIVATE KEY") && !kept.contains("openssh"), "{kept}");
    let left = t.app().config().cache_dir.join("pushes");
    let left = std::fs::read_dir(left).map_or(0, |found| {
        let names = found.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.filter(|name| name.starts_with("mirror-")).count()
    });
    assert_eq!(left, 0);
}

#[testkit::story]
async fn keys_are_for_ssh_and_passwords_are_not(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let all = pair.project.at("/remote_mirrors");
    let ssh = "ssh://git@127.0.0.1:2222/acme/copy.git";
    for body in [
        json!({"url": ssh, "auth_method": "password"}),
        json!({"url": pair.url(), "auth_method": "ssh_public_key"}),
        json!({"url": "ssh://git:secret@127.0.0.1:2222/x.git"}),
        json!({"url": "ssh://-oProxyCommand=x@127.0.0.1:2222/x.git"}),
        json!({"url": ssh, "host_keys": ["nonsense"]}),
    ] {
        t.admin().post(&all).json(&body).await.is(400);
    }
    let mirror = pair.mirror(&t, json!({})).await;
    t.admin().get(format!("{mirror}/public_key")).await.is(404);
    let change = json!({"url": ssh, "auth_method": "ssh_public_key"});
    t.admin().put(&mirror).json(&change).await.is(200);
    let first = t.admin().get(format!("{mirror}/public_key")).await.is(200).json();
    t.admin().put(&mirror).json(&json!({"enabled": false})).await.is(200);
    assert_eq!(t.admin().get(format!("{mirror}/public_key")).await.json(), first, "it stays");
}
