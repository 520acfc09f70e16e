//! The REST interface of this room, by resource.

mod awards;
mod issues;
mod labels;
mod markdown;
mod milestones;
mod notes;
mod todos;

use kernel::http::Routes;

/// Registers all of it.
pub fn routes(r: &mut Routes) {
    issues::routes(r);
    labels::routes(r);
    milestones::routes(r);
    notes::routes(r);
    awards::routes(r);
    todos::routes(r);
    markdown::routes(r);
}
