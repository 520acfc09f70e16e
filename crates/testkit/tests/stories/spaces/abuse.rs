//! Bad input and abuse: what concerns groups, projects and members of the
//! lists in docs/interface/.

use crate::spaces::{group, project};
use futures_util::future::{join, join_all};
use http::Method;
use serde_json::json;
use std::collections::BTreeSet;
use testkit::tokio::io::{AsyncReadExt, AsyncWriteExt};
use testkit::tokio::net::TcpStream;
use testkit::{Reply, TestServer};

/// Ids that are none, written as they stand in an address.
const ODD: &[&str] = &[
    "-1",
    "0",
    "99999999999999999999999999",
    "9223372036854775808",
    "1.5",
    "1e3",
    "0x10",
    "%00",
    "a%00b",
    "acme%252Fanvil",
    "acme%2F..%2Fanvil",
    "..%2F..",
    "%2F",
    "acme%2F",
    "%2Facme",
    "acme%2F%2Fanvil",
    "'%20or%20'1'='1",
    "%ff",
    "%F0%9F%92%A9",
    "%20",
    "null",
    "true",
    "[]",
    "%0d%0aX-Evil:1",
    "*",
    "%25",
];

/// Sends a request line as it is; clients tidy paths up.
async fn raw(t: &TestServer, line: &str, token: &str) -> String {
    let address = t.url().replace("http://", "");
    let mut socket = TcpStream::connect(&address).await.expect("a connection");
    let text = format!(
        "{line} HTTP/1.1\r\nhost: {address}\r\nprivate-token: {token}\r\nconnection: close\r\n\r\n"
    );
    socket.write_all(text.as_bytes()).await.expect("sent");
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).await.expect("answered");
    String::from_utf8_lossy(&answer).into_owned()
}

#[testkit::story]
async fn ids_that_are_none_are_refused_everywhere(t: TestServer) {
    let anvil = t.project("acme/anvil").await;
    let admin = t.admin();
    let (p, g) = (anvil.at(""), "/groups/acme");
    let places: Vec<(Method, String)> = vec![
        (Method::GET, "/projects/{}".into()),
        (Method::PUT, "/projects/{}".into()),
        (Method::DELETE, "/projects/{}".into()),
        (Method::GET, "/projects/{}/members".into()),
        (Method::POST, "/projects/{}/star".into()),
        (Method::GET, "/groups/{}".into()),
        (Method::PUT, "/groups/{}".into()),
        (Method::DELETE, "/groups/{}".into()),
        (Method::GET, "/groups/{}/projects".into()),
        (Method::POST, "/groups/{}/transfer".into()),
        (Method::GET, "/namespaces/{}".into()),
        (Method::GET, "/users/{}/projects".into()),
        (Method::GET, "/users/{}/starred_projects".into()),
        (Method::GET, "/users/{}/memberships".into()),
        (Method::GET, format!("{p}/members/{{}}")),
        (Method::GET, format!("{p}/members/all/{{}}")),
        (Method::DELETE, format!("{g}/members/{{}}")),
        (Method::GET, format!("{p}/access_tokens/{{}}")),
        (Method::POST, format!("{g}/access_tokens/{{}}/rotate")),
        (Method::GET, format!("{g}/deploy_tokens/{{}}")),
        (Method::DELETE, format!("{p}/share/{{}}")),
        (Method::DELETE, format!("{p}/access_requests/{{}}")),
        (Method::PUT, format!("{g}/access_requests/{{}}/approve")),
        (Method::DELETE, format!("{g}/invitations/{{}}")),
    ];
    for (method, place) in places {
        let asked = ODD
            .iter()
            .map(|odd| admin.api(method.clone(), place.replace("{}", odd)).into_future());
        for reply in join_all(asked).await {
            assert!([400, 404].contains(&reply.status), "{reply:?}");
            assert!(reply.headers.get("x-evil").is_none());
        }
    }
    for line in [
        "GET /api/v4/projects/..",
        "GET /api/v4/groups/../projects/..%2f..",
        "GET /api/v4/projects/%2e%2e",
        "GET /api/v4/groups/acme/../../../etc/passwd",
        "GET /api/v4/projects/acme/anvil",
    ] {
        let answer = raw(&t, line, admin.token().unwrap_or_default()).await;
        assert!(
            answer.starts_with("HTTP/1.1 404") || answer.starts_with("HTTP/1.1 400"),
            "{line}: {answer}"
        );
    }
    let long = admin.get(format!("/projects/{}", "x".repeat(9_000))).await;
    assert_eq!(long.status, 414);
    admin.get("/projects/acme%2Fanvil").await.is(200);
}

