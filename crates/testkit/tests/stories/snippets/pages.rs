//! Pages of snippets.

use super::{at, made, paths};
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn a_snippet_is_written_changed_and_deleted(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let ada = t.user("ada").await;
    project.add(&ada, 30).await;
    let browser = t.browser("ada").await;
    for (base, list) in [
        ("/-/snippets", "/snippets".to_owned()),
        ("/acme/anvil/-/snippets", project.at("/snippets")),
    ] {
        browser.get(base).await.is(200);
        let new = format!("{base}/new");
        let page = browser.get(&new).await.is(200).text();
        assert!(page.contains("files[0][path]"), "{page}");
        // One more file is a form with what was typed.
        let typed = [
            ("title", "Pour"),
            ("files[0][path]", "pour.rs"),
            ("files[0][content]", "fn pour() {}\r\n"),
        ];
        let more = browser.post(&new, &[&typed[..], &[("action", "more")]].concat()).await.is(200);
        assert!(
            more.text().contains("files[1][path]") && more.text().contains("fn pour"),
            "{more:?}"
        );
        let second = [
            ("files[1][path]", "read me.md"),
            ("files[1][content]", "# Read"),
            ("visibility", "public"),
        ];
        let made = browser.post(&new, &[&typed[..], &second[..]].concat()).await.is(303);
        let url = made.header("location").to_owned();
        let page = browser.get(&url).await.is(200).text();
        for text in ["Pour", "pour.rs", "read me.md", "file-2-L1", "raw/main/read%20me.md"] {
            assert!(page.contains(text), "{text}: {page}");
        }
        let snippet = ada.get(&list).await.is(200).json()[0].clone();
        assert_eq!(paths(&snippet), ["pour.rs", "read me.md"]);

        let edit = format!("{url}/edit");
        let page = browser.get(&edit).await.is(200);
        let seen =
            |number: usize| page.hidden(&format!("files[{number}][seen]")).unwrap_or_default();
        let (first, other) = (seen(0), seen(1));
        let change = [
            ("title", "Cast"),
            ("visibility", "private"),
            ("files[0][path]", "cast.rs"),
            ("files[0][previous]", "pour.rs"),
            ("files[0][seen]", &first),
            ("files[0][content]", "fn pour() {}\r\n"),
            ("files[1][path]", "read me.md"),
            ("files[1][previous]", "read me.md"),
            ("files[1][seen]", &other),
            ("files[1][content]", "# Read"),
            ("files[1][gone]", "true"),
        ];
        browser.post(&edit, &change).await.is(303);
        let snippet = ada.get(&list).await.is(200).json()[0].clone();
        assert_eq!(paths(&snippet), ["cast.rs"]);
        assert_eq!(snippet["visibility"], "private");
        // Who has seen something else overwrites nothing.
        let stale = browser.post(&edit, &change).await;
        assert_eq!(stale.status, 422, "{stale:?}");
        let none = browser.post(&new, &[("title", "x"), ("files[0][path]", "a")]).await;
        assert_eq!(none.status, 422);
        browser.post(&url, &[("action", "award")]).await.is(303);
        browser.post(&format!("{url}/notes"), &[("body", "Well done")]).await.is(303);
        assert!(browser.get(&url).await.is(200).text().contains("Well done"));
        browser.post(&url, &[("action", "remove")]).await.is(303);
        browser.get(&url).await.is(404);
    }
}

