//! The management API (docs/interface/packages.md 1).

mod cleanup;
mod files;
mod lists;
mod packages;
mod plan_limits;
mod protection;
mod settings;

use kernel::http::Routes;

/// Scopes that read the registry.
pub const READ: &[&str] = &[
    "api",
    "read_api",
    "read_package_registry",
    "write_package_registry",
];
/// Scopes that change it.
pub const WRITE: &[&str] = &["api", "write_package_registry"];

/// The routes of the management API.
pub fn routes(r: &mut Routes) {
    lists::routes(r);
    packages::routes(r);
    files::routes(r);
    protection::routes(r);
    cleanup::routes(r);
    plan_limits::routes(r);
    settings::routes(r);
}

kernel::choices! {
    /// Direction of a list.
    pub enum Sort { Asc = "asc", Desc = "desc" }
}
