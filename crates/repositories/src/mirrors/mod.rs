//! Mirrors: [`push`] has repositories elsewhere follow the code of a project, [`pull`] has
//! the code of a project follow a repository elsewhere, or brings it once.
//!
//! What proves who asks there is stored sealed and given to git in its environment or in a
//! file, never as an argument, which others on the machine would see ([`server`]). The
//! address is tested as those of all calls are, and git is held to what it resolved to
//! ([`remote`]).

pub mod address;
pub(crate) mod failure;
mod keys;
mod model;
pub mod pull;
pub mod push;
mod remote;
mod scope;
mod server;
mod turns;

pub use model::{AuthMethod, UpdateStatus};
pub use server::{Server, check_address};

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    push::routes(r);
    pull::routes(r);
}

pub(crate) fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    push::jobs(registry);
    pull::jobs(registry);
}
