//! What an operator closes for a while: administrators' rights, further
//! addresses, every change; and what may be done so often only.

use crate::graphql::{PATH, ask, data, message, posted, refusal};
use axum::body::{Body, to_bytes};
use identity::gate::IdentityGate;
use kernel::graph::{Graph, STRING, Table};
use kernel::http::Routes;
use kernel::http::serve::Server;
use serde_json::{Value, json};
use std::net::IpAddr;
use std::sync::Arc;
use testkit::{Browser, Client, TestServer};

const ANVIL: &str = "{project(fullPath:\"acme/anvil\"){name}}";
const WRITE: &str = "mutation{echoCreate(input:{messages:[\"a\"]}){echoes}}";
const READ_ONLY: &str = "You cannot perform write operations on a read-only instance";

async fn set(client: &Client, change: Value) {
    client.put("/application/settings").json(&change).await.is(200);
}

/// Whether the session sees a project that only administrators do.
async fn sees(browser: &Browser) -> bool {
    let told = browser.post_bare(PATH, &[("query", ANVIL)]).await.is(200).json();
    assert_eq!(told.get("errors"), None, "what is hidden is no error");
    !told["data"]["project"].is_null()
}

/// A server of its own whose callers come from where they say.
fn server(t: &TestServer, routes: Routes) -> Arc<Server> {
    let gate = Box::new(IdentityGate::new());
    Server::new(t.app().clone(), gate, routes).expect("a server")
}

async fn from(server: &Server, address: &str, token: &str, path: &str) -> (u16, Value) {
    let body = json!({"query": "{currentUser{username}}"}).to_string();
    let request = match path {
        PATH => http::Request::post(path).header("content-type", "application/json"),
        path => http::Request::get(path),
    };
    let request = request.header("private-token", token).body(Body::from(body));
    let peer: IpAddr = address.parse().expect("an address");
    let response = server.answer(peer, request.expect("a request")).await;
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
    (status, serde_json::from_slice(&body).expect("JSON"))
}

#[testkit::story(noon)]
async fn an_administrators_session_asks_for_its_rights(t: TestServer) {
    let mary = t.user("mary").await;
    t.project_with("acme/anvil", "private").await;
    t.admin()
        .put(format!("/users/{}", mary.id))
        .json(&json!({"admin": true}))
        .await
        .is(200);
    let browser = t.browser("mary").await;
    assert!(sees(&browser).await, "by default nobody has to ask");
    assert!(browser.get("/-/admin_mode").await.is(200).text().contains("does not ask"));
    browser.post("/-/admin_mode", &[]).await.is(404);

    set(&t.admin(), json!({"admin_mode": true})).await;

    assert!(!sees(&browser).await);
    assert_eq!(browser.get("/admin").await.is(303).header("location"), "/-/admin_mode");
    let seen = data(&mary, ANVIL).await;
    assert_eq!(seen["project"]["name"], "anvil", "tokens go on in GraphQL");
    let rest = "/projects/acme%2Fanvil";
    mary.get(rest).await.is(404);
    mary.put("/application/settings").json(&json!({})).await.is(403);
    t.token_of(mary.id, &["api", "admin_mode"]).await.get(rest).await.is(200);

    assert!(browser.get("/").await.is(200).text().contains("Admin mode is off."));
    browser.get("/-/admin_mode").await.is(200);
    let entered = browser.post("/-/admin_mode", &[]).await.is(303);
    assert_eq!(entered.header("location"), "/admin");
    assert!(sees(&browser).await);
    browser.get("/admin").await.is(200);
    assert!(!sees(&t.browser("mary").await).await, "each session for itself");

    t.advance(6 * 3600 - 1);
    assert!(sees(&browser).await);
    t.advance(1);
    assert!(!sees(&browser).await);
    browser.get("/-/admin_mode").await.is(200);
    let asked = browser.post("/-/admin_mode", &[]).await.is(403);
    assert!(asked.text().contains("Confirm that it is you"));
    let wrong = [("confirm_password", "not hers")];
    browser.post("/-/admin_mode", &wrong).await.is(403);
    assert!(!sees(&browser).await);
    browser
        .post("/-/admin_mode", &[("confirm_password", testkit::PASSWORD)])
        .await
        .is(303);
    assert!(sees(&browser).await);
    browser.get("/-/admin_mode").await.is(200);
    browser.post("/-/admin_mode/leave", &[]).await.is(303);
    assert!(!sees(&browser).await);

    t.user("jane").await;
    let jane = t.browser("jane").await;
    jane.get("/-/admin_mode").await.is(404);
    jane.get("/").await.is(200);
    jane.post("/-/admin_mode", &[]).await.is(404);
    assert!(!sees(&jane).await);
    let records = t.app().read(|tx| {
        Ok(tx.all::<String>(
            "select action from audit_records where action like 'admin_mode%' order by id",
            (),
        )?)
    });
    let wanted = ["admin_mode.enter", "admin_mode.enter", "admin_mode.leave"];
    assert_eq!(records.await.unwrap(), wanted);
}

