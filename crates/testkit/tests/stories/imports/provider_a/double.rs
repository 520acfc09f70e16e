//! A server of provider A as stories have it: things and lists by their paths, in pages, with
//! tags, limits and faults.

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use imports::settings::{Addresses, Providers};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use testkit::{TestServer, service, sha256};

/// Below it lists are empty unless something is said of them.
const REPOSITORY: &str = "/repos/acme/source/";

/// An answer that is none of those that are usual.
#[derive(Clone)]
pub struct Fault {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

impl Fault {
    pub fn of(status: u16) -> Fault {
        let body = json!({"message": "no"}).to_string();
        Fault { status, headers: Vec::new(), body }
    }
}

#[derive(Default)]
struct World {
    url: String,
    token: String,
    things: HashMap<String, Value>,
    lists: HashMap<String, Vec<Value>>,
    faults: HashMap<String, VecDeque<Fault>>,
    /// With every answer.
    headers: Vec<(&'static str, String)>,
    /// Paths and queries, oldest first.
    asked: Vec<String>,
    /// How often something had not changed.
    unchanged: usize,
}

#[derive(Clone)]
pub struct Double {
    pub url: String,
    pub token: String,
    world: Arc<Mutex<World>>,
}

impl Double {
    /// Starts on a free port of this machine, as the public server. Its repositories are those
    /// of the server itself, and so are its tokens.
    pub async fn start(t: &TestServer) -> Double {
        service::near(t).await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let token = t.admin().token().expect("it has one").to_owned();
        let world = World { url: url.clone(), token: token.clone(), ..World::default() };
        let world = Arc::new(Mutex::new(world));
        let router = Router::new().fallback(answer).with_state(world.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let providers: &Providers = t.app().plugged().expect("it is plugged in");
        providers.say(Addresses {
            provider_a_api: url.clone(),
            provider_a_git: t.url(),
            ..Addresses::default()
        });
        Double { url, token, world }
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn one(&self, path: &str, thing: Value) {
        self.world().things.insert(path.to_owned(), thing);
    }

    pub fn list(&self, path: &str, list: Value) {
        let list = list.as_array().expect("a list").clone();
        self.world().lists.insert(path.to_owned(), list);
    }

    /// A list of the repository.
    pub fn of_repository(&self, list: &str, things: Value) {
        self.list(&format!("{REPOSITORY}{list}"), things);
    }

    /// Has a path answer so, once for each of these, before it answers as usual.
    pub fn faults(&self, path: &str, faults: impl IntoIterator<Item = Fault>) {
        self.world().faults.insert(path.to_owned(), faults.into_iter().collect());
    }

    /// Has every answer say so from now on.
    pub fn says(&self, headers: &[(&'static str, String)]) {
        self.world().headers = headers.to_vec();
    }

    /// What was asked for since the last time.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.world().asked)
    }

    /// How often something had not changed since it was asked for.
    pub fn unchanged(&self) -> usize {
        self.world().unchanged
    }
}

async fn answer(
    State(world): State<Arc<Mutex<World>>>, uri: Uri, headers: HeaderMap,
) -> Response<Body> {
    let mut world = world.lock().unwrap_or_else(PoisonError::into_inner);
    world.asked.push(uri.to_string());
    if let Some(fault) = world.faults.get_mut(uri.path()).and_then(VecDeque::pop_front) {
        return response(fault.status, &fault.headers, fault.body);
    }
    let sent = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if sent("authorization") != Some(format!("token {}", world.token).as_str()) {
        return response(401, &[], json!({"message": "Bad credentials"}).to_string());
    }
    let (body, next) = match found(&world, &uri) {
        Some(found) => found,
        None => return response(404, &[], json!({"message": "Not Found"}).to_string()),
    };
    let tag = format!("\"{}\"", sha256(format!("{body}{next:?}")));
    let mut told = world.headers.clone();
    told.push(("etag", tag.clone()));
    if let Some(next) = next {
        told.push(("link", format!("<{next}>; rel=\"next\"")));
    }
    if sent("if-none-match") == Some(tag.as_str()) {
        world.unchanged += 1;
        return response(304, &told, String::new());
    }
    response(200, &told, body)
}

fn response(status: u16, headers: &[(&'static str, String)], body: String) -> Response<Body> {
    let status = StatusCode::from_u16(status).expect("a status");
    let mut response =
        Response::builder().status(status).header("content-type", "application/json");
    for (name, value) in headers {
        response = response.header(*name, value);
    }
    response.body(Body::from(body)).expect("an answer")
}

/// What stands at an address, and where it goes on.
fn found(world: &World, uri: &Uri) -> Option<(String, Option<String>)> {
    let path = uri.path();
    if let Some(thing) = world.things.get(path) {
        return Some((thing.to_string(), None));
    }
    let is_list = path.starts_with(REPOSITORY) && !path.ends_with("/protection");
    let empty = Vec::new();
    let list = world.lists.get(path).or(is_list.then_some(&empty))?;
    // Nobody is a guest of an organization there.
    let is_outside = uri.query().is_some_and(|query| query.contains("affiliation=outside"));
    let list = if is_outside { &empty } else { list };
    let query: HashMap<String, String> =
        url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
            .into_owned()
            .collect();
    let since = query.get("since").map_or("", String::as_str);
    let is_new = |thing: &&Value| thing["updated_at"].as_str().is_none_or(|at| at >= since);
    let all: Vec<&Value> = list.iter().filter(is_new).collect();
    let number = |name: &str, usual: usize| {
        query.get(name).and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (size, page) = (number("per_page", 30), number("page", 1).max(1));
    let things: Vec<&&Value> = all.iter().skip((page - 1) * size).take(size).collect();
    let next = (page * size < all.len()).then(|| {
        let more: Vec<String> = query
            .iter()
            .filter(|(name, _)| *name != "page")
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        format!("{}{path}?{}&page={}", world.url, more.join("&"), page + 1)
    });
    Some((json!(things).to_string(), next))
}
