//! Operations that passed every check lately: clients send the same texts
//! again and again, and reading one takes longer than answering it.
//!
//! A check depends on the text, the operation's name, the interface and the
//! caller's limits alone where no variables are sent; only such are kept.

use super::SMALL;
use super::incoming::{Entry, Incoming};
use crate::validation::ast::OperationKind;
use crate::validation::{Checked, Parsed};
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

/// What a check depends on, and an answer about the interface: the exact text,
/// not a name.
#[derive(PartialEq, Eq, Hash, Clone)]
pub struct Key {
    query: String,
    operation: Option<String>,
    unmarked: bool,
    anonymous: bool,
}

impl Key {
    /// None where variables are sent, or the text is none of these.
    pub fn of(incoming: &Incoming, entry: &Entry, fits: fn(&str) -> bool) -> Option<Key> {
        let source = entry.source.as_ref().ok()?;
        let is_plain = source.variables.is_empty() && fits(&source.query);
        is_plain.then(|| Key {
            query: source.query.clone(),
            operation: source.operation_name.clone(),
            unmarked: incoming.unmarked,
            anonymous: incoming.viewer.user_id().is_none(),
        })
    }
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
    Key::of(incoming, entry, |query| query.len() < SMALL)
}
