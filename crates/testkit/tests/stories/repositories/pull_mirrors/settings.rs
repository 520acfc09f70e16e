//! Who says what a project follows, and what they may say.

use super::{Pair, outcome, run};
use crate::repositories::mirrors::allow_local;
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn what_a_project_follows_is_said_changed_and_shown(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let mia = t.user("mia").await;
    pair.project.add(&mia, 40).await;
    let none = mia.get(pair.mirror()).await.is(404).json();
    assert_eq!(none["message"], "404 Pull Mirror Not Found");
    mia.post(pair.mirror()).await.is(404);
    let refused = mia.put(pair.mirror()).json(&json!({"enabled": true})).await.is(400);
    assert!(refused.text().contains("url is missing"), "{}", refused.text());
    let url = "https://git.example/x.git";
    let made = mia.put(pair.mirror()).json(&json!({"url": url})).await.is(200);
    let keys = [
        "id",
        "enabled",
        "url",
        "update_status",
        "last_error",
        "last_update_at",
        "last_update_started_at",
        "last_successful_update_at",
        "mirror_trigger_builds",
        "only_mirror_protected_branches",
        "mirror_overwrites_diverged_branches",
        "mirror_branch_regex",
    ];
    let text = made.text();
    let places: Vec<usize> = keys
        .iter()
        .map(|key| text.find(&format!("\"{key}\":")).expect("it is there"))
        .collect();
    assert!(places.is_sorted(), "{text}");
    let made = made.json();
    assert_eq!(made.as_object().map(|all| all.len()), Some(keys.len()));
    for (key, value) in [
        ("enabled", json!(false)),
        ("url", json!(url)),
        ("update_status", json!("none")),
        ("last_error", Value::Null),
        ("mirror_trigger_builds", json!(false)),
        ("only_mirror_protected_branches", Value::Null),
        ("mirror_overwrites_diverged_branches", json!(false)),
        ("mirror_branch_regex", Value::Null),
    ] {
        assert_eq!(made[key], value, "{key}");
    }
    let put = async |body: Value| mia.put(pair.mirror()).json(&body).await;
    let told = put(json!({"only_mirror_protected_branches": true})).await.is(200).json();
    assert_eq!(told["only_mirror_protected_branches"], true);
    let told = put(json!({"mirror_branch_regex": "^v"})).await.is(200).json();
    assert_eq!(told["mirror_branch_regex"], "^v");
    assert_eq!(told["only_mirror_protected_branches"], false);
    let told = put(json!({"only_mirror_protected_branches": true})).await.is(200).json();
    assert_eq!(told["mirror_branch_regex"], Value::Null);
    assert_eq!(mia.get(pair.mirror()).await.is(200).json(), told);
    for (body, text) in [
        (json!({}), "at least one parameter must be provided"),
        (json!({"mirror_branch_regex": "("}), "is invalid"),
        (json!({"mirror_branch_regex": "(a{1000}){1000}"}), "is invalid"),
        (json!({"mirror_branch_regex": "a".repeat(512)}), "is too long"),
        (json!({"host_keys": ["nonsense"]}), "is invalid"),
        (
            json!({"mirror_branch_regex": "x", "only_mirror_protected_branches": true}),
            "only_mirror_protected_branches, mirror_branch_regex are mutually exclusive",
        ),
    ] {
        let refused = put(body.clone()).await.is(400);
        assert!(refused.text().contains(text), "{body}: {}", refused.text());
    }
    let audited = t.admin().get("/audit_events").await.is(200).text();
    assert!(audited.contains("pull_mirror.create") && audited.contains("pull_mirror.update"));
}

#[testkit::story]
async fn only_who_maintains_a_project_says_what_it_follows(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.follow(&t.admin(), json!({"enabled": false})).await;
    let (developer, stranger) = (t.user("dev").await, t.user("eve").await);
    pair.project.add(&developer, 30).await;
    // Who is to be refused learns nothing of addresses either.
    allow_local(&t, false).await;
    let body = json!({"url": "http://127.0.0.1:1/x.git"});
    for (who, status) in [(&developer, 403), (&stranger, 404)] {
        who.get(pair.mirror()).await.is(status);
        who.put(pair.mirror()).json(&body).await.is(status);
        who.post(pair.mirror()).await.is(status);
        let old = json!({"import_url": "http://127.0.0.1:1/x.git"});
        who.put(pair.project.at("")).json(&old).await.is(status);
    }
    t.anonymous()
        .post("/projects")
        .json(&json!({"name": "x", "import_url": "x"}))
        .await
        .is(401);
}

