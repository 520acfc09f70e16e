//! The handle every request and every job receives.

use crate::blobs::Blobs;
use crate::error::Result;
use crate::http::connections::ConnectionLimits;
use crate::incoming_mail::IncomingMail;
use crate::jobs;
use crate::mail::Mailer;
use crate::outbound::{Outbound, Policy};
use crate::secrets::Secrets;
use crate::settings::Settings;
use crate::shared_transaction::SharedTransaction;
use crate::telemetry::{Metrics, StatementCounter};
use crate::time::{Clock, Timestamp};
use crate::trust::Trust;
use http::HeaderMap;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::net::IpAddr;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use store::{Access, Store, Tx, Work};

/// The port that SSH has unless an address says another.
const USUAL_SSH_PORT: u16 = 22;

/// What the program was started with.
#[derive(Debug, Clone)]
pub struct Config {
    /// The instance's address as users see it, without a trailing slash.
    pub external_url: String,
    /// Where users reach this instance by SSH, unless it is the usual port.
    pub ssh_port: Option<u16>,
    /// Folder of everything that is not in the database or the blob store.
    pub data_dir: PathBuf,
    /// Folder of what may be deleted at any time and made again.
    pub cache_dir: PathBuf,
    /// Bytes that may be kept there; one thing may be larger.
    pub cache_size: u64,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// What clients may take of the server's connections.
    pub connections: ConnectionLimits,
    /// How answers to mails come in.
    pub incoming_mail: IncomingMail,
    /// Whose certificates are believed.
    pub trust: Trust,
    /// Version of the interface, as clients are told it.
    pub version: &'static str,
}

/// A cheap handle on everything shared.
#[derive(Clone)]
pub struct App(Arc<Whole>);

/// The parts, and what rooms keep beside them.
struct Whole {
    parts: Parts,
    kept: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Deref for Whole {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.parts
    }
}

/// What an [`App`] is made of.
pub struct Parts {
    /// The database.
    pub store: Store,
    /// File contents.
    pub blobs: Blobs,
    /// Outgoing mail.
    pub mailer: Mailer,
    /// Outgoing HTTP.
    pub outbound: Outbound,
    /// Counters for `/-/metrics`.
    pub metrics: Metrics,
    /// Keys and sealed values.
    pub secrets: Secrets,
    /// The time.
    pub clock: Clock,
    /// Settings administrators change, cached.
    pub settings: Settings,
    /// Known kinds of jobs and the worker's doorbell.
    pub jobs: jobs::Registry,
    /// How the program was started.
    pub config: Config,
}

impl App {
    /// Puts the parts together.
    pub fn new(mut parts: Parts) -> App {
        parts.blobs = parts.blobs.counted(parts.metrics.clone());
        App(Arc::new(Whole { parts, kept: Mutex::default() }))
    }

    /// What a room keeps in the memory of this server, such as a cache: one
    /// value of each type, made when it is first asked for. Several servers
    /// may share a process, so it is no static.
    pub fn kept<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut kept = self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let value = kept.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        let value: Arc<dyn Any + Send + Sync> = value.clone();
        value.downcast().expect("a value is stored under its own type")
    }

    /// Runs `work` in one consistent read-only snapshot.
    pub async fn read<T, F>(&self, work: F) -> Result<T>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let (work, outcome) = Work::once(work);
        self.run(Access::Read, work).await?;
        outcome.take()
    }

    /// [`read`](App::read) for a few rows by their keys, without the detour
    /// over another thread where the database allows it; it may run more than
    /// once.
    pub async fn read_inline<T, F>(&self, work: F) -> Result<T>
    where
        F: Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let (work, outcome) = Work::new(work);
        self.run(Access::Glance, work).await?;
        outcome.take()
    }

    /// Runs `work` in one durable transaction; it may run more than once.
    pub async fn write<T, F>(&self, work: F) -> Result<T>
    where
        F: Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let (work, outcome) = Work::new(work);
        self.run(Access::Write, work).await?;
        outcome.take()
    }

    /// Runs work of whatever type: its closure is all that is compiled for
    /// each call of the above.
    async fn run(&self, access: Access, work: Work) -> Result<()> {
        let work = StatementCounter::current().counting(work);
        match SharedTransaction::current() {
            Some(held) => held.run(access, work).await,
            None => Ok(self.0.store.run(access, work).await?),
        }
    }

    /// What a room was given by those above it, by its type.
    pub fn plugged<T: Any + Send + Sync>(&self) -> Result<&T> {
        Ok(self.0.store.plugged()?)
    }

    /// The database.
    pub fn store(&self) -> &Store {
        &self.0.store
    }
    /// File contents.
    pub fn blobs(&self) -> &Blobs {
        &self.0.blobs
    }
    /// Outgoing mail.
    pub fn mailer(&self) -> &Mailer {
        &self.0.mailer
    }
    /// Outgoing HTTP, under the policy that administrators set, at most a few
    /// seconds old.
    pub async fn outbound(&self) -> Result<&Outbound> {
        let policy: Policy = self.settings().get(self).await?;
        self.0.outbound.set_policy(policy);
        Ok(&self.0.outbound)
    }
    /// Counters for `/-/metrics`.
    pub fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }
    /// Keys and sealed values.
    pub fn secrets(&self) -> &Secrets {
        &self.0.secrets
    }
    /// Settings administrators change.
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }
    /// Kinds of jobs.
    pub fn jobs(&self) -> &jobs::Registry {
        &self.0.jobs
    }
    /// How the program was started.
    pub fn config(&self) -> &Config {
        &self.0.config
    }
    /// The time.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }
    /// Now.
    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// The instance's address without a trailing slash.
    pub fn base_url(&self) -> &str {
        &self.0.config.external_url
    }

    /// An absolute address on this instance; `path` starts with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url())
    }

    /// The name of this instance, or its number, without a port.
    pub fn host(&self) -> &str {
        let rest = self.base_url().split("://").nth(1).unwrap_or_default();
        let end = match rest.find(']') {
            Some(bracket) => bracket + 1,
            None => rest.find([':', '/']).unwrap_or(rest.len()),
        };
        rest.get(..end).unwrap_or(rest)
    }

    /// Where something is by SSH; `path` starts without a slash.
    pub fn ssh_url(&self, path: &str) -> String {
        match (self.config().ssh_port, self.host()) {
            (None | Some(USUAL_SSH_PORT), host) => format!("git@{host}:{path}"),
            (Some(port), host) => format!("ssh://git@{host}:{port}/{path}"),
        }
    }

    /// Whether users reach this instance over TLS, so cookies must too.
    pub fn is_https(&self) -> bool {
        self.base_url().starts_with("https://")
    }

    /// The client's address: the last one in `X-Forwarded-For` that is not a
    /// trusted proxy, when the peer is one; else the peer.
    pub fn client_address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let trusted = |address: &IpAddr| self.0.config.trusted_proxies.contains(address);
        if !trusted(&peer) {
            return peer;
        }
        let sent = headers.get("x-forwarded-for").and_then(|value| value.to_str().ok());
        let mut hops =
            sent.unwrap_or_default().rsplit(',').map_while(|hop| hop.trim().parse().ok());
        hops.find(|hop| !trusted(hop)).unwrap_or(peer)
    }
}
