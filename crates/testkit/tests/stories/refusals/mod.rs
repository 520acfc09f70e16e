//! Every route of the API, asked about things that exist and are hidden: by
//! nobody, by an outsider, by another project's bot and deploy token, and out
//! of scope. None may be let in unless it stands in a list below with the
//! reason; the lists may only shrink. Bodies are made from the interface's
//! description, so that no refusal is owed to a missing parameter.

use hidden::{Hidden, hide};
use http::Method;
use kernel::http::routes::{Admits, Route, Surface};
use serde_json::json;
use testkit::{Reply, TestServer};
use tries::{Try, ask, why};

mod hidden;
mod packages;
mod review;
mod things;
mod tries;

/// Routes that answer nobody with success, and why.
const OPEN_TO_NOBODY: &[(&str, &str)] = &[
    ("GET /openapi.json", "it describes the interface"),
    ("GET /projects", "it lists public projects"),
    ("GET /groups", "it lists public groups"),
    ("GET /users/{id}/projects", "it lists that user's public projects"),
    ("GET /users/{id}/starred_projects", "it lists public projects that user starred"),
    ("GET /users/{id}/events", "it lists what that user did in public projects"),
    ("GET /users/{id}/keys", "keys are public, and say whose signature is whose"),
    ("GET /users/{id}/keys/{key_id}", "keys are public"),
    ("GET /templates/licenses", "they are the same for everybody"),
    ("GET /templates/licenses/{license}", "they are the same for everybody"),
    ("GET /templates/{type}", "they are the same for everybody"),
    ("GET /templates/{type}/{name}", "they are the same for everybody"),
    ("GET /users/{id}/gpg_keys", "keys are public, and say whose signature is whose"),
    ("GET /users/{id}/gpg_keys/{gpg_key_id}", "keys are public"),
    ("GET /projects/{id}/packages/nuget/index.json", "it says the same of every id"),
    ("GET /groups/{id}/-/packages/nuget/index.json", "it says the same of every id"),
    ("GET /projects/{id}/packages/nuget/v2", "it says the same of every id"),
    ("GET /projects/{id}/packages/nuget/v2/$metadata", "it says the same of every id"),
    ("GET /packages/npm/-/ping", "it tells that the server is there"),
    ("GET /packages/npm/-/v1/search", "it finds packages of public projects"),
    (
        "GET /packages/conan/v1/ping",
        "clients ask what the server can do before they have credentials",
    ),
    ("GET /projects/{id}/packages/conan/v1/ping", "it does not look at the project"),
    ("GET /groups/{id}/-/packages/conan/v1/ping", "it does not look at the group"),
    ("GET /packages/conan/v1/conans/search", "it finds packages of public projects"),
    ("GET /packages/conan/v2/conans/search", "it finds packages of public projects"),
    ("POST /packages/npm/-/npm/v1/security/advisories/bulk", "it knows no advisories"),
    ("POST /packages/npm/-/npm/v1/security/audits/quick", "it knows no advisories"),
    ("POST /packages/npm/-/npm/v1/security/audits", "it knows no advisories"),
];

/// Routes that answer anyone who is signed in, and why.
const OPEN_TO_ANYONE: &[(&str, &str)] = &[
    ("GET /metadata", "the version is no secret among users"),
    ("GET /version", "the version is no secret among users"),
    ("GET /namespaces", "it lists what the caller may see"),
    ("GET /issues", "it lists what the caller made"),
    ("GET /merge_requests", "it lists what the caller made"),
    ("GET /search", "it finds what the caller may see"),
    ("GET /todos", "they are the caller's"),
    ("GET /user_counts", "they are the caller's"),
    ("GET /runners", "it lists those that the caller manages"),
    ("POST /todos/mark_as_done", "they are the caller's"),
    ("GET /namespaces/{id}/exists", "it tells of visible paths only"),
    ("GET /personal_access_tokens", "it lists the caller's own"),
    ("GET /personal_access_tokens/self", "a token may ask about itself"),
    ("GET /personal_access_tokens/self/associations", "a token may ask about itself"),
    ("DELETE /personal_access_tokens/self", "a token may end itself"),
    ("POST /personal_access_tokens/self/rotate", "a token may replace itself"),
    ("POST /projects", "users make projects in their own namespace"),
    ("POST /groups", "users make groups"),
    ("GET /packages/npm/-/whoami", "it is the caller"),
    (
        "GET /packages/conan/v1/users/authenticate",
        "callers exchange their own credential",
    ),
    (
        "GET /packages/conan/v2/users/authenticate",
        "callers exchange their own credential",
    ),
    ("GET /packages/conan/v1/users/check_credentials", "it is the caller"),
    ("GET /packages/conan/v2/users/check_credentials", "it is the caller"),
    ("GET /user", "it is the caller"),
    ("GET /user/status", "it is the caller's"),
    ("PUT /user/status", "it is the caller's"),
    ("PATCH /user/status", "it is the caller's"),
    ("PUT /user/avatar", "it is the caller's"),
    ("GET /user/placeholder_users", "they are the caller's"),
    ("GET /user/emails", "they are the caller's"),
    ("POST /user/emails", "they are the caller's"),
    ("GET /user/keys", "they are the caller's"),
    ("POST /user/keys", "they are the caller's"),
    ("GET /user/gpg_keys", "they are the caller's"),
    ("POST /user/gpg_keys", "they are the caller's"),
    ("POST /markdown", "it shows the text it was sent"),
    ("GET /snippets", "they are the caller's"),
    ("GET /snippets/public", "it lists what everybody may see"),
    ("GET /snippets/all", "it lists what the caller may see"),
    ("POST /snippets", "users make snippets of their own"),
    ("POST /user/personal_access_tokens", "users make tokens of narrow scope"),
    ("GET /users", "users know one another"),
    ("GET /users/{id}", "users know one another"),
    ("GET /users/{id}/status", "users know one another"),
    (
        "GET /users/{id}/events",
        "it lists what that user did where the caller may look",
    ),
    ("GET /events", "they are the caller's"),
    ("GET /notification_settings", "they are the caller's"),
    ("PUT /notification_settings", "they are the caller's"),
    ("GET /users/{id}/followers", "users know one another"),
    ("GET /users/{id}/following", "users know one another"),
    ("POST /users/{id}/follow", "users know one another"),
    ("POST /users/{id}/unfollow", "users know one another"),
];

