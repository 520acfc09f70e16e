//! Who reads lists, how they are narrowed and sorted, and those of groups.

use super::{bom, mit, names, npm, send};
use serde_json::{Value, json};
use testkit::{Client, TestProject, TestServer};

/// A project with three dependencies.
async fn shop(t: &TestServer, path: &str) -> TestProject {
    let project = t.project(path).await;
    let mut tongs = npm("tongs", "2.0.0", json!([{"license": {"id": "Apache-2.0"}}]));
    tongs["properties"] = json!([
        {"name": "service:dependency_scanning:category", "value": "development"},
        {"name": "service:dependency_scanning:package_manager:name", "value": "yarn"}]);
    let all = vec![npm("hammer", "1.0.0", mit()), tongs, npm("anvil", "3.0.0", json!([]))];
    send(t, &project, &bom("package-lock.json", all)).await.is(202);
    project
}

async fn found(by: &Client, at: String) -> Vec<String> {
    let all = by.get(at).await.is(200).json();
    let name = |one: &Value| one["name"].as_str().unwrap_or_default().to_owned();
    all.as_array().unwrap().iter().map(name).collect()
}

#[testkit::story]
async fn lists_are_for_developers(t: TestServer) {
    let project = shop(&t, "acme/anvil").await;
    let group = t.group("acme").await;
    let (developer, reporter, outsider) =
        (t.user("dev").await, t.user("rita").await, t.user("out").await);
    group.add(&developer, 30).await;
    group.add(&reporter, 20).await;
    let read = t.token_of(developer.id, &["read_api"]).await;
    let none = t.token_of(developer.id, &["read_user"]).await;
    for list in [project.at("/dependencies"), group.at("/dependencies")] {
        for (who, status) in [
            (t.anonymous(), 401),
            ((*outsider).clone(), 404),
            ((*reporter).clone(), 403),
            (none.clone(), 403),
            ((*developer).clone(), 200),
            (read.clone(), 200),
            (t.admin(), 200),
        ] {
            who.get(&list).await.is(status);
        }
    }
}

#[testkit::story]
async fn a_list_is_narrowed_sorted_and_paged(t: TestServer) {
    let project = shop(&t, "acme/anvil").await;
    let admin = t.admin();
    for (query, wanted) in [
        ("", "anvil hammer tongs"),
        ("package_manager=npm", "anvil hammer"),
        ("package_manager=npm,yarn", "anvil hammer tongs"),
        ("package_manager=cargo", ""),
        ("component_names=HAMMER,anvil", "anvil hammer"),
        ("component_names[]=hammer", "hammer"),
        ("licenses=MIT", "hammer"),
        ("licenses=unknown,Apache-2.0", "anvil tongs"),
        ("search=AM", "hammer"),
        ("search=%25", ""),
        ("category=development", "tongs"),
        ("category=production", "anvil hammer"),
        ("sort=desc", "tongs hammer anvil"),
        ("sort_by=packager&sort=desc", "tongs anvil hammer"),
        ("sort_by=license", "tongs hammer anvil"),
        ("sort_by=severity", "anvil hammer tongs"),
    ] {
        let at = project.at(&format!("/dependencies?{query}"));
        assert_eq!(found(&admin, at).await.join(" "), wanted, "{query}");
    }
    for wrong in ["package_manager=apt", "category=any", "sort_by=id", "pagination=keyset"] {
        admin.get(project.at(&format!("/dependencies?{wrong}"))).await.is(400);
    }
    let page = admin.get(project.at("/dependencies?per_page=2&page=2")).await.is(200);
    assert_eq!((page.header("x-total"), page.header("x-total-pages")), ("3", "2"));
    assert_eq!(page.json().as_array().map(Vec::len), Some(1));
    let empty = t.project("acme/empty").await;
    assert!(names(&t, &empty).await.is_empty());
}

/// Statements sent so far for requests of this route.
fn statements(t: &TestServer, route: &str) -> u64 {
    let line = format!("http_request_statements_total{{method=\"GET\",route=\"/api/v4{route}\"}} ");
    let text = t.app().metrics().render();
    let count = text.lines().find_map(|one| one.strip_prefix(&line));
    count.map_or(0, |count| count.parse().unwrap())
}

