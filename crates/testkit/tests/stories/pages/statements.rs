//! Pages with lists never ask once per row: twelve rows take as many
//! statements as three.

use serde_json::json;
use testkit::Browser;
use testkit::TestServer;

/// Statements sent so far for GETs of this route.
fn sent(t: &TestServer, route: &str) -> u64 {
    let line = format!("http_request_statements_total{{method=\"GET\",route=\"{route}\"}} ");
    let text = t.app().metrics().render();
    let count = text.lines().find_map(|one| one.strip_prefix(&line));
    count.map_or(0, |count| count.parse().expect("a count"))
}

/// Statements of one page with this many rows, and how often `row` stands in it.
async fn cost(
    t: &TestServer, browser: &Browser, (route, path, row): (&str, &str, &str), rows: usize,
) -> (u64, usize) {
    let before = sent(t, route);
    let page = browser.get(&format!("{path}?per_page={rows}")).await.is(200);
    (sent(t, route) - before, page.text().matches(row).count())
}

/// An error, an alert, a version of one name and a rotation.
async fn one_more(t: &TestServer, project: &testkit::TestProject, n: i64, ids: (&str, i64)) {
    let collector = format!("/error_tracking/collector/api/{}", project.id);
    let to = format!("{collector}/store?sentry_key={}", ids.0);
    let event = json!({"message": format!("message {n}"), "tags": {"n": n}});
    t.anonymous().post(to).json(&event).await.is(200);
    let area = project.at("/alert_management");
    let post =
        |path: &str, body: serde_json::Value| t.admin().post(format!("{area}/{path}")).json(&body);
    let alert = json!({"payload": {"title": format!("alert {n}")}});
    post("http_integrations/1/test", alert).await.is(200);
    let turns = json!({"name": format!("turns {n}"), "starts_at": "2020-01-01", "length": 1,
        "length_unit": "weeks", "user_ids": [ids.1]});
    post("oncall_schedules/1/rotations", turns).await.is(201);
    let file = project.at(&format!("/packages/generic/many/1.{n}/a.txt"));
    t.admin().put(&file).bytes("x").await.is(201);
}

/// Lists of what is watched, which rows cost nothing in either.
#[testkit::story]
async fn monitoring_of_twelve_costs_what_that_of_three_costs(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    let on = json!({"active": true, "integrated": true});
    t.admin().put(project.at("/error_tracking/settings")).json(&on).await.is(200);
    let key = t.admin().post(project.at("/error_tracking/client_keys")).await.is(201).json();
    let key = key["public_key"].as_str().expect("a key").to_owned();
    let area = project.at("/alert_management");
    for (path, body) in [
        ("http_integrations", json!({"name": "i", "active": true})),
        ("oncall_schedules", json!({"name": "s", "timezone": "UTC"})),
    ] {
        t.admin().post(format!("{area}/{path}")).json(&body).await.is(201);
    }
    let browser = t.browser("jane").await;
    let mut before = Vec::new();
    for (rows, from) in [(3, 0), (12, 3)] {
        for n in from..rows {
            one_more(&t, &project, n, (&key, jane.id)).await;
        }
        let found = t.admin().get(project.at("/packages")).await.is(200).each("id");
        let versions = format!("/acme/anvil/-/packages/{}/versions", found[0]);
        let error = t.admin().get(project.at("/error_tracking/errors")).await.is(200).each("id");
        let error = format!("/acme/anvil/-/error_tracking/{}/details", error[0]);
        let pages = [
            (
                "/{*project}/-/error_tracking",
                "/acme/anvil/-/error_tracking",
                "<p class=\"name\">",
            ),
            (
                "/{*project}/-/alert_management",
                "/acme/anvil/-/alert_management",
                "<p class=\"name\">",
            ),
            (
                "/{*project}/-/oncall_schedules/{schedule_iid}",
                "/acme/anvil/-/oncall_schedules/1",
                "<p class=\"name\">",
            ),
            (
                "/{*project}/-/packages/{package_id}/versions",
                &*versions,
                "<p class=\"name grow\">",
            ),
            ("/{*project}/-/error_tracking/{error_id}/details", &*error, "<h1>"),
        ];
        let mut costs = Vec::new();
        for page in pages {
            let (cost, shown) = cost(&t, &browser, page, 20).await;
            assert!(cost > 0, "{page:?} is not counted");
            assert!(page.2 == "<h1>" || shown == rows as usize, "{page:?}: {shown} of {rows}");
            costs.push((page.0, cost));
        }
        match before.is_empty() {
            true => before = costs,
            false => assert_eq!(before, costs),
        }
    }
}