#[testkit::story]
async fn bytes_never_run_in_a_browser(t: TestServer) {
    let ada = t.user("ada").await;
    let script = "<script>alert(1)</script>";
    let body = json!({"title": "x", "visibility": "public", "files": [
        {"file_path": "a.html", "content": script}, {"file_path": "b.svg", "content": "<svg></svg>"},
        {"file_path": "1/2/3/4/5/6/7/8/9/10.txt", "content": "deep"}]});
    let snippet = ada.post("/snippets").json(&body).await.is(201).json();
    let browser = t.new_browser();
    let raw = |rest: &str| format!("/-/snippets/{}/raw{rest}", snippet["id"]);
    for rest in [
        "",
        "/main/a.html",
        "/HEAD/a.html",
        "/main/b.svg",
        "/main/1/2/3/4/5/6/7/8/9/10.txt",
    ] {
        let sent = browser.get(&raw(rest)).await.is(200);
        assert!(sent.header("content-security-policy").contains("sandbox"), "{sent:?}");
        assert_eq!(sent.header("x-content-type-options"), "nosniff");
        assert!(!sent.header("content-type").contains("html"), "{sent:?}");
        assert!(sent.header("cache-control").starts_with("max-age=0, public"), "{sent:?}");
    }
    assert!(
        browser
            .get(&raw("/main/b.svg"))
            .await
            .header("content-disposition")
            .starts_with("attachment")
    );
    let own = t.browser("ada").await;
    own.get(&raw("/main/absent")).await.is(404);
    own.get(&raw("/absent/a.html")).await.is(404);
    let page = browser.get(&format!("/-/snippets/{}", snippet["id"])).await.is(200).text();
    assert!(!page.contains(script), "{page}");
    let old = t.anonymous().at(format!("/snippets/{}", snippet["id"])).await.is(302);
    assert_eq!(old.header("location"), format!("/-/snippets/{}", snippet["id"]));
}

/// Things are counted for themselves, so an issue may have the number of a snippet.
#[testkit::story]
async fn what_became_of_an_issue_is_not_told_of_a_snippet(t: TestServer) {
    let project = t.project_with("acme/anvil", "private").await;
    let issue = json!({"title": "Hidden", "confidential": true});
    let issue = t.admin().post(project.at("/issues")).json(&issue).await.is(201).json();
    let change = json!({"state_event": "close", "add_labels": "hushed"});
    t.admin().put(project.at("/issues/1")).json(&change).await.is(200);
    let ada = t.user("ada").await;
    let snippet = made(&ada, None, "public").await;
    assert_eq!(snippet["id"], issue["id"]);
    let page = t
        .new_browser()
        .get(&format!("/-/snippets/{}", snippet["id"]))
        .await
        .is(200)
        .text();
    assert!(!page.contains("hushed") && !page.contains("closed"), "{page}");
    assert!(!page.contains("Administrator"), "{page}");
}

#[testkit::story]
async fn lists_show_what_may_be_seen(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let ada = t.user("ada").await;
    project.add(&ada, 30).await;
    t.user("bob").await;
    let open = made(&ada, None, "public").await;
    let hidden = made(&ada, None, "private").await;
    let of_project = made(&ada, Some(&project), "private").await;
    let link = |snippet: &serde_json::Value| {
        let url = snippet["web_url"].as_str().unwrap_or_default().to_owned();
        format!("href=\"{}\"", url.trim_start_matches(&t.url()))
    };
    let (bob, stranger) = (t.browser("bob").await, t.new_browser());
    for path in ["/explore/snippets", "/users/ada/snippets"] {
        for browser in [&bob, &stranger] {
            let page = browser.get(path).await.is(200).text();
            assert!(page.contains(&link(&open)), "{path}: {page}");
            assert!(!page.contains(&link(&hidden)) && !page.contains(&link(&of_project)), "{path}");
        }
    }
    let page = bob.get("/acme/anvil/-/snippets").await.is(200).text();
    assert!(!page.contains(&link(&of_project)) && page.contains("No snippets yet"), "{page}");
    let page = t.browser("ada").await.get("/-/snippets").await.is(200).text();
    assert!(page.contains(&link(&hidden)) && page.contains(&link(&of_project)), "{page}");
    bob.get(&format!("/-/snippets/{}", hidden["id"])).await.is(404);
    bob.get(&format!("/-/snippets/{}/edit", open["id"])).await.is(404);
    bob.get("/users/absent/snippets").await.is(404);
    // A snippet of a project has its page there.
    let led = t
        .browser("ada")
        .await
        .get(&format!("/-/snippets/{}", of_project["id"]))
        .await
        .is(302);
    assert_eq!(led.header("location"), format!("/acme/anvil/-/snippets/{}", of_project["id"]));
    let found = bob.get("/search?q=greeting&kind=snippets").await;
    assert!(found.status == 200, "{found:?}");
    ada.get(at(None, &hidden, "")).await.is(200);
}
