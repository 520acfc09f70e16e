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
    t: &TestServer,
    browser: &Browser,
    (route, path, row): (&str, &str, &str),
    rows: usize,
) -> (u64, usize) {
    let before = sent(t, route);
    let page = browser.get(&format!("{path}?per_page={rows}")).await.is(200);
    (sent(t, route) - before, page.text().matches(row).count())
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
