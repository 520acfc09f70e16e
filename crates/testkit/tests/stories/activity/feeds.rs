//! Feeds, and the tokens that open them.

use super::workshop;
use serde_json::json;
use testkit::{Browser, Client, Reply, TestServer};

/// The token that the page of tokens shows.
async fn feed_token(browser: &Browser) -> String {
    let page = browser.get("/-/user_settings/tokens").await.is(200).text();
    let field = page.split("id=\"feed-token\"").nth(1).unwrap_or_default();
    let value = field.split("feed-").nth(1).unwrap_or_else(|| panic!("no token: {page}"));
    let end = value.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'));
    format!("feed-{}", &value[..end.unwrap_or(value.len())])
}

async fn feed(client: &Client, path: &str) -> Reply {
    let reply = client.at(path).await.is(200);
    assert_eq!(reply.header("content-type"), "application/atom+xml; charset=utf-8");
    reply
}

/// Titles of entries.
fn titles(feed: &str) -> Vec<&str> {
    let entries = feed.split("<entry>").skip(1);
    let title = |entry: &'_ str| -> Option<(usize, usize)> {
        Some((entry.find("<title>")? + 7, entry.find("</title>")?))
    };
    entries
        .filter_map(|entry| title(entry).map(|(from, to)| &entry[from..to]))
        .collect()
}

