//! One connection: who is let in, and which sessions begin.

use super::is_weak;
use super::session::{self, Session};
use crate::formats::command::MAX_TEXT;
use crate::formats::public_key::Fingerprints;
use crate::rules::access;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::connections::census::Place;
use repositories::fetch::Version;
use russh::keys::PublicKey;
use russh::server::{
    Auth, ChannelOpenHandle, Handler, Msg, PublicKeyOffer, Session as Protocol, VerifiedPublicKey,
};
use russh::{Channel, ChannelId, ChannelOpenFailure, Pty};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The only name that anybody signs in with.
const NAME: &str = "git";
/// Keys that somebody may offer on one connection.
const OFFERS: usize = 30;
/// Sessions of one connection at the same time.
const SESSIONS: usize = 10;
/// The variable in which git says what it speaks, and how long it may be.
const PROTOCOL: &str = "GIT_PROTOCOL";
const MAX_PROTOCOL: usize = 256;

/// What is known of a connection while it lasts.
pub(super) struct Presence {
    is_known: AtomicBool,
    /// Sessions that run, and since when none does.
    running: Mutex<(usize, Instant)>,
}

impl Default for Presence {
    fn default() -> Presence {
        Presence {
            is_known: AtomicBool::new(false),
            running: Mutex::new((0, Instant::now())),
        }
    }
}

impl Presence {
    /// Whether they proved who they are.
    pub(super) fn is_known(&self) -> bool {
        self.is_known.load(Ordering::Relaxed)
    }

    /// Whether nothing runs, and it is closing or nothing ran for so long.
    pub(super) fn is_over(&self, is_closing: bool, idle: Duration) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.0 == 0 && self.is_known() && (is_closing || running.1.elapsed() > idle)
    }

    /// Until what is answered is dropped, something runs.
    fn begin(self: &Arc<Self>) -> Running {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).0 += 1;
        Running(self.clone())
    }
}

pub(super) struct Running(Arc<Presence>);

impl Drop for Running {
    fn drop(&mut self) {
        let mut running = self.0.running.lock().unwrap_or_else(PoisonError::into_inner);
        *running = (running.0 - 1, Instant::now());
    }
}

/// A session that was opened.
struct Opened {
    /// Nothing once a command runs.
    channel: Option<Channel<Msg>>,
    version: Version,
}

pub(super) struct Connection {
    app: App,
    peer: IpAddr,
    presence: Arc<Presence>,
    /// The key that they proved to have.
    key: Option<i64>,
    offers: usize,
    opened: HashMap<ChannelId, Opened>,
    _place: Place,
}

impl Connection {
    pub(super) fn new(app: App, peer: IpAddr, presence: Arc<Presence>, place: Place) -> Self {
        Connection {
            app,
            peer,
            presence,
            key: None,
            offers: 0,
            opened: HashMap::new(),
            _place: place,
        }
    }

    /// The number of a key that lets somebody in.
    async fn known(&self, key: &PublicKey) -> Result<Option<i64>> {
        let bytes = key.to_bytes().map_err(Error::internal)?;
        let sha256 = Fingerprints::of(&bytes).sha256;
        let found = self.app.read_inline(move |tx| access::key(tx, &sha256)).await?;
        Ok(found.map(|key| key.id))
    }

    /// Runs a command in a session, or says that it does not.
    fn run(&mut self, id: ChannelId, text: Vec<u8>, protocol: &mut Protocol) -> Outcome {
        let opened = self.opened.get_mut(&id);
        let version = opened.as_ref().map(|opened| opened.version).unwrap_or_default();
        let channel = opened.and_then(|opened| opened.channel.take());
        let (Some(channel), Some(key)) = (channel, self.key) else {
            return protocol.channel_failure(id);
        };
        protocol.channel_success(id)?;
        let session = Session { app: self.app.clone(), key, peer: self.peer, version };
        let running = self.presence.begin();
        tokio::spawn(async move {
            session::run(session, channel, &text).await;
            drop(running);
        });
        Ok(())
    }
}

type Outcome<T = ()> = std::result::Result<T, russh::Error>;

impl Handler for Connection {
    type Error = russh::Error;

    async fn auth_publickey_offered(
        &mut self, user: &str, offer: PublicKeyOffer<'_>,
    ) -> Outcome<Auth> {
        self.offers += 1;
        if self.offers > OFFERS {
            return Err(russh::Error::Disconnect);
        }
        if user != NAME || is_weak(offer.algorithm) {
            return Ok(Auth::reject());
        }
        match self.known(offer.public_key).await {
            Ok(Some(_)) => Ok(Auth::Accept),
            Ok(None) => Ok(Auth::reject()),
            Err(error) => {
                tracing::error!(%error, "a key could not be looked up");
                Err(russh::Error::Disconnect)
            }
        }
    }

    async fn auth_publickey(
        &mut self, user: &str, verified: VerifiedPublicKey<'_>,
    ) -> Outcome<Auth> {
        if user != NAME || is_weak(verified.algorithm) {
            return Ok(Auth::reject());
        }
        match self.known(verified.public_key).await {
            Ok(Some(id)) => {
                self.key = Some(id);
                self.presence.is_known.store(true, Ordering::Relaxed);
                Ok(Auth::Accept)
            }
            _ => Ok(Auth::reject()),
        }
    }

    async fn channel_open_session(
        &mut self, channel: Channel<Msg>, reply: ChannelOpenHandle, _: &mut Protocol,
    ) -> Outcome {
        if self.opened.len() >= SESSIONS {
            reply.reject(ChannelOpenFailure::ResourceShortage).await;
            return Ok(());
        }
        let id = channel.id();
        self.opened
            .insert(id, Opened { channel: Some(channel), version: Version::Zero });
        reply.accept().await;
        Ok(())
    }

    async fn channel_close(&mut self, id: ChannelId, _: &mut Protocol) -> Outcome {
        self.opened.remove(&id);
        Ok(())
    }

    async fn env_request(
        &mut self, id: ChannelId, name: &str, value: &str, protocol: &mut Protocol,
    ) -> Outcome {
        match self.opened.get_mut(&id) {
            Some(opened) if name == PROTOCOL && value.len() <= MAX_PROTOCOL => {
                opened.version = Version::of(value);
                protocol.channel_success(id)
            }
            _ => protocol.channel_failure(id),
        }
    }

    async fn exec_request(
        &mut self, id: ChannelId, text: &[u8], protocol: &mut Protocol,
    ) -> Outcome {
        // One byte more tells that it is too long.
        let text = text.get(..=MAX_TEXT).unwrap_or(text).to_vec();
        self.run(id, text, protocol)
    }

    async fn shell_request(&mut self, id: ChannelId, protocol: &mut Protocol) -> Outcome {
        self.run(id, Vec::new(), protocol)
    }

    async fn pty_request(
        &mut self, id: ChannelId, _: &str, _: u32, _: u32, _: u32, _: u32, _: &[(Pty, u32)],
        protocol: &mut Protocol,
    ) -> Outcome {
        protocol.channel_failure(id)
    }

    async fn x11_request(
        &mut self, id: ChannelId, _: bool, _: &str, _: &str, _: u32, protocol: &mut Protocol,
    ) -> Outcome {
        protocol.channel_failure(id)
    }

    async fn subsystem_request(
        &mut self, id: ChannelId, _: &str, protocol: &mut Protocol,
    ) -> Outcome {
        protocol.channel_failure(id)
    }
}