#[testkit::story]
async fn numbers_beyond_all_bounds_are_refused(t: TestServer) {
    let anvil = t.project("acme/anvil").await;
    let admin = t.admin();
    for number in [
        json!(1e30),
        json!("99999999999999999999"),
        json!(1.5),
        json!([1, 2]),
        json!({"a": 1}),
        json!("x"),
    ] {
        for (method, path, name) in [
            (Method::POST, "/groups".to_owned(), "parent_id"),
            (Method::POST, "/projects".to_owned(), "namespace_id"),
            (Method::POST, "/groups/acme/transfer".to_owned(), "group_id"),
            (Method::POST, anvil.at("/share"), "group_id"),
            (Method::POST, anvil.at("/share"), "group_access"),
            (Method::POST, anvil.at("/members"), "access_level"),
            (Method::PUT, anvil.at("/members/1"), "access_level"),
            (Method::POST, anvil.at("/access_tokens"), "access_level"),
        ] {
            let mut body = json!({"name": "n", "path": "n", "group_id": 1, "group_access": 10, "user_id": 1,
                "access_level": 10, "scopes": ["api"]});
            crate::spaces::extend(&mut body, json!({name: number}));
            let reply = admin.api(method, &path).json(&body).await;
            assert!([400, 404].contains(&reply.status), "{name} {number}: {reply:?}");
        }
    }
    for id in [-1, 0, i64::MAX, i64::MIN] {
        group(&admin, "x", json!({"parent_id": id})).await.is(404);
        project(&admin, "x", json!({"namespace_id": id})).await.is(404);
        admin
            .post(anvil.at("/members"))
            .json(&json!({"user_id": id, "access_level": 10}))
            .await
            .is(404);
    }
    for query in [
        "page=99999999999999999999",
        "page=-1",
        "per_page=1e3",
        "page=9223372036854775807",
    ] {
        let reply = admin.get(format!("/projects?{query}")).await;
        assert!([200, 400].contains(&reply.status), "{reply:?}");
        if reply.status == 200 {
            assert_eq!(reply.json(), json!([]));
        }
    }
}

#[testkit::story]
async fn bodies_that_are_none_are_refused(t: TestServer) {
    let admin = t.admin();
    let post =
        |body: String| admin.post("/groups").header("content-type", "application/json").bytes(body);
    for bad in [
        "{",
        "[]",
        "[1]",
        "\"x\"",
        "1",
        "null ,",
        "{\"name\": }",
        "\u{feff}{}",
        "{'name': 'x'}",
    ] {
        post(bad.into()).await.is(400);
    }
    for depth in [65, 1_000, 100_000] {
        post(format!("{{\"name\":{}1{}}}", "[".repeat(depth), "]".repeat(depth)))
            .await
            .is(400);
        post(format!("{{\"name\":{}1{}}}", "{\"a\":".repeat(depth), "}".repeat(depth)))
            .await
            .is(400);
    }
    post(format!("{{\"name\":\"{}\"}}", "x".repeat(9 << 20))).await.is(413);
    for form in [
        "name[]=x&path=x".to_owned(),
        "name[a]=x&path=x".into(),
        "name=x&path[a][b]=x".into(),
        format!("name{}=x&path=x", "[a]".repeat(100)),
        "name=x&path=x%00y".into(),
        "name=%ff%00&path=x".into(),
    ] {
        admin.post("/groups").form(form).await.is(400);
    }
    admin.post("/groups").form("name=Plain+Form&path=plain").await.is(201);
    admin.post("/groups?name=Query&path=query").await.is(201);
}

#[testkit::story]
async fn texts_are_bounded_and_printable(t: TestServer) {
    let admin = t.admin();
    let long = "x".repeat(256);
    let huge = "x".repeat(1_000_001);
    for body in [
        json!({"name": long}),
        json!({"path": long}),
        json!({"description": huge}),
        json!({"name": ""}),
        json!({"name": "a\0b"}),
        json!({"name": "a\nb"}),
        json!({"name": "<script>alert(1)</script>"}),
        json!({"name": "a\u{202e}b"}),
        json!({"path": "a b"}),
        json!({"path": "../x"}),
        json!({"path": "x.git"}),
        json!({"path": "-"}),
        json!({"path": "ä"}),
        json!({"name": {"a": 1}}),
        json!({"name": ["x"]}),
    ] {
        let group = group(&admin, "x", body.clone()).await.is(400);
        assert!(group.text().len() < 2_000, "no echo of what was sent");
        let project = project(&admin, "x", body.clone()).await.is(400);
        assert!(project.text().len() < 2_000);
    }
    let told = project(&admin, "x", json!({"name": long, "description": "x".repeat(2_001)}))
        .await
        .is(400);
    assert_eq!(
        told.json(),
        json!({"message": {
        "name": ["is too long (maximum is 255 characters)"],
        "description": ["is too long (maximum is 2000 characters)"]}})
    );
    for body in [
        json!({"topics": ["x".repeat(256)]}),
        json!({"topics": ["ore", ""]}),
        json!({"issues_access_level": "public"}),
        json!({"issues_access_level": "everyone"}),
        json!({"merge_method": "magic"}),
    ] {
        project(&admin, "x", body).await.is(400);
    }
    let missing = admin.post("/projects").json(&json!({})).await.is(400);
    assert_eq!(
        missing.json()["error"],
        "name, path are missing, at least one parameter must be provided"
    );
    let made = project(&admin, "y", json!({"name": "Größe 🚀", "path": "y"})).await.is(201);
    assert_eq!(made.json()["name"], "Größe 🚀");
}

