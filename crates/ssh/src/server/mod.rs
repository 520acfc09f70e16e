//! Git over SSH (docs/interface/repositories.md 10).
//!
//! [`Server`] takes connections, as many as it may; [`connection`] lets people in by
//! their keys; [`session`] does what they ask for, by the rules of git over HTTP.

mod connection;
mod guard;
mod hosts;
mod pipe;
mod session;
mod words;

use connection::{Connection, Presence};
use guard::Guarded;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::connections::accept;
use kernel::http::connections::census::{Census, Place};
use russh::keys::Algorithm;
use russh::server::{self, Config};
use russh::{Disconnect, MethodKind, MethodSet, Preferred, SshId};
use std::borrow::Cow;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::interval;

/// A connection stands for many requests: there may be so many times fewer of them than
/// over HTTP.
const SHARE: usize = 4;
/// How long somebody may take to prove who they are, and while many others wait.
const SIGNING_IN: Duration = Duration::from_secs(60);
const PRESSED: Duration = Duration::from_secs(10);
/// How long a connection is kept that nobody uses, and while many others wait.
const IDLE: Duration = Duration::from_secs(300);
/// How often a silent client is asked whether it is there, and what it may owe.
const ALIVE: Duration = Duration::from_secs(15);
const ALIVE_OWED: usize = 3;
/// How long nothing may pass at all.
const DEAD: Duration = Duration::from_secs(90);
/// Bytes that a client may send ahead, and messages of it that wait.
const WINDOW: u32 = 1024 * 1024;
const WAITING: usize = 8;
/// Signatures that may be wrong.
const TRIES: usize = 6;
/// How often it is looked whether a connection has to end.
const LOOK: Duration = Duration::from_millis(500);

/// What takes connections.
pub struct Server {
    app: App,
    config: Arc<Config>,
    census: Arc<Census>,
}

impl Server {
    /// One with the host keys of this instance.
    pub async fn new(app: App) -> Result<Server> {
        let config = Config {
            server_id: SshId::Standard(Cow::Borrowed("SSH-2.0-tenon")),
            methods: MethodSet::from(&[MethodKind::PublicKey][..]),
            keys: hosts::keys(&app).await?,
            // A key cannot be guessed, so nobody has to wait for having tried another.
            auth_rejection_time: Duration::ZERO,
            max_auth_attempts: TRIES,
            window_size: WINDOW,
            channel_buffer_size: WAITING,
            preferred: preferred(),
            inactivity_timeout: Some(DEAD),
            keepalive_interval: Some(ALIVE),
            keepalive_max: ALIVE_OWED,
            nodelay: true,
            ..Config::default()
        };
        let limits = &app.config().connections;
        let census = Census::new(limits.total / SHARE, limits.per_address / SHARE);
        Ok(Server { app, config: Arc::new(config), census })
    }

    /// Serves connections until `stop` resolves, then lets what is under way end.
    pub async fn serve(self, listener: TcpListener, stop: impl Future<Output = ()> + Send) {
        let (stopping, stopped) = watch::channel(false);
        let mut stop = pin!(stop);
        loop {
            let (stream, peer) = tokio::select! {
                accepted = accept(&listener) => accepted,
                () = &mut stop => break,
            };
            // Nothing is said to who has no place: they know no other language yet.
            if let Ok(place) = self.census.enter(peer.ip(), false) {
                let (app, config) = (self.app.clone(), self.config.clone());
                tokio::spawn(connection(app, config, stream, peer, place, stopped.clone()));
            }
        }
        drop((listener, stopped));
        stopping.send_replace(true);
        stopping.closed().await;
    }
}

/// Algorithms without SHA-1.
fn preferred() -> Preferred {
    let keys = Preferred::DEFAULT.key.iter().filter(|one| !is_weak(one)).cloned();
    Preferred { key: keys.collect(), ..Preferred::DEFAULT }
}

/// Whether signatures are made over SHA-1.
fn is_weak(algorithm: &Algorithm) -> bool {
    matches!(algorithm, Algorithm::Rsa { hash: None } | Algorithm::Dsa)
}

async fn connection(
    app: App, config: Arc<Config>, stream: TcpStream, peer: SocketAddr, place: Place,
    mut stopped: watch::Receiver<bool>,
) {
    stream.set_nodelay(true).ok();
    let presence = Arc::new(Presence::default());
    let is_crowded = place.is_crowded();
    let patience = if is_crowded { PRESSED } else { SIGNING_IN };
    let stream = Guarded::new(stream, presence.clone(), patience);
    let handler = Connection::new(app, peer.ip(), presence.clone(), place);
    let session = tokio::select! {
        begun = server::run_stream(config, stream, handler) => begun,
        _ = stopped.wait_for(|stopped| *stopped) => return,
    };
    let Ok(session) = session else {
        return;
    };
    let handle = session.handle();
    let (mut session, mut looks) = (pin!(session), interval(LOOK));
    let (mut is_closing, mut is_ended) = (false, false);
    loop {
        tokio::select! {
            ended = &mut session => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "an SSH connection ended early");
                }
                return;
            }
            _ = stopped.wait_for(|stopped| *stopped), if !is_closing => is_closing = true,
            _ = looks.tick() => {}
        }
        // Who is not known yet has begun nothing.
        if is_closing && !presence.is_known() {
            return;
        }
        let idle = if is_crowded { PRESSED } else { IDLE };
        if !is_ended && presence.is_over(is_closing, idle) {
            is_ended = true;
            let reason = Disconnect::ByApplication;
            handle.disconnect(reason, "Goodbye.".into(), "en".into()).await.ok();
        }
    }
}
