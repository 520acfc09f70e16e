//! Push mirrors: repositories elsewhere that follow the code of a project. Each push has
//! them follow by a job ([`jobs`]), which has git push there ([`pushing`]), at most once a
//! minute each.

mod entity;
mod jobs;
mod model;
mod plan;
mod pushing;
mod rejected;
mod rest;
pub mod rules;
mod store;
mod tasks;

pub use model::{MirrorInput, RemoteMirror};
pub use store::of_project;

use super::server::Seals;

/// What is sealed of push mirrors.
const SEALS: Seals = Seals {
    credentials: "remote_mirrors.sealed_credentials",
    key: "remote_mirrors.sealed_key",
};

pub(super) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
}

pub(super) fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    registry.add::<tasks::PushMirror>();
}
