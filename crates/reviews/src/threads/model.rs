//! Rows of threads and of draft notes.

use crate::positions::{Placed, Position, Shas};
use crate::suggestions::Around;
use kernel::time::Timestamp;
use serde_json::Value;
use store::{FromRow, Json};

/// Most draft notes that somebody has about one merge request.
pub const MOST_DRAFTS: i64 = 200;

/// Where a thread stands that stands in code.
#[derive(Debug, Clone, FromRow)]
#[columns("review_threads")]
pub struct Thread {
    pub id: i64,
    pub discussion_id: String,
    pub merge_request_id: i64,
    pub position: Json<Value>,
    pub commit_id: Option<String>,
    pub is_outdated: bool,
}

/// Where a thread stands, as much as is told of all of them.
#[derive(Debug, Clone, FromRow)]
pub struct ThreadPlace {
    pub discussion_id: String,
    pub line_code: Option<String>,
    /// The path of its file, where it is about no line.
    pub path: Option<String>,
    pub is_outdated: bool,
    /// It is not resolved.
    pub is_open: bool,
}

/// Where a thread stands, and where it stood at first.
#[derive(Debug, Clone, FromRow)]
#[columns("review_threads")]
pub struct Standing {
    pub discussion_id: String,
    pub original_position: Json<Value>,
    pub position: Json<Value>,
    pub is_outdated: bool,
}

/// A note that its author alone sees until it is published.
#[derive(Debug, Clone, FromRow)]
#[columns("draft_notes")]
pub struct Draft {
    pub id: i64,
    pub merge_request_id: i64,
    pub author_id: i64,
    /// What it answers.
    pub discussion_id: Option<String>,
    /// Whether it resolves that when it is published.
    pub resolves_discussion: bool,
    pub body: String,
    pub original_position: Option<Json<Value>>,
    pub position: Option<Json<Value>>,
    pub change_position: Option<Json<Value>>,
    pub line_code: Option<String>,
    pub commit_id: Option<String>,
    pub around_from: Option<i64>,
    pub around_text: Option<String>,
    pub created_at: Timestamp,
}

/// Positions as they are stored.
#[derive(Debug, Clone)]
pub struct Stored {
    pub original: Json<Value>,
    pub position: Json<Value>,
    pub change: Option<Json<Value>>,
    pub line_code: Option<String>,
    /// The lines around it, which suggestions replace.
    pub around: Option<Around>,
}

impl Stored {
    pub fn of(placed: &Placed) -> Stored {
        Stored {
            original: written(&placed.original),
            position: written(&placed.position),
            change: placed.change.as_ref().map(written),
            line_code: placed.position.line_code(),
            around: placed.around.clone(),
        }
    }

    /// The number of the first line around it, as it is stored.
    pub fn around_from(&self) -> Option<i64> {
        self.around.as_ref().map(|around| i64::from(around.from_line))
    }

    /// Likewise the lines.
    pub fn around_text(&self) -> Option<&str> {
        self.around.as_ref().map(|around| around.text.as_str())
    }

    /// Where it is now.
    pub fn now(&self) -> Option<Position> {
        read(&self.position)
    }
}

impl Draft {
    /// Where it stands, if it stands in code.
    pub fn stored(&self) -> Option<Stored> {
        Some(Stored {
            original: self.original_position.clone()?,
            position: self.position.clone()?,
            change: self.change_position.clone(),
            line_code: self.line_code.clone(),
            around: Around::stored(self.around_from, self.around_text.clone()),
        })
    }
}

/// A position as it is stored.
pub fn written(position: &Position) -> Json<Value> {
    Json(serde_json::from_str(&position.to_json()).unwrap_or_default())
}

/// A position that was stored so.
pub fn read(stored: &Json<Value>) -> Option<Position> {
    serde_json::from_value(stored.0.clone()).ok()
}

/// A position that was stored so, as clients see it.
pub fn shown(stored: &Json<Value>) -> Value {
    let entity = read(stored).and_then(|position| serde_json::to_value(position).ok());
    entity.unwrap_or_default()
}

/// Whether what stands there is not between these commits.
pub fn is_outdated(stored: &Json<Value>, now: Shas) -> bool {
    !read(stored).is_some_and(|position| position.shas().is_same_range(now))
}
