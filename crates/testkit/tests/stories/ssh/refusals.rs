//! Who is not let in over SSH, and what they are told.

use super::{add, git_of};
use serde_json::json;
use testkit::{Git, TestServer};

#[testkit::story]
async fn a_user_is_greeted_and_nothing_else_is_run(t: TestServer) {
    let ada = t.user("ada").await;
    let git = git_of(t.ssh().await, &ada).await;
    let greeting = git.ssh(&[], &[]).await.done();
    assert_eq!(greeting.said, "Welcome to Service, @ada!\n");
    for command in [&["sh"][..], &["git-shell", "-c", "x"], &["scp", "-t", "/"]] {
        let said = format!("ERROR: Unknown command: {}", command[0]);
        git.ssh(&[], command).await.refused(&said);
    }
    git.ssh(&[], &["git-upload-pack", "'a"])
        .await
        .refused("ERROR: Failed to parse command");
    let long = format!("git-upload-pack {}", "a".repeat(5000));
    git.ssh(&[], &[&long]).await.refused("ERROR: Failed to parse command");
    git.ssh(&["-s"], &["sftp"]).await.refused("subsystem request failed");
}

#[testkit::story]
async fn only_a_known_key_of_the_right_use_comes_in(t: TestServer) {
    let ada = t.user("ada").await;
    let port = t.ssh().await;
    let git = Git::over_ssh(port, "ed25519").await;
    let denied = "Permission denied (publickey).";
    git.ssh(&[], &[]).await.refused(denied);
    let signing = json!({"title": "s", "key": git.public_key(), "usage_type": "signing"});
    let id = ada.post("/user/keys").json(&signing).await.is(201).id();
    git.ssh(&[], &[]).await.refused(denied);
    ada.delete(format!("/user/keys/{id}")).await.is(204);
    add(&ada, &git).await;
    git.ssh(&[], &[]).await.done();
    git.ssh(&["-l", "root"], &[]).await.refused(denied);
    let other = Git::over_ssh(port, "rsa").await;
    add(&ada, &other).await;
    other.ssh(&[], &[]).await.done();
    // A signature over SHA-1 is none.
    let old = ["-o", "PubkeyAcceptedAlgorithms=ssh-rsa"];
    let ran = other.ssh(&old, &[]).await;
    assert!(!ran.succeeded, "{}", ran.said);
}

#[testkit::story]
async fn what_one_may_not_is_refused_as_over_http(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let web = Git::of(&t.admin());
    web.begin("one", "acme/anvil").await;
    web.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let (guest, reporter) = (t.user("guest").await, t.user("reporter").await);
    project.add(&guest, 10).await;
    project.add(&reporter, 20).await;
    let port = t.ssh().await;
    let stranger = t.user("stranger").await;
    let stranger = git_of(port, &stranger).await;
    let guest = git_of(port, &guest).await;
    let reporter = git_of(port, &reporter).await;
    let hidden = "remote: ERROR: The project you were looking for could not be found.";
    for path in ["acme/anvil", "acme/absent", "../etc/passwd"] {
        stranger.run(&["clone", &stranger.url(path), "x"]).await.refused(hidden);
    }
    let said = stranger.run(&["clone", &stranger.url("acme/anvil"), "x"]).await.refused(hidden);
    let bar = format!("remote: {}", "=".repeat(72));
    assert_eq!(said.said.matches(&bar).count(), 2, "{}", said.said);
    guest
        .run(&["clone", &guest.url("acme/anvil"), "x"])
        .await
        .refused("ERROR: You are not allowed to download code from this project.");
    reporter
        .run(&["clone", "--quiet", &reporter.url("acme/anvil"), "x"])
        .await
        .done();
    reporter.commit("x", "horn.txt", "curved\n").await;
    let push = ["push", "origin", "main"];
    reporter
        .run_in("x", &push)
        .await
        .refused("ERROR: You are not allowed to push code to this project.");
    t.admin()
        .put("/application/settings")
        .json(&json!({"maintenance_mode": true}))
        .await
        .is(200);
    reporter
        .run_in("x", &push)
        .await
        .refused("ERROR: You can't push code to a read-only Service instance.");
    reporter.run_in("x", &["fetch"]).await.done();
}

#[testkit::story(noon)]
async fn ended_keys_and_blocked_users_are_told_so(t: TestServer) {
    let ada = t.user("ada").await;
    let git = Git::over_ssh(t.ssh().await, "ed25519").await;
    let ends = t.now() + jiff::SignedDuration::from_hours(24 * 30);
    let key = json!({"title": "x", "key": git.public_key(), "expires_at": ends.to_string()});
    ada.post("/user/keys").json(&key).await.is(201);
    let said = git.ssh(&[], &[]).await.done().said;
    assert_eq!(said, "Welcome to Service, @ada!\n");
    t.admin().post(format!("/users/{}/block", ada.id)).await.is(201);
    git.ssh(&[], &[]).await.refused("ERROR: Your account has been blocked.");
    t.admin().post(format!("/users/{}/unblock", ada.id)).await.is(201);
    t.advance(25 * 86400);
    let said = git.ssh(&[], &[]).await.done().said;
    assert!(said.contains("remote: INFO: Your SSH key is expiring soon."), "{said}");
    t.advance(6 * 86400);
    git.ssh(&[], &[])
        .await
        .refused("remote: INFO: Your SSH key has expired. Please generate a new key.");
}

#[testkit::story]
async fn large_files_are_let_through_by_a_pass_for_one_project(t: TestServer) {
    let (anvil, other) = (t.project("acme/anvil").await, t.project("acme/other").await);
    let ada = t.user("ada").await;
    anvil.add(&ada, 30).await;
    other.add(&ada, 30).await;
    let git = git_of(t.ssh().await, &ada).await;
    let asked = git.ssh(&[], &["git-lfs-authenticate", "acme/anvil.git", "upload"]).await.done();
    let pass: serde_json::Value = serde_json::from_str(&asked.said).unwrap();
    assert_eq!(pass["href"], json!(format!("{}/acme/anvil.git/info/lfs", t.url())));
    assert_eq!(pass["expires_in"], json!(1800));
    let header = pass["header"]["Authorization"].as_str().unwrap_or_default();
    let oid = testkit::sha256("x");
    let ask = async |project: &str, operation: &str, header: &str| {
        let body = json!({"operation": operation, "objects": [{"oid": oid, "size": 1}]});
        t.anonymous()
            .request(http::Method::POST, format!("/{project}.git/info/lfs/objects/batch"))
            .header("content-type", "application/vnd.git-lfs+json")
            .header("authorization", header)
            .bytes(body.to_string())
            .await
    };
    let told = ask("acme/anvil", "upload", header).await.is(200).json();
    assert!(told["objects"][0]["actions"]["upload"].is_object(), "{told}");
    ask("acme/other", "upload", header).await.is(401);
    ask("acme/anvil", "upload", &header.replace("Basic ", "Basic AA")).await.is(401);
    let asked = git.ssh(&[], &["git-lfs-authenticate", "/acme/anvil", "download"]).await.done();
    let pass: serde_json::Value = serde_json::from_str(&asked.said).unwrap();
    let header = pass["header"]["Authorization"].as_str().unwrap_or_default();
    ask("acme/anvil", "download", header).await.is(200);
    ask("acme/anvil", "upload", header).await.is(403);
    git.ssh(&[], &["git-lfs-authenticate", "acme/absent.git", "upload"])
        .await
        .refused("could not be found");
    t.admin().post(format!("/users/{}/block", ada.id)).await.is(201);
    ask("acme/anvil", "download", header).await.is(401);
}
