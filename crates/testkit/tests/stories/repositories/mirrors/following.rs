//! When mirrors follow, and what comes to be there.

use super::{Pair, failure, shown};
use serde_json::{Value, json};
use testkit::{Git, TestServer};

#[testkit::story(noon)]
async fn a_mirror_follows_each_push_once_a_minute(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let mirror = pair.mirror(&t, json!({})).await;
    let new = shown(&t, &mirror).await;
    assert_eq!(new["update_status"], "none");
    assert_eq!((&new["last_update_at"], &new["last_error"]), (&Value::Null, &Value::Null));

    pair.git.run_in("one", &["tag", "--annotate", "-m", "one", "v1"]).await.done();
    pair.push(&["main", "main:refs/heads/side", "v1"]).await;
    t.settle().await;
    let first = pair.git.id("one", "main").await;
    assert_eq!(pair.names_there().await, ["refs/heads/main", "refs/heads/side", "refs/tags/v1"]);
    assert_eq!(pair.id_there("refs/heads/main").await.as_ref(), Some(&first));
    assert_eq!(pair.id_there("refs/tags/v1").await, Some(pair.git.id("one", "v1").await));
    let told = shown(&t, &mirror).await;
    assert_eq!(told["update_status"], "finished");
    for key in ["last_update_at", "last_update_started_at", "last_successful_update_at"] {
        assert!(told[key].is_string(), "{told}");
    }

    // What is pushed within the minute waits for its end, all of it together.
    t.advance(30);
    for text in ["two\n", "three\n"] {
        pair.git.commit("one", "more.txt", text).await;
        pair.push(&["main"]).await;
    }
    pair.push(&[":side"]).await;
    t.settle().await;
    assert_eq!(shown(&t, &mirror).await["update_status"], "scheduled");
    assert_eq!(pair.id_there("refs/heads/main").await, Some(first));
    t.admin().post(format!("{mirror}/sync")).await.is(204);
    t.settle().await;
    assert_eq!(shown(&t, &mirror).await["update_status"], "scheduled");
    t.advance(30);
    t.settle().await;
    assert_eq!(pair.id_there("refs/heads/main").await, Some(pair.git.id("one", "main").await));
    assert_eq!(pair.names_there().await, ["refs/heads/main", "refs/tags/v1"]);
    assert_eq!(shown(&t, &mirror).await["update_status"], "finished");
    let pushes = t.admin().get(pair.copy.at("/events?action=pushed")).await.is(200).json();
    assert!(!pushes.as_array().unwrap().is_empty(), "it comes the way of pushes");
}

#[testkit::story(noon)]
async fn changes_by_rest_and_a_wish_have_it_follow(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let mirror = pair.mirror(&t, json!({})).await;
    t.admin().post(format!("{mirror}/sync")).await.is(204);
    t.settle().await;
    assert_eq!(shown(&t, &mirror).await["update_status"], "finished", "there is nothing yet");
    t.advance(60);
    let file = json!({"branch": "main", "commit_message": "Begin", "content": "x"});
    t.admin()
        .post(pair.project.at("/repository/files/a.txt"))
        .json(&file)
        .await
        .is(201);
    t.settle().await;
    assert_eq!(pair.names_there().await, ["refs/heads/main"]);

    t.admin().put(&mirror).json(&json!({"enabled": false})).await.is(200);
    let refused = t.admin().post(format!("{mirror}/sync")).await.is(400).json();
    assert_eq!(
        refused["message"],
        "Cannot proceed with the push mirroring. Please verify your mirror configuration."
    );
    t.advance(60);
    let branch = pair.project.at("/repository/branches?branch=side&ref=main");
    t.admin().post(branch).await.is(201);
    t.settle().await;
    assert_eq!(pair.names_there().await, ["refs/heads/main"], "it is off");
}

/// Has the second project go another way on `main`, have a branch and a tag of its own.
async fn diverge(pair: &Pair) -> String {
    let own = Git::of(&pair.robot);
    own.run(&["clone", "--quiet", &pair.url(), "two"]).await.done();
    own.commit("two", "own.txt", "own\n").await;
    own.run_in("two", &["tag", "own"]).await.done();
    own.run_in("two", &["push", "--quiet", "origin", "main", "main:refs/heads/own", "own"])
        .await
        .done();
    own.id("two", "main").await
}

#[testkit::story(noon)]
async fn what_went_another_way_stays_where_that_is_wished(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let mirror = pair.mirror(&t, json!({"keep_divergent_refs": true})).await;
    pair.push(&["main", "main:refs/heads/side"]).await;
    t.settle().await;
    pair.unprotect(&t).await;
    let theirs = diverge(&pair).await;
    pair.git.commit("one", "more.txt", "ours\n").await;
    pair.push(&["main", ":side", "main:refs/heads/new"]).await;
    t.advance(60);
    t.settle().await;
    let names = pair.names_there().await;
    assert_eq!(names, ["refs/heads/main", "refs/heads/new", "refs/heads/own", "refs/tags/own"]);
    assert_eq!(pair.id_there("refs/heads/main").await, Some(theirs));
    let said = failure(&t, &mirror).await;
    let begin = "Some refs have diverged and have not been updated on the remote: ";
    let refs = said.strip_prefix(begin).unwrap_or_else(|| panic!("{said}"));
    let mut refs: Vec<&str> = refs.split(", ").collect();
    refs.sort_unstable();
    assert_eq!(refs, ["refs/heads/main", "refs/heads/own", "refs/tags/own"]);
}

