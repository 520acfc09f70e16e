//! What clients send as a position, checked as far as that goes without the files.

use super::entity::{PositionType, counters};
use super::{LARGEST, Point, Refusal, Shas};
use repositories::formats::object_id::ObjectId;
use repositories::objects::Path;

kernel::params! {
    /// Where in what differs a note stands. Numbers may be sent as text. Instead of all of
    /// it, `path`, `line` and `side` name a line of the newest version.
    #[derive(Default)]
    pub struct Sent {
        /// The commit that both sides have.
        pub base_sha: Option<String>,
        /// Where the target branch was.
        pub start_sha: Option<String>,
        /// Where the source was.
        pub head_sha: Option<String>,
        /// `text`, `image` or `file`.
        pub position_type: Option<String>,
        /// Path of the file on the old side.
        pub old_path: Option<String>,
        /// Path of the file on the new side.
        pub new_path: Option<String>,
        /// Number of the line on the old side.
        pub old_line: Option<i64>,
        /// Number of the line on the new side.
        pub new_line: Option<i64>,
        /// The first and the last of several lines.
        pub line_range: Option<SentRange>,
        /// How wide an image is.
        pub width: Option<f64>,
        /// How high an image is.
        pub height: Option<f64>,
        /// How far from the left of an image.
        pub x: Option<f64>,
        /// How far from the top of an image.
        pub y: Option<f64>,
        /// Path of the file, where nothing else is said of it.
        pub path: Option<String>,
        /// Number of the line on its side, likewise.
        pub line: Option<i64>,
        /// `new` or `old`: of which side the line is; the new one unless sent.
        pub side: Option<String>,
    }
}

kernel::params! {
    /// Lines that follow one another.
    pub struct SentRange {
        pub start: Option<SentEnd>,
        pub end: Option<SentEnd>,
    }
}

kernel::params! {
    /// The first or the last of some lines.
    pub struct SentEnd {
        /// The name of the line.
        pub line_code: Option<String>,
        /// `new` of an added line, `old` of a removed one.
        pub kind as "type": Option<String>,
        pub old_line: Option<i64>,
        pub new_line: Option<i64>,
    }
}

/// The numbers of a line, as far as they were sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Numbers {
    pub old: Option<u32>,
    pub new: Option<u32>,
}

/// Where a note shall stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub shas: Shas,
    pub paths: WantedPaths,
    pub spot: WantedSpot,
}

