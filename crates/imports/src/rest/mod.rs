//! The endpoints of imports and of files of projects.

mod begun;
mod export;
mod import_entity;
mod in_query;
mod people;
mod project;
mod project_file;
mod provider_a;
mod provider_b;
pub(crate) mod record;
mod relations;
pub(crate) mod target;

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    project::routes(r);
    people::routes(r);
    provider_a::routes(r);
    provider_b::routes(r);
    export::routes(r);
    project_file::routes(r);
    relations::routes(r);
}
