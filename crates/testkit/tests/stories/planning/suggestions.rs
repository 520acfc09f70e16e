//! Names that are suggested while somebody types: to whom, in which order,
//! and never what they may not see.

use serde_json::{Value, json};
use testkit::{Browser, TestServer};

const PROJECT: &str = "project=acme/anvil";

/// What is suggested, by its values.
async fn suggested(browser: &Browser, query: &str) -> Vec<Value> {
    let reply = browser.get(&format!("/-/suggest?{query}")).await.is(200);
    assert_eq!(reply.header("cache-control"), "no-store", "{query}");
    reply.each("value")
}

#[testkit::story]
async fn members_and_who_takes_part_come_first(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (jane, zoe) = (t.user("jane").await, t.user("zoe").await);
    let joan = t.user("joan").await;
    t.user("jack").await;
    project.add(&jane, 30).await;
    t.group("acme").await.add(&zoe, 10).await;
    joan.post(project.at("/issues")).json(&json!({"title": "open"})).await.is(201);

    let browser = t.browser("jane").await;
    let near = suggested(&browser, &format!("kind=people&{PROJECT}")).await;
    assert_eq!(near, [json!("jane"), json!("root"), json!("zoe"), json!("joan")]);
    let named = suggested(&browser, &format!("kind=people&q=J&{PROJECT}")).await;
    assert_eq!(named, [json!("jane"), json!("joan"), json!("jack")]);
    let all = suggested(&browser, "kind=people&q=ja").await;
    assert_eq!(all, [json!("jack"), json!("jane")]);
    let one = browser.get("/-/suggest?kind=people&q=zoe").await.is(200).json();
    let expected = json!([{"value": "zoe", "label": "zoe", "detail": "@zoe", "letters": "Z"}]);
    assert_eq!(one, expected);
    let group = suggested(&browser, "kind=people&group=acme").await;
    assert_eq!(group, [json!("root"), json!("zoe")]);
}

#[testkit::story]
async fn who_may_not_act_is_not_suggested(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, jim) = (t.user("jane").await, t.user("jim").await);
    project.add(&jane, 30).await;
    project.add(&jim, 30).await;
    let bot = json!({"name": "jbot", "scopes": ["api"], "access_level": 30});
    t.admin().post(project.at("/access_tokens")).json(&bot).await.is(201);
    let browser = t.browser("jane").await;
    let query = format!("kind=people&q=j&{PROJECT}");
    assert_eq!(suggested(&browser, &query).await, [json!("jane"), json!("jim")]);
    t.admin().post(format!("/users/{}/block", jim.id)).await.is(201);
    assert_eq!(suggested(&browser, &query).await, [json!("jane")]);
    assert_eq!(suggested(&browser, "kind=people&q=jim").await, [] as [Value; 0]);
}

#[testkit::story]
async fn a_hidden_place_suggests_nothing(t: TestServer) {
    let project = t.project("vault/inner/secret").await;
    let member = t.user("member").await;
    project.add(&member, 10).await;
    let admin = t.admin();
    let color = json!({"name": "hush", "color": "red"});
    admin.post(project.at("/labels")).json(&color).await.is(201);
    admin
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201);
    admin
        .post(project.at("/issues"))
        .json(&json!({"title": "buried"}))
        .await
        .is(201);
    t.user("outsider").await;
    let (outsider, inside) = (t.browser("outsider").await, t.browser("member").await);
    for kind in [
        "people",
        "mentions",
        "labels",
        "milestones",
        "issues",
        "projects",
        "groups",
        "emoji",
    ] {
        for place in ["project=vault/inner/secret", "group=vault", "group=vault/inner"] {
            let path = format!("/-/suggest?kind={kind}&{place}");
            let hidden = outsider.get(&path).await.is(404);
            let absent = path.replace("vault", "nothing");
            assert_eq!(hidden.text(), outsider.get(&absent).await.is(404).text(), "{path}");
            assert_eq!(hidden.header("cache-control"), "no-store");
            inside.get(&path).await.is(200);
        }
    }
    for (query, seen) in [
        ("kind=projects&q=secret", "vault/inner/secret"),
        ("kind=projects", "vault/inner/secret"),
        ("kind=groups&q=inner", "vault/inner"),
    ] {
        assert_eq!(suggested(&outsider, query).await, [] as [Value; 0], "{query}");
        assert_eq!(suggested(&inside, query).await, [json!(seen)], "{query}");
    }
    assert_eq!(suggested(&outsider, "kind=groups").await, [] as [Value; 0]);
}

