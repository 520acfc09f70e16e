//! A position as clients see it, in wire order, and as it is stored.

use super::edits::{Kind, Line};
use super::{Lines, Paths, Point, Position, Refusal, Shas, Spot, line_code};
use repositories::formats::object_id::ObjectId;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

kernel::choices! {
    /// What of a file.
    pub enum PositionType as "DiffPositionType" {
        Text = "text",
        Image = "image",
        File = "file",
    }
}

/// Where in what differs something stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DiffPosition")]
pub struct PositionEntity {
    pub base_sha: Option<String>,
    pub start_sha: Option<String>,
    pub head_sha: Option<String>,
    pub old_path: Option<String>,
    pub new_path: Option<String>,
    #[serde(deserialize_with = "position_type")]
    pub position_type: PositionType,
    /// Of text: its number on the old side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_line: Option<Option<u32>>,
    /// Of text: its number on the new side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_line: Option<Option<u32>>,
    /// Of text: where several lines begin and end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_range: Option<Option<RangeEntity>>,
    /// Of an image: how wide it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Of an image: how far from its left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<u32>,
    /// The name of the line, where it is stored alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(super) line_code: Option<String>,
}

/// Lines that follow one another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DiffLineRange")]
pub struct RangeEntity {
    pub start: EndEntity,
    pub end: EndEntity,
}

/// The first or the last of some lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DiffLineRangeEnd")]
pub struct EndEntity {
    pub line_code: String,
    /// `new` of an added line, `old` of a removed one.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub old_line: Option<u32>,
    pub new_line: Option<u32>,
}

fn position_type<'de, D: Deserializer<'de>>(from: D) -> Result<PositionType, D::Error> {
    let text = String::deserialize(from)?;
    PositionType::from_text(&text).ok_or_else(|| D::Error::custom("no type of a position"))
}

impl PositionEntity {
    /// What is shown of a note that stands nowhere, where clients want a position.
    pub fn nowhere() -> PositionEntity {
        PositionEntity {
            old_line: Some(None),
            new_line: Some(None),
            line_range: Some(None),
            ..PositionEntity::empty(PositionType::Text)
        }
    }

    fn empty(position_type: PositionType) -> PositionEntity {
        PositionEntity {
            base_sha: None,
            start_sha: None,
            head_sha: None,
            old_path: None,
            new_path: None,
            position_type,
            old_line: None,
            new_line: None,
            line_range: None,
            width: None,
            height: None,
            x: None,
            y: None,
            line_code: None,
        }
    }
}

fn end(path: &str, line: Line) -> EndEntity {
    let kind = match line.kind {
        Kind::Added => Some("new".to_owned()),
        Kind::Removed => Some("old".to_owned()),
        Kind::Same => None,
    };
    EndEntity {
        line_code: line_code(path, line),
        kind,
        old_line: line.old_line(),
        new_line: line.new_line(),
    }
}

impl From<Position> for PositionEntity {
    fn from(position: Position) -> PositionEntity {
        let Position { shas, paths, spot } = position;
        let spotted = match spot {
            Spot::Text { line, lines } => PositionEntity {
                old_line: Some(line.old_line()),
                new_line: Some(line.new_line()),
                line_range: Some(lines.map(|lines| RangeEntity {
                    start: end(&paths.new, lines.start),
                    end: end(&paths.new, lines.end),
                })),
                ..PositionEntity::empty(PositionType::Text)
            },
            Spot::Image(Point { width, height, x, y }) => PositionEntity {
                width: Some(width),
                height: Some(height),
                x: Some(x),
                y: Some(y),
                ..PositionEntity::empty(PositionType::Image)
            },
            Spot::File => PositionEntity::empty(PositionType::File),
        };
        PositionEntity {
            base_sha: Some(shas.base.to_string()),
            start_sha: Some(shas.start.to_string()),
            head_sha: Some(shas.head.to_string()),
            old_path: Some(paths.old),
            new_path: Some(paths.new),
            ..spotted
        }
    }
}

impl TryFrom<PositionEntity> for Position {
    type Error = Refusal;

    fn try_from(entity: PositionEntity) -> Result<Position, Refusal> {
        let sha = |text: &Option<String>| -> Result<ObjectId, Refusal> {
            let text = text.as_deref().ok_or(Refusal::Incomplete)?;
            text.parse().map_err(|_| Refusal::NoLine)
        };
        let shas = Shas {
            base: sha(&entity.base_sha)?,
            start: sha(&entity.start_sha)?,
            head: sha(&entity.head_sha)?,
        };
        let spot = spot(&entity)?;
        let (Some(old), Some(new)) = (entity.old_path, entity.new_path) else {
            return Err(Refusal::Incomplete);
        };
        Ok(Position { shas, paths: Paths { old, new }, spot })
    }
}

fn spot(entity: &PositionEntity) -> Result<Spot, Refusal> {
    match entity.position_type {
        PositionType::Text => {
            let numbers = (entity.old_line.flatten(), entity.new_line.flatten());
            let line = line(numbers, entity.line_code.as_deref()).ok_or(Refusal::Incomplete)?;
            let range = entity.line_range.as_ref().and_then(Option::as_ref);
            let lines = range.map(lines).transpose()?;
            Ok(Spot::Text { line, lines })
        }
        PositionType::Image => match (entity.width, entity.height, entity.x, entity.y) {
            (Some(width), Some(height), Some(x), Some(y)) => {
                Ok(Spot::Image(Point { width, height, x, y }))
            }
            _ => Err(Refusal::Incomplete),
        },
        PositionType::File => Ok(Spot::File),
    }
}

fn lines(range: &RangeEntity) -> Result<Lines, Refusal> {
    let line = |end: &EndEntity| {
        let numbers = (end.old_line, end.new_line);
        line(numbers, Some(&end.line_code)).ok_or(Refusal::Incomplete)
    };
    Ok(Lines { start: line(&range.start)?, end: line(&range.end)? })
}

/// The line of these numbers; its name has the counter of the side where it is not.
fn line(numbers: (Option<u32>, Option<u32>), code: Option<&str>) -> Option<Line> {
    let counters = code.and_then(counters);
    Some(match numbers {
        (None, None) => return None,
        (Some(old), Some(new)) => Line { kind: Kind::Same, old, new },
        (None, Some(new)) => Line {
            kind: Kind::Added,
            old: counters.map_or(new, |(old, _)| old),
            new,
        },
        (Some(old), None) => Line {
            kind: Kind::Removed,
            old,
            new: counters.map_or(old, |(_, new)| new),
        },
    })
}

/// The counters at the end of the name of a line.
pub(super) fn counters(code: &str) -> Option<(u32, u32)> {
    let (rest, new) = code.rsplit_once('_')?;
    let (_, old) = rest.rsplit_once('_')?;
    Some((old.parse().ok()?, new.parse().ok()?))
}
