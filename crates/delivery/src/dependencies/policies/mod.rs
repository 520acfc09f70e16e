//! Licence policies: which licences the components of a project may have, or may not. The
//! nearest one counts: that of the project, else of the group above it. [`judge`] says of
//! each pipeline whether what its jobs brought keeps to it, as a commit status.

mod entity;
mod judge;
mod model;
mod rest;
mod rules;
mod store;

pub(crate) use judge::pipeline_ended;

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
}

pub(crate) fn register(registry: &mut kernel::jobs::RegistryBuilder) {
    registry.add::<judge::JudgeLicenses>();
}