#[testkit::story]
async fn confidential_issues_are_suggested_to_few(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (author, guest) = (t.user("author").await, t.user("guest").await);
    let reporter = t.user("reporter").await;
    project.add(&guest, 10).await;
    project.add(&reporter, 20).await;
    for (title, confidential) in [("Open door", false), ("Back door", true), ("Hinge", false)] {
        let body = json!({"title": title, "confidential": confidential});
        author.post(project.at("/issues")).json(&body).await.is(201);
    }
    let closed = json!({"state_event": "close"});
    reporter.put(project.at("/issues/3")).json(&closed).await.is(200);
    let (hers, theirs) = (t.browser("author").await, t.browser("guest").await);
    let many = t.browser("reporter").await;
    for (browser, sees) in [(&hers, true), (&many, true), (&theirs, false)] {
        let of = |seen: &[&str]| -> Vec<Value> {
            seen.iter()
                .filter(|one| sees || !one.ends_with('2'))
                .map(|one| json!(one))
                .collect()
        };
        let here = format!("kind=issues&{PROJECT}");
        assert_eq!(suggested(browser, &here).await, of(&["2", "1", "3"]));
        assert_eq!(suggested(browser, &format!("{here}&q=DOOR")).await, of(&["2", "1"]));
        assert_eq!(suggested(browser, &format!("{here}&q=2")).await, of(&["2"]));
        let group = suggested(browser, "kind=issues&group=acme&q=door").await;
        assert_eq!(group, of(&["acme/anvil#2", "acme/anvil#1"]));
    }
    // Who wrote but a confidential issue takes part for those who see it.
    let shy = t.user("shy").await;
    let body = json!({"title": "hush", "confidential": true});
    shy.post(project.at("/issues")).json(&body).await.is(201);
    let near = format!("kind=people&{PROJECT}");
    assert!(suggested(&many, &near).await.contains(&json!("shy")));
    assert!(!suggested(&theirs, &near).await.contains(&json!("shy")));
    // Issues that are off are not there for anyone.
    let off = json!({"issues_access_level": "disabled"});
    t.admin().put(project.at("")).json(&off).await.is(200);
    assert_eq!(suggested(&many, "kind=issues&group=acme").await, [] as [Value; 0]);
    assert_eq!(suggested(&many, &format!("kind=issues&{PROJECT}")).await, [] as [Value; 0]);
}

#[testkit::story]
async fn labels_and_milestones_are_those_of_the_place(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let other = t.project("acme/bellows").await;
    let jane = t.user("jane").await;
    group.add(&jane, 20).await;
    for (place, title) in [
        (project.at("/labels"), "bug"),
        (group.at("/labels"), "urgent bug"),
        (other.at("/labels"), "bugle"),
    ] {
        let label = json!({"name": title, "color": "#5cb85c", "description": "about it"});
        jane.post(place).json(&label).await.is(201);
    }
    for (place, title, due) in [
        (project.at("/milestones"), "10%", Value::Null),
        (group.at("/milestones"), "1.0", json!("2031-02-01")),
        (other.at("/milestones"), "1.1", Value::Null),
    ] {
        jane.post(place).json(&json!({"title": title, "due_date": due})).await.is(201);
    }
    let browser = t.browser("jane").await;
    let labels = suggested(&browser, &format!("kind=labels&q=bug&{PROJECT}")).await;
    assert_eq!(labels, [json!("bug"), json!("urgent bug")]);
    let page = format!("/-/suggest?kind=labels&q=BUG&{PROJECT}");
    let first = browser.get(&page).await.json()[0].clone();
    let expected =
        json!({"value": "bug", "label": "bug", "detail": "about it", "color": "#5cb85c"});
    assert_eq!(first, expected);
    assert_eq!(suggested(&browser, "kind=labels&group=acme").await, [json!("urgent bug")]);
    let goals = suggested(&browser, &format!("kind=milestones&{PROJECT}")).await;
    assert_eq!(goals, [json!("1.0"), json!("10%")]);
    // A wildcard is a letter.
    let goals = suggested(&browser, &format!("kind=milestones&q=0%25&{PROJECT}")).await;
    assert_eq!(goals, [json!("10%")]);
    let emoji = suggested(&browser, "kind=emoji&q=tada").await;
    assert_eq!(emoji, [json!("tada")]);
}

