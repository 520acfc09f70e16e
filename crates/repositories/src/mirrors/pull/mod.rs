//! Pull mirrors: the code of a project follows a repository elsewhere, by a job ([`jobs`])
//! every half an hour and when it is asked for, or begins with it once, which is an import.
//!
//! Git lists what is there and fetches what differs into a repository of its own
//! ([`fetching`]); that goes the way of a push ([`following`]), which moves the refs. Imports
//! of whole projects take more from there than a mirror does ([`whole`]).

mod entity;
mod fetching;
mod following;
mod jobs;
mod limits;
mod mail;
mod model;
mod numbered;
mod plan;
mod rest;
pub mod rules;
mod settings;
mod store;
pub mod switch;
mod tasks;
pub mod whole;

pub use limits::PullLimits;
pub use model::{PullMirror, PullMirrorInput};
pub use settings::MIRROR_SETTINGS;
pub use store::of_project;
pub use tasks::FollowDue;

use super::server::Seals;

/// What is sealed of pull mirrors.
const SEALS: Seals = Seals {
    credentials: "pull_mirrors.sealed_credentials",
    key: "pull_mirrors.sealed_key",
};
/// How often it is looked for those that are due, in seconds.
const EVERY: i64 = 60;

pub(super) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
}

pub(super) fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    registry.add::<tasks::FollowUpstream>();
    registry.add::<tasks::TellOfMirror>();
    registry.add_periodic::<FollowDue>(EVERY);
}
