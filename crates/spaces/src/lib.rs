//! Groups, user namespaces, projects, members and shares, and the one answer
//! to «may this viewer do that here».
//!
//! Tables: `namespaces`, `projects`, `members`, `invitations`, `shares`,
//! `project_redirects`, `stars` (migration 0003); it writes `deploy_tokens`
//! of identity. Jobs: `spaces.destroy_project`, `spaces.destroy_group`,
//! `spaces.expire_members`. Start with [`access`].

pub mod access;
pub mod model;

pub use access::{
    Purpose, group, may, project, role_in_group, role_in_project, visible_groups, visible_projects,
};
pub use model::{GroupId, Namespace, Project, ProjectId};
