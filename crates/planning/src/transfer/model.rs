//! What comes from elsewhere or goes there, with its own numbers, times and people.
//!
//! `P` is who somebody is: a [`Person`] outside, the id of a user here. What nobody is left
//! to answer for has none, and belongs to the ghost user here.

use kernel::time::{Date, Timestamp};
use serde::{Deserialize, Serialize};

/// Somebody as the place where something comes from knows them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Person {
    /// Theirs alone there, for ever; a name where the place has nothing better.
    pub id: String,
    pub username: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Only where the place says that it is theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// What notes and events are about, by the number it has in its project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "number", rename_all = "snake_case")]
pub enum On {
    Issue(i64),
    MergeRequest(i64),
}

/// A label; those of groups come as labels of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    pub name: String,
    /// `#rrggbb`.
    pub color: String,
    pub description: Option<String>,
    pub priority: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Milestone {
    pub number: i64,
    pub title: String,
    pub description: Option<String>,
    #[serde(default)]
    pub is_closed: bool,
    pub start_date: Option<Date>,
    pub due_date: Option<Date>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// An emoji by its name here (`thumbsup`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reaction<P> {
    pub by: Option<P>,
    pub name: String,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>"))]
pub struct Issue<P> {
    pub number: i64,
    pub title: String,
    pub description: Option<String>,
    pub author: Option<P>,
    #[serde(default)]
    pub assignees: Vec<P>,
    #[serde(default)]
    pub is_closed: bool,
    pub closed_at: Option<Timestamp>,
    pub closed_by: Option<P>,
    /// Names of labels; those that are not known are made.
    #[serde(default)]
    pub labels: Vec<String>,
    /// The title of its milestone.
    pub milestone: Option<String>,
    #[serde(default)]
    pub is_confidential: bool,
    #[serde(default)]
    pub is_locked: bool,
    /// `issue`, `incident` or `task`.
    pub issue_type: Option<String>,
    pub weight: Option<i64>,
    pub due_date: Option<Date>,
    /// Seconds.
    #[serde(default)]
    pub time_estimate: i64,
    /// Seconds.
    #[serde(default)]
    pub time_spent: i64,
    #[serde(default)]
    pub links: Vec<IssueLink>,
    #[serde(default)]
    pub reactions: Vec<Reaction<P>>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A link to another issue of the same project, told by that of the higher number alone: the
/// other one is there by then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueLink {
    pub number: i64,
    /// `relates_to`, `blocks` or `is_blocked_by`.
    pub link_type: String,
}

/// A note that stands in no code. Those of one thread share its name and come in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>"))]
pub struct Note<P> {
    pub on: On,
    /// Its own there, among those of its kind.
    pub key: String,
    /// The name of its thread there; alone without one.
    pub thread: Option<String>,
    pub author: Option<P>,
    pub text: String,
    #[serde(default)]
    pub is_internal: bool,
    /// The program there wrote it.
    #[serde(default)]
    pub is_system: bool,
    pub resolved_at: Option<Timestamp>,
    pub resolved_by: Option<P>,
    #[serde(default)]
    pub reactions: Vec<Reaction<P>>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Something that was done with an issue or a merge request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event<P> {
    pub on: On,
    /// Its own there, among events.
    pub key: String,
    pub by: Option<P>,
    pub at: Timestamp,
    pub what: Happening,
}

/// What an event tells. Those with an endpoint of their own become events of it; the others
/// become notes of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Happening {
    Closed,
    Reopened,
    Merged,
    LabelAdded {
        label: String,
    },
    LabelRemoved {
        label: String,
    },
    MilestoneAdded {
        title: String,
    },
    MilestoneRemoved {
        title: String,
    },
    Weight {
        weight: Option<i64>,
    },
    /// Any other, as the note of the program that tells it here.
    Told {
        text: String,
    },
}
