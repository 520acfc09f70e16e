//! Conventions every request meets, on the whole program.

use http::Method;
use kernel::http::routes::Surface;
use serde_json::{Value, json};
use testkit::{Client, Reply, TestServer};

fn told(reply: &Reply) -> [String; 5] {
    [
        "ratelimit-limit",
        "ratelimit-name",
        "ratelimit-observed",
        "ratelimit-remaining",
        "retry-after",
    ]
    .map(|name| reply.header(name).to_owned())
}

/// A path of this template.
fn filled(template: &str) -> String {
    let mut parts = template.split('{');
    let mut path = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        path.push('1');
        path.push_str(part.split_once('}').expect("it is closed").1);
    }
    path
}

async fn set(t: &TestServer, settings: Value) -> Reply {
    t.admin().put("/application/settings").json(&settings).await
}

/// Asks until the answer has this status: another node's setting takes a
/// few seconds to be seen.
async fn until(client: &Client, path: &str, status: u16) -> Reply {
    for _ in 0..600 {
        let reply = client.get(path).await;
        if reply.status == status {
            return reply;
        }
        testkit::tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{path} never answered {status}");
}

#[testkit::story]
async fn an_unknown_address_of_the_api_is_json_whatever_pages_there_are(t: TestServer) {
    for path in [
        "/api/v4/nothing",
        "/api/v4",
        "/api/v4/a/b/c/-/packages",
        "/api/x",
        "/api/v5/users",
    ] {
        let reply = t.anonymous().at(path).await.is(404);
        assert_eq!(reply.json(), json!({"error": "404 Not Found"}), "{path}");
        assert!(reply.header("content-type").starts_with("application/json"), "{path}");
    }
    t.anonymous().at("/api/v3/projects").await.is(410);
    t.user("jane").await;
    let page = t.browser("jane").await.get("/no/such/project").await.is(404);
    assert!(page.header("content-type").starts_with("text/html"));
}

fn is_for_scripts(path: &str) -> bool {
    path.ends_with("/-/suggest")
}

#[testkit::story]
async fn a_query_that_is_no_text_is_refused_in_the_words_of_its_address(t: TestServer) {
    let routes = tenon::wiring::routes();
    for route in routes.all() {
        let name = format!("{} {}", route.method, route.path);
        let reply = t
            .anonymous()
            .request(route.method.clone(), format!("{}?access_token=%FF", filled(&route.path)));
        let reply = reply.await.is(400);
        let kind = reply.header("content-type");
        let is_of_oauth = route.path.contains("oauth")
            || route.path.contains("jwks")
            || route.path.contains("openid")
            || route.path.contains("webfinger");
        match route.surface {
            // What the scripts of our pages ask for.
            Surface::Page if is_for_scripts(&route.path) => {
                assert!(kind.starts_with("application/json"), "{name}: {reply:?}");
            }
            Surface::Page => assert!(kind.starts_with("text/html"), "{name}: {reply:?}"),
            Surface::Graphql => {
                assert!(reply.json()["errors"][0]["message"].is_string(), "{name}: {reply:?}")
            }
            Surface::Api => assert!(reply.json()["message"].is_string(), "{name}: {reply:?}"),
            Surface::Plain if is_of_oauth => {
                let error = json!({"error": "invalid_request", "error_description": "the parameters are not UTF-8"});
                assert_eq!(reply.json(), error, "{name}");
                assert_eq!(reply.header("access-control-allow-origin"), "*", "{name}");
            }
            Surface::Plain
                if ["/alerts/notify", "/-/incoming_mail", "/info/lfs/", "/service-lfs/"]
                    .iter()
                    .any(|known| route.path.contains(known)) =>
            {
                assert_eq!(
                    reply.json(),
                    json!({"message": "400 Bad request - the parameters are not UTF-8"}),
                    "{name}"
                );
            }
            Surface::Plain => assert!(kind.starts_with("text/plain"), "{name}: {reply:?}"),
        }
    }
}

#[testkit::story]
async fn a_wrong_method_is_told_the_right_ones(t: TestServer) {
    let reply = t.admin().delete("/version").await.is(405);
    assert_eq!(reply.header("allow"), "GET, HEAD, OPTIONS");
    assert_eq!(reply.json(), json!({"message": "405 Method Not Allowed"}));
    let reply = t.admin().patch("/users/1").await.is(405);
    assert_eq!(reply.header("allow"), "GET, HEAD, PUT, DELETE, OPTIONS");
}

#[testkit::story]
async fn clients_are_told_the_version_of_the_interface(t: TestServer) {
    let jane = t.user("jane").await;
    let version = "17.11.0-tenon";
    for path in ["/version", "/metadata"] {
        t.anonymous().get(path).await.is(401);
        assert_eq!(jane.get(path).await.is(200).json()["version"], version);
    }
    let told = jane.get("/metadata").await.json();
    let kas = json!({"enabled": false, "externalUrl": null, "externalK8sProxyUrl": null,
        "version": null});
    assert_eq!((&told["kas"], &told["enterprise"]), (&kas, &json!(true)));
    let asked = json!({"query": "{metadata{version}}"});
    let graphql = jane.request(Method::POST, "/api/graphql").json(&asked).await.is(200).json();
    assert_eq!(graphql["data"]["metadata"]["version"], version);
    let described = t.anonymous().get("/openapi.json").await.is(200).json();
    assert_eq!(described["info"]["version"], version);
}

#[testkit::story]
async fn what_did_not_change_is_not_sent_again(t: TestServer) {
    let jane = t.user("jane").await;
    let path = format!("/users/{}", jane.id);
    let first = t.admin().get(&path).await.is(200);
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with("W/\""), "{tag}");
    let same = t.admin().get(&path).header("if-none-match", &tag).await.is(304);
    assert!(same.body.is_empty());
    assert_eq!(same.header("etag"), tag);
    let listed = format!("\"other\", {}", tag.trim_start_matches("W/"));
    t.admin().get(&path).header("if-none-match", &listed).await.is(304);
    t.admin().put(&path).json(&json!({"note": "changed"})).await.is(200);
    t.admin().get(&path).header("if-none-match", &tag).await.is(200);
    let head = t.admin().head(&path).await.is(200);
    assert!(head.body.is_empty() && !head.header("etag").is_empty());
}

