//! REST of the area.

mod dropped;
mod errors;
mod keys;
mod settings;

use kernel::http::Routes;
use kernel::ids::Reference;

pub(super) fn routes(r: &mut Routes) {
    settings::routes(r);
    keys::routes(r);
    errors::routes(r);
    dropped::routes(r);
}

kernel::params! {
    pub struct ProjectPath {
        /// The project.
        pub id: Reference,
    }
}
