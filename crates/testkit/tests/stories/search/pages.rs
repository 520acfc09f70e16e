//! `/search` in a browser.

use super::{issue, zebras};
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn a_page_shows_tabs_rows_and_why_they_match(t: TestServer) {
    let project = zebras(&t, "acme/zebra", "private").await;
    let text = "A <b>bold</b> zebra & friends";
    issue(&project, &t.admin(), json!({"title": "<zebra>", "description": text})).await;
    let user = super::member(&t, &project, "dev", 30).await;
    let browser = t.browser(&user.username).await;

    let page = browser.get("/search?q=zebra").await.is(200).text();
    assert!(page.contains("&#60;<mark>zebra</mark>&#62;"), "escaped and marked");
    assert!(page.contains("A &#60;b&#62;bold&#60;/b&#62; <mark>zebra</mark> &#38; friends"));
    for tab in ["Issues", "Comments", "Projects", "Packages", "Milestones", "Labels", "Alerts"] {
        assert!(page.contains(&format!(">{tab} <span class=\"tally\">")), "{tab}");
    }
    assert!(page.contains("Issues <span class=\"tally\">3</span>"));
    assert!(page.contains("href=\"/acme/zebra/-/issues/3\""));

    let notes = browser.get("/search?q=zebra&type=notes").await.is(200).text();
    assert!(notes.contains("/acme/zebra/-/issues/1#note_"));

    // Every row leads to a page.
    for kind in [
        "issues",
        "notes",
        "projects",
        "packages",
        "milestones",
        "labels",
        "alerts",
        "errors",
    ] {
        let page = browser.get(&format!("/search?q=zebra&type={kind}")).await.is(200).text();
        let row = page.split("<p class=\"name\"><a href=\"").nth(1).expect("a row");
        let url = row.split(['"', '#']).next().unwrap_or_default();
        browser.get(&url.replace("&#38;", "&")).await.is(200);
    }
}

#[testkit::story]
async fn a_place_is_searched_until_its_chip_is_taken_away(t: TestServer) {
    let here = t.project("acme/here").await;
    let there = t.project("acme/there").await;
    let user = t.user("dev").await;
    for project in [&here, &there] {
        project.add(&user, 30).await;
        issue(project, &t.admin(), json!({"title": "zebra"})).await;
    }
    let browser = t.browser("dev").await;
    let overview = browser.get("/acme/here").await.is(200).text();
    assert!(overview.contains("<input type=\"hidden\" name=\"project\" value=\"acme/here\">"));

    let page = browser.get("/search?q=zebra&project=acme%2Fhere").await.is(200).text();
    assert!(page.contains("in acme/here") && !page.contains("acme/there"));
    assert!(page.contains("href=\"/search?q=zebra\" aria-label=\"Search everywhere"));
    let page = browser.get("/search?q=zebra").await.is(200).text();
    assert!(page.contains("acme/here") && page.contains("acme/there"));
    let page = browser.get("/search?q=nothing&project=acme%2Fhere").await.is(200).text();
    assert!(page.contains("Nothing found"));
}

#[testkit::story]
async fn numbers_and_paths_lead_straight_there(t: TestServer) {
    let project = t.project("acme/tools/anvil").await;
    issue(&project, &t.admin(), json!({"title": "zebra"})).await;
    let user = t.user("dev").await;
    project.add(&user, 30).await;
    let tools = t.group("acme/tools").await;
    for confidential in [false, true] {
        let epic = json!({"title": "stripes", "confidential": confidential});
        t.admin().post(tools.at("/epics")).json(&epic).await.is(201);
    }
    let browser = t.browser("dev").await;
    for (query, target) in [
        ("q=acme%2Ftools%261", "/groups/acme/tools/-/epics/1"),
        ("q=%261&group=acme%2Ftools", "/groups/acme/tools/-/epics/1"),
        ("q=%261&project=acme%2Ftools%2Fanvil", "/groups/acme/tools/-/epics/1"),
        ("q=acme%2Ftools%2Fanvil", "/acme/tools/anvil"),
        ("q=+Acme%2FTools%2FAnvil+", "/acme/tools/anvil"),
        ("q=acme%2Ftools%2Fanvil%231", "/acme/tools/anvil/-/issues/1"),
        ("q=%231&project=acme%2Ftools%2Fanvil", "/acme/tools/anvil/-/issues/1"),
        ("q=acme%2Ftools", "/groups/acme/tools"),
    ] {
        let reply = browser.get(&format!("/search?{query}")).await.is(303);
        assert_eq!(reply.header("location"), target, "{query}");
    }
    for query in [
        "q=%239&project=acme%2Ftools%2Fanvil",
        "q=%231",
        "q=anvil",
        "q=a%2Fb",
        "q=%23",
        // Hidden, and not there.
        "q=acme%2Ftools%262",
        "q=acme%2Ftools%263",
        "q=acme%261",
        "q=%261",
        "q=%26",
    ] {
        browser.get(&format!("/search?{query}")).await.is(200);
    }
}

#[testkit::story]
async fn long_lists_have_pages_and_long_texts_are_refused(t: TestServer) {
    let project = t.project("acme/anvil").await;
    for n in 0..21 {
        issue(&project, &t.admin(), json!({"title": format!("zebra {n}")})).await;
    }
    let user = t.user("dev").await;
    project.add(&user, 30).await;
    let browser = t.browser("dev").await;
    let page = browser.get("/search?q=zebra&page=2").await.is(200).text();
    assert!(
        page.contains("21–21 of 21") && page.contains("/search?q=zebra&#38;type=issues&#38;page=1")
    );
    let page = browser.get(&format!("/search?q={}", "x".repeat(1001))).await.is(200).text();
    assert!(page.contains("is too long (maximum is 1000 characters)"));
    let page = browser.get("/search").await.is(200).text();
    assert!(page.contains("Find anything you may see"));
}

#[testkit::story]
async fn a_page_lists_the_keys(t: TestServer) {
    let page = t.new_browser().get("/-/help/shortcuts").await.is(200).text();
    for key in ["<kbd>Ctrl</kbd> <kbd>K</kbd>", "<kbd>g</kbd> <kbd>m</kbd>", "<kbd>j</kbd>"] {
        assert!(page.contains(key), "{key}");
    }
}