#[testkit::story]
async fn lists_cost_the_same_whatever_their_length(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let all = (0..50).map(|n| npm(&format!("part-{n}"), "1.0.0", mit())).collect();
    send(&t, &project, &bom("a.lock", all)).await.is(202);
    t.admin().get("/user").await.is(200);
    for (route, path) in [
        ("/projects/{id}/dependencies", project.at("/dependencies")),
        ("/groups/{id}/dependencies", group.at("/dependencies")),
    ] {
        let mut costs = Vec::new();
        for rows in [5, 50] {
            let before = statements(&t, route);
            let page = t.admin().get(format!("{path}?per_page={rows}")).await.is(200).json();
            assert_eq!(page.as_array().map(Vec::len), Some(rows));
            costs.push(statements(&t, route) - before);
        }
        assert!(costs[0] == costs[1] && costs[0] > 0 && costs[0] <= 14, "{route}: {costs:?}");
    }
}

#[testkit::story]
async fn a_group_lists_its_projects_and_those_below(t: TestServer) {
    let (one, two) = (shop(&t, "acme/anvil").await, t.project("acme/tools/saw").await);
    let hammer = bom("b.lock", vec![npm("hammer", "1.0.0", mit())]);
    send(&t, &two, &hammer).await.is(202);
    // Neither of another group nor of an archived project.
    let (other, old) = (t.project("other/saw").await, t.project("acme/old").await);
    send(&t, &other, &hammer).await.is(202);
    send(&t, &old, &hammer).await.is(202);
    t.admin().post(old.at("/archive")).await.is(201);
    let group = t.group("acme").await;
    let developer = t.user("dev").await;
    group.add(&developer, 30).await;

    let page = developer.get(group.at("/dependencies")).await.is(200);
    assert_eq!(page.header("x-total"), "4");
    let all = page.json();
    let row =
        |one: &Value| json!([one["name"], one["project"]["full_path"], one["occurrence_count"]]);
    let rows: Vec<Value> = all.as_array().unwrap().iter().map(row).collect();
    assert_eq!(
        json!(rows),
        json!([
            ["anvil", "acme/anvil", 1],
            ["hammer", "acme/anvil", 2],
            ["hammer", "acme/tools/saw", 2],
            ["tongs", "acme/anvil", 1]
        ])
    );
    assert_eq!(all[0]["project"]["id"], json!(one.id));
    let narrow = found(&developer, group.at("/dependencies?licenses=MIT&search=ham")).await;
    assert_eq!(narrow, ["hammer", "hammer"]);
    developer.get(t.group("other").await.at("/dependencies")).await.is(404);
}

#[testkit::story]
async fn lists_are_switched_off_at_every_level(t: TestServer) {
    let project = shop(&t, "acme/anvil").await;
    let group = t.group("acme").await;
    let off = json!({"dependency_exports_enabled": false});
    let on = json!({"dependency_exports_enabled": true});
    let text = json!({"message": "403 Forbidden - This feature is switched off"});
    let (of_project, of_group) = (project.at("/dependencies"), group.at("/dependencies"));
    let settings = "/application/settings".to_owned();
    for (level, is_of_group) in [(group.at(""), true), (settings, true), (project.at(""), false)] {
        let shown = t.admin().put(&level).json(&off).await.is(200).json();
        assert_eq!(shown["dependency_exports_enabled"], false, "{level}");
        assert_eq!(t.admin().get(&of_project).await.is(403).json(), text, "{level}");
        let list = bom("a.lock", vec![npm("x", "1", mit())]);
        t.admin().post(project.at("/sboms")).json(&list).await.is(403);
        let seen = t.admin().get(&of_group).await;
        match is_of_group {
            true => assert_eq!(seen.is(403).json(), text),
            false => assert_eq!(seen.is(200).json(), json!([])),
        }
        t.anonymous().get(&of_project).await.is(401);
        t.admin().put(&level).json(&on).await.is(200);
    }
    assert_eq!(names(&t, &project).await.len(), 3, "the data stay");
}
