//! Calls to other servers, at addresses users chose.
//!
//! Every host is resolved here, every address it has is checked, and the
//! connection goes to the addresses that were checked. Redirects are followed
//! by hand so that each hop is checked alike; no proxy is taken from the
//! environment, which would resolve names behind our back.

mod address;
mod policy;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use crate::error::Error;
use crate::trust::{self, Trust};
pub use policy::Policy;

/// Redirects followed before giving up.
const MAX_HOPS: usize = 5;
/// Time to open a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Time to find the addresses of a host.
const RESOLVE: Duration = Duration::from_secs(15);
/// Time of a whole call unless the call says otherwise.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes of an answer unless the call says otherwise.
const MAX_ANSWER: u64 = 10 * 1024 * 1024;
/// What a redirect to another server still carries; never a credential.
const CARRIED: [HeaderName; 7] = [
    header::ACCEPT,
    header::ACCEPT_LANGUAGE,
    header::CONTENT_TYPE,
    header::IF_MODIFIED_SINCE,
    header::IF_NONE_MATCH,
    header::RANGE,
    header::USER_AGENT,
];

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The URL is none, or has a scheme other than http and https.
    #[error("The URL must be a valid http or https URL.")]
    Url,
    /// The policy forbids the address; nothing was sent to it.
    #[error("Requests to {0} are not allowed: it is in a local or reserved network.")]
    Blocked(String),
    /// The policy allows listed places only; nothing was sent.
    #[error("Requests to hosts and IP addresses not on the Allow List are denied.")]
    Denied,
    /// The host has no address.
    #[error("The host {0} cannot be resolved.")]
    Unknown(String),
    /// More than five redirects, or one that gives up encryption.
    #[error("The server redirects too often or to an unencrypted address.")]
    Redirect,
    /// The answer is larger than the call accepts.
    #[error("The server's answer is too large.")]
    TooLarge,
    /// The call took too long.
    #[error("The server did not answer in time.")]
    Timeout,
    /// The connection failed or broke.
    #[error("The connection failed: {0}")]
    Connection(String),
}

impl Fault {
    /// Whether the same call may succeed later.
    pub fn may_pass(&self) -> bool {
        matches!(self, Fault::Unknown(_) | Fault::Timeout | Fault::Connection(_))
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        if fault.may_pass() {
            Error::Unavailable(fault.to_string())
        } else {
            Error::BadRequest(fault.to_string())
        }
    }
}

/// One call to make.
#[derive(Debug, Clone)]
pub struct Call {
    method: Method,
    url: String,
    headers: HeaderMap,
    body: Bytes,
    timeout: Duration,
    max_answer: u64,
}

impl Call {
    /// A call without body.
    pub fn new(method: Method, url: impl Into<String>) -> Call {
        let (headers, body) = (HeaderMap::new(), Bytes::new());
        let (timeout, max_answer) = (TIMEOUT, MAX_ANSWER);
        Call { method, url: url.into(), headers, body, timeout, max_answer }
    }

    /// Fetches a URL.
    pub fn get(url: impl Into<String>) -> Call {
        Call::new(Method::GET, url)
    }

    /// Sends a JSON body.
    pub fn post_json(url: impl Into<String>, value: &serde_json::Value) -> Call {
        Call::new(Method::POST, url)
            .header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(value.to_string())
    }

    /// Adds or replaces a header.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Call {
        self.headers.insert(name, value);
        self
    }

    /// Sets the body.
    pub fn body(mut self, body: impl Into<Bytes>) -> Call {
        self.body = body.into();
        self
    }

    /// Time for the whole call, redirects and body included (default 30 s).
    pub fn timeout(mut self, timeout: Duration) -> Call {
        self.timeout = timeout;
        self
    }

    /// Bytes of the answer's body that are accepted (default 10 MiB).
    pub fn max_answer(mut self, bytes: u64) -> Call {
        self.max_answer = bytes;
        self
    }
}

/// An answer with its whole body.
#[derive(Debug)]
pub struct Answer {
    /// Status of the last hop.
    pub status: StatusCode,
    /// Headers of the last hop.
    pub headers: HeaderMap,
    /// Where the last hop was.
    pub url: Url,
    /// The body.
    pub body: Bytes,
}

/// An answer whose body is still to be read.
pub struct Opened {
    /// Status of the last hop.
    pub status: StatusCode,
    /// Headers of the last hop.
    pub headers: HeaderMap,
    /// Where the last hop was.
    pub url: Url,
    /// The body; it fails past the call's limit of bytes or time.
    pub body: BoxStream<'static, Result<Bytes, Fault>>,
}

/// The client for calls to other servers. Cheap to clone.
#[derive(Clone)]
pub struct Outbound {
    client: reqwest::Client,
    policy: Arc<RwLock<Policy>>,
}

