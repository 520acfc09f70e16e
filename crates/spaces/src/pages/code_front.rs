//! What a room above shows of a project's code, which its first page begins with.

use super::head::SpaceHead;
use super::place::Space;
use futures_util::future::BoxFuture;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use store::Tx;

/// A part of a page.
#[derive(Debug, Default)]
pub struct CodeHtml {
    /// Safe to show.
    pub html: String,
    /// There is code: nobody needs to be told how a project is begun.
    pub is_begun: bool,
}

/// What was read in the transaction of the page, and is shown after it: code is not in
/// the database.
pub trait CodeFront: Send {
    fn html(self: Box<Self>, app: App) -> BoxFuture<'static, Result<CodeHtml>>;
}

/// Reads what is needed of a project whose code the viewer may read, in a fixed number of
/// statements; none where there is nothing to show.
pub type ReadCodeFront =
    fn(&mut Tx<'_>, &Viewer, &Space, &SpaceHead) -> Result<Option<Box<dyn CodeFront>>>;

/// What the room of code plugs in.
#[derive(Debug, Default)]
pub struct CodeFronts(pub Vec<ReadCodeFront>);

/// What is shown of a project's code.
pub(super) fn read(
    tx: &mut Tx<'_>, viewer: &Viewer, space: &Space, head: &SpaceHead,
) -> Result<Option<Box<dyn CodeFront>>> {
    let CodeFronts(all) = tx.plugged()?;
    for read in all.iter().filter(|_| head.has_code) {
        if let Some(front) = read(tx, viewer, space, head)? {
            return Ok(Some(front));
        }
    }
    Ok(None)
}
