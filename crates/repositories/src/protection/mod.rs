//! Protected branches and tags (docs/interface/repositories.md 2): what they are in
//! [`model`], who may change which ref in [`check`], how they are changed in [`rules`].

mod check;
pub mod defaults;
pub mod entity;
mod many;
pub mod model;
mod rest;
pub mod rules;
pub mod store;
pub mod strictest;

pub use rest::routes;

pub use check::{
    BranchProtection, Gate, Pusher, RefChange, Way, are_opened, are_tags_protected, check_refs,
    may_merge, may_push, may_push_by_right, of_branches, of_branches_there, protected_branches,
};
pub use many::{Asked, RulesOfMany};
