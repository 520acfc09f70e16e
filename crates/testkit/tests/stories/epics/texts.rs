//! Texts name epics, and lead to those that their reader sees.

use super::made;
use serde_json::{Value, json};
use testkit::{Client, TestServer};

async fn html(client: &Client, text: &str, project: &str) -> String {
    let body = json!({"text": text, "gfm": true, "project": project});
    let answer = client.post("/markdown").json(&body).await.is(201).json();
    answer["html"].as_str().expect("a text").to_owned()
}

#[testkit::story]
async fn numbers_lead_to_epics_of_the_group(t: TestServer) {
    let project = t.project("acme/tools/anvil").await;
    let (top, tools) = (t.group("acme").await, t.group("acme/tools").await);
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    made(&t.admin(), &tools, json!({"title": "Ship \"<b>\""})).await;
    made(&t.admin(), &top, json!({"title": "Above"})).await;
    let base = t.app().base_url().to_owned();
    let near = format!("href=\"{base}/groups/acme/tools/-/epics/1\"");
    let far = format!("href=\"{base}/groups/acme/-/epics/1\"");

    let text = "&1 acme/tools&1 Acme/Tools&1 `&1` \\&1 &2 a&1 R&D &amp; & <i>";
    let shown = html(&jane, text, "acme/tools/anvil").await;
    assert_eq!(shown.matches(&near).count(), 3, "{shown}");
    assert!(
        shown.contains(&format!("{near} title=\"Ship &quot;&lt;b&gt;&quot;\"")),
        "{shown}"
    );
    assert!(
        shown.contains(">&amp;1</a>") && shown.contains(">acme/tools&amp;1</a>"),
        "{shown}"
    );
    assert!(shown.contains("<code>&amp;1</code> &amp;1 &amp;2 a&amp;1 R&amp;D &amp; &amp;"));
    let shown = html(&jane, "acme&1", "acme/tools/anvil").await;
    assert_eq!(shown.matches(&far).count(), 1, "{shown}");
    // Without a place, only whole names are.
    let body = json!({"text": "&1 acme&1", "gfm": true});
    let shown = jane.post("/markdown").json(&body).await.is(201).json()["html"].clone();
    assert_eq!(shown.as_str().unwrap_or_default().matches("<a ").count(), 1, "{shown}");

    // In texts of a group: what it names is its own.
    let goal = json!({"title": "1.0", "description": "&1 anvil#1 tools/anvil#1 ~red #1"});
    t.admin().post(tools.at("/milestones")).json(&goal).await.is(201);
    t.admin()
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
    t.admin()
        .post(tools.at("/labels"))
        .json(&json!({"name": "red", "color": "red"}))
        .await
        .is(201);
    let page = t.browser("jane").await.get("/groups/acme/tools/-/milestones/1").await.is(200);
    let text = page.text();
    for link in [
        "href=\"/groups/acme/tools/-/epics/1\"",
        "href=\"/acme/tools/anvil/-/issues/1\"",
        "/groups/acme/tools/-/issues?labels=red\"",
    ] {
        assert!(text.contains(link), "{link}: {text}");
    }
}

#[testkit::story]
async fn hidden_epics_stay_text(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (open, vault) = (t.group("acme").await, t.group("vault").await);
    let (admin, jane) = (t.admin(), t.user("jane").await);
    let outsider = t.user("outsider").await;
    open.add(&jane, 20).await;
    let secret = json!({"title": "Unspoken", "confidential": true});
    made(&admin, &open, secret).await;
    made(&admin, &vault, json!({"title": "Unspoken"})).await;
    let text = "&1 vault&1 acme&1 &2 vault&2";
    let body = json!({"title": "Names", "description": text});
    admin.post(project.at("/issues")).json(&body).await.is(201);

    // What is hidden is as what is not there: only the number differs.
    let shown = html(&outsider, text, "acme/anvil").await;
    assert!(!shown.contains("<a ") && !shown.contains("Unspoken"), "{shown}");
    assert_eq!(html(&jane, text, "acme/anvil").await.matches("Unspoken").count(), 2);
    let page = t.browser("outsider").await.get("/acme/anvil/-/issues/1").await.is(200).text();
    assert!(!page.contains("Unspoken") && !page.contains("/-/epics/"), "{page}");
    let page = t.browser("jane").await.get("/acme/anvil/-/issues/1").await.is(200).text();
    assert_eq!(page.matches("/groups/acme/-/epics/1\"").count(), 2, "{page}");

    // Where there are none, nothing leads to them.
    for path in [
        open.at("?epics_enabled=false"),
        "/application/settings?epics_enabled=false".into(),
    ] {
        admin.put(&path).await.is(200);
        assert!(!html(&jane, "&1", "acme/anvil").await.contains("<a "), "{path}");
        admin.put(path.replace("false", "true")).await.is(200);
        assert!(html(&jane, "&1", "acme/anvil").await.contains("<a "), "{path}");
    }
}