/// Routes that bring projects from elsewhere to where the caller may make them: what is not
/// so is refused in the words of the interface, by 400 and 422, too.
const BROUGHT_FROM_ELSEWHERE: &[(&str, &str)] = &[
    ("POST /import/provider_a", "what is there is asked first, and the namespace"),
    ("POST /import/provider_a/gists", "they are the caller's"),
    (
        "POST /import/provider_b_server",
        "what is there is asked first, and the namespace",
    ),
    (
        "POST /import/provider_b_cloud",
        "what is there is asked first, and the namespace",
    ),
    ("POST /projects/import", "the form comes before the path that it names"),
    ("POST /projects/remote-import", "the address is looked at before the path"),
    ("POST /projects/remote-import-s3", "the address is looked at before the path"),
    ("POST /projects/import-relation", "the form comes before the path that it names"),
];

/// Whether somebody who may not is answered as they should be.
fn refuses(name: &str, reply: &Reply) -> bool {
    let is_worded = why(BROUGHT_FROM_ELSEWHERE, name).is_some();
    let statuses: &[u16] = if is_worded {
        &[400, 401, 403, 404, 422]
    } else {
        &[401, 403, 404]
    };
    statuses.contains(&reply.status) && !tells(reply)
}

/// Routes that tokens of any scope may use, and why.
const WITHOUT_SCOPE: &[(&str, &str)] = &[
    ("GET /personal_access_tokens/self", "a token may ask about itself"),
    ("DELETE /personal_access_tokens/self", "a token may end itself"),
];

/// Audits only read, though by POST: whoever installs asks for them.
const READS_BY_POST: &str = "/npm/-/npm/v1/security/";

/// What a refusal and an open list alike must not tell.
fn tells(reply: &Reply) -> bool {
    reply.text().contains("vault") || reply.text().contains("secret")
}

/// Every hidden thing is still there.
async fn nothing_happened(t: &TestServer, hidden: &Hidden) {
    for one in hidden.tries() {
        if one.method == Method::GET
            && !one.path.contains("/self")
            && !one.path.starts_with("/user/")
            // It tells a job of itself.
            && one.path != "/job"
            // What it sends is told by a header.
            && !one.path.contains("/symbolfiles/")
            // Files of jobs are brought by runners alone, which ask for them, too.
            && !one.path.contains("/artifacts")
            // No file was written of the project.
            && !one.path.ends_with("/export/download")
            // Projects have no trains.
            && !one.path.contains("/merge_trains")
            // Nobody signed what is there.
            && !one.path.ends_with("/signature")
        {
            let reply = ask(&t.admin(), &one).await;
            assert!(reply.status < 400, "{}: {reply:?}", one.name);
        }
    }
}

