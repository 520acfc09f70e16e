//! The fields in which a point of a picture is typed.

use super::size::Size;
use crate::positions::{LARGEST, Point, Sent};
use askama::Template;
use askama::filters::HtmlSafe;
use code::pages::parts::diff::is_picture;
use kernel::error::{Error, Result};
use kernel::html::ui;
use kernel::http::params::Text;
use repositories::diffs::FileDiff;

/// Said of numbers that name no point.
const NO_POINT: &str = "The point is not on the picture. Say in whole pixels how far it is from \
    the left and from the top, and how wide and how high the picture is.";

/// Said of a point of something else.
const NO_PICTURE: &str = "Only pictures have points. Reload the page and try again.";

kernel::params! {
    /// A point as it is typed, in pixels; blank where all of the picture is meant.
    #[derive(Default)]
    pub struct PointText {
        /// How far from the left.
        pub x: Text,
        /// How far from the top.
        pub y: Text,
        /// How wide the picture is.
        pub width: Text,
        /// How high it is.
        pub height: Text,
    }
}

impl PointText {
    /// What is sent of a comment on a file, with the point that is typed.
    ///
    /// # Errors
    ///
    /// `Unprocessable` where the file is no picture, or this no point of it.
    pub fn on(&self, file: &FileDiff, sent: Sent) -> Result<Sent> {
        if [&self.x, &self.y].iter().all(|text| text.trim().is_empty()) {
            return Ok(sent);
        }
        if !is_picture(file) {
            return Err(refused(NO_PICTURE));
        }
        let point = self.point().ok_or_else(|| refused(NO_POINT))?;
        let pixels = |pixels: u32| Some(f64::from(pixels));
        Ok(Sent {
            position_type: Some("image".into()),
            width: pixels(point.width),
            height: pixels(point.height),
            x: pixels(point.x),
            y: pixels(point.y),
            ..sent
        })
    }

    fn point(&self) -> Option<Point> {
        let pixels = |text: &Text| {
            let pixels = text.trim().parse::<u32>().ok();
            pixels.filter(|pixels| *pixels <= LARGEST)
        };
        let point = Point {
            width: pixels(&self.width)?,
            height: pixels(&self.height)?,
            x: pixels(&self.x)?,
            y: pixels(&self.y)?,
        };
        let is_picture = point.width > 0 && point.height > 0;
        (is_picture && point.x <= point.width && point.y <= point.height).then_some(point)
    }
}

fn refused(why: &str) -> Error {
    Error::Unprocessable(why.into())
}

/// The fields in the form of a comment.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "ui/point_fields.html")]
pub struct PointFields {
    /// Tells their form from others of the page.
    id: String,
    typed: PointText,
    /// They are of a picture; a script shows them otherwise.
    is_open: bool,
}

impl HtmlSafe for PointFields {}

impl PointFields {
    /// Of no file yet.
    pub fn blank(id: &str) -> PointFields {
        PointFields { id: id.to_owned(), ..PointFields::default() }
    }

    /// Of a file, with what was typed; the size of its picture is filled in.
    pub fn of(file: &FileDiff, id: &str, typed: &PointText, size: Option<Size>) -> PointFields {
        let known = |typed: &Text, known: Option<u32>| match known {
            Some(pixels) if typed.is_empty() => Text(pixels.to_string()),
            _ => typed.clone(),
        };
        let typed = PointText {
            width: known(&typed.width, size.map(|size| size.width)),
            height: known(&typed.height, size.map(|size| size.height)),
            ..typed.clone()
        };
        PointFields { id: id.to_owned(), typed, is_open: is_picture(file) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed([x, y, width, height]: [&str; 4]) -> PointText {
        let text = |text: &str| Text(text.to_owned());
        PointText {
            x: text(x),
            y: text(y),
            width: text(width),
            height: text(height),
        }
    }

    #[test]
    fn points_are_on_the_picture() {
        let point = Point { width: 40, height: 30, x: 40, y: 0 };
        assert_eq!(typed([" 40", "0 ", "40", "30"]).point(), Some(point));
        for wrong in [
            ["41", "0", "40", "30"],
            ["0", "31", "40", "30"],
            ["1", "", "40", "30"],
            ["1", "1", "", "30"],
            ["1.5", "1", "40", "30"],
            ["-1", "1", "40", "30"],
            ["0", "0", "0", "0"],
            ["1", "1", "2147483648", "30"],
            ["x", "1", "40", "30"],
        ] {
            assert_eq!(typed(wrong).point(), None, "{wrong:?}");
        }
    }
}
