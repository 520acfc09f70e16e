//! Operations that passed every check lately: clients send the same texts
//! again and again, and reading one takes longer than answering it.
//!
//! A check depends on the text, the operation's name, the interface and the
//! caller's limits alone where no variables are sent; only such are kept.

use super::SMALL;
use super::incoming::{Entry, Incoming};
use crate::validation::ast::OperationKind;
use crate::validation::{Checked, Parsed, Source};
use moka::sync::Cache;
use std::sync::Arc;

/// Most operations kept. Their texts are small, so all of them take a few
/// megabytes at most.
const MAX_KEPT: u64 = 500;

/// An entry on its way to being checked.
pub enum Read {
    Known(Arc<Checked>),
    New(Parsed),
}

impl Read {
    pub fn kind(&self) -> OperationKind {
        match self {
            Read::Known(checked) => checked.operation().kind,
            Read::New(parsed) => parsed.kind(),
        }
    }
}

/// What a check depends on.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    query: String,
    operation: Option<String>,
    unmarked: bool,
    anonymous: bool,
}

pub struct Known(Cache<Key, Arc<Checked>>);

impl Default for Known {
    fn default() -> Known {
        Known(Cache::new(MAX_KEPT))
    }
}

impl Known {
    /// The same entry, if it passed before.
    pub fn get(&self, incoming: &Incoming, entry: &Entry) -> Option<Arc<Checked>> {
        self.0.get(&key(incoming, entry)?)
    }

    /// Keeps an entry that passed.
    pub fn keep(&self, incoming: &Incoming, entry: &Entry, checked: &Arc<Checked>) {
        if let Some(key) = key(incoming, entry) {
            self.0.insert(key, checked.clone());
        }
    }
}

fn key(incoming: &Incoming, entry: &Entry) -> Option<Key> {
    let source = entry.source.as_ref().ok().filter(|it| plain(it))?;
    Some(Key {
        query: source.query.clone(),
        operation: source.operation_name.clone(),
        unmarked: incoming.unmarked,
        anonymous: incoming.viewer.user_id().is_none(),
    })
}

fn plain(source: &Source) -> bool {
    source.variables.is_empty() && source.query.len() < SMALL
}
