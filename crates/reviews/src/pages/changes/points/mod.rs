//! Points of pictures: read from the fields of a form, and drawn over the picture that they
//! are of, with ways to what is said there.

mod fields;
mod size;

pub use fields::{PointFields, PointText};
pub use size::Size;

use crate::positions::Point;
use askama::Template;
use code::pages::parts::diff::{Body, FileView, is_picture};
use kernel::app::App;
use kernel::error::{Error, Result};
use repositories::diffs::{Change, FileDiff};
use repositories::model::Repository;
use repositories::objects;
use std::collections::HashMap;

/// Largest picture that is measured, in bytes.
const LARGEST_PICTURE: u64 = 8 * 1024 * 1024;

/// How large the picture of a file is that shows its points; none where that is not known.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn measure(app: &App, repository: &Repository, file: &FileDiff) -> Result<Option<Size>> {
    if !is_picture(file) {
        return Ok(None);
    }
    let id = match file.change {
        Change::Deleted => file.old_id,
        _ => file.new_id,
    };
    let read = objects::read(app, repository, move |objects| {
        let content = objects.blob(id, LARGEST_PICTURE)?.and_then(|blob| blob.content);
        Ok(content.and_then(|content| Size::of(&content)))
    });
    read.await
}

/// A point with the way to what is said there.
#[derive(Debug)]
struct Marker {
    /// Where it is, in hundredths of the picture.
    left: String,
    top: String,
    url: String,
    words: String,
}

/// The points of the pictures of some files.
#[derive(Debug, Default)]
pub struct Points {
    of: HashMap<usize, Vec<Marker>>,
}

/// What lies over a picture.
#[derive(Template)]
#[template(path = "ui/picture_points.html")]
struct Drawn<'d> {
    id: &'d str,
    path: &'d str,
    markers: Vec<Marker>,
}

impl Points {
    /// Marks a point of one of these files, if that is shown as a picture; hands back what it
    /// is called.
    pub fn mark(
        &mut self, files: &[FileView], at: usize, point: Point, url: String,
    ) -> Option<String> {
        let Body::Pictures(_) = files.get(at)?.body else {
            return None;
        };
        let of = self.of.entry(at).or_default();
        let words = format!("Point {} of the picture", of.len() + 1);
        of.push(Marker {
            left: share(point.x, point.width),
            top: share(point.y, point.height),
            url,
            words: words.clone(),
        });
        Some(words)
    }

    /// Draws them over the pictures of these files.
    pub fn draw(mut self, files: &mut [FileView]) -> Result<()> {
        for (at, file) in files.iter_mut().enumerate() {
            if let Body::Pictures(_) = file.body {
                let markers = self.of.remove(&at).unwrap_or_default();
                let drawn = Drawn { id: &file.id, path: &file.path, markers };
                file.over = drawn.render().map_err(Error::internal)?;
            }
        }
        Ok(())
    }
}

/// A part of a whole in hundredths; clients may send points that are beyond.
fn share(part: u32, whole: u32) -> String {
    let share = 100.0 * f64::from(part) / f64::from(whole.max(1));
    format!("{:.2}%", share.min(100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_stand_at_their_share_and_on_the_picture() {
        for (part, whole, expected) in
            [(0, 40, "0.00%"), (10, 40, "25.00%"), (1, 3, "33.33%"), (41, 40, "100.00%")]
        {
            assert_eq!(share(part, whole), expected, "{part} of {whole}");
        }
        assert_eq!(share(7, 0), "100.00%");
        assert_eq!(share(0, 0), "0.00%");
    }
}
