//! The REST conventions, told over a small made-up room.

use axum::body::Body;
use http::{HeaderMap, Method, StatusCode, header};
use kernel::error::{Error, Result};
use kernel::http::serve::Server;
use kernel::http::{Created, Gate, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use store::Plugs;

struct Open;

impl Gate for Open {
    fn admit<'c>(
        &'c self, _: &'c mut kernel::http::Call,
    ) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'c>> {
        Box::pin(async { Ok(()) })
    }
}

#[derive(Serialize, JsonSchema)]
struct Thing {
    id: i64,
    name: String,
}

kernel::params! {
    struct Create {
        /// The name.
        name: String,
        tags: Option<Vec<String>>,
    }
}
kernel::params! { struct Show { id: Reference } }

async fn create(params: Params<Create>) -> Result<Created<Thing>> {
    let tags = params.tags.clone().unwrap_or_default().join("+");
    Ok(Created(Thing { id: 1, name: format!("{}{tags}", params.name) }))
}

async fn show(params: Params<Show>) -> Result<Ok200<Thing>> {
    match &params.id {
        Reference::Id(id) => Ok(Ok200(Thing { id: *id, name: "by id".into() })),
        Reference::Path(path) if path == "old/place" => Err(Error::Moved("7".into())),
        Reference::Path(path) => Ok(Ok200(Thing { id: 0, name: path.clone() })),
    }
}

async fn destroy(_: Params<Show>) -> Result<NoContent> {
    Err(Error::Moved("7".into()))
}

async fn list(paging: Paging) -> Result<Paged<Thing>> {
    let total = 45;
    if paging.is_keyset() {
        let after = match &paging.start {
            kernel::http::Start::After(Some(keys)) => keys[0].as_i64().unwrap_or(0),
            _ => 0,
        };
        let ids = (after + 1..=total).take(paging.fetch() as usize);
        let things = ids.map(|id| Thing { id, name: String::new() }).collect();
        return Ok(Paged::keyed(things, paging, |thing: &Thing| vec![json!(thing.id)]));
    }
    let ids = (1..=total).skip(paging.offset() as usize).take(paging.fetch() as usize);
    let things = ids.map(|id| Thing { id, name: String::new() }).collect();
    Ok(Paged::numbered(things, paging, Some(total)))
}

async fn broken() -> Result<NoContent> {
    panic!("the password is hunter2")
}

fn routes() -> Routes {
    let mut routes = Routes::new();
    routes.get("/things", list);
    routes.post("/things", create);
    routes.get("/things/{id}", show);
    routes.delete("/things/{id}", destroy);
    routes.get("/broken", broken);
    routes
}

struct House {
    app: kernel::app::App,
    server: Arc<Server>,
    _folder: tempfile::TempDir,
}

async fn house() -> House {
    let (app, folder) = crate::house::app(|_| ());
    House {
        app: app.clone(),
        server: Server::new(app, Box::new(Open), routes()).unwrap(),
        _folder: folder,
    }
}

struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("(absent)", |value| value.to_str().unwrap())
    }
}

impl House {
    async fn send(&self, request: http::request::Builder, body: impl Into<Body>) -> Reply {
        let request = request.body(body.into()).unwrap();
        let response = self.server.answer("127.0.0.1".parse().unwrap(), request).await;
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, 1 << 20).await.unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        Reply { status: parts.status, headers: parts.headers, text }
    }

    async fn get(&self, path: &str) -> Reply {
        self.send(http::Request::get(format!("/api/v4{path}")), Body::empty()).await
    }

    async fn post(&self, path: &str, kind: &str, body: &'static str) -> Reply {
        let request = http::Request::post(format!("/api/v4{path}"));
        self.send(request.header(header::CONTENT_TYPE, kind), body).await
    }
}

