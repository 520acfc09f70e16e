//! Advisories: what is known to be wrong with packages, as files say it that administrators
//! bring. Nothing is fetched.
//!
//! [`load`] reads such files (OSV), [`matching`] finds the dependencies that they are about
//! whenever advisories or lists change, and [`of`] says what is known of some dependencies.

mod entity;
mod load;
mod matching;
mod model;
mod rest;
mod rules;
mod store;

pub use matching::list_changed;
pub use model::Vulnerability;
pub use store::matches::{findings, of};

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
}

pub(crate) fn register(registry: &mut kernel::jobs::RegistryBuilder) {
    registry.add::<load::LoadAdvisories>();
    registry.add::<matching::MatchList>();
    registry.add::<matching::MatchAll>();
}
