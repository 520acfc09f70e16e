//! The connections of the server: how many there may be, in all and of one
//! address, and how long a client may take over each step.

pub mod census;
mod limits;
mod watched;

use super::bodies::Timed;
use super::refusal;
use super::reply::Response;
use super::route::Surface;
use super::serve::Server;
use crate::app::App;
use crate::error::Error;
use axum::body::Body;
use census::{Census, Place};
use http::{Request, Version, header};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{interval, sleep, timeout};
use watched::{Exchange, Timeline, Watched};

pub use limits::ConnectionLimits;

/// The patience while more than half of the connections are taken.
const PRESSED: Duration = Duration::from_secs(2);
/// How often a connection's times are looked at.
const LOOK: Duration = Duration::from_millis(500);
/// Refusals of connections written at the same time; further ones are closed.
const REFUSALS: usize = 64;
/// How long the refusal of a connection may take.
const REFUSING: Duration = Duration::from_secs(1);
/// Bytes of a head, and of a body not yet taken.
const BUFFER: usize = 64 * 1024;
/// Streams of one HTTP/2 connection at the same time.
const STREAMS: u32 = 100;
/// Bytes that an HTTP/2 stream, and a whole connection, may send ahead.
const STREAM_WINDOW: u32 = 256 * 1024;
const CONNECTION_WINDOW: u32 = 512 * 1024;
/// HTTP/2 streams that may be reset before they are looked at, and for errors
/// of the client's: more close the connection.
const RESETS: usize = 20;
const ERROR_RESETS: usize = 100;

/// What all connections share.
struct Shared {
    server: Arc<Server>,
    limits: ConnectionLimits,
    census: Arc<Census>,
    builder: Builder<TokioExecutor>,
    refusals: Arc<Semaphore>,
}

/// Serves connections until `stop` resolves, then drains.
pub(super) async fn serve(
    server: Arc<Server>, app: &App, listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let limits = app.config().connections.clone();
    let shared = Arc::new(Shared {
        server,
        census: Census::new(limits.total, limits.per_address),
        limits,
        builder: builder(),
        refusals: Arc::new(Semaphore::new(REFUSALS)),
    });
    let (stopping, stopped) = watch::channel(false);
    let mut stop = pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = accept(&listener) => accepted,
            () = &mut stop => break,
        };
        let is_proxy = app.config().trusted_proxies.contains(&peer.ip());
        match shared.census.enter(peer.ip(), is_proxy) {
            Ok(place) => {
                let connection = connection(shared.clone(), stream, peer, place, stopped.clone());
                tokio::spawn(connection);
            }
            Err(refused) => shared.refuse(stream, refused),
        }
    }
    drop((listener, stopped));
    stopping.send_replace(true);
    stopping.closed().await;
    Ok(())
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().max_buf_size(BUFFER);
    builder
        .http2()
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(BUFFER as u32)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(BUFFER)
        .max_pending_accept_reset_streams(RESETS)
        .max_local_error_reset_streams(ERROR_RESETS);
    builder
}

/// The next connection; what goes wrong with one is no reason to stop.
pub async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                let of_client = [ConnectionAborted, ConnectionRefused, ConnectionReset];
                if !of_client.contains(&error.kind()) {
                    tracing::error!(%error, "no connection can be accepted");
                    sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }
}

async fn connection(
    shared: Arc<Shared>, stream: TcpStream, peer: SocketAddr, place: Place,
    mut stopped: watch::Receiver<bool>,
) {
    // Answers are written whole: there is nothing to wait for.
    stream.set_nodelay(true).ok();
    let timeline = Arc::new(Timeline::new());
    let io = TokioIo::new(Watched::new(stream, timeline.clone()));
    let service = service_fn(|request| shared.clone().answer(peer, request, timeline.begin()));
    let mut served = pin!(shared.builder.serve_connection(io, service));
    let (mut looks, mut closing) = (interval(LOOK), false);
    loop {
        tokio::select! {
            ended = served.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(error, "a connection ended early");
                }
                return;
            }
            _ = stopped.wait_for(|stopped| *stopped), if !closing => {
                closing = true;
                served.as_mut().graceful_shutdown();
            }
            _ = looks.tick() => {
                if timeline.is_overdue(&shared.patience(&place), Instant::now()) {
                    return;
                }
            }
        }
    }
}

impl Shared {
    async fn answer(
        self: Arc<Self>, peer: SocketAddr, request: Request<Incoming>, exchange: Exchange,
    ) -> Result<http::Response<watched::Answer>, Infallible> {
        if request.version() == Version::HTTP_2 {
            exchange.shares_connection();
        }
        let request = request.map(|body| Timed::body(Body::new(body), self.limits.progress));
        let response = match has_one_host(&request) {
            true => self.server.answer(peer.ip(), request).await,
            false => hostless(request),
        };
        Ok(response.map(|body| exchange.sending(body)))
    }

    /// The limits, shorter for who makes others wait.
    fn patience(&self, place: &Place) -> ConnectionLimits {
        let mut limits = self.limits.clone();
        if place.is_crowded() {
            limits.head = limits.head.min(PRESSED);
            limits.idle = limits.idle.min(PRESSED);
        }
        limits
    }

    /// Says why a connection is not served, without reading what it asks.
    fn refuse(&self, mut stream: TcpStream, refused: census::Refused) {
        let Ok(turn) = self.refusals.clone().try_acquire_owned() else {
            return;
        };
        tokio::spawn(async move {
            let answer = async {
                stream.write_all(refused.text().as_bytes()).await?;
                stream.shutdown().await?;
                // Closed with something unread, the text would be lost.
                let mut unread = [0; 1024];
                while stream.read(&mut unread).await? > 0 {}
                io::Result::Ok(())
            };
            timeout(REFUSING, answer).await.ok();
            drop(turn);
        });
    }
}

/// Whether a request names its host once (RFC 9112 section 3.2).
fn has_one_host<B>(request: &Request<B>) -> bool {
    request.version() != Version::HTTP_11
        || request.headers().get_all(header::HOST).iter().count() == 1
}

fn hostless(request: Request<Body>) -> Response {
    let reason = "the request must have one Host header";
    refusal::unasked(Error::BadRequest(reason.into()), Surface::Plain, request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_http_1_1_name_one_host() {
        let asked = |version, hosts: &[&str]| {
            let mut request = Request::builder().version(version);
            for host in hosts {
                request = request.header(header::HOST, *host);
            }
            has_one_host(&request.body(()).unwrap())
        };
        assert!(asked(Version::HTTP_11, &["a"]));
        assert!(!asked(Version::HTTP_11, &[]));
        assert!(!asked(Version::HTTP_11, &["a", "a"]));
        assert!(asked(Version::HTTP_10, &[]));
        assert!(asked(Version::HTTP_2, &[]));
    }
}