#[testkit::story]
async fn every_route_refuses_nobody(t: TestServer) {
    let hidden = hide(&t).await;
    let mut wrong = Vec::new();
    for one in hidden.tries() {
        let reply = ask(&t.anonymous(), &one).await;
        let fits = match why(OPEN_TO_NOBODY, &one.name) {
            Some(_) => reply.status == 200 && (!tells(&reply) || one.name.contains("openapi")),
            None => [401, 403, 404].contains(&reply.status) && !tells(&reply),
        };
        if !fits {
            wrong.push(format!("{}: {reply:?}", one.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    nothing_happened(&t, &hidden).await;
}

#[testkit::story]
async fn every_route_refuses_an_outsider(t: TestServer) {
    let hidden = hide(&t).await;
    let outsider = hidden.outsider.get("/user").await.is(200).id();
    let mut wrong = Vec::new();
    for one in hidden.tries() {
        // These end the token that asks.
        let client = match one.name.contains("/self") {
            true => t.token_of(outsider, &["api"]).await,
            false => hidden.outsider.clone(),
        };
        let reply = ask(&client, &one).await;
        let open = why(OPEN_TO_NOBODY, &one.name).or(why(OPEN_TO_ANYONE, &one.name));
        let fits = match open {
            Some(_) => reply.status < 400 && (!tells(&reply) || one.name.contains("openapi")),
            None => refuses(&one.name, &reply),
        };
        if !fits {
            wrong.push(format!("{}: {reply:?}", one.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    nothing_happened(&t, &hidden).await;
}

#[testkit::story]
async fn every_route_refuses_credentials_of_another_project(t: TestServer) {
    let hidden = hide(&t).await;
    let other = t.project_with("plaza/fountain", "public").await;
    let token = json!({"name": "bot", "scopes": ["api"], "access_level": 50});
    let made = t.admin().post(other.at("/access_tokens")).json(&token).await.is(201);
    let bot = t.with_token(made.json()["token"].as_str().unwrap_or_default());
    let (digest, id) = (kernel::secrets::digest("deploys"), other.id);
    let written = t.app().write(move |tx| {
        let now = tx.now();
        Ok(tx.execute(
            "insert into deploy_tokens (source_type, source_id, name, username, digest,
                scopes, created_at) values ('Project', $1, 'd', 'd', $2,
                'read_package_registry write_package_registry', $3)",
            (id, digest.clone(), now),
        )?)
    });
    assert_eq!(written.await.unwrap(), 1);
    let mut wrong = Vec::new();
    for one in hidden.tries() {
        let open = why(OPEN_TO_NOBODY, &one.name).or(why(OPEN_TO_ANYONE, &one.name));
        if open.is_some() {
            continue;
        }
        let deploy = t
            .anonymous()
            .api(one.method.clone(), &one.path)
            .header("deploy-token", "deploys")
            .json(one.body.as_ref().unwrap_or(&json!({})));
        for reply in [ask(&bot, &one).await, deploy.await] {
            if !refuses(&one.name, &reply) {
                wrong.push(format!("{}: {reply:?}", one.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    nothing_happened(&t, &hidden).await;
}

#[testkit::story]
async fn every_route_refuses_a_token_without_its_scope(t: TestServer) {
    let hidden = hide(&t).await;
    let root = 1;
    let narrow = t.token_of(root, &["read_repository", "sudo"]).await;
    let pushing = t.token_of(root, &["write_repository", "sudo"]).await;
    let reader = t.token_of(root, &["read_api"]).await;
    let routes = tenon::wiring::routes();
    let is_of = |one: &Try, what: fn(&Route) -> bool| {
        routes.all().iter().any(|route| {
            let name = format!("{} {}", route.method, route.path.trim_start_matches("/api/v4"));
            what(&route.route) && name == one.name
        })
    };
    let mut wrong = Vec::new();
    for one in hidden.tries() {
        if is_of(&one, |route| route.admits == Admits::Unchecked)
            || why(WITHOUT_SCOPE, &one.name).is_some()
        {
            continue;
        }
        let reads_code = is_of(&one, |route| route.scopes.contains(&"read_repository"));
        let mut replies = vec![ask(if reads_code { &pushing } else { &narrow }, &one).await];
        if one.method != Method::GET && !one.name.contains(READS_BY_POST) {
            replies.push(ask(&reader, &one).await);
        }
        for reply in replies {
            if reply.status != 403 || reply.json()["error"] != "insufficient_scope" {
                wrong.push(format!("{}: {reply:?}", one.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    nothing_happened(&t, &hidden).await;
}

/// A route that is gone, or no longer without a scope, leaves the lists.
#[test]
fn the_lists_name_routes_there_are() {
    let routes = tenon::wiring::routes();
    let name = |route: &kernel::http::routes::Endpoint| {
        format!("{} {}", route.method, route.path.trim_start_matches("/api/v4"))
    };
    for (listed, _) in OPEN_TO_NOBODY.iter().chain(OPEN_TO_ANYONE) {
        assert!(routes.all().iter().any(|route| name(route) == *listed), "{listed}");
    }
    let open = |route: &&kernel::http::routes::Endpoint| {
        route.surface == Surface::Api && route.admits == Admits::Anyone && route.scopes.is_empty()
    };
    let mut without: Vec<String> = routes.all().iter().filter(open).map(name).collect();
    let mut listed: Vec<String> =
        WITHOUT_SCOPE.iter().map(|(name, _)| (*name).to_owned()).collect();
    without.sort();
    listed.sort();
    assert_eq!(without, listed);
}
