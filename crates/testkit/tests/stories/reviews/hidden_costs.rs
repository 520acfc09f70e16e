//! How long an answer takes does not tell what is hidden from what is not there: both are
//! the same answer, after as many statements.

use super::graph::data;
use super::{commit, developer, forge, open};
use crate::conventions::statements::sent_in_all;
use serde_json::{Value, json};
use std::future::IntoFuture;
use testkit::{Reply, TestProject, TestServer};

/// What follows the number of a merge request in addresses of the API.
const BELOW: [&str; 6] = ["", "/changes", "/discussions", "/notes", "/raw_diffs", "/versions"];

/// And in those of pages.
const PAGES: [&str; 5] = ["", ".diff", "/commits", "/diffs", "/merge_box"];

/// A public project with a merge request of somebody who was banned, and a private one with
/// one of its own, which had another path before.
async fn scene(t: &TestServer) -> [TestProject; 2] {
    let forge = forge(t).await;
    let mallory = developer(t, &forge, "mallory").await;
    commit(t, &forge, "horn", "horn.txt", "x\n").await;
    open(&mallory, &forge, "horn").await;
    t.admin().post(format!("/users/{}/ban", mallory.id)).await.is(201);
    let vault = t.project("acme/safe").await;
    commit(t, &vault, "main", "README.md", "x\n").await;
    commit(t, &vault, "gold", "gold.txt", "x\n").await;
    open(&t.admin(), &vault, "gold").await;
    t.admin().put(vault.at("")).json(&json!({"path": "vault"})).await.is(200);
    t.settle().await;
    [forge, vault]
}

/// An answer, and the statements that it took.
async fn cost(t: &TestServer, asked: impl IntoFuture<Output = Reply>) -> (Reply, u64) {
    let before = sent_in_all(t);
    let reply = asked.await;
    (reply, sent_in_all(t) - before)
}

#[testkit::story(noon)]
async fn interfaces_take_as_much_for_what_is_hidden_as_for_nothing(t: TestServer) {
    let [forge, vault] = scene(&t).await;
    let (outsider, nobody) = (t.user("outsider").await, t.anonymous());
    let one = |project: i64, iid: i64| format!("/projects/{project}/merge_requests/{iid}");
    let at = |name: &str| format!("/projects/acme%2F{name}/merge_requests/1");
    let pairs = [
        (one(forge.id, 1), one(forge.id, 9)),
        (one(vault.id, 1), one(vault.id, 9)),
        (one(vault.id, 1), one(i64::from(i32::MAX), 1)),
        (at("vault"), at("none")),
        // Where it was before it moved.
        (at("safe"), at("none")),
    ];
    for client in [&*outsider, &nobody] {
        for (hidden, absent) in &pairs {
            for rest in BELOW {
                let (hidden, absent) = (format!("{hidden}{rest}"), format!("{absent}{rest}"));
                // What a server reads once is not counted.
                for path in [&hidden, &absent] {
                    client.get(path).await;
                }
                let (told, taken) = cost(&t, client.get(&hidden)).await;
                let (expected, usual) = cost(&t, client.get(&absent)).await;
                assert!([401, 404].contains(&told.status), "{told:?}");
                assert_eq!((told.status, told.text()), (expected.status, expected.text()));
                assert!(taken > 0 && taken == usual, "{hidden}: {taken}, {absent}: {usual}");
            }
        }
    }
}

#[testkit::story(noon)]
async fn pages_take_as_much_for_what_is_hidden_as_for_nothing(t: TestServer) {
    scene(&t).await;
    t.user("outsider").await;
    let (outsider, nobody) = (t.browser("outsider").await, t.new_browser());
    let at = |project: &str, iid: i64| format!("/acme/{project}/-/merge_requests/{iid}");
    let pairs = [
        (at("forge", 1), at("forge", 9)),
        (at("vault", 1), at("vault", 9)),
        (at("vault", 1), at("none", 1)),
        (at("safe", 1), at("none", 1)),
    ];
    for (browser, status) in [(&outsider, 404), (&nobody, 302)] {
        for (hidden, absent) in &pairs {
            for rest in PAGES {
                let (hidden, absent) = (format!("{hidden}{rest}"), format!("{absent}{rest}"));
                for path in [&hidden, &absent] {
                    browser.get(path).await.is(status);
                }
                let (_, taken) = cost(&t, browser.get(&hidden)).await;
                let (_, usual) = cost(&t, browser.get(&absent)).await;
                assert!(taken > 0 && taken == usual, "{hidden}: {taken}, {absent}: {usual}");
            }
        }
    }
}

#[testkit::story(noon)]
async fn graphql_takes_as_much_for_what_is_hidden_as_for_nothing(t: TestServer) {
    scene(&t).await;
    let outsider = t.user("outsider").await;
    let query = |iid: i64| {
        let one = format!("mergeRequest(iid:\"{iid}\"){{title notes{{nodes{{body}}}}}}");
        format!("{{project(fullPath:\"acme/forge\"){{{one}}}}}")
    };
    let mut taken = Vec::new();
    for iid in [1, 9, 1, 9] {
        let before = sent_in_all(&t);
        let told = data(&outsider, &query(iid)).await;
        assert_eq!(told, json!({"project": {"mergeRequest": Value::Null}}));
        taken.push(sent_in_all(&t) - before);
    }
    assert!(taken[2] > 0 && taken[2] == taken[3], "{taken:?}");
}