#[testkit::story]
async fn pages_of_twelve_cost_what_pages_of_three_cost(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (group, jane) = (t.group("acme").await, t.user("jane").await);
    group.add(&jane, 40).await;
    for n in 0..12 {
        let user = t.user(&format!("user{n}")).await;
        group.add(&user, 10).await;
        user.post(project.at("/star")).await.is(201);
        let token = json!({"name": format!("t{n}"), "scopes": ["read_package_registry"]});
        t.admin().post(project.at("/deploy_tokens")).json(&token).await.is(201);
        let body = json!({"name": format!("g{n}"), "path": format!("g{n}"), "parent_id": group.id});
        t.admin().post("/groups").json(&body).await.is(201);
        let body = json!({"name": format!("top{n}"), "path": format!("top{n}"),
            "visibility": "public"});
        t.admin().post("/groups").json(&body).await.is(201);
        let body = json!({"name": format!("p{n}"), "namespace_id": group.id});
        t.admin().post("/projects").json(&body).await.is(201);
        let file = project.at(&format!("/packages/generic/k{n}/1.0/a.txt"));
        t.admin().put(&file).bytes("x").await.is(201);
    }
    let browser = t.browser("jane").await;
    let pages = [
        ("/", "/", "<p class=\"name\">"),
        ("/groups", "/groups", "<p class=\"name\">"),
        ("/groups/{*group}", "/groups/acme", "href=\"/acme/"),
        ("/groups/{*group}/-/members", "/groups/acme/-/members", "data-label=\"Role\""),
        ("/groups/{*group}/-/packages", "/groups/acme/-/packages", "<p class=\"name\">"),
        ("/{*project}/-/packages", "/acme/anvil/-/packages", "<p class=\"name\">"),
        ("/{*project}/-/starrers", "/acme/anvil/-/starrers", "<p class=\"name\">"),
        (
            "/{*project}/-/deploy_tokens",
            "/acme/anvil/-/deploy_tokens",
            "data-label=\"Scopes\"",
        ),
    ];
    for page in pages {
        let (few, three) = cost(&t, &browser, page, 3).await;
        let (many, twelve) = cost(&t, &browser, page, 12).await;
        assert!(few > 0, "{page:?} is not counted");
        assert_eq!((three, twelve), (3, 12), "{page:?}");
        assert_eq!(few, many, "{page:?}");
    }
}

/// The first pages of a project and a group, and a tree of groups, cost the same
/// however much there is of what they show.
#[testkit::story]
async fn overviews_of_much_cost_what_those_of_little_cost(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (group, jane) = (t.group("acme").await, t.user("jane").await);
    group.add(&jane, 40).await;
    let on = json!({"active": true, "integrated": true});
    t.admin().put(project.at("/error_tracking/settings")).json(&on).await.is(200);
    let key = t.admin().post(project.at("/error_tracking/client_keys")).await.is(201).json();
    let key = key["public_key"].as_str().expect("a key").to_owned();
    let area = project.at("/alert_management");
    for (path, body) in [
        ("http_integrations", json!({"name": "i", "active": true})),
        ("oncall_schedules", json!({"name": "s", "timezone": "UTC"})),
    ] {
        t.admin().post(format!("{area}/{path}")).json(&body).await.is(201);
    }
    let browser = t.browser("jane").await;
    let mut before = Vec::new();
    for (rows, from) in [(1, 0), (7, 1)] {
        for n in from..rows {
            one_more(&t, &project, n, (&key, jane.id)).await;
            let file = project.at(&format!("/packages/generic/kind{n}/1.0/a.txt"));
            t.admin().put(&file).bytes("x").await.is(201);
            let label = format!("label{n}");
            let issue = json!({"title": format!("issue {n}"), "labels": label,
                "assignee_ids": [jane.id]});
            t.admin().post(project.at("/issues")).json(&issue).await.is(201);
            let user = t.user(&format!("user{n}")).await;
            group.add(&user, 10).await;
            let path = format!("g{n}");
            let body = json!({"name": path, "path": path, "parent_id": group.id});
            let below = t.admin().post("/groups").json(&body).await.is(201).id();
            let body = json!({"name": path, "namespace_id": below});
            t.admin().post("/projects").json(&body).await.is(201);
        }
        let unfolded = format!("/groups?open={}", group.id);
        let mut costs = Vec::new();
        for (route, path) in [
            ("/{*project}", "/acme/anvil"),
            ("/groups/{*group}", "/groups/acme"),
            ("/groups", unfolded.as_str()),
            ("/", "/"),
        ] {
            let before = sent(&t, route);
            browser.get(path).await.is(200);
            let cost = sent(&t, route) - before;
            assert!(cost > 0 && cost < 60, "{path} takes {cost} statements");
            costs.push((path.to_owned(), cost));
        }
        match before.is_empty() {
            true => before = costs,
            false => assert_eq!(before, costs),
        }
    }
}
