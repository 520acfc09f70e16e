//! The program's own routes.

use testkit::tokio::io::{AsyncReadExt, AsyncWriteExt};
use testkit::tokio::net::TcpStream;

/// Reads an answer of known length; its status.
async fn status(socket: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&answer).to_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.expect("a length").parse().expect("a number");
            if body.len() >= length {
                return head.split(' ').nth(1).expect("a status").to_owned();
            }
        }
        let mut piece = [0; 4096];
        let count = socket.read(&mut piece).await.expect("read");
        assert!(count > 0, "closed before the answer: {text}");
        answer.extend_from_slice(&piece[..count]);
    }
}

#[testkit::story]
async fn a_server_says_that_it_is_alive_and_ready(t: testkit::TestServer) {
    let told = async |path: &str| t.anonymous().at(path).await.is(200).json().clone();
    assert_eq!(told("/-/liveness").await, serde_json::json!({"status": "ok"}));
    let ready = serde_json::json!({"status": "ok", "repositories": "ok"});
    assert_eq!(told("/-/readiness").await, ready);
}

#[testkit::story]
async fn the_description_names_this_instance(t: testkit::TestServer) {
    let reply = t.anonymous().get("/openapi.json").await.is(200);
    assert_eq!(reply.json()["servers"][0]["url"], t.url());
    let again = t.anonymous().get("/openapi.json");
    again.header("if-none-match", reply.header("etag")).await.is(304);
}

#[testkit::story]
async fn every_registered_statement_prepares(t: testkit::TestServer) {
    let store = t.app().store().clone();
    let checked = testkit::tokio::task::spawn_blocking(move || store.check_statements()).await;
    checked.expect("the check runs").expect("every statement prepares");
}

#[testkit::story]
async fn who_still_writes_reads_a_refusal_and_may_ask_again(t: testkit::TestServer) {
    const SIZE: usize = 3 << 20;
    let address = t.url().replace("http://", "");
    let mut socket = TcpStream::connect(&address).await.expect("a connection");
    for path in ["/api/v4/projects/7/packages/pypi", "/api/v4/groups", "/api/v4/nothing"] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\nprivate-token: wrong\r\n\
             content-type: application/octet-stream\r\ncontent-length: {SIZE}\r\n\r\n"
        );
        socket.write_all(head.as_bytes()).await.expect("sent");
        // In pieces, as a client sends what it reads from a file.
        for _ in 0..SIZE / 65_536 {
            socket.write_all(&[b'x'; 65_536]).await.expect("the server still listens");
        }
        let refused = status(&mut socket).await;
        assert!(["401", "404"].contains(&refused.as_str()), "{path}: {refused}");
    }
}

#[testkit::story]
async fn an_unknown_route_is_not_found(t: testkit::TestServer) {
    let reply = t.anonymous().get("/nothing").await;
    assert_eq!(
        (reply.status, reply.json()),
        (404, serde_json::json!({"error": "404 Not Found"}))
    );
}

#[test]
fn every_operation_has_a_summary_and_one_tag() {
    let document: serde_json::Value = serde_json::from_str(&tenon::system::openapi_file()).unwrap();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let summary = operation["summary"].as_str().unwrap_or_default();
            assert!(!summary.is_empty(), "{method} {path} has no summary");
            let tags = operation["tags"].as_array().unwrap();
            assert!(
                matches!(tags.as_slice(), [tag] if tag.as_str().is_some_and(|tag| !tag.is_empty())),
                "{method} {path} has tags {tags:?}"
            );
        }
    }
}

/// A client of today works tomorrow; what cannot stay is deprecated first.
#[test]
fn graphql_breaks_no_client() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let before = std::fs::read_to_string(root.join("schema.graphql")).unwrap_or_default();
    let changes = graphql::breaking::changes(&before, &tenon::system::schema_file());
    assert!(changes.is_empty(), "breaking changes: {changes:#?}");
}

/// A change of the interface shows in review.
#[test]
fn the_generated_files_are_up_to_date() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, expected) in [
        ("openapi.json", tenon::system::openapi_file()),
        ("routes.txt", tenon::system::routes_file()),
        ("schema.graphql", tenon::system::schema_file()),
        ("tenon.sample.toml", tenon::options::sample()),
    ] {
        let current = std::fs::read_to_string(root.join(name)).unwrap_or_default();
        assert!(current == expected, "{name} is not up to date; run cargo xtask docs");
    }
}

/// Two shapes of one name are told apart by whom they belong to, not by a
/// number that another shape may take tomorrow.
#[test]
fn schemas_are_named_and_not_numbered() {
    let document: serde_json::Value =
        serde_json::from_str(&tenon::system::openapi_file()).expect("JSON");
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    let is_numbered = |name: &&String| {
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
        bare.len() < name.len() && schemas.contains_key(bare)
    };
    let numbered: Vec<&String> = schemas.keys().filter(is_numbered).collect();
    assert!(numbered.is_empty(), "name these for their owner: {numbered:?}");
}
