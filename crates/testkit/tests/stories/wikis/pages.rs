//! Wikis on pages.

use serde_json::json;

/// What a hidden field of a page holds.
fn field<'p>(page: &'p str, name: &str) -> &'p str {
    let sign = format!("name=\"{name}\" value=\"");
    let from = page.find(&sign).map_or(page.len(), |at| at + sign.len());
    page[from..].split('"').next().unwrap_or_default()
}

#[testkit::story]
async fn a_wiki_is_begun_read_and_changed_on_pages(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    t.group("guild").await;
    let (writer, reader) = (t.user("writer").await, t.user("reader").await);
    project.add(&writer, 40).await;
    project.add(&reader, 20).await;
    let browser = t.browser("writer").await;
    let all = "/acme/anvil/-/wikis";
    let empty = browser.get(all).await.is(200).text();
    assert!(empty.contains("This wiki has no pages yet") && empty.contains("anvil.wiki.git"));
    assert!(empty.contains("/-/wikis/new?title=home"));
    let nothing = t.browser("reader").await.get(all).await.is(200).text();
    assert!(!nothing.contains("/-/wikis/new") && nothing.contains("no pages yet"));

    let new = "/acme/anvil/-/wikis/new";
    let text = "Begin with [[the guide|guides/How to]] or [it](guides/How-to) <script>x</script>";
    let fields = [("title", "home"), ("format", "markdown"), ("content", text)];
    let (to, page) = browser.submit(new, &fields).await;
    assert_eq!(to, "/acme/anvil/-/wikis/home");
    assert!(page.contains("Page created.") && !page.contains("<script>x"));
    let led = "href=\"/acme/anvil/-/wikis/guides/How-to\"";
    assert_eq!(page.matches(led).count(), 2, "{page}");
    let fields = [
        ("title", "guides/How to"),
        ("format", "markdown"),
        ("content", "# Heat\n\nSee [[more]], [up](../home) and [[/home]]."),
        ("message", "Tell how"),
    ];
    let (to, page) = browser.submit(new, &fields).await;
    assert_eq!(to, "/acme/anvil/-/wikis/guides/How-to");
    assert!(page.contains("href=\"/acme/anvil/-/wikis/guides/more\""));
    assert_eq!(page.matches("href=\"/acme/anvil/-/wikis/home\"").count(), 3, "{page}");
    let missing = browser.get("/acme/anvil/-/wikis/guides/more").await.is(404).text();
    assert!(missing.contains("There is no page guides/more"));
    t.browser("reader").await.get("/acme/anvil/-/wikis/guides/more").await.is(404);
    let tree = t.anonymous().at("/acme/anvil/-/wikis/pages").await.is(200).text();
    assert!(tree.contains("guides") && tree.contains("How to"));

    // A page of another name leads on from its old one.
    let edit = "/acme/anvil/-/wikis/guides/How-to/edit";
    let form = browser.get(edit).await.is(200).text();
    let seen = field(&form, "seen").to_owned();
    let fields = [
        ("seen", seen.as_str()),
        ("title", "Forging"),
        ("format", "markdown"),
        ("content", "# Heat\n\nSee [[more]], [up](../home) and [[/home]]. Well."),
    ];
    let (to, _) = browser.submit(edit, &fields).await;
    assert_eq!(to, "/acme/anvil/-/wikis/guides/Forging");
    let led = browser.get("/acme/anvil/-/wikis/guides/How-to").await.is(302);
    assert_eq!(led.header("location"), to);
    let history = browser.get(&format!("{to}/history")).await.is(200).text();
    let version = history.split("?version_id=").nth(1).and_then(|rest| rest.get(..40));
    let version = version.unwrap_or_default();
    let old = browser.get(&format!("{to}?version_id={version}")).await.is(200).text();
    assert!(old.contains("This is an old version"));
    let diff = browser.get(&format!("{to}/diff?version_id={version}")).await.is(200).text();
    assert!(diff.contains("Forging.md"), "{diff}");
    let (to, page) = browser.submit(&format!("{to}/edit"), &[("action", "remove")]).await;
    assert_eq!(to, all);
    assert!(page.contains("deleted.") && page.contains("Begin with"));
}

#[testkit::story]
async fn the_second_writer_of_a_page_loses_nothing(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let make = json!({"title": "home", "content": "One"});
    t.admin().post(project.at("/wikis")).json(&make).await.is(201);
    let browser = super::browser(&t, project.at("/members"), 40).await;
    let edit = "/acme/anvil/-/wikis/home/edit";
    let form = browser.get(edit).await.is(200).text();
    let seen = field(&form, "seen").to_owned();
    assert_eq!(seen.len(), 40);
    t.admin()
        .put(project.at("/wikis/home"))
        .json(&json!({"content": "Two"}))
        .await
        .is(200);
    let fields = |seen: &str| {
        [("seen", seen.to_owned()), ("title", "home".into()), ("content", "Mine".into())]
    };
    let sent = fields(&seen);
    let sent: Vec<(&str, &str)> = sent.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let refused = browser.post(edit, &sent).await.is(422).text();
    assert!(refused.contains("Somebody else changed this page meanwhile"), "{refused}");
    assert!(refused.contains("Mine</textarea>") && refused.contains("/-/wikis/home/diff"));
    let page = t.admin().get(project.at("/wikis/home")).await.is(200).json();
    assert_eq!(page["content"], "Two");
    let again = fields(field(&refused, "seen"));
    let again: Vec<(&str, &str)> =
        again.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let (_, page) = browser.submit(edit, &again).await;
    assert!(page.contains("Mine"));
    let wrong = browser.post("/acme/anvil/-/wikis/new", &[("title", "home"), ("content", "Kept")]);
    let refused = wrong.await.is(422).text();
    assert!(refused.contains("Duplicate page") && refused.contains("Kept</textarea>"));
}

#[testkit::story]
async fn a_group_has_pages_templates_and_a_sidebar(t: testkit::TestServer) {
    let group = t.group("guild").await;
    let make = async |title: &str, content: &str| {
        let page = json!({"title": title, "content": content});
        t.admin().post(group.at("/wikis")).json(&page).await.is(201);
    };
    make("home", "Hello").await;
    make("templates/minutes", "## Present\n").await;
    let browser = super::browser(&t, group.at("/members"), 40).await;
    let page = browser.get("/groups/guild/-/wikis").await.is(200).text();
    assert!(page.contains("Hello") && page.contains("View all pages"));
    assert!(!page.contains("minutes"), "templates are no pages to read");
    let form = browser.get("/groups/guild/-/wikis/new?title=May").await.is(200).text();
    assert!(form.contains("template=templates/minutes") && form.contains("value=\"May\""));
    let begun = "/groups/guild/-/wikis/new?title=May&template=templates/minutes";
    assert!(browser.get(begun).await.is(200).text().contains("## Present"));
    make("_sidebar", "[[home]] **only**").await;
    let page = browser.get("/groups/guild/-/wikis").await.is(200).text();
    assert!(page.contains("<strong>only</strong>"));
    assert!(page.contains("href=\"/groups/guild/-/wikis/home\""));
    for i in 0..16 {
        make(&format!("page {i}"), "x").await;
    }
    t.admin().delete(group.at("/wikis/_sidebar")).await.is(204);
    let page = browser.get("/groups/guild/-/wikis").await.is(200).text();
    assert!(page.contains("page 9") || page.contains("page 15"));
    let rows = page.matches("class=\"row-title\"").count();
    assert_eq!(rows, 15);
}
