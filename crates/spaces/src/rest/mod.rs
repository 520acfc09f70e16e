//! The REST interface of this room, by resource.

mod associations;
mod deploy_tokens;
mod groups;
mod invitations;
mod members;
mod memberships;
mod namespaces;
mod projects;
mod requests;
mod shares;
mod tokens;
mod transfers;

use kernel::http::Routes;

/// Registers all of it.
pub fn routes(r: &mut Routes) {
    groups::routes(r);
    projects::routes(r);
    namespaces::routes(r);
    members::routes(r);
    memberships::routes(r);
    requests::routes(r);
    invitations::routes(r);
    deploy_tokens::routes(r);
    shares::routes(r);
    tokens::routes(r);
    associations::routes(r);
    transfers::routes(r);
}

kernel::choices! {
    /// Direction of a list.
    pub enum Sort { Asc = "asc", Desc = "desc" }
}
