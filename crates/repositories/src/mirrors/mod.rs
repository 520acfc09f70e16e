//! Push mirrors: repositories elsewhere that follow the code of a project. Each push has
//! them follow by a job ([`jobs`]), which has git push there ([`pushing`]), at most once
//! a minute each.
//!
//! What proves who pushes is stored sealed and given to git in its environment or in a
//! file, never as an argument, which others on the machine would see. The address is
//! tested as those of all calls are, and git is held to what it resolved to ([`remote`]).

mod address;
mod entity;
mod failure;
mod jobs;
mod keys;
mod model;
mod plan;
mod pushing;
mod remote;
mod rest;
pub mod rules;
mod store;

pub use model::{AuthMethod, MirrorInput, RemoteMirror, UpdateStatus};
pub use store::of_project;

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
}

pub(crate) fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    registry.add::<jobs::PushMirror>();
}
