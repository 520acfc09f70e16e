//! The REST interface of this room, by resource.

mod issues;
mod labels;
mod milestones;

use kernel::http::Routes;

/// Registers all of it.
pub fn routes(r: &mut Routes) {
    issues::routes(r);
    labels::routes(r);
    milestones::routes(r);
}