#[testkit::story]
async fn nothing_tells_that_something_hidden_exists(t: TestServer) {
    let anvil = t.project("acme/anvil").await;
    anvil.generic_package("hammer", "1.0").await;
    let acme = t.admin().get("/groups/acme").await.is(200).id();
    let member = t.user("member").await;
    anvil.add(&member, 40).await;
    let jane = t.user("jane").await;
    let external = t.user("external").await;
    t.admin()
        .put(format!("/users/{}", external.id))
        .json(&json!({"external": true}))
        .await
        .is(200);
    let asks: &[(Method, &str)] = &[
        (Method::GET, ""),
        (Method::HEAD, ""),
        (Method::PUT, "?name=x"),
        (Method::DELETE, ""),
        (Method::GET, "/members"),
        (Method::GET, "/members/all"),
        (Method::GET, "/members/1"),
        (Method::POST, "/members?user_id=1&access_level=10"),
        (Method::GET, "/access_tokens"),
        (Method::GET, "/deploy_tokens"),
        (Method::GET, "/invitations"),
        (Method::POST, "/access_requests"),
        (Method::GET, "/access_requests"),
        (Method::POST, "/share?group_id=1&group_access=10"),
        (Method::GET, "/packages"),
    ];
    let places = [
        (format!("/projects/{}", anvil.id), "/projects/77777"),
        ("/projects/acme%2Fanvil".into(), "/projects/acme%2Fother"),
        (format!("/groups/{acme}"), "/groups/77777"),
        ("/groups/acme".into(), "/groups/other"),
    ];
    for client in [&*jane, &*external, &t.anonymous()] {
        for (method, rest) in asks {
            let ask =
                |place: &str| client.api(method.clone(), format!("{place}{rest}")).into_future();
            let pairs =
                join_all(places.iter().map(|(hidden, unknown)| join(ask(hidden), ask(unknown))));
            for (hidden, unknown) in pairs.await {
                same(&hidden, &unknown);
                assert!([401, 404].contains(&hidden.status), "{hidden:?}");
            }
        }
        for list in [
            "/projects",
            "/groups",
            "/projects?search=anvil",
            "/groups?search=acme&all_available=true",
            "/projects?id_after=0",
            "/users/1/projects",
            "/projects?topic=x",
        ] {
            let list = client.get(list).await.is(200);
            assert_eq!((list.json(), list.header("x-total")), (json!([]), "0"), "{list:?}");
        }
    }
    // Inside something open, too, only what one may see is counted.
    let open = t.project_with("open/shown", "public").await;
    t.project("open/kept").await;
    let list = jane.get("/groups/open/projects").await.is(200);
    assert_eq!((list.each("id"), list.header("x-total")), (vec![json!(open.id)], "1"));
    t.group("open/inner").await;
    let list = t.anonymous().get("/groups/open/descendant_groups").await.is(200);
    assert_eq!((list.json(), list.header("x-total")), (json!([]), "0"));
    let shown = jane.get("/groups/open").await.is(200).json();
    assert_eq!(shown["projects"].as_array().map(Vec::len), Some(1));
}

/// Demands the same answer, but for what every request has of its own.
#[track_caller]
fn same(one: &Reply, other: &Reply) {
    let names = |reply: &Reply| -> BTreeSet<String> {
        reply.headers.keys().map(|name| name.as_str().to_owned()).collect()
    };
    assert_eq!(one.status, other.status, "{one:?}\n{other:?}");
    assert_eq!(one.body, other.body, "{one:?}\n{other:?}");
    assert_eq!(names(one), names(other), "{one:?}");
    for name in ["content-length", "etag", "x-total", "link"] {
        assert_eq!(one.header(name), other.header(name), "{name}");
    }
}
