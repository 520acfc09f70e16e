//! Requests and answers as stories write them.

use bytes::Bytes;
use http::{HeaderMap, Method};
use serde_json::Value;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::LazyLock;

/// Speaks HTTP to a test server, with or without a token. Follows no
/// redirect.
#[derive(Debug, Clone)]
pub struct Client {
    server: String,
    token: Option<String>,
}

/// One request; await it to send it.
pub struct Request {
    label: String,
    builder: reqwest::RequestBuilder,
}

/// One answer, read whole.
#[derive(Clone)]
pub struct Reply {
    /// What was asked, for messages.
    pub asked: String,
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Client {
    pub(crate) fn new(server: String, token: Option<String>) -> Client {
        Client { server, token }
    }

    /// A client of a server that runs elsewhere.
    pub fn of(server: &str, token: &str) -> Client {
        Client::new(server.to_owned(), Some(token.to_owned()))
    }

    /// A client of the server at this address that says nothing of itself.
    pub fn nobody(server: &str) -> Client {
        Client::new(server.to_owned(), None)
    }

    /// The address of the server, without a slash at its end.
    pub fn server(&self) -> &str {
        &self.server
    }

    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// GET below `/api/v4`.
    pub fn get(&self, path: impl AsRef<str>) -> Request {
        self.api(Method::GET, path)
    }
    /// HEAD below `/api/v4`.
    pub fn head(&self, path: impl AsRef<str>) -> Request {
        self.api(Method::HEAD, path)
    }
    /// POST below `/api/v4`.
    pub fn post(&self, path: impl AsRef<str>) -> Request {
        self.api(Method::POST, path)
    }
    /// PUT below `/api/v4`.
    pub fn put(&self, path: impl AsRef<str>) -> Request {
        self.api(Method::PUT, path)
    }
    /// PATCH below `/api/v4`.
    pub fn patch(&self, path: impl AsRef<str>) -> Request {
        self.api(Method::PATCH, path)
    }
    /// DELETE below `/api/v4`.
    pub fn delete(&self, path: impl AsRef<str>) -> Request {
        self.api(Method::DELETE, path)
    }

    /// GET of a whole path, such as a page.
    pub fn at(&self, path: impl AsRef<str>) -> Request {
        self.request(Method::GET, path)
    }

    /// Any method below `/api/v4`.
    pub fn api(&self, method: Method, path: impl AsRef<str>) -> Request {
        self.request(method, format!("/api/v4{}", path.as_ref()))
    }

    /// Any method of a whole path; an absolute address is taken as it is.
    pub fn request(&self, method: Method, path: impl AsRef<str>) -> Request {
        let path = path.as_ref();
        let url = match path.starts_with("http") {
            true => path.to_owned(),
            false => format!("{}{path}", self.server),
        };
        let label = format!("{method} {path}");
        let mut builder = http_client().request(method, url);
        builder = match self.token.as_deref() {
            Some(token) if identity::oauth::is_token(token) => builder.bearer_auth(token),
            Some(token) => builder.header("PRIVATE-TOKEN", token),
            None => builder,
        };
        Request { label, builder }
    }
}

/// One for the process: making one takes longer than most requests. It keeps no
/// connection, which would live on the runtime of one test only, and knows no
/// certificates, since all that tests ask is plain HTTP.
fn http_client() -> &'static reqwest::Client {
    static CLIENT: LazyLock<reqwest::Client> = LazyLock::new(|| {
        kernel::outbound::install_crypto();
        reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .tls_certs_only([])
            .pool_max_idle_per_host(0)
            .build()
            .expect("a plain client can be built")
    });
    &CLIENT
}

impl Request {
    pub fn json(self, body: &Value) -> Request {
        self.map(|builder| builder.json(body))
    }

    /// An urlencoded form, written as it is sent.
    pub fn form(self, body: impl Into<String>) -> Request {
        let body = body.into();
        self.map(|builder| {
            builder.header("content-type", "application/x-www-form-urlencoded").body(body)
        })
    }

