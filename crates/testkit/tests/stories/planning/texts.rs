//! Texts as people read them: previews, files in them, boxes to tick
//! (docs/interface/code.md «Texts»).

use crate::packages_formats::forms::multipart;
use serde_json::{Value, json};
use testkit::{Browser, Client, TestProject, TestServer};

const ONE: &str = "/acme/anvil/-/issues/1";

async fn issue(client: &Client, project: &TestProject, description: &str) {
    let body = json!({"title": "Hinge", "description": description});
    client.post(project.at("/issues")).json(&body).await.is(201);
}

async fn file(client: &Client, path: &str, name: &str) -> Value {
    let request = client.post(path);
    multipart(request, &[], &[("file", name, b"bytes")]).await.is(201).json()
}

#[testkit::story]
async fn a_preview_is_what_will_be_shown(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, _) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    issue(&jane, &project, "").await;
    let text = "# Oil\n\n#1 :tada: <script>x</script>\n\n```rust\nfn a() {}\n```";
    let browser = t.browser("jane").await;
    browser.get("/acme/anvil/-/issues/new").await.is(200);
    let to = "/acme/anvil/-/preview_markdown";
    let shown = browser.post(to, &[("text", text)]).await.is(200).json();
    let html = shown["body"].as_str().unwrap();
    for part in [
        "<h3><a class=\"anchor\" id=\"user-content-oil\"",
        "<a href=\"/acme/anvil/-/issues/1\" title=\"Hinge\"",
        "🎉",
        "<span class=\"hl-keyword\">fn</span>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(!html.contains("<script"), "{html}");
    issue(&jane, &project, text).await;
    let page = browser.get("/acme/anvil/-/issues/2").await.is(200).text();
    assert!(page.contains("<span class=\"hl-keyword\">fn</span>"), "{page}");
    assert_eq!(page.matches("<h1").count(), 1, "{page}");

    let joe = t.browser("joe").await;
    joe.get("/projects/new").await.is(200);
    joe.post(to, &[("text", text)]).await.is(404);
    browser.post_bare(to, &[("text", text)]).await.is(403);
    let long = "x".repeat(1_000_001);
    browser.post(to, &[("text", &long)]).await.is(413);
    assert_eq!(browser.post(to, &[]).await.is(200).json()["body"], json!(""));
}

#[testkit::story]
async fn files_of_texts_have_whole_addresses(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let made = |name: &'static str| {
        let (client, path) = (t.admin(), project.at("/uploads"));
        async move { file(&client, &path, name).await }
    };
    let (picture, film, log) = (made("a.png").await, made("b.mp4").await, made("c.log").await);
    let written = |it: &Value| it["markdown"].as_str().unwrap().to_owned();
    let whole = |it: &Value| it["full_path"].as_str().unwrap().to_owned();
    let text = format!(
        "{}{{width=75% height=100}}\n\n{}\n\n{}\n\n<img src=\"{}\">\n\n`{}`",
        written(&picture),
        written(&film),
        written(&log),
        picture["url"].as_str().unwrap(),
        picture["url"].as_str().unwrap()
    );
    issue(&jane, &project, &text).await;
    let page = t.browser("jane").await.get(ONE).await.is(200).text();
    let (a, b, c) = (whole(&picture), whole(&film), whole(&log));
    for part in [
        format!("<img src=\"{a}\" alt=\"a\" width=\"75%\" height=\"100\">"),
        format!("<video src=\"{b}\" aria-label=\"b\" controls"),
        format!("<a href=\"{c}\""),
        format!("<img src=\"{a}\">"),
        format!("<code>{}</code>", picture["url"].as_str().unwrap()),
    ] {
        assert!(page.contains(&part), "{part}: {page}");
    }
    t.browser("jane").await.get(&a).await.is(200);

    // By REST with the instance's address, for whoever sees the project.
    let asked = json!({"text": written(&picture), "gfm": true, "project": "acme/anvil"});
    let html = jane.post("/markdown").json(&asked).await.is(201).json()["html"].clone();
    assert_eq!(html, json!(format!("<p><img src=\"{}{a}\" alt=\"a\"></p>\n", t.url())));
    let joe = t.user("joe").await;
    let html = joe.post("/markdown").json(&asked).await.is(201).json()["html"].clone();
    assert!(
        html.as_str()
            .unwrap()
            .contains(&format!("src=\"/uploads/{}", &a[a.len() - 38..]))
    );

    // A group's milestone shows the group's.
    let upload = file(&t.admin(), "/groups/acme/uploads", "g.png").await;
    let goal = json!({"title": "1.0", "description": written(&upload)});
    t.admin().post("/groups/acme/milestones").json(&goal).await.is(201);
    let page = t.browser("jane").await.get("/groups/acme/-/milestones/1").await.is(200).text();
    assert!(page.contains(&format!("src=\"{}\"", whole(&upload))), "{page}");
}

#[testkit::story]
async fn files_go_with_an_issue_that_moves(t: TestServer) {
    let (anvil, hammer) = (t.project("acme/anvil").await, t.project("plaza/hammer").await);
    let jane = t.user("jane").await;
    hammer.add(&jane, 10).await;
    let (one, two) = (
        file(&t.admin(), &anvil.at("/uploads"), "a.png").await,
        file(&t.admin(), &anvil.at("/uploads"), "b.png").await,
    );
    issue(&t.admin(), &anvil, one["markdown"].as_str().unwrap()).await;
    let note = json!({"body": two["markdown"]});
    t.admin().post(anvil.at("/issues/1/notes")).json(&note).await.is(201);
    let to = json!({"to_project_id": hammer.id});
    t.admin().post(anvil.at("/issues/1/move")).json(&to).await.is(201);
    let reader = t.browser("jane").await;
    let page = reader.get("/plaza/hammer/-/issues/1").await.is(200).text();
    for url in [&one["url"], &two["url"]] {
        let whole = format!("/-/project/{}{}", hammer.id, url.as_str().unwrap());
        assert!(page.contains(&whole), "{page}");
        reader.get(&whole).await.is(200);
    }
}

