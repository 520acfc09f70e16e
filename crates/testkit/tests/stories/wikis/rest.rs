//! REST of wikis.

use crate::packages_formats::forms::multipart;
use serde_json::{Value, json};
use testkit::{Git, TestServer};

async fn page(t: &TestServer, path: &str) -> Value {
    t.admin().get(path).await.is(200).json()
}

#[testkit::story]
async fn pages_are_made_changed_moved_and_deleted(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("guild").await;
    for base in [project.at("/wikis"), group.at("/wikis")] {
        let at = |rest: &str| format!("{base}{rest}");
        assert_eq!(page(&t, &base).await, json!([]));
        t.admin().get(at("/home")).await.is(404);
        let made = json!({"title": "a/b c", "content": "Heat *it*.\n"});
        let made = t.admin().post(&base).json(&made).await.is(201).json();
        assert_eq!((&made["slug"], &made["title"]), (&json!("a/b-c"), &json!("b c")));
        assert_eq!((&made["format"], &made["encoding"]), (&json!("markdown"), &json!("UTF-8")));
        assert!(made["wiki_page_meta_id"].is_i64() && made["content"] == "Heat *it*.\n");

        // The slug is written in either way, and the text comes as HTML where it is wanted.
        assert_eq!(page(&t, &at("/a/b-c")).await, made);
        assert_eq!(page(&t, &at("/a%2Fb-c")).await, made);
        let html = page(&t, &at("/a%2Fb-c?render_html=true")).await;
        assert!(html["content"].as_str().is_some_and(|text| text.contains("<em>it</em>")));
        let twice = json!({"title": "a/b c", "content": "x"});
        let refused = t.admin().post(&base).json(&twice).await.is(400).text();
        assert!(refused.contains("Duplicate page: "), "{refused}");

        let change = json!({"content": "Cool it.\n", "title": "d"});
        let changed = t.admin().put(at("/a%2Fb-c")).json(&change).await.is(200).json();
        assert_eq!(changed["slug"], "a/d", "it stays in its folder");
        assert_eq!(changed["wiki_page_meta_id"], made["wiki_page_meta_id"]);
        let change = json!({"format": "org", "title": "/d", "front_matter": {"title": "All"}});
        let changed = t.admin().put(at("/a%2Fd")).json(&change).await.is(200).json();
        assert_eq!((&changed["slug"], &changed["format"]), (&json!("d"), &json!("org")));
        assert_eq!(changed["front_matter"], json!({"title": "All"}));
        assert_eq!(changed["content"], "Cool it.\n");
        t.admin().put(at("/d")).json(&json!({})).await.is(400);
        let listed = page(&t, &at("?with_content=1")).await;
        assert_eq!((&listed[0]["content"], &listed[1]), (&json!("Cool it.\n"), &Value::Null));
        t.admin().delete(at("/d")).await.is(204);
        t.admin().delete(at("/d")).await.is(404);
        assert_eq!(page(&t, &base).await, json!([]));
    }
    let shown = t.admin().get(project.at("?statistics=true")).await.is(200).json();
    assert!(shown["statistics"]["wiki_size"].as_i64() > Some(0), "{shown}");
}

#[testkit::story]
async fn a_page_is_shown_as_it_was(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let make = json!({"title": "home", "content": "One"});
    t.admin().post(project.at("/wikis")).json(&make).await.is(201);
    let git = Git::of(&t.admin());
    git.run(&["clone", "--quiet", &git.url("acme/anvil.wiki"), "wiki"]).await.done();
    let first = git.id("wiki", "HEAD").await;
    let said = git.run_in("wiki", &["log", "--format=%s"]).await.done().said;
    assert_eq!(said.trim(), "root created page: home");
    t.admin()
        .put(project.at("/wikis/home"))
        .json(&json!({"content": "Two"}))
        .await
        .is(200);
    let at = |version: &str| project.at(&format!("/wikis/home?version={version}"));
    assert_eq!(page(&t, &at(&first)).await["content"], "One");
    assert_eq!(page(&t, &at("")).await["content"], "Two");
    for wrong in ["--upload-pack=x", "HEAD~1", &"0".repeat(40)] {
        t.admin().get(at(wrong)).await.is(404);
    }
}

