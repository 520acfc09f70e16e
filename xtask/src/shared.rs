//! What the steps of one run share.

use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::clients::ENGINES;
use xtask::cluster::Cluster;
use xtask::costs;
use xtask::slots::Slots;
use xtask::tree;

/// How much is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// What every change must pass: a suite of clients runs on one engine.
    Usual,
    /// All that there is, for a night.
    Full,
}

/// See the module.
pub struct Shared {
    /// Places for what keeps a core busy.
    pub slots: Slots,
    depth: Depth,
    cluster: OnceLock<Result<Cluster, String>>,
    next: AtomicUsize,
}

impl Shared {
    /// Nothing is started yet.
    pub fn new(depth: Depth) -> Shared {
        Shared {
            slots: Slots::of_cores(),
            depth,
            cluster: OnceLock::new(),
            next: AtomicUsize::new(0),
        }
    }

    /// The cluster of the whole run, started when it is first asked for.
    pub fn cluster(&self) -> Result<&Cluster, String> {
        let cluster = self.cluster.get_or_init(Cluster::start);
        cluster.as_ref().map_err(Clone::clone)
    }

    /// A number that nobody else of this run has.
    pub fn number(&self) -> usize {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether all is tried.
    pub fn is_full(&self) -> bool {
        self.depth == Depth::Full
    }

    /// The engines on which a suite runs: both in a full run, else one, which
    /// changes from commit to commit and between suites.
    pub fn engines(&self, suite: &str) -> Vec<&'static str> {
        if self.is_full() {
            return ENGINES.to_vec();
        }
        let commit = commit();
        let letters = commit.bytes().chain(suite.bytes());
        let sum: usize = letters.map(usize::from).sum();
        vec![ENGINES[sum % ENGINES.len()]]
    }

    /// Ends what was started, and counts it.
    pub fn end(self) {
        let cluster = self.cluster.into_inner().and_then(Result::ok);
        if let Some(process) = cluster.as_ref().and_then(Cluster::process) {
            costs::add("PostgreSQL", costs::of_process(process));
        }
    }
}

/// The commit that is checked out; empty outside a repository.
fn commit() -> String {
    let told = Command::new("git")
        .args(["rev-parse", "HEAD"])
        .current_dir(tree::root())
        .output();
    told.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        .unwrap_or_default()
}