/// The fields of the form that the boxes of a text belong to.
fn form(page: &str, id: &str) -> Option<(String, String)> {
    let form = page.split(&format!("<form id=\"{id}boxes\"")).nth(1)?.split("</form>").next()?;
    let field = |name: &str| form.split(&format!("{name}=\"")).nth(1)?.split('"').next();
    let version = form.split("name=\"version\" value=\"").nth(1)?.split('"').next()?;
    Some((field("action")?.to_owned(), version.to_owned()))
}

async fn tick(browser: &Browser, form: &(String, String), task: &str) -> testkit::Reply {
    browser.post(&form.0, &[("task", task), ("version", &form.1)]).await
}

#[testkit::story]
async fn boxes_are_ticked_one_by_one(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    let text = "/close is text here\r\n- [ ] oil [ ]\r\n  - [x] hinge\r\n\r\n> 1. [ ] paint\r\n";
    let text = format!("Look:\r\n\r\n`{}", text.replacen("here", "here`", 1));
    issue(&jane, &project, &text).await;
    let description = async || {
        let issue = jane.get(project.at("/issues/1")).await.is(200).json();
        (issue["description"].as_str().unwrap().to_owned(), issue["state"].clone())
    };
    let (before, _) = description().await;
    let browser = t.browser("jane").await;
    let page = browser.get(ONE).await.is(200).text();
    assert!(
        page.contains("aria-label=\"oil [ ]\"") && page.contains("role=\"checkbox\""),
        "{page}"
    );
    let seen = form(&page, "d-").expect("a form for the boxes");

    let led = tick(&browser, &seen, "2:1").await.is(303);
    assert_eq!(led.header("location"), format!("{ONE}#description"));
    let expected = before.replacen("[ ] paint", "[x] paint", 1);
    assert_eq!(description().await, (expected.clone(), json!("opened")));
    // The text is another one by now: nothing is ticked in it.
    let refused = tick(&browser, &seen, "0:1").await.is(409).text();
    assert!(refused.contains("changed this text"), "{refused}");
    assert_eq!(description().await.0, expected);
    let page = browser.get(ONE).await.is(200).text();
    assert!(page.contains("Task marked as done.") || page.contains("aria-checked=\"true\""));
    let seen = form(&page, "d-").unwrap();
    tick(&browser, &seen, "1:0").await.is(303);
    assert_eq!(description().await.0, expected.replacen("[x] hinge", "[ ] hinge", 1));
    let seen = form(&browser.get(ONE).await.is(200).text(), "d-").unwrap();
    for wrong in ["", "0", "x:1", "-1:1"] {
        tick(&browser, &seen, wrong).await.is(400);
    }
    tick(&browser, &seen, "99:1").await.is(409);

    // Who may not edit sees boxes and no buttons, and is refused.
    let other = t.browser("joe").await;
    let page = other.get(ONE).await.is(200).text();
    assert!(form(&page, "d-").is_none() && !page.contains("class=\"task\""), "{page}");
    assert!(page.contains("type=\"checkbox\"") && page.contains("disabled"), "{page}");
    tick(&other, &seen, "0:1").await.is(403);
    let stranger = t.anonymous().at(ONE).await.is(200).text();
    assert!(!stranger.contains("class=\"task\""), "{stranger}");

    // Notes are ticked by who wrote them.
    let note = json!({"body": "- [ ] sweep"});
    let note = joe.post(project.at("/issues/1/notes")).json(&note).await.is(201).id();
    let page = other.get(ONE).await.is(200).text();
    let seen = form(&page, &format!("n{note}-")).expect("a form for the note");
    tick(&browser, &seen, "0:1").await.is(403);
    let led = tick(&other, &seen, "0:1").await.is(303);
    assert_eq!(led.header("location"), format!("{ONE}#note_{note}"));
    let body = joe.get(project.at(&format!("/issues/1/notes/{note}"))).await.is(200).json();
    assert_eq!(body["body"], json!("- [x] sweep"));
    tick(&other, &seen, "0:1").await.is(409);
}

#[testkit::story]
async fn people_are_named_to_people_only(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let jane = t.user("jane").await;
    issue(&t.admin(), &project, "Ask @jane and @acme about `@jane`").await;
    let page = t.anonymous().at(ONE).await.is(200).text();
    assert!(page.contains("Ask @jane") && !page.contains("href=\"/jane\""), "{page}");
    let page = t.browser("jane").await.get(ONE).await.is(200).text();
    assert!(page.contains("<a href=\"/jane\""), "{page}");
    t.anonymous().at(format!("/{}", jane.username)).await.is(200);
}

#[testkit::story]
async fn tables_of_texts_stay_tables(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 10).await;
    issue(&t.admin(), &project, "|Part|Price|\n|:-:|--:|\n|hinge|3|").await;
    let page = t.browser("jane").await.get(ONE).await.is(200).text();
    let around = "<div class=\"table-scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\">";
    assert!(page.contains(around) && page.contains("<td align=\"right\">3</td>"), "{page}");
}