#[tokio::test]
async fn query_form_multipart_and_json_are_equal() {
    let house = house().await;
    let multipart = "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nax\r\n\
        --b\r\nContent-Disposition: form-data; name=\"tags[]\"\r\n\r\nt\r\n--b--\r\n";
    let replies = [
        house.post("/things?name=ax&tags[]=t", "text/plain", "").await,
        house
            .post("/things", "application/x-www-form-urlencoded", "name=ax&tags[]=t")
            .await,
        house.post("/things", "multipart/form-data; boundary=b", multipart).await,
        house.post("/things", "application/json", r#"{"name":"ax","tags":["t"]}"#).await,
    ];
    for reply in replies {
        assert_eq!(reply.status, StatusCode::CREATED, "{}", reply.text);
        assert_eq!(reply.json(), json!({"id": 1, "name": "axt"}));
    }
}

#[tokio::test]
async fn a_missing_or_unusable_parameter_is_named() {
    let house = house().await;
    let reply = house.post("/things", "application/json", "{}").await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    let expected = json!({
        "error": "name is missing", "message": "400 Bad request - \"name\" not given"});
    assert_eq!(reply.json(), expected);
    for (body, status) in [("[1]", 400), ("{", 400), ("\"x\"", 400)] {
        let reply = house.post("/things", "application/json", body).await;
        assert_eq!(reply.status.as_u16(), status, "{body}");
    }
}

#[tokio::test]
async fn a_path_is_decoded_once() {
    let house = house().await;
    assert_eq!(house.get("/things/42").await.json()["name"], "by id");
    assert_eq!(house.get("/things/acme%2Fanvil").await.json()["name"], "acme/anvil");
    assert_eq!(house.get("/things/acme%252Fanvil").await.json()["name"], "acme%2Fanvil");
    assert_eq!(house.get("/things/a%00b").await.status, StatusCode::BAD_REQUEST);
    assert_eq!(house.get("/things/%ff").await.status, StatusCode::NOT_FOUND);
    assert_eq!(house.get("/things/acme/anvil").await.json(), json!({"error": "404 Not Found"}));
}

#[tokio::test]
async fn slashes_too_many_mean_nothing() {
    let house = house().await;
    for path in ["/things/", "//things", "/things//"] {
        assert_eq!(house.get(path).await.json()[0]["id"], 1, "{path}");
    }
    let reply = house.get("/things//acme%2Fanvil/").await;
    assert_eq!(reply.json()["name"], "acme/anvil");
    let reply = house.post("/things/", "application/json", "{\"name\":\"ax\"}");
    assert_eq!(reply.await.status, StatusCode::CREATED);
    let unknown = house.get("//nothing/").await;
    assert_eq!(unknown.json(), json!({"error": "404 Not Found"}));
}

#[tokio::test]
async fn numbered_pages_carry_every_header() {
    let house = house().await;
    let reply = house.get("/things?page=2&per_page=20&search=x&private_token=secret").await;
    assert_eq!(reply.json().as_array().unwrap().len(), 20);
    let names = ["x-page", "x-per-page", "x-next-page", "x-prev-page", "x-total", "x-total-pages"];
    assert_eq!(names.map(|name| reply.header(name)), ["2", "20", "3", "1", "45", "3"]);
    let link = reply.header("link");
    let start = "<https://tenon.example/api/v4/things?search=x&page=1&per_page=20>; rel=\"prev\", ";
    assert!(link.starts_with(start), "{link}");
    let rels: Vec<_> =
        link.split("rel=").skip(1).map(|rel| rel.split(',').next().unwrap()).collect();
    assert_eq!(rels, ["\"prev\"", "\"next\"", "\"first\"", "\"last\""]);
    assert!(!link.contains("secret"));
}

#[tokio::test]
async fn odd_pages_are_refused_clamped_or_empty() {
    let house = house().await;
    for query in ["per_page=0", "per_page=-1", "per_page=x", "page=0", "page=99999999999999999999"]
    {
        let reply = house.get(&format!("/things?{query}")).await;
        let name = query.split('=').next().unwrap();
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{query}");
        assert_eq!(reply.json()["error"], format!("{name} does not have a valid value"));
    }
    assert_eq!(house.get("/things?per_page=1000").await.header("x-per-page"), "100");
    let past = house.get("/things?page=9223372036854775807").await;
    assert_eq!((past.status, past.text.as_str()), (StatusCode::OK, "[]"));
}

#[tokio::test]
async fn keyset_pages_chain_by_link_until_the_last() {
    let house = house().await;
    let mut path = "/things?pagination=keyset&per_page=20".to_owned();
    let mut ids = Vec::new();
    loop {
        let reply = house.get(&path).await;
        assert_eq!(reply.header("x-total"), "(absent)");
        ids.extend(
            reply
                .json()
                .as_array()
                .unwrap()
                .iter()
                .map(|thing| thing["id"].as_i64().unwrap()),
        );
        let link = reply.header("link").to_owned();
        if link == "(absent)" {
            break;
        }
        let url = link.split(['<', '>']).nth(1).unwrap();
        path = url.split("/api/v4").nth(1).unwrap().to_owned();
    }
    assert_eq!(ids, (1..=45).collect::<Vec<_>>());
    let forged = house.get("/things?pagination=keyset&cursor=WzFd").await;
    assert_eq!(forged.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn an_unchanged_answer_is_not_sent_again() {
    let house = house().await;
    let first = house.get("/things/42").await;
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with("W/\""));
    let request = http::Request::get("/api/v4/things/42").header(header::IF_NONE_MATCH, &tag);
    let second = house.send(request, Body::empty()).await;
    assert_eq!((second.status, second.text.as_str()), (StatusCode::NOT_MODIFIED, ""));
}

#[tokio::test]
async fn a_wrong_method_names_the_right_ones() {
    let house = house().await;
    let request = http::Request::builder().method(Method::PUT).uri("/api/v4/things");
    let reply = house.send(request, Body::empty()).await;
    assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(reply.header("allow"), "GET, HEAD, POST, OPTIONS");
    assert_eq!(reply.json(), json!({"message": "405 Method Not Allowed"}));
}

#[tokio::test]
async fn a_moved_project_redirects_reads_and_refuses_changes() {
    let house = house().await;
    let reply = house.get("/things/old%2Fplace?private_token=x&simple=1").await;
    assert_eq!(reply.status, StatusCode::MOVED_PERMANENTLY);
    let to = "https://tenon.example/api/v4/things/7?simple=1";
    assert_eq!(reply.header("location"), to);
    let text = format!("This resource has been moved permanently to {to}");
    assert_eq!(reply.json(), json!({"message": text}));
    let request = http::Request::delete("/api/v4/things/old%2Fplace");
    let reply = house.send(request, Body::empty()).await;
    assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED);
    let text = "Non GET methods are not allowed for moved projects";
    assert_eq!(reply.json(), json!({"message": text}));
}

#[tokio::test]
async fn a_panic_shows_nothing_and_stops_nothing() {
    let house = house().await;
    let reply = house.get("/broken").await;
    assert_eq!(reply.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(reply.json(), json!({"message": "500 Internal Server Error"}));
    assert_eq!(house.get("/things/1").await.status, StatusCode::OK);
}

#[tokio::test]
async fn bounds_hold_for_addresses_and_bodies() {
    let house = house().await;
    let long = format!("/things?search={}", "x".repeat(9_000));
    assert_eq!(house.get(&long).await.status, StatusCode::URI_TOO_LONG);
    let body = format!("{{\"name\":\"{}\"}}", "x".repeat(9 << 20));
    let request = http::Request::post("/api/v4/things");
    let request = request.header(header::CONTENT_TYPE, "application/json");
    assert_eq!(house.send(request, body).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    let gone = house.send(http::Request::get("/api/v3/projects"), Body::empty()).await;
    assert_eq!(gone.status, StatusCode::GONE);
}

#[tokio::test]
async fn every_answer_can_be_traced_and_is_not_sniffed() {
    let house = house().await;
    let request = http::Request::get("/api/v4/things/1").header("x-request-id", "trace-0001");
    let reply = house.send(request, Body::empty()).await;
    assert_eq!(reply.header("x-request-id"), "trace-0001");
    assert_eq!(reply.header("x-content-type-options"), "nosniff");
    assert_eq!(reply.header("x-frame-options"), "SAMEORIGIN");
    let request = http::Request::get("/api/v4/things/1").header("x-request-id", "a\tb c");
    let reply = house.send(request, Body::empty()).await;
    assert_eq!(reply.header("x-request-id").len(), 32);
}

#[tokio::test]
async fn a_throttle_counts_tells_and_refuses() {
    use kernel::http::throttle::{Rule, ThrottleRules};
    let house = house().await;
    assert_eq!(house.get("/things/1").await.header("ratelimit-limit"), "(absent)");
    let app = house.app.clone();
    let rule = Rule { enabled: true, requests_per_period: 2, period_in_seconds: 60 };
    let rules = ThrottleRules { unauthenticated_api: rule, ..ThrottleRules::default() };
    let settings = app.settings().clone();
    app.write(move |tx| settings.set(tx, &rules)).await.unwrap();
    let names = ["ratelimit-limit", "ratelimit-name", "ratelimit-observed", "ratelimit-remaining"];
    let first = house.get("/things/1").await;
    let told = names.map(|name| first.header(name).to_owned());
    assert_eq!(told, ["2", "throttle_unauthenticated_api", "1", "1"]);
    assert_eq!(house.get("/things/1").await.status, StatusCode::OK);
    let refused = house.get("/things/1").await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.text.trim(), "Retry later");
    assert!(refused.header("content-type").starts_with("text/plain"));
    assert!(refused.header("retry-after").parse::<u64>().unwrap() <= 60);
    assert!(refused.header("ratelimit-resettime").ends_with(" GMT"));
    app.clock().advance(61);
    assert_eq!(house.get("/things/1").await.status, StatusCode::OK);
}

#[test]
fn openapi_describes_what_the_types_say() {
    let document = kernel::http::openapi::document(
        routes().all(),
        &Plugs::default(),
        "0",
        "https://tenon.example",
    );
    let post = &document["paths"]["/api/v4/things"]["post"];
    let body = &post["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(body["required"], json!(["name"]));
    assert_eq!(body["properties"]["name"]["description"], "The name.");
    let show = &document["paths"]["/api/v4/things/{id}"]["get"];
    assert_eq!(show["parameters"][0]["in"], "path");
    assert!(show["responses"]["200"]["content"]["application/json"]["schema"].is_object());
}
