//! What texts name leads there, for who may see it.

use serde_json::json;
use testkit::Client;

/// Renders a text as one named in a project, or in none.
async fn html(client: &Client, text: &str, project: &str) -> String {
    let mut body = json!({"text": text, "gfm": true});
    if !project.is_empty() {
        body["project"] = json!(project);
    }
    let answer = client.post("/markdown").json(&body).await.is(201).json();
    answer["html"].as_str().expect("a text").to_owned()
}

#[testkit::story]
async fn names_of_a_project_become_links(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let body = json!({"title": "Hinge \"<b>\"", "labels": "bug,two words"});
    jane.post(project.at("/issues")).json(&body).await.is(201);
    jane.post(project.at("/milestones"))
        .json(&json!({"title": "May 2"}))
        .await
        .is(201);
    t.admin()
        .post("/groups/acme/milestones")
        .json(&json!({"title": "1.0"}))
        .await
        .is(201);
    let base = t.app().base_url().to_owned();

    let text = "#1 ~bug ~\"two words\" %1.0 %\"May 2\" %1 @jane @acme acme/anvil#1 anvil#1 `#1` \\#1 #2 ~nothing @nobody";
    let shown = html(&jane, text, "acme/anvil").await;

    let issue =
        format!("href=\"{base}/acme/anvil/-/issues/1\" title=\"Hinge &quot;&lt;b&gt;&quot;\"");
    assert_eq!(shown.matches(&issue).count(), 3, "{shown}");
    for link in [
        format!(
            "{base}/acme/anvil/-/issues?labels=bug\" rel=\"nofollow noopener noreferrer\">bug</a>"
        ),
        format!("{base}/acme/anvil/-/issues?labels=two+words\""),
        format!(
            "{base}/groups/acme/-/milestones/1\" rel=\"nofollow noopener noreferrer\">%1.0</a>"
        ),
        format!(
            "{base}/acme/anvil/-/milestones/1\" rel=\"nofollow noopener noreferrer\">%May 2</a>"
        ),
        format!("{base}/jane\" title=\"jane\""),
        format!("{base}/groups/acme\" title=\"acme\""),
    ] {
        assert!(shown.contains(&link), "{link}: {shown}");
    }
    assert!(shown.contains("<code>#1</code> #1 #2 ~nothing @nobody"), "{shown}");
    assert_eq!(shown.matches("milestones/1\"").count(), 3, "{shown}");
}

#[testkit::story]
async fn names_are_read_when_asked_for(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let jane = t.user("jane").await;
    t.admin()
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
    assert!(html(&jane, "acme/anvil#1", "").await.contains("/-/issues/1\""));
    assert!(!html(&jane, "#1", "").await.contains("<a "));
    assert!(html(&jane, "#1", &project.id.to_string()).await.contains("/-/issues/1\""));
    let plain = json!({"text": "acme/anvil#1", "project": "acme/anvil"});
    let answer = jane.post("/markdown").json(&plain).await.is(201).json();
    assert_eq!(answer["html"], "<p>acme/anvil#1</p>\n");
}

#[testkit::story]
async fn what_is_hidden_stays_text(t: testkit::TestServer) {
    let (secret, open) =
        (t.project("acme/secret").await, t.project_with("tools/open", "public").await);
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    secret.add(&jane, 20).await;
    let admin = t.admin();
    let body = json!({"title": "Unspoken", "labels": "quiet"});
    admin.post(secret.at("/issues")).json(&body).await.is(201);
    admin
        .post(secret.at("/milestones"))
        .json(&json!({"title": "hush"}))
        .await
        .is(201);
    let body = json!({"title": "Between us", "confidential": true});
    admin.post(open.at("/issues")).json(&body).await.is(201);
    let text = "acme/secret#1 tools/open#1 ~quiet %hush @acme";

    for project in ["acme/secret", "tools/open", "acme/missing", "-1", ""] {
        let shown = html(&guest, text, project).await;
        assert_eq!(shown, format!("<p>{text}</p>\n"), "{project}");
    }
    let shown = html(&jane, text, "acme/secret").await;
    assert!(
        shown.contains("title=\"Unspoken\"") && shown.contains("labels=quiet"),
        "{shown}"
    );
    assert!(!shown.contains("Between us") && shown.contains("tools/open#1"), "{shown}");
}

