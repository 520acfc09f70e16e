//! Reports: what the jobs of a pipeline say of tests, and of how much they tried.
//!
//! [`junit`] reads what runners bring; [`read`] puts it together for a pipeline.

mod coverage;
mod junit;
mod read;
mod rest;

pub(crate) use coverage::wanted as coverage_wanted;
pub(crate) use junit::{Case, Outcome};
pub(crate) use read::{Suite, brought, suites};
pub(crate) use rest::routes;

pub(crate) fn register(registry: &mut kernel::jobs::RegistryBuilder) {
    coverage::jobs(registry);
}
