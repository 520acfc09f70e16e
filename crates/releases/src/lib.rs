//! Releases of projects: what is said of a tag, links to what can be had with it, and
//! evidence of what it was when it came out.
//!
//! Tables (migration 0078): `releases`, `release_links`, `release_milestones`,
//! `release_evidences`. Jobs: `releases.collect_evidence`, `releases.tell`,
//! `releases.tell_one`, `releases.find_commits`.
//! Hooks: [`hooks::of_tags`], [`hooks::hand_over`], [`hooks::milestones_replaced`].
//!
//! Start with [`access`], which says who sees and does what, and [`rules`]; [`entity`]
//! is what REST shows of a release.

pub mod access;
mod downloads;
pub mod entity;
pub mod graph;
pub mod hooks;
mod jobs;
pub mod model;
mod pages;
pub mod related;
mod rest;
pub mod rules;
pub mod store;
mod tasks;
pub mod transfer;

pub use jobs::jobs;

pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
