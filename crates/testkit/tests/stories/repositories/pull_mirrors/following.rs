//! When a project follows its mirror, and what comes.

use super::{Pair, outcome, run};
use serde_json::{Value, json};
use testkit::{Git, TestServer};

#[testkit::story(noon)]
async fn a_project_follows_what_is_pushed_elsewhere(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.git.run_in("one", &["tag", "--annotate", "-m", "one", "v1"]).await.done();
    pair.push(&["main", "main:refs/heads/side", "v1"]).await;
    let mia = t.user("mia").await;
    pair.project.add(&mia, 40).await;
    let made = pair.follow(&mia, json!({})).await;
    assert_eq!((&made["enabled"], &made["update_status"]), (&json!(true), &json!("scheduled")));
    for key in ["last_error", "last_update_at", "last_successful_update_at"] {
        assert_eq!(made[key], Value::Null, "{key}");
    }
    t.settle().await;
    let told = pair.shown(&t).await;
    assert_eq!(outcome(&told), ("finished", ""));
    for key in ["last_update_at", "last_update_started_at", "last_successful_update_at"] {
        assert!(told[key].is_string(), "{told}");
    }
    assert_eq!(pair.refs("acme/anvil").await, pair.refs("acme/source").await);
    let shown = t.admin().get(pair.project.at("")).await.is(200).json();
    assert_eq!((&shown["default_branch"], &shown["mirror"]), (&json!("main"), &json!(true)));
    let pushes = t.admin().get(pair.project.at("/events?action=pushed")).await.is(200);
    assert!(pushes.each("author_id").iter().all(|id| *id == json!(mia.id)));
    assert!(!pushes.each("author_id").is_empty(), "they come the way of pushes");

    // What is protected here follows, too; what is gone there stays here.
    pair.git.commit("one", "more.txt", "two\n").await;
    pair.git.run_in("one", &["tag", "--force", "v1"]).await.done();
    pair.push(&["main", "v1", ":side"]).await;
    assert_eq!(outcome(&pair.again(&t).await), ("finished", ""));
    let names = ["refs/heads/main", "refs/heads/side", "refs/tags/v1"];
    assert_eq!(pair.names_here().await, names);
    for name in ["refs/heads/main", "refs/tags/v1"] {
        let there = pair.git.id("one", name).await;
        assert_eq!(pair.id_here(name).await, Some(there), "{name}");
    }
    pair.git
        .run(&["clone", "--quiet", &pair.git.url("acme/anvil"), "here"])
        .await
        .done();
    pair.git.run_in("here", &["fsck", "--strict"]).await.done();
}

#[testkit::story(noon)]
async fn it_follows_every_half_an_hour_and_at_most_every_five_minutes(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    pair.follow(&t.admin(), json!({})).await;
    t.settle().await;
    let first = pair.id_here("refs/heads/main").await;
    let newest = pair.git.commit("one", "more.txt", "two\n").await;
    pair.push(&["main"]).await;

    // A wish too soon waits, however often it is said.
    t.advance(60);
    for _ in 0..2 {
        let wished = t.admin().post(pair.mirror()).await.is(202).json();
        assert_eq!(wished["message"], "202 Accepted");
    }
    t.settle().await;
    assert_eq!(pair.shown(&t).await["update_status"], "scheduled");
    assert_eq!(pair.id_here("refs/heads/main").await, first);
    t.advance(240);
    t.settle().await;
    assert_eq!(pair.shown(&t).await["update_status"], "finished");
    assert_eq!(pair.id_here("refs/heads/main").await.as_ref(), Some(&newest));

    let due = "repositories.pull_mirrors_due";
    let last = pair.git.commit("one", "more.txt", "three\n").await;
    pair.push(&["main"]).await;
    t.advance(29 * 60);
    run(&t, due, json!({})).await;
    assert_eq!(pair.id_here("refs/heads/main").await, Some(newest), "it is not due yet");
    t.advance(60);
    run(&t, due, json!({})).await;
    assert_eq!(pair.id_here("refs/heads/main").await, Some(last));
}

#[testkit::story(noon)]
async fn pipelines_begin_where_that_is_said(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.git.commit("one", ".gitlab-ci.yml", "usual: {script: e}\n").await;
    pair.push(&["main"]).await;
    pair.follow(&t.admin(), json!({})).await;
    t.settle().await;
    let pipelines = pair.project.at("/pipelines");
    assert!(t.admin().get(&pipelines).await.is(200).each("id").is_empty());
    let change = json!({"mirror_trigger_builds": true});
    let told = t.admin().put(pair.mirror()).json(&change).await.is(200).json();
    assert_eq!(told["mirror_trigger_builds"], true);
    pair.git.commit("one", "more.txt", "two\n").await;
    pair.push(&["main"]).await;
    pair.again(&t).await;
    let begun = t.admin().get(&pipelines).await.is(200);
    assert_eq!(begun.each("sha"), [json!(pair.git.id("one", "main").await)]);
    assert_eq!(begun.each("source"), [json!("push")]);
}