#[testkit::story(noon)]
async fn users_come_from_so_many_addresses_only(t: TestServer) {
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    let limit = json!({"unique_ips_limit_enabled": true, "unique_ips_limit_per_user": 2,
        "unique_ips_limit_time_window": 600});
    set(&t.admin(), limit).await;
    let server = server(&t, tenon::wiring::routes());
    let (hers, his) = (jane.token().unwrap(), john.token().unwrap());
    let status = async |address: &str, token: &str| from(&server, address, token, PATH).await.0;

    assert_eq!((status("10.0.0.1", hers).await, status("10.0.0.2", hers).await), (200, 200));
    let (code, told) = from(&server, "10.0.0.3", hers, PATH).await;
    let text = "User jane came from more than 2 IP addresses within 600 seconds; \
        10.0.0.3 is one too many";
    assert_eq!((code, told), (403, json!({"errors": [{"message": text}]})));
    let (code, told) = from(&server, "10.0.0.3", hers, "/api/v4/user").await;
    assert_eq!((code, told), (403, json!({"message": format!("403 Forbidden - {text}")})));
    assert_eq!(status("10.0.0.3", his).await, 200, "each user for themselves");
    assert_eq!(status("10.0.0.1", hers).await, 200, "who was there goes on");
    t.advance(601);
    assert_eq!((status("10.0.0.3", hers).await, status("10.0.0.1", hers).await), (200, 200));
    assert_eq!(status("10.0.0.2", hers).await, 403);
    for bad in [
        json!({"unique_ips_limit_per_user": 0}),
        json!({"unique_ips_limit_time_window": 86_401}),
    ] {
        t.admin().put("/application/settings").json(&bad).await.is(400);
    }
}

#[testkit::story]
async fn a_read_only_instance_changes_nothing(t: TestServer) {
    let (jane, project) = (t.user("jane").await, t.project("acme/anvil").await);
    project.add(&jane, 40).await;
    let browser = t.browser("jane").await;
    set(&t.admin(), json!({"maintenance_mode": true})).await;

    for client in [&*jane, &t.admin()] {
        let answer = ask(client, WRITE).await;
        assert_eq!((message(&answer), &answer["data"]), (READ_ONLY, &json!({"echoCreate": null})));
        assert_eq!(answer["errors"][0]["extensions"]["code"], "readOnly");
    }
    assert_eq!(data(&jane, ANVIL).await["project"]["name"], "anvil");
    let together = posted(&jane, &json!([{"query": WRITE}])).header("x-service-batch", "atomic");
    assert_eq!(message(&together.await.is(200).json()[0]), READ_ONLY);
    let refused = json!({"message": format!("403 Forbidden - {READ_ONLY}")});
    let status = jane.put("/user/status").json(&json!({"message": "x"})).await.is(403);
    assert_eq!(status.json(), refused);
    t.admin().post("/projects").json(&json!({"name": "other"})).await.is(403);
    jane.delete(project.at("")).await.is(403);
    let file = project.at("/packages/generic/hammer/1.0/hammer.txt");
    jane.put(&file).bytes("x").await.is(403);
    jane.get(&file).await.is(404);
    jane.get(project.at("")).await.is(200);
    jane.post("/markdown").json(&json!({"text": "*a*"})).await.is(201);
    browser.get("/-/user_settings/profile").await.is(200);
    let form = browser.post("/-/user_settings/profile", &[("name", "Other")]).await.is(403);
    assert!(form.text().contains(READ_ONLY));
    assert_eq!(jane.get("/user").await.json()["name"], "jane");
    // People come and go.
    browser.get("/-/user_settings/profile").await.is(200);
    browser.post("/users/sign_out", &[]).await.is(302);
    let entered = t.browser("jane").await;
    entered.get("/-/user_settings/profile").await.is(200);

    set(&t.admin(), json!({"maintenance_mode": false})).await;

    assert_eq!(data(&jane, WRITE).await["echoCreate"]["echoes"], json!(["a"]));
    jane.put(&file).bytes("x").await.is(201);
}

#[testkit::story]
async fn a_limited_mutation_ends_the_request(t: TestServer) {
    let mut routes = Routes::new();
    graphql::transport::routes(&mut routes, limited());
    let server = server(&t, routes);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(server.serve(listener, std::future::pending()));
    let at = |token: &str| Client::of(&format!("http://{address}"), token);
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    let (jane, john) = (at(jane.token().unwrap()), at(john.token().unwrap()));
    let ring = json!({"query": "mutation{a:ring(input:{}){errors} b:ring(input:{}){errors}}"});
    // A minute may end in between, but not twice.
    let mut replies = Vec::new();
    for _ in 0..3 {
        replies.push(posted(&jane, &ring).await);
    }
    assert_eq!(replies[0].status, 200);
    let limited = replies.iter().find(|reply| reply.status == 429).expect("a refusal");
    let text = "This endpoint has been requested too many times. Try again later.";
    assert_eq!(refusal(limited), (429, text.into()));
    assert!((1..=60).contains(&limited.header("retry-after").parse::<u64>().unwrap()));
    posted(&john, &ring).await.is(200);
}

/// A mutation that everybody may use three times a minute.
fn limited() -> Table {
    let mut g = Graph::new();
    g.query().answer("nothing", STRING, |_, _| async { Ok(None) });
    g.mutation::<String>("ring", "Rings a bell.")
        .answers("sound", STRING, |sound| Some(sound.clone()))
        .limited("ring", 3)
        .run(|_: Value, _| async { Ok("ding".to_owned().into()) });
    g.finish().expect("a table")
}
