//! Where in what differs a note stands: lines of a file, a point of an image, or a file as
//! a whole (docs/interface/merge-requests.md 5.2).
//!
//! [`sent`] reads what clients send, [`placing`] finds it in what differs, [`following`]
//! brings it to another version by the pure rules of [`trace`] over the [`edits`] of files;
//! [`target`] tells the changes of the target branch from those of a version.

pub mod edits;
mod entity;
mod files;
pub mod following;
pub mod placing;
mod refusal;
pub mod sent;
pub mod target;
pub mod trace;

pub use edits::{Edits, Kind, Line};
pub use entity::{PositionEntity, PositionType};
pub use following::{Followed, follow};
pub use placing::{Placed, place, place_between, place_shown, unchanged};
pub use refusal::Refusal;
pub use sent::Sent;

use repositories::formats::object_id::ObjectId;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};
use std::borrow::Cow;

/// Most lines that one note is about.
pub const MOST_LINES: u32 = 10_000;
/// Largest number of a line, and of a point of an image.
pub const LARGEST: u32 = 0x7fff_ffff;

/// The commits between which something differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shas {
    /// The last commit that both sides have.
    pub base: ObjectId,
    /// Where the target branch was.
    pub start: ObjectId,
    /// Where the source was.
    pub head: ObjectId,
}

impl Shas {
    /// Whether the same differs between both.
    pub fn is_same_range(self, other: Shas) -> bool {
        (self.base, self.head) == (other.base, other.head)
    }
}

/// The paths of a file on both sides; where it is on one only, the same twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Paths {
    pub old: String,
    pub new: String,
}

/// Lines that follow one another, both ends among them; the last one is that of the
/// position itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    pub start: Line,
    pub end: Line,
}

/// A point of an image, and how large the image is, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    pub width: u32,
    pub height: u32,
    pub x: u32,
    pub y: u32,
}

/// Where in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    Text {
        line: Line,
        /// More lines than one.
        lines: Option<Lines>,
    },
    Image(Point),
    /// All of it.
    File,
}

/// Where a note stands. Written as JSON it is what clients see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "PositionEntity", try_from = "PositionEntity")]
pub struct Position {
    pub shas: Shas,
    pub paths: Paths,
    pub spot: Spot,
}

impl Position {
    pub fn shas(&self) -> Shas {
        self.shas
    }

    /// The path that the file is named by: the new one.
    pub fn path(&self) -> &str {
        &self.paths.new
    }

    /// The line, of a position in text.
    pub fn line(&self) -> Option<Line> {
        match self.spot {
            Spot::Text { line, .. } => Some(line),
            Spot::Image(_) | Spot::File => None,
        }
    }

    /// The name of the line, of a position in text.
    pub fn line_code(&self) -> Option<String> {
        self.line().map(|line| line_code(self.path(), line))
    }

    /// The position as it is stored: what clients see, and the name of its line.
    pub fn to_json(&self) -> String {
        let entity = PositionEntity { line_code: self.line_code(), ..self.clone().into() };
        serde_json::to_string(&entity).unwrap_or_default()
    }

    /// A position that was stored so; none of another text.
    pub fn from_json(text: &str) -> Option<Position> {
        serde_json::from_str(text).ok()
    }
}

impl JsonSchema for Position {
    fn schema_name() -> Cow<'static, str> {
        PositionEntity::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        PositionEntity::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        PositionEntity::json_schema(generator)
    }
}

/// The name of a line of a file: a digest of the path, and both counters.
pub fn line_code(path: &str, line: Line) -> String {
    format!("{}_{}_{}", hex::encode(Sha1::digest(path.as_bytes())), line.old, line.new)
}

#[cfg(test)]
mod tests;