#[testkit::story(noon)]
async fn what_went_another_way_here_stays_unless_it_is_to_be_overwritten(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main", "main:refs/heads/side"]).await;
    pair.follow(&t.admin(), json!({})).await;
    t.settle().await;
    // Somebody works here, on a branch of the mirror and on one of their own.
    let own = Git::of(&t.admin());
    own.run(&["clone", "--quiet", &own.url("acme/anvil"), "two"]).await.done();
    own.run_in("two", &["switch", "--quiet", "side"]).await.done();
    let ours = own.commit("two", "own.txt", "ours\n").await;
    own.run_in("two", &["push", "--quiet", "origin", "side", "side:refs/heads/own"])
        .await
        .done();
    let theirs = pair.git.commit("one", "more.txt", "theirs\n").await;
    pair.push(&["main", "main:refs/heads/side"]).await;
    let told = pair.again(&t).await;
    let said = "Some branches have diverged and were not updated: refs/heads/side";
    assert_eq!(outcome(&told), ("finished", said));
    assert_eq!(pair.id_here("refs/heads/main").await.as_ref(), Some(&theirs));
    assert_eq!(pair.id_here("refs/heads/side").await.as_ref(), Some(&ours));
    let change = json!({"mirror_overwrites_diverged_branches": true});
    t.admin().put(pair.mirror()).json(&change).await.is(200);
    assert_eq!(outcome(&pair.again(&t).await), ("finished", ""));
    assert_eq!(pair.id_here("refs/heads/side").await, Some(theirs));
    assert_eq!(pair.id_here("refs/heads/own").await, Some(ours), "nobody else knows it");
}

#[testkit::story(noon)]
async fn some_branches_alone_are_followed(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main", "main:refs/heads/release/1", "main:refs/heads/x", "main:refs/tags/v1"])
        .await;
    let rule = json!({"name": "release/*"});
    t.admin().post(pair.project.at("/protected_branches")).json(&rule).await.is(201);
    pair.follow(&t.admin(), json!({"only_mirror_protected_branches": true})).await;
    t.settle().await;
    assert_eq!(pair.names_here().await, ["refs/heads/release/1", "refs/tags/v1"]);
    let change = json!({"mirror_branch_regex": "^y(a+)*$"});
    let told = t.admin().put(pair.mirror()).json(&change).await.is(200).json();
    assert_eq!(told["only_mirror_protected_branches"], false);
    pair.git.commit("one", "more.txt", "two\n").await;
    pair.push(&["main", "main:refs/heads/y", "main:refs/heads/z"]).await;
    pair.again(&t).await;
    let names = ["refs/heads/release/1", "refs/heads/y", "refs/tags/v1"];
    assert_eq!(pair.names_here().await, names);
}

#[testkit::story(noon)]
async fn names_that_nobody_may_push_do_not_keep_the_others(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    pair.follow(&t.admin(), json!({})).await;
    t.settle().await;
    // There the default branch has another name, so that a tag may have this one.
    pair.push(&["main:refs/heads/trunk"]).await;
    let trunk = json!({"default_branch": "trunk"});
    t.admin().put(pair.upstream.at("")).json(&trunk).await.is(200);
    pair.push(&["main:refs/tags/main", "main:refs/heads/side"]).await;
    let said = "Some refs have names that are not taken here: refs/tags/main";
    assert_eq!(outcome(&pair.again(&t).await), ("finished", said));
    assert_eq!(
        pair.names_here().await,
        ["refs/heads/main", "refs/heads/side", "refs/heads/trunk"]
    );
    let shown = t.admin().get(pair.project.at("")).await.is(200).json();
    assert_eq!(shown["default_branch"], "main", "HEAD stays");
}

#[testkit::story(noon)]
async fn large_files_come_along(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let content = "a large file\n".repeat(20);
    crate::lfs::send(&t, &t.admin(), "acme/source", &content).await;
    let oid = testkit::sha256(&content);
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {}\n",
        content.len()
    );
    pair.git.commit("one", "horn.psd", &pointer).await;
    pair.push(&["main"]).await;
    pair.follow(&t.admin(), json!({})).await;
    t.settle().await;
    assert_eq!(outcome(&pair.shown(&t).await), ("finished", ""));
    let raw = pair.project.at("/repository/files/horn.psd/raw?ref=main&lfs=true");
    assert_eq!(t.admin().get(raw).await.is(200).text(), content);

    // What the server lost keeps nothing else.
    let gone = t.app().write(|tx| Ok(tx.execute("delete from lfs_objects", ())?));
    gone.await.unwrap();
    let newest = pair.git.commit("one", "more.psd", &pointer.replace(&oid[..4], "0123")).await;
    let args = ["push", "--quiet", "origin", "main"];
    let rule = json!({"lfs_enabled": false});
    t.admin().put(pair.upstream.at("")).json(&rule).await.is(200);
    pair.git.run_in("one", &args).await.done();
    let told = pair.again(&t).await;
    assert_eq!(
        outcome(&told),
        (
            "finished",
            "Large files that could not be brought: 1, as the server answered 404"
        )
    );
    assert_eq!(pair.id_here("refs/heads/main").await, Some(newest));
}
