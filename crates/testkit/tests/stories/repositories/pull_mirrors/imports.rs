//! Projects that begin with a repository elsewhere, and the old way to say what one follows.

use super::{Pair, outcome};
use serde_json::{Value, json};
use testkit::{Git, TestServer};

#[testkit::story(noon)]
async fn a_project_begins_with_a_repository_elsewhere(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.git.run_in("one", &["tag", "--annotate", "-m", "one", "v1"]).await.done();
    pair.git.commit("one", ".gitlab-ci.yml", "usual: {script: e}\n").await;
    pair.push(&["main", "main:refs/heads/trunk", "v1"]).await;
    let trunk = json!({"default_branch": "trunk"});
    t.admin().put(pair.upstream.at("")).json(&trunk).await.is(200);
    let jane = t.user("jane").await;
    let body = json!({"name": "imported", "import_url": pair.url()});
    let made = jane.post("/projects").json(&body).await.is(201).json();
    assert_eq!((&made["import_status"], &made["mirror"]), (&json!("scheduled"), &json!(false)));
    let shown = made["import_url"].as_str().unwrap_or_default();
    assert!(shown.starts_with("http://*****:*****@"), "{made}");
    t.settle().await;

    let at = format!("/projects/{}", made["id"]);
    let told = jane.get(&at).await.is(200).json();
    assert_eq!(
        (&told["import_status"], &told["import_error"]),
        (&json!("finished"), &Value::Null)
    );
    assert_eq!(told["default_branch"], "trunk", "as it is there");
    assert_eq!(pair.refs("jane/imported").await, pair.refs("acme/source").await);
    let rules = jane.get(format!("{at}/protected_branches")).await.is(200);
    assert_eq!(rules.each("name"), [json!("trunk")], "it is protected as a first branch");
    assert!(jane.get(format!("{at}/pipelines")).await.is(200).each("id").is_empty());
    let pushes = jane.get(format!("{at}/events?action=pushed")).await.is(200);
    assert!(pushes.each("id").is_empty(), "imports tell nothing");

    // It does not follow, and what proved who asked is forgotten.
    let mirror = format!("{at}/mirror/pull");
    let kept = jane.get(&mirror).await.is(200).json();
    let plain = shown.replace("*****:*****@", "");
    assert_eq!((&kept["enabled"], &kept["url"]), (&json!(false), &json!(plain)));
    jane.post(&mirror).await.is(400);
    let secrets = t.app().read(|tx| {
        let sealed: Vec<(Option<String>, Option<String>)> =
            tx.all(store::sql!("select sealed_credentials, sealed_key from pull_mirrors"), ())?;
        Ok(sealed)
    });
    assert_eq!(secrets.await.unwrap(), [(None, None)]);
}

#[testkit::story(noon)]
async fn an_import_that_fails_says_why_and_is_asked_for_again(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    let (jane, kim) = (t.user("jane").await, t.user("kim").await);
    let wrong = Git::of(&jane).url("acme/source");
    let body = json!({"name": "imported", "import_url": wrong});
    let made = jane.post("/projects").json(&body).await.is(201).id();
    t.settle().await;
    let at = format!("/projects/{made}");
    let member = json!({"user_id": kim.id, "access_level": 30});
    jane.post(format!("{at}/members")).json(&member).await.is(201);
    let told = jane.get(&at).await.is(200).json();
    assert_eq!(told["import_status"], "failed");
    let said = told["import_error"].as_str().expect("a reason").to_owned();
    assert!(!said.contains(jane.token().unwrap()), "{said}");
    let page = t.browser("jane").await.get("/jane/imported").await.is(200).text();
    assert!(page.contains("It could not be imported: "), "{page}");
    let told = kim.get(&at).await.is(200).json();
    assert_eq!(
        (&told["import_status"], &told["import_error"]),
        (&json!("failed"), &Value::Null)
    );
    for key in ["import_url", "mirror", "mirror_user_id", "mirror_trigger_builds"] {
        assert!(told.get(key).is_none(), "{key} is for who maintains the project");
    }
    t.advance(300);
    let again = json!({"import_url": pair.url()});
    kim.put(&at).json(&again).await.is(403);
    let told = jane.put(&at).json(&again).await.is(200).json();
    assert_eq!(
        (&told["import_status"], &told["import_error"]),
        (&json!("scheduled"), &Value::Null)
    );
    t.settle().await;
    assert_eq!(jane.get(&at).await.is(200).json()["import_status"], "finished");
    assert_eq!(pair.refs("jane/imported").await, pair.refs("acme/source").await);
}

