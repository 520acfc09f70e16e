//! Moves of repositories from one storage to another: of projects (code and wiki), of groups
//! (their wikis) and of snippets, for administrators.
//!
//! Refs are rows and stay where they are; packs are copied file by file, read back, and
//! named by their rows in one transaction ([`moving`]). Copying goes on while everybody
//! writes; for the last difference alone the repositories are read-only
//! ([`crate::model::Repository::read_only_at`]). What fails leaves all as it was.
//!
//! Table: `repository_storage_moves` (migration 0123). Jobs: `repositories.move`,
//! `repositories.tend_moves`. Settings: [`settings::PART`].

pub mod check;
mod containers;
mod entity;
mod jobs;
mod model;
mod moving;
mod pages;
mod rest;
mod rules;
pub mod settings;
pub mod snippets;
mod store;
mod tasks;

pub use rules::{HOOKS, check_snippet};

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}

pub(crate) fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    registry.add::<tasks::MoveStorage>();
    registry.add_periodic::<tasks::TendMoves>(tasks::TEND_EVERY);
}
