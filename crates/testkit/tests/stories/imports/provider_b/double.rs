//! A server that answers as Provider B does: single things, and lists in pages of two.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use testkit::{TestServer, service};

/// Things of a page.
const PAGE: usize = 2;

/// What stands at a path.
#[derive(Clone, Debug)]
pub enum Thing {
    One(Value),
    List(Vec<Value>),
    Says(u16, &'static str),
}

#[derive(Clone)]
pub struct Upstream {
    pub url: String,
    is_cloud: bool,
    authorization: String,
    things: Arc<Mutex<HashMap<String, Thing>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Upstream {
    /// One that knows Ada by the token of the administrator.
    pub async fn start(t: &TestServer, is_cloud: bool) -> Upstream {
        service::near(t).await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let account = STANDARD.encode(format!("ada:{}", super::secret(t)));
        let upstream = Upstream {
            url: format!("http://{address}"),
            is_cloud,
            authorization: format!("Basic {account}"),
            things: Arc::default(),
            asked: Arc::default(),
        };
        let router = Router::new().fallback(answer).with_state(upstream.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        upstream
    }

    /// Has something stand at a path below the interface.
    pub fn has(&self, path: &str, thing: Thing) {
        let root = if self.is_cloud { "/2.0" } else { "/rest/api/1.0" };
        locked(&self.things).insert(format!("{root}{path}"), thing);
    }

    /// What it was asked for so far.
    pub fn asked(&self) -> Vec<String> {
        locked(&self.asked).clone()
    }

    fn page(&self, uri: &Uri, list: &[Value]) -> Value {
        let name = if self.is_cloud { "page=" } else { "start=" };
        let pairs = uri.query().unwrap_or_default().split('&');
        let asked = pairs.filter_map(|pair| pair.strip_prefix(name)).next();
        let asked: Option<usize> = asked.and_then(|number| number.parse().ok());
        let start = match self.is_cloud {
            true => (asked.unwrap_or(1) - 1) * PAGE,
            false => asked.unwrap_or(0),
        };
        let values: Vec<Value> = list.iter().skip(start).take(PAGE).cloned().collect();
        let end = start + values.len();
        let is_last = end >= list.len();
        if !self.is_cloud {
            let next = (!is_last).then_some(end);
            return json!({"values": values, "size": values.len(), "limit": PAGE, "start": start,
                "isLastPage": is_last, "nextPageStart": next});
        }
        let mut page = json!({"values": values, "pagelen": PAGE, "size": list.len()});
        if !is_last {
            let number = end / PAGE + 1;
            page["next"] = json!(format!("{}{}?page={number}", self.url, uri.path()));
        }
        page
    }

    fn refusal(&self, status: u16, text: &str) -> (StatusCode, String) {
        let body = match self.is_cloud {
            true => json!({"type": "error", "error": {"message": text}}),
            false => json!({"errors": [{"context": null, "message": text}]}),
        };
        (StatusCode::from_u16(status).expect("a status"), body.to_string())
    }
}

async fn answer(
    State(upstream): State<Upstream>, headers: HeaderMap, uri: Uri,
) -> (StatusCode, String) {
    locked(&upstream.asked).push(uri.to_string());
    let shown = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if shown != Some(upstream.authorization.as_str()) {
        return upstream.refusal(401, "Authentication failed. Please check your credentials.");
    }
    let thing = locked(&upstream.things).get(uri.path()).cloned();
    match thing {
        Some(Thing::One(value)) => (StatusCode::OK, value.to_string()),
        Some(Thing::List(list)) => (StatusCode::OK, upstream.page(&uri, &list).to_string()),
        Some(Thing::Says(status, text)) => {
            (StatusCode::from_u16(status).expect("a status"), text.to_owned())
        }
        None => upstream.refusal(404, "It does not exist."),
    }
}
