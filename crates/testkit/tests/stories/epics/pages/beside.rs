//! What an epic is linked with, and issues that are in one.

use super::*;

const LINKS: &str = "/groups/acme/-/epics/1/links";

#[testkit::story]
async fn epics_are_linked_and_unlinked(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 15).await;
    several(&jane, &group, &["Ship it", "Season", "Paint"]).await;
    let browser = t.browser("jane").await;
    let page = browser.get(ONE).await.is(200).text();
    assert!(page.contains("Not linked with another epic yet."), "{page}");
    let link = [("epic", "&2"), ("link_type", "is_blocked_by")];
    let (to, page) = browser.submit(LINKS, &link).await;
    assert_eq!(to, format!("{ONE}#linked"));
    in_order(&page, &["Is blocked by", "Season", "&#38;2"]);
    browser.submit(LINKS, &[("epic", "&3")]).await;
    let page = browser.get(&format!("{LIST}/2")).await.is(200).text();
    in_order(&page, &["Linked epics", "Blocks", "Ship it"]);
    for (fields, said) in [
        (vec![("epic", "&2"), ("link_type", "blocks")], "is linked with this one already"),
        (vec![("epic", "&1")], "cannot be related to itself"),
        (vec![("epic", "&9")], "names no epic that you can see"),
        (vec![("epic", "")], "names no epic that you can see"),
    ] {
        let page = browser.post(LINKS, &fields).await.is(422).text();
        assert!(says(&page, said), "{fields:?}: {page}");
    }
    let circle = [("epic", "&1"), ("link_type", "is_blocked_by")];
    let page = browser.post("/groups/acme/-/epics/2/links", &circle).await.is(422).text();
    assert!(says(&page, "is linked with this one already"), "{page}");

    // A blocked epic asks before it is closed, and says so.
    let page = browser.get(ONE).await.is(200).text();
    assert!(page.contains("&#38;2 still block this epic. Close it anyway?"), "{page}");
    assert!(!page.contains("Comment and close"), "{page}");
    browser.submit("/groups/acme/-/epics/2", &[("action", "close")]).await;
    let page = browser.get(ONE).await.is(200).text();
    assert!(!page.contains("Close it anyway?") && !page.contains(">Blocked<"), "{page}");

    let links = jane.get(group.at("/epics/1/related_epics")).await.is(200);
    let id = links.each("related_epic_link_id")[0].to_string();
    let (_, page) = browser.submit(LINKS, &[("link_id", &id)]).await;
    assert!(page.contains("Link removed.") && !page.contains("Is blocked by</h3>"), "{page}");
    browser.post(LINKS, &[("link_id", &id)]).await.is(404);
}

#[testkit::story]
async fn ends_that_are_hidden_are_not_there(t: TestServer) {
    let (group, _) = group_of(&t, "jane", 15).await;
    let (admin, vault) = (t.admin(), t.group("vault").await);
    several(&admin, &group, &["Ship it"]).await;
    made(&admin, &group, json!({"title": "Hidden plan", "confidential": true})).await;
    made(&admin, &vault, json!({"title": "Vault plan"})).await;
    for (there, iid) in [(&group, 2), (&vault, 1)] {
        let body = json!({"target_group_id": there.id, "target_epic_iid": iid,
            "link_type": "is_blocked_by"});
        admin.post(group.at("/epics/1/related_epics")).json(&body).await.is(201);
    }
    let links = admin.get(group.at("/epics/1/related_epics")).await.is(200);
    let ids = links.each("related_epic_link_id");
    let jane = t.browser("jane").await;
    for browser in [&jane, &t.new_browser()] {
        let page = browser.get(ONE).await.is(200).text();
        for secret in ["Hidden plan", "Vault plan", "vault", "Close it anyway", ">Blocked<"] {
            assert!(!page.contains(secret), "{secret}: {page}");
        }
        // Nor do the notes about it tell of them.
        assert!(!page.contains("marked this epic"), "{page}");
    }
    for id in ids {
        jane.post(LINKS, &[("link_id", &id.to_string())]).await.is(404);
    }
    let page = jane.post(LINKS, &[("epic", "vault&1")]).await.is(422).text();
    let unknown = jane.post(LINKS, &[("epic", "vault&2")]).await.is(422).text();
    for page in [page, unknown] {
        assert!(says(&page, "names no epic that you can see"), "{page}");
    }
}

#[testkit::story]
async fn an_issue_shows_its_epic_and_takes_another(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 20).await;
    let project = t.project_with("acme/anvil", "public").await;
    several(&jane, &group, &["Ship it", "Season"]).await;
    made(&jane, &group, json!({"title": "Hidden plan", "confidential": true})).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Forge"})).await.is(201);
    let issue = "/acme/anvil/-/issues/1";
    let browser = t.browser("jane").await;
    let (_, page) = browser.submit(issue, &[("action", "epic"), ("epic", "acme&2")]).await;
    in_order(&page, &["<h2>Epic</h2>", "/groups/acme/-/epics/2\">Season<"]);
    let (_, page) = browser.submit(issue, &[("action", "epic"), ("epic", "&1")]).await;
    in_order(&page, &["<h2>Epic</h2>", "/groups/acme/-/epics/1\">Ship it<"]);
    let page = browser.post(issue, &[("action", "epic"), ("epic", "&9")]).await.is(422).text();
    assert!(says(&page, "names no epic that you can see"), "{page}");
    let page = browser.post(issue, &[("action", "epic"), ("epic", "&3")]).await.is(422).text();
    assert!(says(&page, "cannot be assigned to a confidential epic"), "{page}");
    assert!(t.new_browser().get(issue).await.is(200).text().contains("Ship it"));
    let (_, page) = browser.submit(issue, &[("action", "epic"), ("epic", "")]).await;
    assert!(!page.contains("Ship it</a></p>"), "{page}");

    // Names for the field: open ones first, none that somebody may not see.
    let named = browser.get("/-/suggest?kind=epics&group=acme&q=").await.is(200).json();
    let values: Vec<&str> = named
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["value"].as_str().unwrap())
        .collect();
    assert_eq!(values, ["3", "2", "1"]);
    t.user("stranger").await;
    let stranger = t.browser("stranger").await;
    let seen = async |query: &str| {
        let path = format!("/-/suggest?kind=epics&project=acme/anvil&q={query}");
        stranger.get(&path).await.is(200).each("label")
    };
    assert_eq!(seen("").await, ["Season", "Ship it"]);
    assert_eq!(seen("1").await, ["Ship it"]);
    assert_eq!(seen("sea").await, ["Season"]);
    assert!(seen("hidden").await.is_empty());
    stranger.get("/-/suggest?kind=epics").await.is(400);

    // Where the group has none there is nothing to choose.
    t.admin().put(group.at("?epics_enabled=false")).await.is(200);
    assert!(!browser.get(issue).await.is(200).text().contains("<h2>Epic</h2>"));
}