#[testkit::story]
async fn roles_decide_and_wrong_input_is_refused(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("guild").await;
    let (guest, developer, stranger) =
        (t.user("guest").await, t.user("developer").await, t.user("stranger").await);
    for (user, level) in [(&guest, 10), (&developer, 30)] {
        project.add(user, level).await;
        group.add(user, level).await;
    }
    for base in [project.at("/wikis"), group.at("/wikis")] {
        let at = |rest: &str| format!("{base}{rest}");
        let make = |title: &str| json!({"title": title, "content": "x"});
        guest.post(&base).json(&make("home")).await.is(403);
        developer.post(&base).json(&make("home")).await.is(201);
        guest.get(at("/home")).await.is(200);
        guest.put(at("/home")).json(&json!({"content": "y"})).await.is(403);
        developer.delete(at("/home")).await.is(403);
        stranger.get(&base).await.is(404);
        t.anonymous().get(at("/home")).await.is(404);
        t.anonymous().post(&base).json(&make("a")).await.is(401);

        let (long, deep) = ("a".repeat(246), format!("{}/a", "a".repeat(256)));
        for title in
            ["../../x", "a/../b", ".git/config", "", " ", "a\\b", "uploads/x", &long, &deep]
        {
            developer.post(&base).json(&make(title)).await.is(400);
        }
        let large = json!({"title": "large", "content": "a".repeat(5 * 1024 * 1024 + 1)});
        let status = developer.post(&base).json(&large).await.status;
        assert!(status == 400 || status == 413, "{status}");
        developer.get(at("/..%2Fx")).await.is(404);
        developer.post(&base).json(&json!({"title": "a"})).await.is(400);
        let odd = json!({"title": "a", "content": "x", "format": "html"});
        developer.post(&base).json(&odd).await.is(400);
    }
    let off = json!({"wiki_access_level": "disabled"});
    t.admin().put(project.at("")).json(&off).await.is(200);
    developer.get(project.at("/wikis")).await.is(403);
    developer
        .post(project.at("/wikis"))
        .json(&json!({"title": "a", "content": "x"}))
        .await
        .is(403);
}

#[testkit::story]
async fn files_are_put_beside_the_pages(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let at = project.at("/wikis/attachments");
    let send = async |name: &str, texts: &[(&str, &str)]| {
        multipart(t.admin().post(&at), texts, &[("file", name, b"bytes")]).await
    };
    let kept = send("a/../dk%.png", &[]).await.is(201).json();
    let path = kept["file_path"].as_str().unwrap_or_default().to_owned();
    assert!(path.starts_with("uploads/") && path.ends_with("/dk_.png"), "{path}");
    assert_eq!(kept["link"], json!({"url": path, "markdown": format!("![dk_]({path})")}));
    assert_eq!((&kept["file_name"], &kept["branch"]), (&json!("dk_.png"), &json!("main")));
    let notes = send("notes.md", &[("branch", "main")]).await.is(201).json();
    let shown = notes["link"]["markdown"].as_str().unwrap_or_default();
    assert!(shown.starts_with("[notes.md](uploads/"), "{shown}");
    assert_eq!(page(&t, &project.at("/wikis")).await, json!([]), "they are no pages");

    let browser = super::browser(&t, project.at("/members"), 20).await;
    for folder in ["", "guides/"] {
        let url = format!("/acme/anvil/-/wikis/{folder}{path}");
        let sent = browser.get(&url).await.is(200);
        assert_eq!((sent.text().as_str(), sent.header("content-type")), ("bytes", "image/png"));
        assert!(sent.header("content-security-policy").contains("sandbox"));
    }
    multipart(t.admin().post(&at), &[("file", "no file")], &[]).await.is(400);
}

#[testkit::story]
async fn of_eight_who_make_one_page_at_once_one_does(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let at = project.at("/wikis");
    let admin = t.admin();
    let make = |number: usize| {
        let text = json!({"title": "home", "content": number.to_string()});
        admin.post(&at).json(&text)
    };
    let all =
        futures_util::future::join_all((0..8).map(|number| async move { make(number).await }));
    let statuses: Vec<u16> = all.await.iter().map(|reply| reply.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 400).count(), 7, "{statuses:?}");
}