#[testkit::story]
async fn requests_out_of_bounds_are_refused(t: TestServer) {
    let long = format!("/users?search={}", "x".repeat(9_000));
    t.admin().get(long).await.is(414);
    let large = format!("{{\"note\":\"{}\"}}", "x".repeat(9 << 20));
    let put = t.admin().put("/users/1").header("content-type", "application/json");
    // The server may close before it has read everything.
    if let Ok(reply) = put.bytes(large).try_send().await {
        reply.is(413);
    }
    for (kind, body) in [
        ("application/json", "[1]".to_owned()),
        ("application/json", "{".into()),
        (
            "application/json",
            format!("{{\"note\":{}1{}}}", "[".repeat(100), "]".repeat(100)),
        ),
        ("application/x-www-form-urlencoded", "note=%FF".into()),
        ("application/x-www-form-urlencoded", "note=a%00b".into()),
        ("application/x-www-form-urlencoded", "note[a]=1".into()),
        ("multipart/form-data", "x".into()),
    ] {
        let put = t.admin().put("/users/1").header("content-type", kind);
        let reply = put.bytes(body.clone()).await;
        assert_eq!(reply.status, 400, "{kind} {body}: {reply:?}");
    }
}

#[testkit::story]
async fn no_number_or_text_breaks_a_list_or_a_path(t: TestServer) {
    for query in [
        "per_page=0",
        "per_page=-1",
        "per_page=x",
        "page=0",
        "page=1e3",
        "pagination=sideways",
        "page=99999999999999999999999999",
        "search=%FF",
        "search=%00",
        "pagination=keyset&cursor=x",
        "order_by=password",
        "created_after=yesterday",
        "created_after=9999999-01-01T00:00:00Z",
        "username[]=a",
        "active=perhaps",
    ] {
        t.admin().get(format!("/users?{query}")).await.is(400);
    }
    t.admin().get("/users?page=999999999999999999").await.is(200);
    t.admin().get("/users?per_page=1000000").await.is(200);
    let huge = "1".repeat(31);
    for base in [
        "/users",
        "/projects",
        "/groups",
        "/personal_access_tokens",
        "/namespaces",
        "/audit_events",
    ] {
        for id in ["-1", "0", "1.5", "%252F", "%2e%2e", "%00", "a%00b", "%FF", &huge, "%20"] {
            let reply = t.admin().get(format!("{base}/{id}")).await;
            assert!(matches!(reply.status, 400 | 404), "{reply:?}");
        }
    }
}

