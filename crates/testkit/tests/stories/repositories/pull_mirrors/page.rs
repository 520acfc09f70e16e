//! The page of mirrors, and what the first page of a project says of one.

use super::Pair;
use crate::repositories::mirrors::allow_local;
use serde_json::json;
use testkit::{Browser, TestServer};

const PAGE: &str = "/acme/anvil/-/settings/mirrors";

/// Sends a form; the page that it leads to, or that is shown again.
async fn send(browser: &Browser, fields: &[(&str, &str)]) -> (u16, String) {
    let answered = browser.post(PAGE, fields).await;
    match answered.status {
        303 => (303, browser.get(PAGE).await.is(200).text()),
        status => (status, answered.text()),
    }
}

#[testkit::story(noon)]
async fn a_page_has_a_project_follow(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    let smith = t.user("smith").await;
    pair.project.add(&smith, 40).await;
    let browser = t.browser("smith").await;
    let page = browser.get(PAGE).await.is(200).text();
    assert!(page.contains("The project follows nothing"), "{page}");
    let (admin, plain) = (t.admin(), format!("{}/acme/source.git", t.url()));
    let token = admin.token().unwrap();
    let save = |url: &'static str, pattern: &'static str| {
        [
            ("action", "save_pull"),
            ("url", url),
            ("user", "root"),
            ("password", "s3cr3t"),
            ("enabled", "1"),
            ("mirror_branch_regex", pattern),
        ]
    };
    for (url, pattern, text) in [
        ("", "", "be blank"),
        ("gopher://host.example/x", "", "Only allowed schemes"),
        ("http://127.0.0.1:25/x", "", "Only allowed ports"),
        ("https://git.example/x.git", "(", "Is invalid"),
    ] {
        let (status, page) = send(&browser, &save(url, pattern)).await;
        assert!(status == 422 && page.contains(text), "{url}: {page}");
        assert!(!page.contains("s3cr3t"), "what is secret is typed again");
    }
    let good = [
        ("action", "save_pull"),
        ("url", plain.as_str()),
        ("user", "root"),
        ("password", token),
        ("enabled", "1"),
        ("trigger_builds", "1"),
    ];
    let (_, page) = send(&browser, &good).await;
    assert!(page.contains("The project follows http://*****:*****@"), "{page}");
    assert!(page.contains("in the name of smith") && !page.contains(token), "{page}");
    t.settle().await;
    let page = browser.get(PAGE).await.is(200).text();
    assert!(page.contains("finished") && page.contains("last like there"), "{page}");
    assert_eq!(pair.shown(&t).await["mirror_trigger_builds"], true);

    // The first page says where it comes from, and what is wrong to whom it concerns.
    t.advance(300);
    let front = browser.get("/acme/anvil").await.is(200).text();
    assert!(front.contains("Mirrored from") && front.contains(&plain), "{front}");
    assert!(front.contains("5 minutes ago") && !front.contains("*****"), "{front}");
    let dev = t.user("dev").await;
    pair.project.add(&dev, 30).await;
    allow_local(&t, false).await;
    let (_, page) = send(&browser, &[("action", "start_pull")]).await;
    assert!(page.contains("The project follows soon."), "{page}");
    t.settle().await;
    let front = browser.get("/acme/anvil").await.is(200).text();
    assert!(front.contains("Requests to 127.0.0.1 are not allowed"), "{front}");
    let front = t.browser("dev").await.get("/acme/anvil").await.is(200).text();
    assert!(front.contains("The last update failed."), "{front}");
    assert!(
        !front.contains("are not allowed") && !front.contains("settings/mirrors"),
        "{front}"
    );
    t.browser("dev").await.get(PAGE).await.is(403);

    let (_, page) = send(&browser, &[("action", "remove_pull")]).await;
    assert!(page.contains("The project follows nothing any more."), "{page}");
    t.admin().get(pair.mirror()).await.is(404);
    let (_, page) = send(&browser, &[("action", "allow")]).await;
    assert!(page.contains("Following other repositories is switched off"), "{page}");
    let shown = t.admin().get(pair.project.at("")).await.is(200).json();
    assert_eq!(shown["pull_mirror_enabled"], json!(false));
    let (status, page) = send(&browser, &good).await;
    assert!(status != 303 && !page.contains(token), "{page}");
}