#[testkit::story]
async fn a_mirror_acts_as_who_changed_it_or_whom_administrators_name(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let (mia, kim, dev) = (t.user("mia").await, t.user("kim").await, t.user("dev").await);
    for (user, level) in [(&mia, 40), (&kim, 40), (&dev, 30)] {
        pair.project.add(user, level).await;
    }
    pair.follow(&mia, json!({"enabled": false})).await;
    let put = |id: i64| json!({"mirror_user_id": id});
    let at = pair.project.at("");
    assert_eq!(mia.get(&at).await.is(200).json()["mirror_user_id"], mia.id);
    mia.put(&at).json(&put(kim.id)).await.is(403);
    mia.put(&at).json(&put(mia.id)).await.is(200);
    let named = t.admin().put(&at).json(&put(kim.id)).await.is(200).json();
    assert_eq!(named["mirror_user_id"], kim.id);
    for id in [dev.id, 987_654] {
        let refused = t.admin().put(&at).json(&put(id)).await.is(400).json();
        assert_eq!(refused["message"]["mirror_user_id"][0], "does not maintain the project");
    }
    mia.put(pair.mirror())
        .json(&json!({"mirror_trigger_builds": true}))
        .await
        .is(200);
    assert_eq!(mia.get(&at).await.is(200).json()["mirror_user_id"], mia.id);
}

#[testkit::story(noon)]
async fn whatever_a_webhook_says_has_the_project_follow(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    pair.follow(&t.admin(), json!({})).await;
    t.settle().await;
    let token = t.admin().token().unwrap().to_owned();
    let at = format!("{}?private_token={token}", pair.mirror());
    let push = json!({"id": 7, "ref": "refs/heads/main", "project_id": "x", "enabled": "maybe",
        "repository": {"id": 9, "url": "https://elsewhere.example/x"}, "url": 3});
    t.anonymous().post(&at).json(&push).await.is(202);
    t.anonymous().post(&at).form("payload=%7B&url=x&url=y").await.is(202);
    t.anonymous().post(&at).bytes("no JSON at all {").await.is(202);
    let cut_off = t.anonymous().post(&at).bytes("[1, 2");
    cut_off.header("content-type", "application/json").await.is(202);
    t.anonymous().post(pair.mirror()).json(&push).await.is(401);
    let url = pair.shown(&t).await["url"].clone();
    assert!(url.as_str().is_some_and(|url| url.ends_with("/acme/source.git")), "{url}");
}

#[testkit::story(noon)]
async fn it_can_be_switched_off_at_three_levels(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    pair.follow(&t.admin(), json!({})).await;
    t.settle().await;
    let first = pair.id_here("refs/heads/main").await;
    pair.git.commit("one", "more.txt", "two\n").await;
    pair.push(&["main"]).await;
    let flag = |on: bool| json!({"pull_mirror_enabled": on});
    for at in [
        "/application/settings".to_owned(),
        "/groups/acme".to_owned(),
        pair.project.at(""),
    ] {
        let told = t.admin().put(&at).json(&flag(false)).await.is(200).json();
        assert_eq!(told["pull_mirror_enabled"], false, "{at}");
        for refused in [
            t.admin().get(pair.mirror()).await,
            t.admin().put(pair.mirror()).json(&json!({"enabled": true})).await,
            t.admin().post(pair.mirror()).await,
        ] {
            let said = json!({"message": "403 Forbidden - This feature is switched off"});
            assert_eq!(refused.is(403).json(), said, "{at}");
        }
        let old = json!({"mirror": true});
        t.admin().put(pair.project.at("")).json(&old).await.is(403);
        t.advance(1800);
        run(&t, "repositories.pull_mirrors_due", json!({})).await;
        assert_eq!(pair.id_here("refs/heads/main").await, first, "{at}");
        let status = t.app().read(|tx| {
            let status: String =
                tx.one(store::sql!("select update_status from pull_mirrors"), ())?;
            Ok(status)
        });
        assert_eq!(status.await.unwrap(), "none", "{at}");
        t.admin().put(&at).json(&flag(true)).await.is(200);
    }
    assert_eq!(outcome(&pair.again(&t).await), ("finished", ""));
    assert_ne!(pair.id_here("refs/heads/main").await, first);
}
