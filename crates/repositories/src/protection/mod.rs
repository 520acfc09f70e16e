//! Protected branches and tags (docs/interface/repositories.md 2): what they are in
//! [`model`], who may change which ref in [`check`], how they are changed in [`rules`].

mod check;
pub mod defaults;
pub mod entity;
pub mod model;
mod rest;
pub mod rules;
pub mod store;

pub use rest::routes;

pub use check::{
    BranchProtection, Gate, Pusher, RefChange, Way, are_tags_protected, check_refs, may_push,
    of_branches, protected_branches,
};
