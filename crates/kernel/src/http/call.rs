//! One request on its way to a handler, and what handlers may ask of it.

use super::bodies::{self, MAX_ANONYMOUS};
use super::multipart::{self, Parts, multipart_error};
use super::operation::Operation;
use super::params::{self, FromParams, Source};
use super::route::Route;
use crate::app::App;
use crate::error::{Error, Result};
use axum::body::Body;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http::{Extensions, HeaderMap, Method, Uri, header};
use serde_json::Value;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

pub use super::bodies::read_capped;

/// Largest body outside uploads, in bytes (docs/interface/collaboration.md «Bad input and abuse»).
pub const MAX_BODY: usize = 8 * 1024 * 1024;

/// A request that matched a route.
pub struct Call {
    /// The application.
    pub app: App,
    /// The route that matched.
    pub route: Arc<Route>,
    /// How the request was made.
    pub request: Arc<RequestContext>,
    /// What gates and extractors leave for one another (the viewer).
    pub extensions: Extensions,
    /// Parameters of the query.
    pub query: Source,
    path: Vec<(String, String)>,
    body: Option<Body>,
    is_known: bool,
    merged: Option<Source>,
    form: Option<Bytes>,
    files: Vec<SentFile>,
    /// A form of which the beginning was read.
    begun: Option<Parts>,
}

/// A file of a multipart body, read whole: bodies are bounded.
#[derive(Debug, Clone)]
pub struct SentFile {
    /// Name of its field.
    pub field: String,
    /// Its bytes.
    pub bytes: Bytes,
}

/// The parts of a request that stay known until its answer is written.
#[derive(Debug)]
pub struct RequestContext {
    /// Method as sent (HEAD stays HEAD).
    pub method: Method,
    /// Path and query as sent.
    pub uri: Uri,
    /// All headers.
    pub headers: HeaderMap,
    /// The client's address, after trusted proxies.
    pub peer: IpAddr,
    /// Sent back as `X-Request-Id` and written to the log.
    pub request_id: String,
    /// The instance's address without a trailing slash.
    pub base_url: String,
    /// What the instance is called; empty for the program's own name, and where
    /// no page is asked for.
    pub instance: String,
}