#[testkit::story]
async fn every_answer_names_its_request(t: TestServer) {
    let reply = t.admin().get("/users").header("x-request-id", "trace-0001").await.is(200);
    assert_eq!(reply.header("x-request-id"), "trace-0001");
    for path in ["/users", "/nothing", "/users/0"] {
        let reply = t.anonymous().get(path).header("x-request-id", "a b").await;
        assert_eq!(reply.header("x-request-id").len(), 32, "{reply:?}");
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert_eq!(reply.header("x-frame-options"), "SAMEORIGIN");
    }
}

#[testkit::story]
async fn throttles_are_settings_and_count_callers_apart(t: TestServer) {
    let jane = t.user("jane").await;
    let all = t.admin().get("/application/settings").await.is(200).json();
    assert_eq!(all["throttle_unauthenticated_api_enabled"], false);
    assert_eq!(all["throttle_unauthenticated_api_requests_per_period"], 3600);
    assert_eq!(all["throttle_authenticated_web_requests_per_period"], 7200);
    assert_eq!(all["throttle_authenticated_web_period_in_seconds"], 3600);
    assert_eq!(told(&t.anonymous().get("/users?username=x").await), ["", "", "", "", ""]);
    for bad in [
        json!({"throttle_authenticated_api_requests_per_period": 0}),
        json!({"throttle_unauthenticated_web_period_in_seconds": -1}),
    ] {
        set(&t, bad).await.is(400);
    }
    // A period no test outlives.
    let year = 31_536_000;
    set(
        &t,
        json!({
            "throttle_authenticated_api_enabled": true,
            "throttle_authenticated_api_requests_per_period": 1000,
            "throttle_authenticated_api_period_in_seconds": year,
            "throttle_unauthenticated_api_enabled": true,
            "throttle_unauthenticated_api_requests_per_period": 2,
            "throttle_unauthenticated_api_period_in_seconds": year,
            "throttle_unauthenticated_web_enabled": true,
            "throttle_unauthenticated_web_requests_per_period": 1,
            "throttle_unauthenticated_web_period_in_seconds": year,
        }),
    )
    .await
    .is(200);
    let ask = || t.anonymous().get("/users?username=x");
    let name = "throttle_unauthenticated_api".to_owned();
    assert_eq!(told(&ask().await.is(200))[1..4], [name.clone(), "1".into(), "1".into()]);
    // A refused credential counts as nobody's.
    t.with_token("guessed").get("/user").await.is(401);
    let refused = ask().await.is(429);
    assert_eq!(told(&refused)[1..4], [name, "3".into(), "0".into()]);
    assert_eq!(refused.text().trim(), "Retry later");
    assert!(refused.header("content-type").starts_with("text/plain"));
    let query = t.anonymous().request(http::Method::POST, "/api/graphql");
    let query = query.json(&json!({"query": "{ __typename }"})).await.is(429);
    assert_eq!(query.text().trim(), "Retry later", "GraphQL clients wait on a bare 429");
    assert!(refused.header("ratelimit-resettime").ends_with(" GMT"));
    let wait: i64 = refused.header("retry-after").parse().unwrap();
    let reset: i64 = refused.header("ratelimit-reset").parse().unwrap();
    assert!((1..=year).contains(&wait) && reset > t.now().as_second());
    t.anonymous().at("/users/sign_in").await.is(200);
    t.anonymous().at("/users/sign_in").await.is(429);
    t.anonymous().at("/-/liveness").await.is(200);
    let first = jane.get("/user").await.is(200);
    assert_eq!(told(&first)[1..3], ["throttle_authenticated_api".to_owned(), "1".into()]);
    set(&t, json!({"throttle_unauthenticated_api_enabled": false})).await.is(200);
    ask().await.is(200);
}

