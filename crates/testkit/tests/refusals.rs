//! Every route of the API, tried by nobody, by a token without its scope and
//! by somebody who has no business there. None may be let in unless it
//! stands in the list below, which may only shrink.

use http::Method;
use kernel::http::routes::{Route, Surface};
use testkit::{Client, TestUser};

/// Routes that answer nobody with success: what is public.
const PUBLIC: &[&str] = &[
    "GET /api/v4/openapi.json",
    "GET /api/v4/projects",
    "GET /api/v4/groups",
    "GET /api/v4/users",
    // The public ones of that user, and those they starred.
    "GET /api/v4/users/{id}/projects",
    "GET /api/v4/users/{id}/starred_projects",
];

testkit::both_engines! {
    async fn every_route_refuses_nobody(t: TestServer) {
        let refused = [301, 400, 401, 403, 404, 405, 409, 415, 422];
        let mut wrong = Vec::new();
        for (route, method, path) in routes() {
            let status = ask(&t.anonymous(), &route, &method, &path).await;
            let public = PUBLIC.contains(&name(&method, &route).as_str());
            if !public && !refused.contains(&status) {
                wrong.push(format!("{method} {route}: {status}"));
            }
        }
        assert!(wrong.is_empty(), "let in: {wrong:#?}");
    }

    async fn every_route_refuses_a_token_without_its_scope(t: TestServer) {
        let jane: TestUser = t.user("jane").await;
        let client = t.token_of(jane.id, &["read_repository"]).await;
        let mut wrong = Vec::new();
        for (route, method, path) in routes() {
            if any_scope(&method, &route) {
                continue;
            }
            let status = ask(&client, &route, &method, &path).await;
            let public = PUBLIC.contains(&name(&method, &route).as_str());
            if !public && ![400, 403, 404].contains(&status) {
                wrong.push(format!("{method} {route}: {status}"));
            }
        }
        assert!(wrong.is_empty(), "let in: {wrong:#?}");
    }

    async fn no_route_fails_on_an_outsider(t: TestServer) {
        let project = t.project("acme/anvil").await;
        let outsider = t.user("olga").await;
        let mut wrong = Vec::new();
        for (route, method, _) in routes() {
            if !route.starts_with("/api/v4/projects/{id}") {
                continue;
            }
            let path = filled(&route.replace("{id}", &project.id.to_string()));
            let status = ask(&outsider, &route, &method, &path).await;
            if ![400, 401, 403, 404].contains(&status) {
                wrong.push(format!("{method} {route}: {status}"));
            }
        }
        assert!(wrong.is_empty(), "let in: {wrong:#?}");
    }
}

/// Template, method and an address for each route of the API.
fn routes() -> Vec<(String, Method, String)> {
    let routes = tenon::wiring::routes();
    let of_api = |route: &&Route| route.surface == Surface::Api;
    let described = routes.all().iter().filter(of_api);
    described
        .map(|route| {
            (
                route.path.clone(),
                route.method.clone(),
                filled(&route.path),
            )
        })
        .collect()
}

/// Whether a token of any scope may use the route, such as to end itself.
fn any_scope(method: &Method, path: &str) -> bool {
    let routes = tenon::wiring::routes();
    let mut of_api = routes.all().iter();
    of_api.any(|route| route.method == *method && route.path == path && route.scopes.is_empty())
}

/// The template with something plausible in each place.
fn filled(template: &str) -> String {
    let mut path = String::new();
    for part in template.split('{') {
        match part.split_once('}') {
            Some((name, rest)) => {
                path.push_str(if name.ends_with("id") { "1" } else { "some" });
                path.push_str(rest);
            }
            None => path.push_str(part),
        }
    }
    path
}

fn name(method: &Method, route: &str) -> String {
    format!("{method} {route}")
}

async fn ask(client: &Client, route: &str, method: &Method, path: &str) -> u16 {
    let reply = client.request(method.clone(), path).await;
    assert!(reply.status < 500, "{method} {route}: {reply:?}");
    reply.status
}