#[testkit::story]
async fn a_reader_follows_a_project(t: TestServer) {
    let (project, jane, _) = workshop(&t).await;
    let title = json!({"title": "<Hinge> & bolt"});
    jane.post(project.at("/issues")).json(&title).await.is(201);
    let note = json!({"body": "]]></p><script>alert(1)</script>"});
    jane.post(project.at("/issues/1/notes")).json(&note).await.is(201);
    let browser = t.browser("jane").await;
    let token = feed_token(&browser).await;
    let reader = t.anonymous();
    let path = format!("/acme/anvil.atom?feed_token={token}");
    let reply = feed(&reader, &path).await;
    let text = reply.text();
    let issue = "#1 &#60;Hinge&#62; &#38; bolt in acme/anvil";
    assert_eq!(
        titles(&text)[..2],
        [format!("jane commented on {issue}"), format!("jane opened {issue}")]
    );
    for part in [
        "<link href=\"http://",
        "/acme/anvil/-/issues/1#note_",
        "<username>jane</username>",
        "<p>]]&#62;&#60;/p&#62;&#60;script&#62;alert(1)&#60;/script&#62;</p>",
        "xmlns=\"http://www.w3.org/1999/xhtml\"",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let id = text.split("<id>tag:127.0.0.1,").nth(1).expect("an id of an entry");
    assert!(id.as_bytes()[..10].iter().all(|c| c.is_ascii_digit() || *c == b'-'), "{id}");
    assert!(!text.contains(&token), "{text}");

    let tag = reply.header("etag").to_owned();
    assert!(!tag.is_empty());
    let again = reader.at(&path).header("if-none-match", &tag).await.is(304);
    assert!(again.text().is_empty());
    jane.put(project.at("/issues/1"))
        .json(&json!({"state_event": "close"}))
        .await
        .is(200);
    reader.at(&path).header("if-none-match", &tag).await.is(200);
    reader.request(http::Method::HEAD, &path).await.is(200);
}

#[testkit::story]
async fn feeds_tell_what_pages_tell(t: TestServer) {
    let (project, jane, joe) = workshop(&t).await;
    t.group("acme").await.add(&jane, 30).await;
    for (title, hidden) in [("Open", false), ("Secret", true)] {
        let issue = json!({"title": title, "confidential": hidden});
        jane.post(project.at("/issues")).json(&issue).await.is(201);
    }
    let of_jane = feed_token(&t.browser("jane").await).await;
    let of_joe = feed_token(&t.browser("joe").await).await;
    let reader = t.anonymous();
    for path in [
        "/acme/anvil.atom",
        "/acme.atom",
        "/groups/acme.atom",
        "/jane.atom",
        "/dashboard/projects.atom",
    ] {
        let text = feed(&reader, &format!("{path}?feed_token={of_jane}")).await.text();
        assert!(text.contains("#2 Secret"), "{path}: {text}");
    }
    for path in ["/acme/anvil.atom", "/jane.atom", "/dashboard/projects.atom"] {
        let text = feed(&reader, &format!("{path}?feed_token={of_joe}")).await.text();
        assert!(text.contains("#1 Open") && !text.contains("Secret"), "{path}: {text}");
    }
    // What is hidden from a stranger is as if it were not there.
    reader.at("/acme/anvil.atom").await.is(404);
    reader.at("/acme.atom").await.is(404);
    reader.at("/nothing/here.atom").await.is(404);
    reader.at("/nobody.atom").await.is(404);
    reader.at("/dashboard/projects.atom").await.is(401);
    assert!(titles(&feed(&reader, "/jane.atom").await.text()).is_empty());
    let private = json!({"private_profile": true});
    t.admin().put(format!("/users/{}", jane.id)).json(&private).await.is(200);
    let hidden = format!("/jane.atom?feed_token={of_joe}");
    assert!(titles(&feed(&reader, &hidden).await.text()).is_empty());
    // Tokens of programs open them, too.
    let token = t.token_of(joe.id, &["read_user"]).await;
    feed(&token, "/acme/anvil.atom").await;
    let token = t.token_of(joe.id, &["read_registry"]).await;
    token.at("/acme/anvil.atom").await.is(403);
}

#[testkit::story]
async fn a_feed_token_opens_feeds_only(t: TestServer) {
    let (project, jane, _) = workshop(&t).await;
    let browser = t.browser("jane").await;
    let token = feed_token(&browser).await;
    let reader = t.anonymous();
    for path in ["/acme/anvil", "/acme/anvil/-/activity", "/dashboard/activity"] {
        let reply = reader.at(format!("{path}?feed_token={token}")).await;
        assert!([200, 302, 401, 404].contains(&reply.status), "{path}");
        assert!(!reply.text().contains("acme/anvil/-/issues"), "{path}");
    }
    for name in ["feed_token", "private_token", "access_token"] {
        reader.get(format!("/user?{name}={token}")).await.is(401);
        reader.get(project.at(&format!("?{name}={token}"))).await;
    }
    let sent = reader.get(project.at("/events")).header("private-token", &token).await;
    sent.is(401);
    for wrong in ["feed-", "feed-x", "x", &token[..token.len() - 1]] {
        reader.at(format!("/acme/anvil.atom?feed_token={wrong}")).await.is(401);
    }
    // A new one ends the one before.
    let path = |token: &str| format!("/acme/anvil.atom?feed_token={token}");
    feed(&reader, &path(&token)).await;
    browser.submit("/-/user_settings/feed_token/reset", &[]).await;
    reader.at(path(&token)).await.is(401);
    let fresh = feed_token(&browser).await;
    assert_ne!(fresh, token);
    feed(&reader, &path(&fresh)).await;
    t.admin().post(format!("/users/{}/block", jane.id)).await.is(201);
    reader.at(path(&fresh)).await.is(403);
}

#[testkit::story]
async fn an_administrators_feed_token_has_no_rights_of_theirs(t: TestServer) {
    let jane = t.user("jane").await;
    t.admin()
        .put(format!("/users/{}", jane.id))
        .json(&json!({"admin": true}))
        .await
        .is(200);
    t.project("acme/anvil").await;
    let browser = t.browser("jane").await;
    browser.get("/acme/anvil").await.is(200);
    let token = feed_token(&browser).await;
    t.anonymous().at(format!("/acme/anvil.atom?feed_token={token}")).await.is(404);
}

#[testkit::story]
async fn pages_name_their_feeds(t: TestServer) {
    let _ = workshop(&t).await;
    let browser = t.browser("jane").await;
    let token = feed_token(&browser).await;
    for (page, path) in [
        ("/acme/anvil", "/acme/anvil.atom"),
        ("/acme/anvil/-/activity", "/acme/anvil.atom"),
        ("/jane", "/jane.atom"),
        ("/users/jane/activity", "/jane.atom"),
        ("/dashboard/activity", "/dashboard/projects.atom"),
        ("/dashboard/activity?scope=own", "/jane.atom"),
    ] {
        let text = browser.get(page).await.is(200).text();
        let link = format!("href=\"{path}?feed_token={token}\"");
        let head = text.split("</head>").next().unwrap_or_default();
        let is_named = |line: &&str| {
            line.contains("rel=\"alternate\"") && line.contains("atom+xml") && line.contains(&link)
        };
        assert_eq!(head.lines().filter(is_named).count(), 1, "{page}: {head}");
    }
    let strangers = t.new_browser().get("/jane").await.is(200).text();
    assert!(strangers.contains("href=\"/jane.atom\""), "{strangers}");
}

#[testkit::story]
async fn feeds_of_code_are_read_by_the_token(t: TestServer) {
    let (project, jane, _) = workshop(&t).await;
    let admin = t.admin();
    let file = json!({"action": "create", "file_path": "a", "content": "iron"});
    let commit = json!({"branch": "main", "commit_message": "Begin", "actions": [file]});
    admin.post(project.at("/repository/commits")).json(&commit).await.is(201);
    let tag = json!({"tag_name": "v1", "ref": "main"});
    admin.post(project.at("/repository/tags")).json(&tag).await.is(201);
    let release = json!({"tag_name": "v1", "name": "First <one>", "description": "notes"});
    admin.post(project.at("/releases")).json(&release).await.is(201);
    let browser = t.browser("jane").await;
    let token = feed_token(&browser).await;
    let reader = t.anonymous();
    let feeds = [
        ("/acme/anvil/-/commits/main?format=atom", "Begin"),
        ("/acme/anvil/-/tags?format=atom", "v1"),
        ("/acme/anvil/-/releases.atom", "First &#60;one&#62;"),
    ];
    for (path, title) in feeds {
        let joint = if path.contains('?') { '&' } else { '?' };
        let text = feed(&reader, &format!("{path}{joint}feed_token={token}")).await.text();
        assert_eq!(titles(&text), [title], "{path}");
        assert!(!text.contains(&token), "{path} tells the token");
        let wrong = reader.at(format!("{path}{joint}feed_token=feed-x")).await;
        assert_ne!(wrong.status, 200, "{path}");
        assert_ne!(reader.at(path).await.status, 200, "{path}");
        // The page says where its feed is.
        let page = path.split(['?', '.']).next().unwrap_or_default();
        let page = browser.get(page).await.is(200).text();
        assert!(page.contains(&format!("feed_token={token}")), "{path}");
    }
    // The pages themselves stay closed to it, however it is asked.
    for page in ["/acme/anvil/-/commits/main", "/acme/anvil/-/tags", "/acme/anvil/-/releases"] {
        for rest in ["", "&format=html", "&format=atom&format=html"] {
            let reply = reader.at(format!("{page}?feed_token={token}{rest}")).await;
            assert!(reply.status != 200 || !reply.text().contains("<html"), "{page}{rest}");
        }
        let form = "format=html";
        let reply = reader.at(format!("{page}?format=atom&feed_token={token}")).form(form).await;
        assert!(reply.status != 200 || !reply.text().contains("<html"), "{page}");
    }
    // Who leaves reads no more.
    let member = project.at(&format!("/members/{}", jane.id));
    admin.delete(member).await.is(204);
    for (path, _) in feeds {
        let joint = if path.contains('?') { '&' } else { '?' };
        let gone = reader.at(format!("{path}{joint}feed_token={token}")).await;
        assert_ne!(gone.status, 200, "{path}");
    }
}
