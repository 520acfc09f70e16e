//! Pushes over SSH, by users and by machines.

use super::git_of;
use serde_json::json;
use testkit::{Git, TestServer};

#[testkit::story]
async fn refs_are_made_moved_and_deleted(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let ada = t.user("ada").await;
    project.add(&ada, 40).await;
    let git = git_of(t.ssh().await, &ada).await;
    git.begin("one", "acme/anvil").await;
    let push = async |args: &[&str]| {
        let all = [&["push", "origin"], args].concat();
        git.run_in("one", &all).await
    };
    push(&["main", "main:cold"]).await.done();
    let id = git.commit("one", "horn.txt", "curved\n").await;
    push(&["-o", "ci.skip", "main"]).await.done();
    push(&["main"]).await.done();
    push(&[":cold"]).await.done();
    push(&["--atomic", "main:a", "main:a/b"])
        .await
        .refused("another ref is in its way");
    push(&[":main"])
        .await
        .refused("The default branch of a project cannot be deleted.");
    push(&["--force", "main~1:main"])
        .await
        .refused("You are not allowed to force push code to a protected branch");
    let branch = project.at("/repository/branches/main");
    let shown = t.admin().get(branch).await.is(200).json();
    assert_eq!(shown["commit"]["id"], json!(id));
    let events = ada.get("/events?action=pushed").await.is(200).json();
    assert_eq!(events[0]["push_data"]["ref"], "cold", "{events}");
    let by = events[0]["author_username"].as_str();
    assert_eq!(by, Some("ada"));
}

/// 4 MB that no packing makes smaller.
fn noise(seed: u64) -> Vec<u8> {
    let step = 0x9e37_79b9_7f4a_7c15_u64;
    let word = |n: u64| {
        ((n + (seed << 32)).wrapping_mul(step).rotate_left(29).wrapping_mul(step) >> 32) as u32
    };
    (0..1_000_000).flat_map(|n| word(n).to_le_bytes()).collect()
}

#[testkit::story]
async fn a_large_push_arrives_whole(t: TestServer) {
    t.project("acme/anvil").await;
    let git = git_of(t.ssh().await, &t.admin()).await;
    git.begin("one", "acme/anvil").await;
    std::fs::write(git.at("one/noise"), noise(1)).unwrap();
    git.run_in("one", &["add", "noise"]).await.done();
    git.run_in("one", &["commit", "--quiet", "--message", "Add noise"]).await.done();
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "two"]).await.done();
    git.run_in("two", &["fsck", "--strict"]).await.done();
    assert_eq!(git.id("two", "HEAD").await, git.id("one", "HEAD").await);
    // One that is too large is refused in words, and the connection ends in order.
    let body = json!({"receive_max_input_size": 1});
    t.admin().put("/application/settings").json(&body).await.is(200);
    std::fs::write(git.at("one/more"), noise(2)).unwrap();
    git.run_in("one", &["add", "more"]).await.done();
    git.run_in("one", &["commit", "--quiet", "--message", "Add more"]).await.done();
    git.run_in("one", &["push", "origin", "main"])
        .await
        .refused("the push is larger than this server takes");
}

#[testkit::story]
async fn a_deploy_key_reads_or_pushes_as_it_may(t: TestServer) {
    let (anvil, other) =
        (t.project("acme/anvil").await, t.project_with("acme/open", "public").await);
    let maker = t.user("maker").await;
    anvil.add(&maker, 40).await;
    let port = t.ssh().await;
    let machine = Git::over_ssh(port, "ed25519").await;
    let body = json!({"title": "ci", "key": machine.public_key()});
    let key = maker.post(anvil.at("/deploy_keys")).json(&body).await.is(201).id();
    machine.begin("one", "acme/anvil").await;
    let push = ["push", "origin", "main"];
    machine
        .run_in("one", &push)
        .await
        .refused("ERROR: This deploy key does not have write access to this project.");
    let one = anvil.at(&format!("/deploy_keys/{key}"));
    maker.put(&one).json(&json!({"can_push": true})).await.is(200);
    machine.run_in("one", &push).await.done();
    machine
        .run(&["clone", "--quiet", &machine.url("acme/anvil"), "two"])
        .await
        .done();
    let hidden = "ERROR: The project you were looking for could not be found.";
    machine.run(&["clone", &machine.url("acme/open"), "x"]).await.refused(hidden);
    machine.run(&["clone", &machine.url("acme/absent"), "x"]).await.refused(hidden);
    let greeting = machine.ssh(&[], &[]).await.done();
    assert_eq!(greeting.said, "Welcome to Service, Anonymous!\n");

    // It pushes as who made it, and only while they may.
    let events = maker.get("/events?action=pushed").await.is(200).json();
    assert_eq!(events[0]["author_username"], "maker");
    machine.commit("one", "horn.txt", "curved\n").await;
    let lower = json!({"access_level": 20});
    let membership = anvil.at(&format!("/members/{}", maker.id));
    t.admin().put(&membership).json(&lower).await.is(200);
    let no_push = "ERROR: You are not allowed to push code to this project.";
    machine.run_in("one", &push).await.refused(no_push);
    t.admin().delete(&membership).await.is(204);
    machine.run_in("one", &push).await.refused(no_push);
    machine.run_in("one", &["fetch", "--quiet"]).await.done();
    t.admin().delete(&one).await.is(204);
    machine
        .run_in("one", &["fetch"])
        .await
        .refused("Permission denied (publickey).");
    assert_eq!(other.path, "acme/open");
}

#[testkit::story]
async fn a_protected_branch_takes_pushes_of_its_deploy_key(t: TestServer) {
    let anvil = t.project("acme/anvil").await;
    let port = t.ssh().await;
    let web = Git::of(&t.admin());
    web.begin("one", "acme/anvil").await;
    web.run_in("one", &["push", "--quiet", "origin", "main", "main:stable"])
        .await
        .done();
    let machine = Git::over_ssh(port, "ed25519").await;
    let body = json!({"title": "ci", "key": machine.public_key(), "can_push": true});
    let key = t.admin().post(anvil.at("/deploy_keys")).json(&body).await.is(201).id();
    let rule = json!({"name": "stable", "allowed_to_push": [{"deploy_key_id": key}]});
    t.admin().post(anvil.at("/protected_branches")).json(&rule).await.is(201);
    machine
        .run(&["clone", "--quiet", &machine.url("acme/anvil"), "two"])
        .await
        .done();
    machine.commit("two", "horn.txt", "curved\n").await;
    machine.run_in("two", &["push", "origin", "main:stable"]).await.done();
    // The rule of the default branch has no item for keys.
    machine
        .run_in("two", &["push", "origin", "main"])
        .await
        .refused("You are not allowed to push code to protected branches on this project.");
    web.commit("one", "face.txt", "flat\n").await;
    web.run_in("one", &["push", "origin", "main:stable", "--force"])
        .await
        .refused("protected branch");
}
