//! Where pages of long lists began, kept for a moment, so that the thousandth costs
//! no more than the first for who reads one after the other.
//!
//! A mark says no more than an id that the viewer was shown: what a page holds is
//! read by what they may see now. What is deleted meanwhile may move a page by as
//! many rows, for as long as marks live.

use crate::list::{Event, Events};
use identity::viewer::Viewer;
use jiff::SignedDuration;
use kernel::time::Timestamp;
use moka::sync::Cache;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How long a mark lives.
const LIFE: SignedDuration = SignedDuration::from_secs(60);
/// Lists whose marks are kept.
const LISTS: u64 = 1_000;
/// Marks of one list.
const MOST: usize = 2_000;

/// A list as somebody asked for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(String);

impl Key {
    pub fn of(viewer: &Viewer, events: &Events) -> Key {
        use crate::list::Of;
        use spaces::search::Place;
        let of = match &events.of {
            Of::Author(id) => format!("author {id}"),
            Of::Memberships(id) => format!("member {id}"),
            Of::Place(Place::Everywhere) => "all".to_owned(),
            Of::Place(Place::Group(group)) => format!("group {}", group.id),
            Of::Place(Place::Project(project, level)) => format!("project {} {level}", project.id),
        };
        let Events { action, target_type, before, after, ascending, .. } = events;
        let who = match viewer {
            Viewer::Anonymous => "nobody".to_owned(),
            Viewer::User(signed_in) => format!("user {}", signed_in.user.id),
            Viewer::Deploy(deploy) => format!("deploy {}", deploy.id),
        };
        Key(format!(
            "{who} {of} {action:?} {target_type:?} {before:?} {after:?} {ascending}"
        ))
    }
}

/// The marks of one list.
#[derive(Debug, Clone)]
pub struct Known {
    /// The newest id when the first of them was made.
    pub head: i64,
    made_at: Timestamp,
    /// Ids by how many rows come before them.
    starts: Arc<BTreeMap<i64, i64>>,
}

impl Known {
    /// The nearest row that is known at or before this one: how many come before it,
    /// and its id.
    pub fn before(&self, offset: i64) -> Option<(i64, i64)> {
        self.starts.range(..=offset).next_back().map(|(at, id)| (*at, *id))
    }
}

/// The marks of all lists, in the memory of this server.
#[derive(Debug)]
pub struct Marks(Cache<Key, Known>);

impl Default for Marks {
    fn default() -> Marks {
        Marks(Cache::new(LISTS))
    }
}

impl Marks {
    /// What is known of a list that is too long to be counted.
    pub fn get(&self, key: &Key, now: Timestamp) -> Option<Known> {
        self.0.get(key).filter(|known| now < known.made_at + LIFE)
    }

    /// Remembers where a page and the one after it begin, counted from the newest of
    /// this id.
    pub fn put(
        &self, key: Key, head: Option<i64>, now: Timestamp, offset: i64, rows: &[Event],
        per_page: i64,
    ) {
        let (Some(first), Some(head), true) = (rows.first(), head, offset >= 0) else {
            return;
        };
        let fresh = || Known { head, made_at: now, starts: Arc::default() };
        let known = self.get(&key, now).filter(|known| known.head == head);
        let mut known = known.filter(|known| known.starts.len() < MOST).unwrap_or_else(fresh);
        let starts = Arc::make_mut(&mut known.starts);
        starts.insert(offset, first.id);
        if let Some(next) = usize::try_from(per_page).ok().and_then(|at| rows.get(at)) {
            starts.insert(offset + per_page, next.id);
        }
        self.0.insert(key, known);
    }
}