    pub fn bytes(self, body: impl Into<Bytes>) -> Request {
        let body = body.into();
        self.map(|builder| builder.body(body))
    }

    /// A body that a story streams.
    pub fn stream(self, body: reqwest::Body) -> Request {
        self.map(|builder| builder.body(body))
    }

    pub fn header(self, name: &str, value: &str) -> Request {
        self.map(|builder| builder.header(name, value))
    }

    fn map(
        self, change: impl FnOnce(reqwest::RequestBuilder) -> reqwest::RequestBuilder,
    ) -> Request {
        Request { label: self.label, builder: change(self.builder) }
    }

    /// Sends it; fails where the connection does, for stories about that.
    pub async fn try_send(self) -> Result<Reply, reqwest::Error> {
        let response = self.builder.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Ok(Reply {
            asked: self.label,
            status,
            headers,
            body: response.bytes().await?,
        })
    }
}

impl Request {
    /// Sends it and leaves the body to be read as it arrives.
    pub async fn begin(self) -> reqwest::Response {
        let sent = self.builder.send().await;
        sent.unwrap_or_else(|error| panic!("{}: {error:?}", self.label))
    }
}

impl IntoFuture for Request {
    type Output = Reply;
    type IntoFuture = Pin<Box<dyn Future<Output = Reply> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let label = self.label.clone();
            self.try_send().await.unwrap_or_else(|error| panic!("{label}: {error:?}"))
        })
    }
}

impl Reply {
    /// Demands this status.
    #[track_caller]
    pub fn is(self, status: u16) -> Reply {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// Demands a status below 300.
    #[track_caller]
    pub fn is_ok(self) -> Reply {
        assert!(self.status < 300, "{self:?}");
        self
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The `id` of the answered thing.
    #[track_caller]
    pub fn id(&self) -> i64 {
        self.json()["id"].as_i64().unwrap_or_else(|| panic!("no id: {self:?}"))
    }

    /// One header as text; empty when it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// One field of each item of the answered list.
    #[track_caller]
    pub fn each(&self, field: &str) -> Vec<Value> {
        let list = self.json();
        let items = list.as_array().unwrap_or_else(|| panic!("no list: {self:?}"));
        items.iter().map(|item| item[field].clone()).collect()
    }

    /// The address of a relation in `Link`.
    pub fn link(&self, rel: &str) -> Option<String> {
        let wanted = format!("rel=\"{rel}\"");
        let mut links = self.header("link").split(", <");
        let link = links.find(|link| link.ends_with(&wanted))?;
        Some(link.trim_start_matches('<').split('>').next()?.to_owned())
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} answered {}", self.asked, self.status)?;
        match serde_json::from_slice::<Value>(&self.body) {
            Ok(json) => write!(f, "{json:#}"),
            Err(_) => f.write_str(&self.text().chars().take(2000).collect::<String>()),
        }
    }
}

/// Status and body for snapshots. Ids, times and the server's address are
/// replaced, since they differ between runs and engines.
impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        match serde_json::from_slice::<Value>(&self.body) {
            Ok(mut json) => {
                redact("", &mut json);
                write!(f, " {json:#}")
            }
            Err(_) if self.body.is_empty() => Ok(()),
            Err(_) => write!(f, " {}", self.text()),
        }
    }
}

fn redact(key: &str, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(key, value)| redact(key, value));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact(key, item)),
        Value::Number(_) if key == "id" || key.ends_with("_id") => *value = "[id]".into(),
        Value::String(_) if key.ends_with("_at") => *value = "[time]".into(),
        Value::String(text) => {
            if let Some(at) = text.find("http://127.0.0.1:") {
                let rest = &text[at + "http://127.0.0.1:".len()..];
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                *value = format!("{}[url]{}", &text[..at], &rest[end..]).into();
            }
        }
        _ => {}
    }
}
