//! Push rules: what the commits, files and names of a push must be like, whether it comes
//! by git, REST or a page. [`check`] asks that of each, [`model`] is what can be asked.
//!
//! A project has its own; it begins with that of the nearest group above, or of the
//! instance.

mod check;
mod commits;
mod files;
mod model;
mod rest;
mod store;

pub(crate) use check::check;
pub use store::{project_created, require_signatures};

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
}
