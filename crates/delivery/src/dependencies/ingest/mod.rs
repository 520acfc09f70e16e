//! What jobs and people say of dependencies is read and becomes the list of a project.
//!
//! [`boms`] opens what they brought, [`rows`] makes rows of it, and [`pipelines`] and
//! [`uploads`] are the jobs that write them.

pub mod boms;
mod cleaning;
mod pipelines;
mod recording;
mod rows;
pub mod uploads;

pub use boms::{PipelineBoms, boms_of_pipeline};
pub use cleaning::DropLists;
pub(crate) use pipelines::ended;

use kernel::jobs::RegistryBuilder;

pub(crate) fn register(registry: &mut RegistryBuilder) {
    registry.add::<pipelines::ReadReports>();
    registry.add::<uploads::ReadUpload>();
    cleaning::register(registry);
}