impl RequestContext {
    /// One header as text, if it is sent and readable.
    pub fn header(&self, name: impl header::AsHeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

impl Call {
    /// A call with its decoded path parameters and its unread body.
    pub fn new(
        app: App, route: Arc<Route>, request: RequestContext, path: Vec<(String, String)>,
        body: Body,
    ) -> Result<Call> {
        let mut query = Source::new();
        params::parse_form(request.uri.query().unwrap_or_default().as_bytes(), &mut query)?;
        Ok(Call {
            app,
            route,
            request: Arc::new(request),
            extensions: Extensions::new(),
            query,
            path,
            body: Some(body),
            is_known: false,
            merged: None,
            form: None,
            files: Vec::new(),
            begun: None,
        })
    }

    /// From here on bodies may be as large as those of callers with
    /// credentials. Said by the gate, once it knows who calls.
    pub fn is_from_known(&mut self) {
        self.is_known = true;
    }

    /// The largest body that is read into memory, where known callers may send
    /// so many bytes.
    pub fn most(&self, known: usize) -> usize {
        match self.is_known {
            true => known,
            false => known.min(MAX_ANONYMOUS),
        }
    }

    /// How large the unread body is, if it says so.
    pub fn body_size(&self) -> Option<u64> {
        use axum::body::HttpBody as _;
        self.body.as_ref().map_or(Some(0), |body| body.size_hint().exact())
    }

    /// One decoded path parameter.
    pub fn path(&self, name: &str) -> Option<&str> {
        self.path.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// One textual query parameter.
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query.get(name).and_then(Value::as_str)
    }

    /// One textual parameter of query or body; of the query alone where the
    /// route streams its body.
    pub async fn text(&mut self, name: &str) -> Result<Option<String>> {
        if self.route.streams {
            return Ok(self.query(name).map(str::to_owned));
        }
        Ok(self.merged().await?.get(name).and_then(Value::as_str).map(str::to_owned))
    }

    /// All parameters: query, then body, then path, the later winning.
    pub async fn merged(&mut self) -> Result<&Source> {
        if self.merged.is_none() {
            let mut merged = self.query.clone();
            if !self.route.streams || (self.route.takes_fields && !self.is_multipart()) {
                self.read_body(&mut merged).await?;
            }
            for (key, value) in &self.path {
                merged.insert(key.clone(), Value::String(value.clone()));
            }
            self.merged = Some(merged);
        }
        Ok(self.merged.as_ref().expect("set just above"))
    }

    /// Whether the body is a form of several parts.
    pub fn is_multipart(&self) -> bool {
        let kind = self.request.header(header::CONTENT_TYPE).unwrap_or_default();
        kind.to_ascii_lowercase().starts_with("multipart/form-data")
    }

    /// The urlencoded body as it was sent, for who reads it more strictly
    /// than [`Call::merged`]; nothing of other bodies.
    pub async fn form(&mut self) -> Result<Option<Bytes>> {
        self.merged().await?;
        Ok(self.form.clone())
    }

    async fn read_body(&mut self, into: &mut Source) -> Result<()> {
        let kind = self.request.header(header::CONTENT_TYPE).unwrap_or("").to_ascii_lowercase();
        let most = self.most(self.route.largest_body);
        let Some(body) = self.body.take() else {
            return Ok(());
        };
        if kind.starts_with("multipart/form-data") {
            let original = self.request.header(header::CONTENT_TYPE);
            self.files =
                multipart::read_fields(body, most, original.unwrap_or(&kind), into).await?;
            return Ok(());
        }
        let bytes = read_capped(body, most).await?;
        if kind.starts_with("application/x-www-form-urlencoded") {
            params::parse_form(&bytes, into)?;
            self.form = Some(bytes);
            Ok(())
        } else if kind.contains("json") {
            bodies::keep_json(&bytes)?;
            params::parse_json(&bytes, into)
        } else {
            Ok(())
        }
    }

    /// The text that a streamed form begins with, if its field has this name:
    /// what a page's form says before its file. [`Parts`] go on behind it.
    pub async fn first_text(&mut self, name: &str) -> Result<Option<String>> {
        let mut parts = Parts::of(self);
        let text = parts.first_text(name).await?;
        self.begun = Some(parts);
        Ok(text)
    }

    pub(super) fn take_begun(&mut self) -> Option<Parts> {
        self.begun.take()
    }

    /// The unread body, once.
    pub fn take_body(&mut self) -> Body {
        self.body.take().unwrap_or_default()
    }
}

/// Something a handler may take as an argument.
pub trait FromCall: Sized {
    /// Takes it out of the request, or refuses the request.
    fn from_call(call: &mut Call) -> impl Future<Output = Result<Self>> + Send;
    /// What it adds to the operation's OpenAPI description.
    fn describe(_operation: &mut Operation<'_>) {}
}

impl FromCall for App {
    async fn from_call(call: &mut Call) -> Result<Self> {
        Ok(call.app.clone())
    }
}

impl FromCall for Arc<RequestContext> {
    async fn from_call(call: &mut Call) -> Result<Self> {
        Ok(call.request.clone())
    }
}

/// The declared parameters of a request; see [`params!`](crate::params).
pub struct Params<T>(pub T);

impl<T> std::ops::Deref for Params<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: FromParams + Send> FromCall for Params<T> {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let merged = call.merged().await?;
        T::from_params(merged).map(Params).map_err(Error::Parameters)
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.parameters(T::fields());
    }
}

/// The files of a multipart body that is not streamed.
pub struct Files(Vec<SentFile>);

impl Files {
    /// The bytes sent in this field.
    pub fn named(&self, field: &str) -> Option<&Bytes> {
        let mut files = self.0.iter();
        files.find(|file| file.field == field).map(|file| &file.bytes)
    }
}

impl FromCall for Files {
    async fn from_call(call: &mut Call) -> Result<Self> {
        call.merged().await?;
        Ok(Files(call.files.clone()))
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.takes_files();
    }
}

/// The body as it arrives, for uploads. The route must be declared with
/// [`streams`](super::routes::Declared::streams).
pub struct Upload(Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>);

impl Upload {
    /// These bytes.
    pub(super) fn of(bytes: impl Stream<Item = Result<Bytes>> + Send + 'static) -> Upload {
        Upload(Box::pin(bytes))
    }
}

impl Stream for Upload {
    type Item = Result<Bytes>;
    fn poll_next(
        mut self: Pin<&mut Self>, context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

impl FromCall for Upload {
    /// The raw body, or the `file` part of a multipart one.
    async fn from_call(call: &mut Call) -> Result<Self> {
        let kind = call.request.header(header::CONTENT_TYPE).unwrap_or_default().to_owned();
        let body = call.take_body().into_data_stream();
        if !kind.to_ascii_lowercase().starts_with("multipart/form-data") {
            return Ok(Upload::of(body.map(|chunk| chunk.map_err(aborted))));
        }
        let boundary = multer::parse_boundary(&kind)
            .map_err(|_| Error::BadRequest("the multipart body has no boundary".into()))?;
        let mut parts = multer::Multipart::new(body, boundary);
        while let Some(part) = parts.next_field().await.map_err(multipart_error)? {
            if part.name() == Some("file") {
                return Ok(Upload::of(part.map(|chunk| chunk.map_err(multipart_error))));
            }
        }
        Err(Error::missing("file"))
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.binary_body();
    }
}

fn aborted(error: axum::Error) -> Error {
    let cut_off = || Error::BadRequest("the upload was cut off".into());
    bodies::refusal(&error).unwrap_or_else(cut_off)
}
