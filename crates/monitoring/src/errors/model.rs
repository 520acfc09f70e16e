//! Settings, client keys and errors as they are stored.

use jiff::Timestamp;
use store::from_row;

/// Longest address of a tracker elsewhere, in bytes.
pub const MAX_API_URL: usize = 255;

kernel::choices! {
    pub enum Status as "ErrorStatus" {
        Unresolved = "unresolved",
        /// It should not come back.
        Resolved = "resolved",
        /// Nobody needs to hear of it.
        Ignored = "ignored",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub project_id: i64,
    pub active: bool,
    /// Whether it receives them here.
    pub integrated: bool,
    pub api_url: Option<String>,
    /// The sealed token for it.
    pub sealed_token: Option<String>,
    /// What it calls the project.
    pub external_name: Option<String>,
}

from_row! { Setting { project_id, active, integrated, api_url, sealed_token, external_name } }

/// Events that clients say they dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Why, in the protocol's words.
    pub reason: String,
    pub category: String,
    pub quantity: i64,
}

from_row! { Dropped { reason, category, quantity } }

/// What SDKs identify themselves with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientKey {
    pub id: i64,
    pub project_id: i64,
    pub public_key: String,
    pub active: bool,
}

from_row! { ClientKey { id, project_id, public_key, active } }

/// Events that have one cause, as far as can be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracked {
    pub id: i64,
    pub project_id: i64,
    pub name: String,
    /// Text of the newest event.
    pub description: String,
    pub actor: String,
    pub platform: String,
    /// How bad the newest event was.
    pub level: String,
    pub logger: String,
    pub status: Status,
    /// Events so far, also those no longer kept.
    pub events_count: i64,
    pub users_count: i64,
    pub first_release: String,
    /// Release of the newest event.
    pub last_release: String,
    pub first_seen_at: Timestamp,
    pub last_seen_at: Timestamp,
    pub regressed_at: Option<Timestamp>,
    /// The release it came back in, if its event named one.
    pub regressed_release: Option<String>,
}

from_row! {
    Tracked {
        id, project_id, name, description, actor, platform, level, logger, status, events_count,
        users_count, first_release, last_release, first_seen_at, last_seen_at, regressed_at,
        regressed_release,
    }
}
