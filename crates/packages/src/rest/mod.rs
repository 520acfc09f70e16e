//! The management API (docs/interface/packages.md 1).

mod cleanup;
mod files;
mod lists;
mod packages;
mod protection;
mod settings;

use kernel::http::Routes;

pub fn routes(r: &mut Routes) {
    lists::routes(r);
    packages::routes(r);
    files::routes(r);
    protection::routes(r);
    cleanup::routes(r);
    settings::routes(r);
}

kernel::choices! {
    pub enum Sort { Asc = "asc", Desc = "desc" }
}
