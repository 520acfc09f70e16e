//! Files that come with a request. No mutation of the program takes one yet,
//! so these stories run over a table of their own.

use crate::graphql::{PATH, message, refusal};
use graphql::root::Build;
use http::Method;
use identity::gate::IdentityGate;
use kernel::graph::uploads::UploadKey;
use kernel::graph::{Done, Graph, HasTypeRef, STRING, Table, argument, named};
use kernel::http::Routes;
use kernel::http::serve::Server;
use serde::Deserialize;
use serde_json::{Value, json};
use testkit::{Browser, Client, Reply, Request, TestServer, files_below};

struct Weighed(Vec<String>);

#[derive(Deserialize)]
struct Weigh {
    file: Option<UploadKey>,
    more: Option<Vec<UploadKey>>,
}

/// The program's root fields and one mutation that takes files.
fn table() -> Table {
    let mut g = Graph::new();
    let build = Build { version: "0", revision: "0" };
    graphql::root::graph(&mut g, build);
    g.mutation::<Weighed>("weigh", "Weighs files.")
        .input(argument("file", named("Upload")))
        .input(argument("more", named("Upload").required().list()))
        .input(argument("note", STRING))
        .answers("weights", STRING.required().list(), |weighed| Some(weighed.0.clone()))
        .run(|input: Weigh, context| async move {
            let mut weights = Vec::new();
            let more = input.more.into_iter().flatten();
            for key in input.file.into_iter().chain(more) {
                let file = context.upload(&key)?;
                let stored = context.app()?.blobs().keep(file.received).await?;
                weights.push(format!("{}: {}", file.name, stored.size));
            }
            Ok(Done::from(Weighed(weights)))
        });
    g.finish().unwrap()
}

/// The address of a second server over the same application.
async fn address(t: &TestServer) -> String {
    let mut routes = Routes::new();
    identity::routes(&mut routes);
    graphql::transport::routes(&mut routes, table());
    let server = Server::new(t.app().clone(), Box::new(IdentityGate::new()), routes).unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server.serve(listener, std::future::pending()));
    format!("http://{address}")
}

/// Jane's client there.
async fn jane(t: &TestServer) -> Client {
    let token = t.user("jane").await.token().expect("a token").to_owned();
    Client::of(&address(t).await, &token)
}

const WEIGH: &str = "mutation($i:WeighInput!){weigh(input:$i){weights errors}}";

/// A form of these parts; those with a file name are files.
fn form(parts: &[(&str, Option<&str>, &str)]) -> String {
    let mut body = String::new();
    for (name, file, text) in parts {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        body += &format!(
            "--part\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{text}\r\n"
        );
    }
    body + "--part--\r\n"
}

fn sent(client: &Client, body: impl Into<bytes::Bytes>) -> Request {
    let request = client.request(Method::POST, PATH).bytes(body);
    request.header("content-type", "multipart/form-data; boundary=part")
}

/// Sends one file `0` with these operations and this map.
async fn send(client: &Client, operations: &Value, map: &Value) -> Reply {
    let (operations, map) = (operations.to_string(), map.to_string());
    let parts = [
        ("operations", None, &*operations),
        ("map", None, &*map),
        ("0", Some("a.txt"), "hello"),
    ];
    sent(client, form(&parts)).await
}

fn weigh(input: Value) -> Value {
    json!({"query": WEIGH, "variables": {"i": input}})
}

fn weights(answer: &Value) -> &Value {
    &answer["data"]["weigh"]["weights"]
}