#[testkit::story]
async fn pages_lead_on_what_each_reader_sees(t: testkit::TestServer) {
    let (secret, open) =
        (t.project("acme/secret").await, t.project_with("tools/open", "public").await);
    let (jane, _guest) = (t.user("jane").await, t.user("guest").await);
    secret.add(&jane, 20).await;
    open.add(&jane, 20).await;
    jane.post(secret.at("/issues"))
        .json(&json!({"title": "Unspoken"}))
        .await
        .is(201);
    let body = json!({"title": "Hinge", "description": "from acme/secret#1", "labels": "bug"});
    jane.post(open.at("/issues")).json(&body).await.is(201);
    jane.post(open.at("/issues/1/notes"))
        .json(&json!({"body": "see #1 and acme/secret#1, ~bug"}))
        .await
        .is(201);
    jane.post(open.at("/milestones"))
        .json(&json!({"title": "1.0", "description": "after #1"}))
        .await
        .is(201);

    let page = t.browser("jane").await.get("/tools/open/-/issues/1").await.is(200).text();
    assert_eq!(
        page.matches("href=\"/acme/secret/-/issues/1\" title=\"Unspoken\"").count(),
        2,
        "{page}"
    );
    assert!(
        page.contains("see <a href=\"/tools/open/-/issues/1\" title=\"Hinge\""),
        "{page}"
    );
    for reader in [t.browser("guest").await, t.new_browser()] {
        let page = reader.get("/tools/open/-/issues/1").await.is(200).text();
        assert!(page.contains("from acme/secret#1") && !page.contains("Unspoken"), "{page}");
        assert!(page.contains("href=\"/tools/open/-/issues?labels=bug\""), "{page}");
        let goal = reader.get("/tools/open/-/milestones/1").await.is(200).text();
        assert!(goal.contains("after <a href=\"/tools/open/-/issues/1\""), "{goal}");
    }
}

#[testkit::story]
async fn a_flood_of_names_is_cut(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    t.admin()
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
    let many: String = (1..=10_000).map(|n| format!("#{n} ~l{n} %m{n} @u{n} ")).collect();
    let shown = html(&t.admin(), &format!("{many}\n\n#1 ~late"), "acme/anvil").await;
    assert_eq!(shown.matches("/-/issues/1\"").count(), 2, "the first names are looked up");
}

#[testkit::story]
async fn groups_are_links_for_who_sees_them(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (hidden, jane) = (t.group("forge/tools").await, t.user("jane").await);
    hidden.add(&jane, 10).await;
    let open = json!({"name": "open", "path": "open", "visibility": "public"});
    t.admin().post("/groups").json(&open).await.is(201);
    let text = "Ask @forge/tools, @Open and @jane.";
    let issue = json!({"title": "Hinge", "description": text});
    t.admin().post(project.at("/issues")).json(&issue).await.is(201);
    let page = "/acme/anvil/-/issues/1";
    let leads = |page: &str, to: &str| page.contains(&format!("href=\"{to}\""));
    let seen = t.browser("jane").await.get(page).await.is(200).text();
    for (to, name) in [("/groups/forge/tools", "@forge/tools"), ("/groups/open", "@Open")] {
        assert!(leads(&seen, to) && seen.contains(&format!(">{name}</a>")), "{to}: {seen}");
    }
    assert!(seen.contains("/jane\""), "{seen}");
    let stranger = t.anonymous().at(page).await.is(200).text();
    assert!(leads(&stranger, "/groups/open"), "{stranger}");
    assert!(stranger.contains("Ask @forge/tools, "), "what is hidden stays text: {stranger}");
    assert!(
        !leads(&stranger, "/groups/forge/tools") && !leads(&stranger, "/jane"),
        "{stranger}"
    );
}