/// One path at least.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WantedPaths {
    Both { old: String, new: String },
    Old(String),
    New(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WantedSpot {
    Text {
        numbers: Numbers,
        /// The first of several lines.
        start: Option<Numbers>,
    },
    Image(Point),
    File,
}

impl Sent {
    /// Reads what was sent; `current` is the newest version.
    pub(crate) fn wanted(&self, current: Shas) -> Result<Wanted, Refusal> {
        if let Some(path) = given(&self.path) {
            return self.brief(path, current);
        }
        let shas = Shas {
            base: sha(&self.base_sha)?,
            start: sha(&self.start_sha)?,
            head: sha(&self.head_sha)?,
        };
        let kind = given(&self.position_type).ok_or(Refusal::Incomplete)?;
        let kind = PositionType::from_text(kind).ok_or(Refusal::Incomplete)?;
        let paths = match (given(&self.old_path), given(&self.new_path)) {
            (Some(old), Some(new)) => WantedPaths::Both { old: path(old)?, new: path(new)? },
            (Some(old), None) => WantedPaths::Old(path(old)?),
            (None, Some(new)) => WantedPaths::New(path(new)?),
            (None, None) => return Err(Refusal::Incomplete),
        };
        let spot = match kind {
            PositionType::Text => self.text()?,
            PositionType::Image => WantedSpot::Image(self.point()?),
            PositionType::File => WantedSpot::File,
        };
        Ok(Wanted { shas, paths, spot })
    }

    /// A line of the newest version, by its path, number and side.
    fn brief(&self, of: &str, current: Shas) -> Result<Wanted, Refusal> {
        let line = number(self.line)?;
        let (paths, numbers) = match given(&self.side) {
            None | Some("new") => (WantedPaths::New(path(of)?), Numbers { old: None, new: line }),
            Some("old") => (WantedPaths::Old(path(of)?), Numbers { old: line, new: None }),
            Some(_) => return Err(Refusal::Incomplete),
        };
        let spot = match line {
            Some(_) => WantedSpot::Text { numbers, start: None },
            None => WantedSpot::File,
        };
        Ok(Wanted { shas: current, paths, spot })
    }

    fn text(&self) -> Result<WantedSpot, Refusal> {
        let numbers = Numbers { old: number(self.old_line)?, new: number(self.new_line)? };
        if numbers == Numbers::default() {
            return Err(Refusal::Incomplete);
        }
        let start = match &self.line_range {
            Some(range) => range.start()?,
            None => None,
        };
        Ok(WantedSpot::Text { numbers, start })
    }

    fn point(&self) -> Result<Point, Refusal> {
        let pixels = |sent: Option<f64>| {
            let sent = sent.ok_or(Refusal::Incomplete)?.round();
            match (0.0..=f64::from(LARGEST)).contains(&sent) {
                // Whole and in bounds.
                true => Ok(sent as u32),
                false => Err(Refusal::NoLine),
            }
        };
        Ok(Point {
            width: pixels(self.width)?,
            height: pixels(self.height)?,
            x: pixels(self.x)?,
            y: pixels(self.y)?,
        })
    }
}

impl SentRange {
    /// Where it begins, if that is said; it ends with the line of the position. The names
    /// of both ends have to be of one file.
    fn start(&self) -> Result<Option<Numbers>, Refusal> {
        let Some(start) = &self.start else { return Ok(None) };
        let file = |end: &SentEnd| {
            let code = given(&end.line_code).filter(|code| counters(code).is_some());
            code.and_then(|code| code.split('_').next()).map(str::to_owned)
        };
        let end = self.end.as_ref().and_then(file);
        let is_torn = file(start).zip(end).is_some_and(|(start, end)| start != end);
        let numbers = start.numbers()?;
        match is_torn || numbers == Numbers::default() {
            true => Err(Refusal::NoLine),
            false => Ok(Some(numbers)),
        }
    }
}

impl SentEnd {
    /// Its numbers, or those that its name has.
    fn numbers(&self) -> Result<Numbers, Refusal> {
        let numbers = Numbers { old: number(self.old_line)?, new: number(self.new_line)? };
        if numbers != Numbers::default() {
            return Ok(numbers);
        }
        let counters = given(&self.line_code).and_then(counters);
        let Some((old, new)) = counters else { return Ok(numbers) };
        // The counter of the side where it is not may be 0.
        let (old, new) = (Some(i64::from(old)), Some(i64::from(new)));
        Ok(match given(&self.kind) {
            Some("new") => Numbers { old: None, new: number(new)? },
            Some("old") => Numbers { old: number(old)?, new: None },
            _ => Numbers { old: number(old)?, new: number(new)? },
        })
    }
}

fn given(text: &Option<String>) -> Option<&str> {
    text.as_deref().filter(|text| !text.is_empty())
}

fn sha(text: &Option<String>) -> Result<ObjectId, Refusal> {
    let text = given(text).ok_or(Refusal::Incomplete)?;
    text.parse().map_err(|_| Refusal::NoLine)
}

fn path(text: &str) -> Result<String, Refusal> {
    Path::read(text).map(|path| path.to_string()).map_err(|_| Refusal::NoLine)
}

/// A number of a line, from 1 on.
fn number(sent: Option<i64>) -> Result<Option<u32>, Refusal> {
    let number = |sent: i64| {
        let number = u32::try_from(sent).map_err(|_| Refusal::NoLine)?;
        match (1..=LARGEST).contains(&number) {
            true => Ok(number),
            false => Err(Refusal::NoLine),
        }
    };
    sent.map(number).transpose()
}

#[cfg(test)]
#[path = "sent_tests.rs"]
mod tests;