#[testkit::story]
async fn files_come_beside_the_operations(t: TestServer) {
    let jane = jane(&t).await;
    let map = json!({"0": ["variables.i.file"]});
    let one = send(&jane, &weigh(json!({"file": null, "note": "n"})), &map).await.is(200);
    assert_eq!(*weights(&one.json()), json!(["a.txt: 5"]));

    let operations = json!([weigh(json!({"file": null})), weigh(json!({"more": [null, null]}))]);
    let map = json!({"x": ["1.variables.i.more.1"], "y": ["0.variables.i.file"], "z": ["1.variables.i.more.0"]});
    let (operations, map) = (operations.to_string(), map.to_string());
    let parts = [
        ("operations", None, &*operations),
        ("map", None, &*map),
        ("z", Some("z"), ""),
        ("x", Some("x"), "12"),
        ("y", Some("y"), "1"),
    ];
    let batch = sent(&jane, form(&parts)).await.is(200).json();
    assert_eq!(*weights(&batch[0]), json!(["y: 1"]));
    assert_eq!(*weights(&batch[1]), json!(["z: 0", "x: 2"]));
    let none = send(&jane, &json!({"query": "{__typename}"}), &json!({})).await;
    assert_eq!(refusal(&none), (422, "File \"0\" is not in the map, or comes twice".into()));
}

#[testkit::story]
async fn files_stand_where_a_file_is_taken_only(t: TestServer) {
    let jane = jane(&t).await;
    for (path, variables) in [
        ("variables.i.note", json!({"i": {"note": null}})),
        ("variables.i.nope", json!({"i": {"nope": null}})),
        ("variables.other", json!({"i": {}, "other": null})),
        ("variables.i", json!({"i": null})),
    ] {
        let operations = json!({"query": WEIGH, "variables": variables});
        let answer = send(&jane, &operations, &json!({"0": [path]})).await.is(200).json();
        assert!(answer.get("data").is_none(), "{path}: {answer}");
        assert!(answer["errors"][0]["message"].is_string(), "{path}");
    }
    let operations = weigh(json!({"note": null}));
    let answer = send(&jane, &operations, &json!({"0": ["variables.i.note"]})).await.json();
    assert_eq!(message(&answer), "No file can stand at variables.i.note: it is no Upload");

    let made_up = format!("upload:{}", "0".repeat(32));
    let plain = jane.request(Method::POST, PATH);
    let answer = plain.json(&weigh(json!({"file": made_up}))).await.is(200).json();
    assert_eq!(message(&answer), "The file is not part of this request");
    let plain = jane.request(Method::POST, PATH);
    let answer = plain.json(&weigh(json!({"file": "a.txt"}))).await.is(200).json();
    let text = "Variable $i of type WeighInput! was provided invalid value for file (Send the file \
        as a part of a multipart request)";
    assert_eq!(message(&answer), text);
}

#[testkit::story]
async fn hostile_maps_are_refused(t: TestServer) {
    let jane = jane(&t).await;
    let operations = weigh(json!({"file": null, "more": [null]}));
    let deep = format!("variables{}", ".i".repeat(1_000));
    for path in [
        "",
        "variables",
        "variables.i",
        "variables.i.more.1",
        "variables.i.more.-1",
        "variables.i.more.00x",
        "variables.i.more.18446744073709551616",
        "variables.__proto__",
        "variables.i.__proto__.file",
        "variables.constructor",
        "query",
        "0.variables.i.file",
        "variables.i.file.file",
        &deep,
    ] {
        let refused = send(&jane, &operations, &json!({"0": [path]})).await;
        let (status, text) = refusal(&refused);
        assert_eq!(status, 422, "{path}");
        assert!(text.starts_with("map: \"") && text.len() < 200, "{text}");
    }
    for map in [
        json!({"0": []}),
        json!({"0": ["variables.i.file", "variables.i.more.0"]}),
        json!({"0": "variables.i.file"}),
        json!({"0": [7]}),
        json!([]),
        json!(7),
        json!({"0": ["variables.i.file"], "1": ["variables.i.file"]}),
    ] {
        assert_eq!(send(&jane, &operations, &map).await.status, 422, "{map}");
    }
    let many: serde_json::Map<String, Value> =
        (0..11).map(|n| (n.to_string(), json!(["variables.i.file"]))).collect();
    let many = send(&jane, &operations, &Value::Object(many)).await;
    assert_eq!(refusal(&many), (422, "At most 10 files can be sent".into()));
}

