//! REST of the area.

pub mod alerts;
pub mod images;
mod integrations;
mod settings;
mod windows;

use kernel::http::Routes;
use kernel::ids::Reference;

pub(super) fn routes(r: &mut Routes) {
    alerts::routes(r);
    images::routes(r);
    integrations::routes(r);
    settings::routes(r);
    windows::routes(r);
}

kernel::params! {
    pub struct ProjectPath {
        /// The project.
        pub id: Reference,
    }
}
