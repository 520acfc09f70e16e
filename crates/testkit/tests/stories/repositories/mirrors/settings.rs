//! Who sets mirrors up, and what they may say; and the page.

use super::{Pair, allow_local, shown};
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn mirrors_are_made_changed_and_removed(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let all = pair.project.at("/remote_mirrors");
    let maintainer = t.user("mia").await;
    pair.project.add(&maintainer, 40).await;
    assert_eq!(maintainer.get(&all).await.is(200).json(), json!([]));
    let made = maintainer.post(&all).json(&json!({"url": pair.url()})).await.is(201);
    let keys: Vec<String> = made.json().as_object().unwrap().keys().cloned().collect();
    let made = made.json();
    let mut wanted = [
        "id",
        "enabled",
        "url",
        "update_status",
        "last_update_at",
        "last_update_started_at",
        "last_successful_update_at",
        "last_error",
        "only_protected_branches",
        "keep_divergent_refs",
        "auth_method",
        "host_keys",
        "mirror_branch_regex",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut sorted = keys.clone();
    sorted.sort();
    wanted.sort();
    assert_eq!(sorted, wanted);
    assert_eq!((&made["enabled"], &made["auth_method"]), (&json!(false), &json!("password")));
    assert_eq!(made["mirror_branch_regex"], Value::Null);
    let at = format!("{all}/{}", made["id"]);
    let change = json!({"enabled": true, "mirror_branch_regex": "^v", "keep_divergent_refs": true});
    let changed = maintainer.put(&at).json(&change).await.is(200).json();
    assert_eq!(
        (&changed["enabled"], &changed["mirror_branch_regex"]),
        (&json!(true), &json!("^v"))
    );
    let changed = maintainer.put(&at).json(&json!({"only_protected_branches": true})).await.json();
    assert_eq!(changed["mirror_branch_regex"], Value::Null);
    let changed = maintainer.put(&at).json(&json!({"mirror_branch_regex": ""})).await.json();
    assert_eq!(changed["only_protected_branches"], true);
    assert_eq!(maintainer.get(&all).await.is(200).json(), json!([changed]));
    assert_eq!(shown(&t, &at).await, changed);
    maintainer.delete(&at).await.is(204);
    maintainer.get(&at).await.is(404);
    maintainer.post(format!("{at}/sync")).await.is(404);
}

#[testkit::story]
async fn only_who_maintains_a_project_has_to_do_with_its_mirrors(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let mirror = pair.mirror(&t, json!({})).await;
    let (developer, stranger) = (t.user("dev").await, t.user("eve").await);
    pair.project.add(&developer, 30).await;
    // Who is to be refused learns nothing of addresses either.
    allow_local(&t, false).await;
    for (who, status) in [(&developer, 403), (&stranger, 404)] {
        let body = json!({"url": "http://127.0.0.1:1/x.git"});
        who.get(pair.project.at("/remote_mirrors")).await.is(status);
        who.post(pair.project.at("/remote_mirrors")).json(&body).await.is(status);
        who.get(&mirror).await.is(status);
        who.put(&mirror).json(&body).await.is(status);
        who.post(format!("{mirror}/sync")).await.is(status);
        who.get(format!("{mirror}/public_key")).await.is(status);
        who.delete(&mirror).await.is(status);
    }
    // One of another project is none of this.
    let other = mirror.replace(&pair.project.at(""), &pair.copy.at(""));
    assert_ne!(other, mirror);
    t.admin().get(&other).await.is(404);
    t.admin().put(&other).json(&json!({"enabled": false})).await.is(404);
    t.admin().delete(&other).await.is(404);
}

#[testkit::story]
async fn mirrors_that_make_no_sense_are_refused(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let all = pair.project.at("/remote_mirrors");
    for (body, text) in [
        (json!({}), "url is missing"),
        (json!({"url": "file:///etc"}), "Only allowed schemes are http, https, ssh"),
        (json!({"url": "git@127.0.0.1:x.git"}), "URI is invalid"),
        (json!({"url": "--upload-pack=x"}), "URI is invalid"),
        (json!({"url": "ext::sh -c touch"}), "URI is invalid"),
        (json!({"url": "http://127.0.0.1:25/x"}), "Only allowed ports are 22, 80, 443"),
        (json!({"url": format!("http://h/{}", "x".repeat(2000))}), "is too long"),
        (
            json!({"url": pair.url(), "only_protected_branches": true, "mirror_branch_regex": "x"}),
            "only_protected_branches, mirror_branch_regex are mutually exclusive",
        ),
        (json!({"url": pair.url(), "mirror_branch_regex": "("}), "is invalid"),
        (
            json!({"url": pair.url(), "mirror_branch_regex": "a".repeat(512)}),
            "is too long",
        ),
        (
            json!({"url": pair.url(), "mirror_branch_regex": "(a{1000}){1000}"}),
            "is invalid",
        ),
        (
            json!({"url": pair.url(), "auth_method": "magic"}),
            "auth_method does not have a valid",
        ),
        (json!({"url": "http://*****:*****@127.0.0.1:8080/x.git"}), "needs its user name"),
    ] {
        let refused = t.admin().post(&all).json(&body).await.is(400);
        assert!(refused.text().contains(text), "{body}: {}", refused.text());
    }
    for _ in 0..10 {
        t.admin().post(&all).json(&json!({"url": pair.url()})).await.is(201);
    }
    let refused = t.admin().post(&all).json(&json!({"url": pair.url()})).await.is(400);
    assert!(refused.text().contains("at most 10 push mirrors"), "{}", refused.text());
    let listed = t.admin().get(format!("{all}?per_page=3&page=4")).await.is(200);
    assert_eq!(listed.json().as_array().map(Vec::len), Some(1));
    assert_eq!(listed.header("x-total"), "10");
    let some = listed.json()[0]["id"].clone();
    t.admin().put(format!("{all}/{some}")).await.is(400);
}

const PAGE: &str = "/acme/anvil/-/settings/mirrors";

#[testkit::story(noon)]
async fn a_page_has_them_follow(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    let smith = t.user("smith").await;
    pair.project.add(&smith, 40).await;
    let browser = t.browser("smith").await;
    assert!(browser.get(PAGE).await.is(200).text().contains("No push mirrors"));
    let (plain, token) = (format!("{}/acme/copy.git", t.url()), pair.robot.token().unwrap());
    let add = |url: &str, pattern: &str| {
        [
            ("action", "add_push".to_owned()),
            ("url", url.to_owned()),
            ("user", "robot".to_owned()),
            ("password", token.to_owned()),
            ("mirror_branch_regex", pattern.to_owned()),
        ]
    };
    let send = async |fields: &[(&str, String)]| {
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answered = browser.post(PAGE, &fields).await;
        match answered.status {
            303 => browser.get(PAGE).await.is(200).text(),
            _ => answered.is(422).text(),
        }
    };
    for (url, pattern, text) in [
        ("", "", "be blank"),
        ("file:///etc", "", "URI is invalid"),
        ("http://127.0.0.1:25/x", "", "Only allowed ports"),
        (plain.as_str(), "(", "Is invalid"),
    ] {
        let page = send(&add(url, pattern)).await;
        assert!(page.contains(text), "{url}: {page}");
        assert!(!page.contains(token), "what is secret is typed again");
    }
    let page = send(&add(&plain, "")).await;
    assert!(page.contains("waits for a push") && page.contains("*****:*****@"), "{page}");
    assert!(!page.contains(token));
    let all = t.admin().get(pair.project.at("/remote_mirrors")).await.is(200).json();
    let id = all[0]["id"].to_string();
    let page = send(&[("action", "start_push".into()), ("mirror_id", id.clone())]).await;
    assert!(page.contains("The mirror follows soon."), "{page}");
    t.settle().await;
    assert_eq!(pair.names_there().await, ["refs/heads/main"]);
    let page = browser.get(PAGE).await.is(200).text();
    assert!(page.contains("finished") && page.contains("last like here"), "{page}");
    let masked = all[0]["url"].as_str().unwrap().to_owned();
    let change = |pattern: &str| {
        [
            ("action", "change_push".to_owned()),
            ("mirror_id", id.clone()),
            ("url", masked.clone()),
            ("mirror_branch_regex", pattern.to_owned()),
            ("another_way", "1".to_owned()),
            ("enabled", "1".to_owned()),
        ]
    };
    let page = send(&change("(")).await;
    assert!(page.contains("Is invalid") && page.contains("<details class=\"confirm\" open>"));
    let page = send(&change("^v")).await;
    assert!(page.contains("is saved.") && page.contains("Branches that fit ^v"), "{page}");
    let at = pair.project.at(&format!("/remote_mirrors/{id}"));
    let told = shown(&t, &at).await;
    assert_eq!((&told["url"], &told["keep_divergent_refs"]), (&all[0]["url"], &json!(true)));
    let page = send(&[("action", "remove_push".into()), ("mirror_id", id)]).await;
    assert!(page.contains("The mirror is removed."), "{page}");
    allow_local(&t, false).await;
    let page = send(&add(&plain, "")).await;
    assert!(page.contains("s blocked: Requests to 127.0.0.1 are not allowed"), "{page}");
}
