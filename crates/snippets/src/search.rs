//! Which snippets somebody finds: those that they see.

use crate::access::visible;
use crate::store::{SNIPPETS, TABLES};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::search::Found;
use spaces::search::Place;

/// Snippets of a place: of people where that is everywhere.
pub fn snippets(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Found {
    let mut seen = visible(tx, viewer);
    if !matches!(place, Place::Everywhere) {
        seen.raw(" and snippets.project_id is not null and ").append(place.holds());
    }
    Found::new(&SNIPPETS, TABLES, seen)
}