#[testkit::story]
async fn forms_that_are_none_are_refused(t: TestServer) {
    let jane = jane(&t).await;
    let operations = weigh(json!({"file": null})).to_string();
    let (operations, map) = (&*operations, "{\"0\":[\"variables.i.file\"]}");
    let order = "The form must hold operations, then map, then the files";
    let (first, second) = (("operations", None, operations), ("map", None, map));
    let file = ("0", Some("a"), "x");
    for (parts, status, text) in [
        (vec![], 400, "the multipart body is malformed"),
        (vec![second, first, file], 422, order),
        (vec![file, first, second], 422, order),
        (vec![first], 422, order),
        (vec![first, second], 422, "File \"0\" is missing"),
        (
            vec![first, second, ("1", Some("a"), "x")],
            422,
            "File \"1\" is not in the map, or comes twice",
        ),
        (
            vec![first, second, file, file],
            422,
            "File \"0\" is not in the map, or comes twice",
        ),
        (vec![("operations", None, "{"), second], 400, "Malformed JSON"),
        (vec![first, ("map", None, "[[[[")], 400, "Malformed JSON"),
    ] {
        let body = if parts.is_empty() {
            "nothing".to_owned()
        } else {
            form(&parts)
        };
        assert_eq!(refusal(&sent(&jane, body).await), (status, text.to_owned()));
    }
    let long = format!("{{\"0\":[\"{}\"]}}", "a".repeat(70_000));
    let long = sent(&jane, form(&[first, ("map", None, &long)])).await;
    assert_eq!(refusal(&long), (413, "map is too large".into()));
    let body = jane
        .request(Method::POST, PATH)
        .bytes("x")
        .header("content-type", "multipart/form-data");
    assert_eq!(body.await.status, 400);
    let spool = t.app().config().data_dir.join("blobs/tmp");
    assert_eq!(files_below(&spool), Vec::<std::path::PathBuf>::new(), "nothing stays behind");
}

#[testkit::story]
async fn strangers_and_other_sites_send_no_files(t: TestServer) {
    t.user("jane").await;
    let at = address(&t).await;
    let map = json!({"0": ["variables.i.file"]});
    let operations = weigh(json!({"file": null}));
    let stranger = send(&Client::nobody(&at), &operations, &map).await;
    assert_eq!(refusal(&stranger), (401, "Uploads need a signed-in user".into()));

    let browser = Browser::of(Client::nobody(&at));
    browser.sign_in("jane").await;
    let page = browser.get("/-/user_settings/tokens").await.is(200);
    let csrf = page.hidden("authenticity_token").expect("a form's token");
    let query = json!({"query": "{echo(text:\"a\")}"}).to_string();
    let body = form(&[("operations", None, &query), ("map", None, "{}")]);
    let by = |token: &str| {
        let request = browser.request(Method::POST, PATH).bytes(body.clone());
        let request = request.header("content-type", "multipart/form-data; boundary=part");
        request.header("x-csrf-token", token)
    };
    assert_eq!(refusal(&by("bad").await), (422, "Invalid CSRF token".into()), "even a query");
    let ours = by(&csrf).await.is(200).json();
    assert_eq!(ours["data"]["echo"], "\"jane\" says: a");
}

/// One byte more than a request may bring; nothing of it stays.
#[tokio::test]
async fn files_are_bounded_together() {
    let t = TestServer::sqlite().await;
    let jane = jane(&t).await;
    let operations = weigh(json!({"more": [null, null]})).to_string();
    let map = json!({"0": ["variables.i.more.0"], "1": ["variables.i.more.1"]}).to_string();
    let large = " ".repeat(100 * 1024 * 1024);
    let parts = [
        ("operations", None, &*operations),
        ("map", None, &*map),
        ("0", Some("a"), "x"),
        ("1", Some("b"), &*large),
    ];
    let refused = sent(&jane, form(&parts)).await;
    assert_eq!(refusal(&refused), (413, "Files are too large".into()));
    let spool = t.app().config().data_dir.join("blobs/tmp");
    assert_eq!(files_below(&spool), Vec::<std::path::PathBuf>::new());
}
