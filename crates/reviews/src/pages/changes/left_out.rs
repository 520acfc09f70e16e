//! Says of files that hunks are left out which came with the target branch.

use super::listing::Listing;
use askama::Template;
use code::pages::parts::diff::{Body, FileView};
use kernel::error::{Error, Result};

#[derive(Template)]
#[template(path = "ui/left_out.html")]
struct LeftOut<'l> {
    /// Where all of the file is shown.
    alone: &'l str,
}

/// Says it of those of these files that lack some.
pub fn tell(files: &mut [FileView], listing: &Listing) -> Result<()> {
    let is_cut =
        |file: &&mut FileView| listing.is_cut(&file.id) && matches!(file.body, Body::Lines(..));
    for file in files.iter_mut().filter(is_cut) {
        let html = LeftOut { alone: &file.alone }.render().map_err(Error::internal)?;
        file.foot.push_str(&html);
        // Lines between hunks have other numbers before what is left out than behind it.
        file.lines_at = None;
    }
    Ok(())
}