#[testkit::story]
async fn a_setting_is_seen_by_nodes_that_did_not_change_it(t: TestServer) {
    let settings = t.app().settings().clone();
    t.anonymous().get("/users?username=x").await.is(200);
    // As another node does: past this node's cache.
    let written = t.app().write(move |tx| {
        let rules = json!({"unauthenticated_api":
            {"enabled": true, "requests_per_period": 1, "period_in_seconds": 31_536_000}});
        let now = tx.now();
        Ok(tx.execute(
            "insert into settings (key, value, updated_at) values ('throttles', $1, $2)",
            (store::Json(rules), now),
        )?)
    });
    assert_eq!(written.await.unwrap(), 1);
    until(&t.anonymous(), "/users?username=x", 429).await;
    drop(settings);
}

#[testkit::story]
async fn where_the_server_may_call_is_a_setting(t: TestServer) {
    use kernel::outbound::{Call, Fault};
    let url = format!("{}/-/liveness", t.url());
    let port = t.url().rsplit(':').next().unwrap().to_owned();
    let call = || {
        let (app, url) = (t.app().clone(), url.clone());
        async move { app.outbound().await.unwrap().call(Call::get(url)).await }
    };
    let all = t.admin().get("/application/settings").await.is(200).json();
    assert_eq!(all["allow_local_requests_from_web_hooks_and_services"], false);
    assert_eq!(all["outbound_local_requests_allowlist"], json!([]));
    assert!(matches!(call().await, Err(Fault::Blocked(_))));
    let allow = |allow: bool| json!({"allow_local_requests_from_web_hooks_and_services": allow});
    set(&t, allow(true)).await.is(200);
    assert!(call().await.is_ok());
    set(&t, json!({"deny_all_requests_except_allowed": true})).await.is(200);
    assert!(matches!(call().await, Err(Fault::Denied)));
    set(&t, allow(false)).await.is(200);
    for list in [json!([format!("127.0.0.1:{port}")]), json!(["127.0.0.0/8"])] {
        set(&t, json!({"outbound_local_requests_allowlist": list})).await.is(200);
        assert!(call().await.is_ok(), "{list}");
    }
    set(&t, json!({"outbound_local_requests_allowlist": ["127.0.0.1:1"]}))
        .await
        .is(200);
    assert!(matches!(call().await, Err(Fault::Denied)));
    set(&t, json!({"outbound_local_requests_allowlist": ["10.0.0.0/64"]}))
        .await
        .is(400);
}

#[testkit::story]
async fn metrics_are_for_this_machine_and_administrators(t: TestServer) {
    let jane = t.user("jane").await;
    let metrics = |client: &Client| client.at("/-/metrics");
    let text = metrics(&t.anonymous()).await.is(200).text();
    assert!(text.contains("# TYPE"), "{text}");
    // What came through a proxy came from elsewhere.
    let far = |client: &Client| metrics(client).header("x-forwarded-for", "203.0.113.7");
    far(&t.anonymous()).await.is(404);
    far(&jane).await.is(404);
    far(&t.admin()).await.is(200);
    let id = jane.id.to_string();
    t.admin().get(format!("/users/{id}")).await.is(200);
    let text = metrics(&t.anonymous()).await.text();
    assert!(text.contains("/api/v4/users/{id}") && !text.contains("jane"), "{text}");
}

#[testkit::story]
async fn a_deletion_can_be_bound_to_a_state(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let member = project.at(&format!("/members/{}", jane.id));
    let delete = |date: &str| t.admin().delete(&member).header("if-unmodified-since", date);
    let refused = delete("Thu, 01 Jan 1970 00:00:00 GMT").await.is(412);
    assert_eq!(refused.json(), json!({"message": "412 Precondition Failed"}));
    delete("no date at all").await.is(204);
}

#[testkit::story]
async fn any_origin_may_ask_with_a_token_never_with_a_cookie(t: TestServer) {
    let preflight = t
        .anonymous()
        .request(Method::OPTIONS, "/api/v4/projects")
        .header("origin", "https://app.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "private-token, content-type");
    let reply = preflight.await.is(200);
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    assert_eq!(reply.header("access-control-allow-methods"), "POST");
    assert_eq!(reply.header("access-control-allow-headers"), "private-token, content-type");
    assert_eq!(reply.header("access-control-allow-credentials"), "");
    let reply = t.admin().get("/users").header("origin", "https://app.example").await.is(200);
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    assert!(reply.header("access-control-expose-headers").contains("X-Total-Pages"));
}