#[testkit::story]
async fn epics_are_suggested_to_who_sees_them(t: TestServer) {
    t.project("acme/tools/anvil").await;
    let (top, tools) = (t.group("acme").await, t.group("acme/tools").await);
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    top.add(&jane, 20).await;
    top.add(&guest, 10).await;
    let admin = t.admin();
    made(&admin, &tools, json!({"title": "Ship it"})).await;
    made(&admin, &tools, json!({"title": "Ship hush", "confidential": true})).await;
    made(&admin, &top, json!({"title": "Ship & tell"})).await;
    admin.put(tools.at("/epics/1?state_event=close")).await.is(200);
    let suggested = async |name: &str, query: &str| -> Vec<Value> {
        let browser = t.browser(name).await;
        browser
            .get(&format!("/-/suggest?kind=epics&{query}"))
            .await
            .is(200)
            .each("value")
    };
    let here = "project=acme/tools/anvil";
    assert_eq!(suggested("jane", here).await, ["2", "1", "acme&1"]);
    assert_eq!(suggested("guest", here).await, ["1", "acme&1"]);
    assert_eq!(suggested("guest", &format!("{here}&q=hush")).await, [] as [Value; 0]);
    assert_eq!(suggested("guest", &format!("{here}&q=2")).await, [] as [Value; 0]);
    assert_eq!(suggested("jane", &format!("{here}&q=2")).await, ["2"]);
    assert_eq!(suggested("jane", &format!("{here}&q=TELL")).await, ["acme&1"]);
    let above = suggested("jane", "group=acme&q=ship").await;
    assert_eq!(above, ["1", "acme/tools&2", "acme/tools&1"]);
    admin.put("/application/settings?epics_enabled=false").await.is(200);
    assert_eq!(suggested("jane", here).await, [] as [Value; 0]);
}

#[testkit::story]
async fn what_a_text_names_is_told_of_it(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (group, vault) = (t.group("acme").await, t.group("vault").await);
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    group.add(&jane, 20).await;
    group.add(&guest, 10).await;
    let admin = t.admin();
    let epic = made(&admin, &group, json!({"title": "Ship"})).await;
    let secret = made(&admin, &group, json!({"title": "Hush", "confidential": true})).await;
    made(&admin, &vault, json!({"title": "Far"})).await;
    let text = "For &1, `&2` and acme&1.\n\n```\n&2\n```";
    let body = json!({"title": "Hinge", "description": text});
    jane.post(project.at("/issues")).json(&body).await.is(201);
    let quiet = json!({"title": "Quiet", "description": "&1", "confidential": true});
    jane.post(project.at("/issues")).json(&quiet).await.is(201);
    let told = async |by: &Client, path: String| -> Vec<Value> {
        let notes = by.get(path).await.is(200).json();
        let notes = notes.as_array().expect("notes").iter();
        let named =
            notes.filter(|note| note["body"].as_str().unwrap_or_default().contains("mentioned"));
        named.map(|note| note["body"].clone()).collect()
    };
    let of = |epic: &Value| group.at(&format!("/epics/{}/notes?sort=asc", epic["id"]));
    let issue = || project.at("/issues/1/notes?sort=asc");
    let both = ["mentioned in issue acme/anvil#1", "mentioned in issue acme/anvil#2"];
    assert_eq!(told(&jane, of(&epic)).await, both);
    // Who does not see the issue does not see that it names the epic.
    assert_eq!(told(&guest, of(&epic)).await, both[..1]);
    assert_eq!(told(&jane, of(&secret)).await, [] as [Value; 0]);

    // Once, however often; and nothing is told of what the author does not see.
    let say = async |by: &Client, path: String, text: &str| {
        by.post(path).json(&json!({"body": text})).await.is(201);
    };
    say(&jane, project.at("/issues/1/notes"), "Still &1, not vault&1").await;
    say(&guest, project.at("/issues/1/notes"), "I guess &2").await;
    assert_eq!(told(&jane, of(&epic)).await, both);
    assert_eq!(told(&jane, of(&secret)).await, [] as [Value; 0]);
    let far = admin.get("/groups/vault/epics/1").await.is(200).json();
    let far = vault.at(&format!("/epics/{}/notes", far["id"]));
    assert_eq!(told(&admin, far).await, [] as [Value; 0]);

    // The other way round, and among epics; internal notes tell nothing.
    let notes = |epic: &Value| group.at(&format!("/epics/{}/notes", epic["id"]));
    let inside = json!({"body": "anvil#1", "internal": true});
    jane.post(notes(&epic)).json(&inside).await.is(201);
    assert_eq!(told(&jane, issue()).await, [] as [Value; 0]);
    say(&jane, notes(&epic), "anvil#1 and acme/anvil#1").await;
    say(&jane, notes(&secret), "acme/anvil#1 and &1").await;
    assert_eq!(
        told(&jane, issue()).await,
        ["mentioned in epic acme&1", "mentioned in epic acme&2"]
    );
    assert_eq!(told(&jane, of(&epic)).await[2], "mentioned in epic &2");
    assert_eq!(told(&guest, issue()).await, ["mentioned in epic acme&1"]);
    assert_eq!(told(&guest, of(&epic)).await.len(), 1);
    let page = t.browser("guest").await.get("/acme/anvil/-/issues/1").await.is(200).text();
    assert!(page.contains("acme&#38;1") || page.contains("acme&amp;1"), "{page}");
    assert!(!page.contains("acme&#38;2") && !page.contains("acme&amp;2"), "{page}");
    let query = json!({"query": "{project(fullPath:\"acme/anvil\"){issue(iid:\"1\"){notes{nodes{body}}}}}"});
    let answer = guest.post("/graphql").json(&query).await;
    assert!(!answer.text().contains("acme&2"), "{answer:?}");
    // A description that newly names it tells so.
    let change = json!({"description": "Now &2 too"});
    jane.put(project.at("/issues/2")).json(&change).await.is(200);
    assert_eq!(told(&jane, of(&secret)).await, ["mentioned in issue acme/anvil#2"]);
}
