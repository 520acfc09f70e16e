//! What the jobs of this room are about; rules enqueue these, and
//! [`crate::jobs`] does the work.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    New,
    Note,
    Closed,
    Reopened,
    Reassigned,
    /// Its text changed; only those newly named are told.
    Edited,
}

/// Why somebody is told, the weightier first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// They did it, and asked to be told of what they do.
    OwnActivity,
    /// They are, or were, assigned.
    Assigned,
    Mentioned,
    Subscribed,
    Participating,
    /// They asked to be told of whatever happens there, or of such things.
    Watching,
}

impl Reason {
    pub fn words(self) -> &'static str {
        match self {
            Reason::OwnActivity => "you asked to be told of what you do",
            Reason::Assigned => "you have been assigned an item",
            Reason::Mentioned => "you have been mentioned",
            Reason::Subscribed => "you have subscribed to it",
            Reason::Participating => "you take part in it",
            Reason::Watching => "of what you want to be told of there",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Its kind, `Issue`.
    pub kind: String,
    pub id: i64,
}

/// What happened.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct News {
    pub event: Event,
    pub about: About,
    pub note: Option<i64>,
    pub actor: Option<i64>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Notify {
    #[serde(flatten)]
    pub news: News,
    /// Who is told in any case, as far as they may know.
    pub direct: Vec<(i64, Reason)>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Tell {
    #[serde(flatten)]
    pub news: News,
    pub user: i64,
    pub reason: Reason,
}