impl Outbound {
    /// A client under `policy`, which believes these certificates.
    pub fn new(policy: Policy, trust: &Trust) -> crate::error::Result<Outbound> {
        let policy = Arc::new(RwLock::new(policy));
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(trust.tls()?)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .dns_resolver(Arc::new(Guarded(policy.clone())))
            .connect_timeout(CONNECT)
            // A kept connection would outlive a change of the policy.
            .pool_max_idle_per_host(0)
            .user_agent(concat!("tenon/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(Error::internal)?;
        Ok(Outbound { client, policy })
    }

    /// Replaces the policy, for calls that start from now on.
    pub fn set_policy(&self, policy: Policy) {
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = policy;
    }

    /// Whether a URL may be called, as far as can be told without a call; for
    /// refusing a setting when it is saved. The call itself checks again.
    pub async fn check(&self, url: &str) -> Result<(), Fault> {
        let url = parse(url)?;
        let (policy, port) = (current(&self.policy), url.port_or_known_default());
        match url.host() {
            Some(Host::Domain(name)) => resolve(&policy, name, port).await.map(drop),
            _ => check_literal(&policy, &url),
        }
    }

    /// The addresses that a program may connect to which goes to a URL by itself, of
    /// whatever scheme; it must be held to them, and to the host and port of the URL.
    pub async fn addresses(&self, url: &Url) -> Result<Vec<IpAddr>, Fault> {
        let policy = current(&self.policy);
        let usual = match url.scheme() {
            "ssh" => Some(22),
            "git" => Some(9418),
            _ => None,
        };
        let port = url.port_or_known_default().or(usual);
        let host = match url.host().ok_or(Fault::Url)? {
            Host::Domain(name) => name.to_owned(),
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let resolving = tokio::time::timeout(RESOLVE, resolve(&policy, &host, port));
        let found = resolving.await.map_err(|_| Fault::Unknown(host.clone()))??;
        Ok(found.into_iter().map(|address| address.ip()).collect())
    }

    /// Makes a call and reads the whole answer. Any status is an answer.
    pub async fn call(&self, call: Call) -> Result<Answer, Fault> {
        let mut opened = self.open(call).await?;
        let mut body = BytesMut::new();
        while let Some(bytes) = opened.body.try_next().await? {
            body.extend_from_slice(&bytes);
        }
        let Opened { status, headers, url, .. } = opened;
        Ok(Answer { status, headers, url, body: body.freeze() })
    }

    /// Makes a call and leaves the body to be read as a stream.
    pub async fn open(&self, mut call: Call) -> Result<Opened, Fault> {
        let deadline = Instant::now() + call.timeout;
        let mut url = parse(&call.url)?;
        for _ in 0..=MAX_HOPS {
            let answer = self.hop(&call, &url, deadline).await?;
            match next(&url, &answer)? {
                Some(target) => follow(&mut call, &mut url, target, answer.status()),
                None => return opened(answer, call.max_answer),
            }
        }
        Err(Fault::Redirect)
    }

    /// Makes a call with a body of this length, which is sent as it comes, and reads the whole
    /// answer. A redirect is an answer: the body is gone by then.
    pub async fn send(
        &self, call: Call, length: u64,
        body: impl futures_util::Stream<Item = crate::error::Result<Bytes>> + Send + 'static,
    ) -> Result<Answer, Fault> {
        let url = parse(&call.url)?;
        self.check_hop(&url).await?;
        let request = self
            .client
            .request(call.method, url)
            .headers(call.headers)
            .header(header::CONTENT_LENGTH, HeaderValue::from(length))
            .body(reqwest::Body::wrap_stream(body))
            .timeout(call.timeout);
        let mut opened = opened(request.send().await.map_err(broken)?, call.max_answer)?;
        let mut body = BytesMut::new();
        while let Some(bytes) = opened.body.try_next().await? {
            body.extend_from_slice(&bytes);
        }
        let Opened { status, headers, url, .. } = opened;
        Ok(Answer { status, headers, url, body: body.freeze() })
    }

    async fn hop(
        &self, call: &Call, url: &Url, deadline: Instant,
    ) -> Result<reqwest::Response, Fault> {
        self.check_hop(url).await?;
        let left = deadline.saturating_duration_since(Instant::now());
        let request = self
            .client
            .request(call.method.clone(), url.clone())
            .headers(call.headers.clone())
            .body(call.body.clone())
            .timeout(left);
        request.send().await.map_err(broken)
    }

    /// What the resolver cannot see: addresses written in the URL, and ports
    /// where the policy names some.
    async fn check_hop(&self, url: &Url) -> Result<(), Fault> {
        let policy = current(&self.policy);
        match url.host() {
            Some(Host::Domain(name)) if policy.names_ports() => {
                let port = url.port_or_known_default();
                resolve(&policy, name, port).await.map(drop)
            }
            _ => check_literal(&policy, url),
        }
    }
}

fn check_literal(policy: &Policy, url: &Url) -> Result<(), Fault> {
    let address: IpAddr = match url.host() {
        Some(Host::Ipv4(address)) => address.into(),
        Some(Host::Ipv6(address)) => address.into(),
        _ => return Ok(()),
    };
    if policy.allows(address, url.port_or_known_default()) {
        Ok(())
    } else {
        Err(refused(policy, address.to_string()))
    }
}

fn refused(policy: &Policy, host: String) -> Fault {
    match policy.only_allowed {
        true => Fault::Denied,
        false => Fault::Blocked(host),
    }
}

/// Makes ring the process's TLS provider; harmless when called again.
pub fn install_crypto() {
    // An error means that one is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

fn parse(url: &str) -> Result<Url, Fault> {
    let url = Url::parse(url).map_err(|_| Fault::Url)?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(url),
        _ => Err(Fault::Url),
    }
}

/// Where a redirect leads, if the answer is one.
fn next(from: &Url, answer: &reqwest::Response) -> Result<Option<Url>, Fault> {
    if !matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = answer.headers().get(header::LOCATION) else {
        return Ok(None);
    };
    let location = location.to_str().map_err(|_| Fault::Url)?;
    let mut target = parse(from.join(location).map_err(|_| Fault::Url)?.as_str())?;
    if from.scheme() == "https" && target.scheme() == "http" {
        return Err(Fault::Redirect);
    }
    // Credentials a server puts into its redirect are not ours to send.
    if target.set_username("").is_err() || target.set_password(None).is_err() {
        return Err(Fault::Url);
    }
    Ok(Some(target))
}

/// Turns the call towards `target`, as browsers do.
fn follow(call: &mut Call, url: &mut Url, target: Url, status: StatusCode) {
    let keeps_method = matches!(status.as_u16(), 307 | 308);
    if !keeps_method && call.method != Method::HEAD && call.method != Method::GET {
        call.method = Method::GET;
        call.body = Bytes::new();
        call.headers.remove(header::CONTENT_TYPE);
    }
    if url.origin() != target.origin() {
        let carried = CARRIED
            .iter()
            .filter_map(|name| call.headers.get(name).map(|value| (name.clone(), value.clone())));
        call.headers = carried.collect();
    }
    *url = target;
}

fn opened(answer: reqwest::Response, max_answer: u64) -> Result<Opened, Fault> {
    if answer.content_length().is_some_and(|length| length > max_answer) {
        return Err(Fault::TooLarge);
    }
    let (status, headers, url) = (answer.status(), answer.headers().clone(), answer.url().clone());
    let mut received = 0;
    let body = answer.bytes_stream().map(move |bytes| {
        let bytes = bytes.map_err(broken)?;
        received += bytes.len() as u64;
        if received > max_answer {
            Err(Fault::TooLarge)
        } else {
            Ok(bytes)
        }
    });
    Ok(Opened { status, headers, url, body: body.boxed() })
}

/// Finds our own fault inside what the HTTP client reports, or describes its.
fn broken(error: reqwest::Error) -> Fault {
    if error.is_timeout() {
        return Fault::Timeout;
    }
    if let Some(why) = trust::refusal(&error) {
        return Fault::Connection(why.to_owned());
    }
    let mut cause: &dyn std::error::Error = &error;
    loop {
        match cause.downcast_ref::<Fault>() {
            Some(Fault::Blocked(host)) => return Fault::Blocked(host.clone()),
            Some(Fault::Denied) => return Fault::Denied,
            Some(Fault::Unknown(host)) => return Fault::Unknown(host.clone()),
            _ => {}
        }
        match cause.source() {
            Some(deeper) => cause = deeper,
            None => return Fault::Connection(cause.to_string()),
        }
    }
}

/// Resolves names for the HTTP client and refuses what the policy forbids.
struct Guarded(Arc<RwLock<Policy>>);

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let policy = self.0.clone();
        Box::pin(async move {
            let addresses = resolve(&current(&policy), name.as_str(), None).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// All addresses of a host; one that is forbidden forbids the host, so that a
/// name cannot mix them. Without a port, any port is meant.
async fn resolve(policy: &Policy, host: &str, port: Option<u16>) -> Result<Vec<SocketAddr>, Fault> {
    let unknown = || Fault::Unknown(host.to_owned());
    let found: Vec<SocketAddr> =
        tokio::net::lookup_host((host, 0)).await.map_err(|_| unknown())?.collect();
    if found.is_empty() {
        return Err(unknown());
    }
    let allowed = |address: &SocketAddr| policy.allows(address.ip(), port);
    if !policy.names(host, port) && !found.iter().all(allowed) {
        return Err(refused(policy, host.to_owned()));
    }
    Ok(found)
}

fn current(policy: &RwLock<Policy>) -> Policy {
    policy.read().unwrap_or_else(PoisonError::into_inner).clone()
}
