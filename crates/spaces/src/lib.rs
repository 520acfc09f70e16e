//! Groups, user namespaces, projects, members and shares, and the one answer
//! to «may this viewer do that here».
//!
//! Tables: `namespaces`, `projects`, `members`, `invitations`, `shares`,
//! `project_redirects`, `stars` (migration 0003), `uploads` (0053),
//! `activity_events` (0062). Jobs:
//! `spaces.destroy_project`, `spaces.destroy_group`, `spaces.expire_members`,
//! `spaces.end_bots`, `spaces.send_invitation`, `spaces.tell_of_request`.
//! Settings: `plan_limits`. Rooms above plug into [`hooks`]. Start with [`access`].

pub mod access;
pub mod activity;
pub mod branch_protection;
pub mod ci_settings;
pub mod deploy_tokens;
pub mod entities;
mod features;
pub mod graph;
mod holder;
pub mod hooks;
pub mod imports;
pub mod invitations;
mod jobs;
pub mod license;
pub mod mail;
pub mod members;
pub mod merge_settings;
pub mod mirror_settings;
pub mod model;
pub mod pages;
pub mod plan_limits;
pub mod references;
mod rest;
pub mod rules;
pub mod search;
mod space_ref;
pub mod store;
mod tasks;
pub mod tokens;
pub mod uploads;

pub use access::{
    Purpose, group, may, project, role_in_group, role_in_project, visible_groups, visible_projects,
};
pub use holder::{Holder, SpaceId};
pub use jobs::jobs;
pub use model::{GroupId, Namespace, Project, ProjectId};
pub use space_ref::SpaceRef;
pub use store::namespaces::root_and_lineage;
use store::{claims, namespaces};

pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