#[testkit::story(noon)]
async fn a_project_follows_what_it_began_with_where_that_is_said(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    let body = json!({"name": "imported", "import_url": pair.url(), "mirror": true,
        "mirror_trigger_builds": true, "mirror_branch_regex": "^m"});
    let made = t.admin().post("/projects").json(&body).await.is(201).json();
    let at = format!("/projects/{}", made["id"]);
    for (key, value) in [
        ("mirror", json!(true)),
        ("mirror_user_id", json!(1)),
        ("mirror_trigger_builds", json!(true)),
        ("mirror_overwrites_diverged_branches", json!(false)),
        ("only_mirror_protected_branches", Value::Null),
        ("mirror_branch_regex", json!("^m")),
    ] {
        assert_eq!(made[key], value, "{key}");
    }
    t.settle().await;
    assert_eq!(pair.refs("root/imported").await, pair.refs("acme/source").await);
    let mirror = format!("{at}/mirror/pull");
    assert_eq!(t.admin().get(&mirror).await.is(200).json()["enabled"], true);
    pair.git.commit("one", "more.txt", "two\n").await;
    pair.push(&["main"]).await;
    t.advance(300);
    t.admin().post(&mirror).await.is(202);
    t.settle().await;
    assert_eq!(pair.refs("root/imported").await, pair.refs("acme/source").await);
    let told = t.admin().get(&at).await.is(200).json();
    assert_eq!(told["import_status"], "finished");
}

#[testkit::story(noon)]
async fn both_ways_write_the_same(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    pair.follow(&t.admin(), json!({"enabled": false})).await;
    let change = json!({"mirror": true, "only_mirror_protected_branches": true,
        "mirror_overwrites_diverged_branches": true});
    let told = t.admin().put(pair.project.at("")).json(&change).await.is(200).json();
    assert_eq!((&told["mirror"], &told["import_status"]), (&json!(true), &json!("none")));
    let shown = pair.shown(&t).await;
    for key in [
        "only_mirror_protected_branches",
        "mirror_overwrites_diverged_branches",
        "mirror_trigger_builds",
        "mirror_branch_regex",
    ] {
        assert_eq!(shown[key], told[key], "{key}");
    }
    assert_eq!((&shown["enabled"], &shown["url"]), (&json!(true), &told["import_url"]));
    let both = json!({"only_mirror_protected_branches": true, "mirror_branch_regex": "x"});
    for (method, at) in [("old", pair.project.at("")), ("new", pair.mirror())] {
        let refused = t.admin().put(at).json(&both).await.is(400);
        assert!(refused.text().contains("are mutually exclusive"), "{method}");
    }
    // What says nothing of it leaves it.
    t.admin()
        .put(pair.project.at(""))
        .json(&json!({"description": "x"}))
        .await
        .is(200);
    assert_eq!(pair.shown(&t).await["enabled"], true);
    t.admin().put(pair.project.at("")).json(&json!({"mirror": false})).await.is(200);
    assert_eq!(pair.shown(&t).await["enabled"], false);
    let plain = t.project("acme/plain").await;
    t.admin().put(plain.at("")).json(&json!({"mirror": false})).await.is(200);
    let refused = t.admin().put(plain.at("")).json(&json!({"mirror": true})).await.is(400);
    assert!(refused.text().contains("import_url is missing"), "{}", refused.text());
    let readme = json!({"name": "x", "import_url": pair.url(), "initialize_with_readme": true});
    let refused = t.admin().post("/projects").json(&readme).await.is(400);
    assert!(refused.text().contains("mutually exclusive"), "{}", refused.text());
}

#[testkit::story(noon)]
async fn a_developer_makes_projects_and_has_none_follow(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    let (dev, group) = (t.user("dev").await, t.group("makers").await);
    group.add(&dev, 30).await;
    let open = json!({"project_creation_level": "developer"});
    t.admin().put(group.at("")).json(&open).await.is(200);
    let body = |name: &str, mirror: bool| json!({"name": name, "namespace_id": group.id, "import_url": pair.url(), "mirror": mirror});
    dev.post("/projects").json(&body("one", true)).await.is(403);
    dev.get("/projects/makers%2Fone").await.is(404);
    dev.post("/projects").json(&body("two", false)).await.is(201);
    t.settle().await;
    let told = t.admin().get("/projects/makers%2Ftwo").await.is(200).json();
    assert_eq!(
        (&told["import_status"], &told["import_error"]),
        (&json!("finished"), &Value::Null)
    );
    assert_eq!(pair.refs("makers/two").await, pair.refs("acme/source").await);
    let mirror = t.admin().get("/projects/makers%2Ftwo/mirror/pull").await.is(200).json();
    assert_eq!(outcome(&mirror), ("finished", ""));
}
