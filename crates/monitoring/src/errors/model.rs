//! Settings, client keys and errors as they are stored.

use jiff::Timestamp;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use store::FromRow;

/// Longest address of a tracker elsewhere, in bytes.
pub const MAX_API_URL: usize = 255;

kernel::choices! {
    #[derive(Default)]
    pub enum Status as "ErrorStatus" {
        #[default]
        Unresolved = "unresolved",
        /// It should not come back.
        Resolved = "resolved",
        /// Nobody needs to hear of it.
        Ignored = "ignored",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("s")]
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

/// Events that clients dropped for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, FromRow)]
#[schemars(rename = "DroppedEntity")]
pub struct Dropped {
    /// Why, in the protocol's words.
    pub reason: String,
    /// What they were, in the protocol's words.
    pub category: String,
    /// How many, since the project receives errors.
    pub quantity: i64,
}

/// What SDKs identify themselves with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, FromRow)]
pub struct ClientKey {
    /// Its number.
    pub id: i64,
    #[serde(skip)]
    pub project_id: i64,
    /// Whether it opens anything.
    pub active: bool,
    /// The key.
    pub public_key: String,
}

/// Events that have one cause, as far as can be told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, FromRow)]
#[columns("e")]
pub struct Tracked {
    /// Its number.
    pub id: i64,
    /// Its project.
    pub project_id: i64,
    /// Type of the exception, or that it is a message.
    pub name: String,
    /// Text of the newest event.
    pub description: String,
    /// Where it happens.
    #[serde(rename = "culprit")]
    pub actor: String,
    /// Language or runtime.
    pub platform: String,
    /// How bad the newest event was.
    pub level: String,
    /// What logged it.
    pub logger: String,
    /// What people said of it.
    pub status: Status,
    /// Events so far.
    pub events_count: i64,
    /// People it happened to.
    pub users_count: i64,
    /// Release of the first event.
    #[serde(serialize_with = "unless_blank")]
    #[schemars(with = "Option<String>")]
    pub first_release: String,
    /// Release of the newest event.
    #[serde(serialize_with = "unless_blank")]
    #[schemars(with = "Option<String>")]
    pub last_release: String,
    /// When it was first seen.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub first_seen_at: Timestamp,
    /// When it was last seen.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub last_seen_at: Timestamp,
    /// When it came back after it was resolved.
    #[serde(serialize_with = "wire::optional::serialize")]
    #[schemars(with = "Option<String>")]
    pub regressed_at: Option<Timestamp>,
    /// The release it came back in.
    pub regressed_release: Option<String>,
}

fn unless_blank<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    (!text.is_empty()).then_some(text).serialize(serializer)
}
