//! Approvals of merge requests (docs/interface): which rules count and how far they are in
//! [`state`], which is pure over what [`scenes`] reads; what people do in [`rules`] and, with
//! rules, in [`editing`]; whom files make owners in [`owners`].

pub mod editing;
mod entity;
pub mod model;
pub mod owners;
pub mod proof;
mod rest;
mod rules;
pub mod scenes;
pub mod state;
pub mod store;

pub use editing::seen as seen_groups;
pub use rest::routes;
pub use rules::{
    Change, Standing, approve, check_right, committed, freeze, progress, pushed,
    removes_selectively, set_owners, standing, standing_in, unapprove,
};
