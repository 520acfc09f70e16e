//! Runners: the programs that run jobs, elsewhere.
//!
//! Start with [`model`]; [`access`] says who manages which. [`waiting`] and [`take`] hand
//! jobs out, [`payload`] is what a runner is given with one, and [`held`] who may speak of
//! it then.

pub mod access;
pub(crate) mod artifacts;
mod entity;
mod environment_url;
mod graph;
mod held;
pub(crate) mod left;
mod masks;
pub mod model;
mod pages;
mod payload;
pub(crate) mod reading;
mod reasons;
mod related;
mod rest;
pub mod rules;
pub mod settings;
pub mod store;
mod sweep;
mod take;
mod trace;
mod waiting;

use ::store::Tx;
use kernel::error::Result;

pub(crate) use entity::{RunnerEntity, RunnerProject};
pub(crate) use graph::graph;
pub use held::of_token;
pub(crate) use reasons::{PendingReason, why};
pub(crate) use related::Related;
pub use sweep::{CONTENTS, project_destroying};

/// Takes away what a job wrote and brought.
pub(crate) fn erase(tx: &mut Tx<'_>, job_id: i64) -> Result<()> {
    store::traces::erase(tx, job_id)?;
    match store::artifacts::delete_of_job(tx, job_id)? {
        true => spaces::hooks::blobs_unnamed(tx),
        false => Ok(()),
    }
}

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}

pub(crate) fn register(registry: &mut kernel::jobs::RegistryBuilder) {
    sweep::jobs(registry);
}