#[testkit::story]
async fn only_people_in_a_browser_ask_and_only_what_there_is(t: TestServer) {
    let project = t.project("acme/anvil").await;
    project.add(&t.user("jane").await, 10).await;
    let refused = t.new_browser().get("/-/suggest?kind=people").await.is(401);
    assert!(refused.json()["message"].is_string(), "{refused:?}");
    let jane = t.browser("jane").await;
    for query in [
        "",
        "kind=nothing",
        "kind=labels",
        "kind=milestones",
        "kind=issues",
        "kind=people&project=acme/anvil&group=acme",
        "kind=people&q=%00",
    ] {
        let refused = jane.get(&format!("/-/suggest?{query}")).await.is(400);
        assert!(refused.json()["error"].is_string(), "{query}: {refused:?}");
    }
    let long = "x".repeat(2000);
    assert_eq!(suggested(&jane, &format!("kind=people&q={long}")).await, [] as [Value; 0]);
    for n in 0..12 {
        t.user(&format!("many{n}")).await;
    }
    assert_eq!(suggested(&jane, "kind=people&q=many").await.len(), 10);
    let huge = format!("kind=issues&{PROJECT}&q={}", "9".repeat(40));
    assert_eq!(suggested(&jane, &huge).await, [] as [Value; 0]);
    // A token opens no page, so it is nobody's here.
    t.admin().at("/-/suggest?kind=people").await.is(401);
}

#[testkit::story]
async fn groups_are_offered_beside_people(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    t.group("forge/tools").await.add(&jane, 10).await;
    t.group("vault/tools").await;
    let browser = t.browser("jane").await;
    let offered = |text: &str| format!("kind=mentions&q={text}&{PROJECT}");
    let near = suggested(&browser, &offered("")).await;
    assert_eq!(near, [json!("jane"), json!("root")], "no groups before something is typed");
    let one = browser.get(&format!("/-/suggest?{}", offered("tools"))).await.is(200).json();
    let expected = json!([{"value": "forge/tools", "label": "tools",
        "detail": "@forge/tools, group", "letters": "T"}]);
    assert_eq!(one, expected, "and none that are hidden");
    assert_eq!(suggested(&browser, &offered("forge/t")).await, [json!("forge/tools")]);
    // Many people leave room for groups.
    for n in 0..12 {
        t.user(&format!("toolsmith{n}")).await;
    }
    let mixed = suggested(&browser, &offered("tools")).await;
    assert_eq!(mixed.len(), 10, "{mixed:?}");
    assert_eq!(mixed[9], json!("forge/tools"), "{mixed:?}");
    let people = suggested(&browser, &format!("kind=people&q=tools&{PROJECT}")).await;
    assert!(!people.contains(&json!("forge/tools")), "fields for people take no groups");
    let silent = json!({"mentions_disabled": true});
    t.admin().put("/groups/forge%2Ftools").json(&silent).await.is(200);
    assert!(!suggested(&browser, &offered("tools")).await.contains(&json!("forge/tools")));
}

/// Statements sent so far for suggestions.
fn sent(t: &TestServer) -> u64 {
    let line = "http_request_statements_total{method=\"GET\",route=\"/-/suggest\"} ";
    let text = t.app().metrics().render();
    let count = text.lines().find_map(|one| one.strip_prefix(line));
    count.map_or(0, |count| count.parse().expect("a count"))
}

#[testkit::story]
async fn ten_names_cost_what_one_costs(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, admin) = (t.user("jane").await, t.admin());
    t.group("acme").await.add(&jane, 10).await;
    let browser = t.browser("jane").await;
    for n in 0..10 {
        let title = format!("many{n}");
        project.add(&t.user(&title).await, 10).await;
        let label = json!({"name": title, "color": "red"});
        admin.post(project.at("/labels")).json(&label).await.is(201);
        let goal = json!({"title": title});
        admin.post(project.at("/milestones")).json(&goal).await.is(201);
        admin.post(project.at("/issues")).json(&goal).await.is(201);
        admin.post("/groups/acme/epics").json(&goal).await.is(201);
        t.project(&format!("acme/{title}")).await;
        t.group(&format!("{title}-group")).await.add(&jane, 10).await;
    }
    for kind in [
        "people",
        "mentions",
        "labels",
        "milestones",
        "issues",
        "epics",
        "projects",
        "groups",
    ] {
        let mut costs = Vec::new();
        // A person and a group have the same name.
        let one = if kind == "mentions" { 2 } else { 1 };
        for (text, found) in [("many7", one), ("many", 10)] {
            let before = sent(&t);
            let names = suggested(&browser, &format!("kind={kind}&q={text}&{PROJECT}")).await;
            assert_eq!(names.len(), found, "{kind}: {names:?}");
            costs.push(sent(&t) - before);
        }
        assert_eq!(costs[0], costs[1], "{kind}");
    }
}