#[testkit::story(noon)]
async fn what_went_another_way_is_overwritten_otherwise(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let mirror = pair.mirror(&t, json!({})).await;
    pair.push(&["main"]).await;
    t.settle().await;
    pair.unprotect(&t).await;
    diverge(&pair).await;
    let ours = pair.git.commit("one", "more.txt", "ours\n").await;
    pair.push(&["main"]).await;
    t.advance(60);
    t.settle().await;
    assert_eq!(pair.there().await, [("refs/heads/main".to_owned(), ours)]);
    assert_eq!(shown(&t, &mirror).await["update_status"], "finished");
}

#[testkit::story(noon)]
async fn what_the_server_refuses_is_told(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let mirror = pair.mirror(&t, json!({})).await;
    pair.push(&["main"]).await;
    t.settle().await;
    let before = pair.id_there("refs/heads/main").await;
    pair.git
        .run_in("one", &["commit", "--quiet", "--amend", "-m", "Anew"])
        .await
        .done();
    let rules = pair.project.at("/protected_branches/main");
    t.admin().delete(rules).await.is(204);
    pair.push(&["main"]).await;
    t.advance(60);
    t.settle().await;
    let said = failure(&t, &mirror).await;
    assert!(
        said.starts_with("Some refs were refused by the remote: refs/heads/main"),
        "{said}"
    );
    assert!(said.contains("You are not allowed to force push code to a protected"), "{said}");
    assert_eq!(pair.id_there("refs/heads/main").await, before);
}

#[testkit::story(noon)]
async fn some_branches_alone_are_pushed(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let mirror = pair.mirror(&t, json!({"only_protected_branches": true})).await;
    pair.push(&["main", "main:refs/heads/release/1", "main:refs/heads/x", "main:refs/tags/v1"])
        .await;
    t.settle().await;
    assert_eq!(pair.names_there().await, ["refs/heads/main", "refs/tags/v1"]);
    let change = json!({"mirror_branch_regex": "^release/(a+)*\\d$"});
    let told = t.admin().put(&mirror).json(&change).await.is(200).json();
    assert_eq!(told["only_protected_branches"], false);
    t.advance(60);
    t.admin().post(format!("{mirror}/sync")).await.is(204);
    t.settle().await;
    let names = pair.names_there().await;
    assert_eq!(names, ["refs/heads/main", "refs/heads/release/1", "refs/tags/v1"]);
}

#[testkit::story(noon)]
async fn mirrors_of_each_other_come_to_rest(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.mirror(&t, json!({})).await;
    pair.project.add(&pair.robot, 40).await;
    let back = json!({"url": Git::of(&pair.robot).url("acme/anvil"), "enabled": true});
    let back = t.admin().post(pair.copy.at("/remote_mirrors")).json(&back).await.is(201);
    let back = pair.copy.at(&format!("/remote_mirrors/{}", back.json()["id"]));
    pair.push(&["main"]).await;
    t.settle().await;
    let told = shown(&t, &back).await;
    assert_eq!(told["update_status"], "finished");
    t.advance(600);
    t.settle().await;
    assert_eq!(shown(&t, &back).await, told, "nothing goes round");
}

#[testkit::story(noon)]
async fn a_mirror_of_nothing_any_more_is_done(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let mirror = pair.mirror(&t, json!({})).await;
    pair.push(&["main"]).await;
    t.settle().await;
    pair.push(&["main:refs/heads/late"]).await;
    t.admin().delete(&mirror).await.is(204);
    t.advance(60);
    t.settle().await;
    assert_eq!(pair.names_there().await, ["refs/heads/main"]);
    let mirror = pair.mirror(&t, json!({})).await;
    t.admin().post(pair.project.at("/archive")).await.is(201);
    t.admin().post(format!("{mirror}/sync")).await;
    t.settle().await;
    assert_eq!(pair.names_there().await, ["refs/heads/main"]);
}

/// A server that takes connections and says nothing.
fn silent() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/x.git", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        let _held: Vec<_> = listener.incoming().collect();
    });
    url
}

#[testkit::story]
async fn mirrors_that_hang_hold_up_no_other_work(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let jane = t.user("jane").await;
    pair.project.add(&jane, 30).await;
    t.settle().await;
    let three = tokio::spawn(kernel::jobs::work(t.app().clone(), 3, std::future::pending()));
    let url = silent();
    for _ in 0..4 {
        pair.mirror(&t, json!({"url": url})).await;
    }
    pair.push(&["main"]).await;
    let all = pair.project.at("/remote_mirrors");
    let begun = async || {
        let told = t.admin().get(&all).await.is(200).json();
        let mirrors = told.as_array().expect("mirrors").iter();
        mirrors.filter(|one| one["update_status"] == "started").count()
    };
    until(async || begun().await == 2).await;
    let known = t.app().mailer().sent().len();
    let issue = json!({"title": "A hinge", "assignee_ids": [jane.id]});
    t.admin().post(pair.project.at("/issues")).json(&issue).await.is(201);
    until(async || t.app().mailer().sent().len() > known).await;
    assert_eq!(begun().await, 2, "the others wait for their turn");
    three.abort();
}

/// Looks until something is so.
async fn until(holds: impl AsyncFn() -> bool) {
    for _ in 0..200 {
        if holds().await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("it did not come to be so in time");
}
