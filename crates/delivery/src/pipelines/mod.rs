//! Pipelines and their jobs: how they come to be, and how they go on.
//!
//! [`create`] makes one for a commit. What moves a job is a function of [`jobs`]; nothing
//! else writes a status. [`status`] says what may follow what, and [`decide`] which jobs
//! of a pipeline go on.

pub mod access;
mod background;
pub mod begun_by;
pub mod ci_settings;
pub mod create;
pub mod decide;
pub mod definition;
pub(crate) mod entity;
mod files;
pub(crate) mod graph;
mod hooks;
pub mod jobs;
pub mod model;
pub mod pages;
mod paths;
pub mod predefined;
pub(crate) mod process;
mod redundant;
pub mod requests;
pub(crate) mod rest;
pub mod rules;
pub mod settings;
mod settings_page;
pub mod status;
pub mod store;
mod tasks;
pub mod variables;

pub use entity::{PipelineBasic, PipelineEntity, pipeline as shown_pipeline};
pub(crate) use graph::graph;
pub use graph::{PipelineView, Pipelines};
pub use hooks::{
    Hooks, OF_PACKAGES, RequestLink, is_being_made, of_commits, pushed, skips_jobs, wants_pipelines,
};
pub use pages::look;
pub(crate) use process::may_start;

use ::store::Tx;
use kernel::error::{Found, Result};
use kernel::jobs::RegistryBuilder;
use model::Job;

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
    settings_page::routes(r);
}

pub fn register(registry: &mut RegistryBuilder) {
    background::jobs(registry);
}

/// A job as it is after what was done to it.
fn read_again(tx: &mut Tx<'_>, job: Job) -> Result<Job> {
    store::jobs::by_id(tx, job.id)?.found("Job")
}
