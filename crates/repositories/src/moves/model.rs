//! A move, and the states it goes through.

use jiff::Timestamp;
use store::{FromRow, UpdateRow};

kernel::choices! {
    /// What is moved as one.
    pub enum Kind as "StorageMoveKind" {
        /// Code and wiki.
        Project = "project",
        /// Its wiki.
        Group = "group",
        Snippet = "snippet",
    }
}

kernel::choices! {
    /// How far a move is.
    pub enum State as "StorageMoveState" {
        /// Written down, and nothing more.
        Initial = "initial",
        /// It waits for its turn.
        Scheduled = "scheduled",
        /// It is copied, and verified.
        Started = "started",
        /// It lies there now; the old copy is still to go.
        Replicated = "replicated",
        Finished = "finished",
        /// It lies where it was.
        Failed = "failed",
        /// It lies there; something of the old copy is left.
        CleanupFailed = "cleanup failed",
    }
}

impl State {
    /// Whether it has not moved yet, so that it may fail, or be given up.
    pub fn may_fail(self) -> bool {
        matches!(self, State::Initial | State::Scheduled | State::Started)
    }
}

/// Whose repositories are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Container {
    Project(i64),
    Group(i64),
    Snippet(i64),
}

impl Container {
    pub fn kind(self) -> Kind {
        match self {
            Container::Project(_) => Kind::Project,
            Container::Group(_) => Kind::Group,
            Container::Snippet(_) => Kind::Snippet,
        }
    }

    pub fn id(self) -> i64 {
        match self {
            Container::Project(id) | Container::Group(id) | Container::Snippet(id) => id,
        }
    }
}

/// A move.
#[derive(Debug, Clone, FromRow, UpdateRow)]
#[columns("repository_storage_moves")]
pub struct StorageMove {
    pub id: i64,
    pub kind: Kind,
    pub project_id: Option<i64>,
    pub group_id: Option<i64>,
    pub snippet_id: Option<i64>,
    #[written]
    pub state: State,
    /// The names of storages.
    pub source: String,
    pub destination: String,
    /// A job was given it.
    #[written]
    pub is_dispatched: bool,
    #[written]
    pub bytes_done: i64,
    #[written]
    pub bytes_total: i64,
    /// Nothing is written to the repositories since then.
    #[written]
    pub read_only_at: Option<Timestamp>,
    /// How long that was.
    #[written]
    pub read_only_ms: Option<i64>,
    /// Why it went wrong, in words for administrators.
    #[written]
    pub error: Option<String>,
    pub created_at: Timestamp,
    #[written]
    pub updated_at: Timestamp,
}

impl StorageMove {
    /// Whose repositories it moves.
    pub fn container(&self) -> Container {
        let id = self.project_id.or(self.group_id).or(self.snippet_id).unwrap_or_default();
        match self.kind {
            Kind::Project => Container::Project(id),
            Kind::Group => Container::Group(id),
            Kind::Snippet => Container::Snippet(id),
        }
    }

    /// Notes that from now on nothing is written.
    pub fn closed(self, now: Timestamp) -> StorageMove {
        StorageMove { read_only_at: Some(now), ..self }
    }

    /// Notes that it is written again, if it was not.
    pub fn opened(self, now: Timestamp) -> StorageMove {
        let since = |at: Timestamp| (now.as_millisecond() - at.as_millisecond()).max(0);
        let read_only_ms = self.read_only_at.map(since).or(self.read_only_ms);
        StorageMove { read_only_at: None, read_only_ms, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_states_end_a_move() {
        assert!(!State::Replicated.may_fail() && State::Started.may_fail());
        assert_eq!(State::from_text("cleanup failed"), Some(State::CleanupFailed));
    }
}
