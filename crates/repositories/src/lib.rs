//! Git repositories: refs in the database, packs in the blob store, and a copy on each
//! node that git itself reads.
//!
//! Start with [`http`], where git comes in; [`fetch`] and [`receive`] do what it asks
//! for. Refs move in [`rules::moves`] alone, and [`cache`] makes the copies, out of which
//! [`objects`] reads.
//!
//! Tables: `repositories`, `repository_refs`, `repository_packs` (migration 0073),
//! `protected_refs`, `protected_ref_levels` (migration 0074), `lfs_objects`, `lfs_locks`
//! (migration 0076), `push_rules` (migration 0080), `instance_signing_keys` (migration 0083),
//! `remote_mirrors` (migration 0087), `repository_storage_moves` (migration 0123),
//! `pull_mirrors` (migration 0124).
//! Jobs: `repositories.compact`, `repositories.prune`, `repositories.sweep`,
//! `repositories.push_mirror`, `repositories.pull_mirror`, `repositories.pull_mirrors_due`,
//! `repositories.tell_of_mirror`, `repositories.move`, `repositories.tend_moves`.
//! Settings: [`receive::limits::PART`], [`lfs::settings::PART`], [`storages::PART`],
//! [`edits::signing::PART`], [`size_limit::PART`], [`moves::settings::PART`],
//! [`mirrors::pull::switch::PART`].

pub mod access;
pub mod bundles;
pub mod cache;
pub mod check;
pub mod diffs;
pub mod edits;
pub mod fetch;
pub mod forks;
pub mod formats;
pub mod git;
mod held;
pub mod hidden;
pub mod hooks;
pub mod hostile;
pub mod http;
mod lacked;
pub mod lfs;
pub mod mirrors;
pub mod model;
pub mod moves;
pub mod objects;
pub mod on_disk;
pub mod output;
pub mod place;
pub mod protection;
pub mod push_rules;
pub mod receive;
pub mod rules;
pub mod size_limit;
pub mod snapshot;
pub mod storages;
pub mod store;
pub mod upkeep;

pub fn routes(r: &mut kernel::http::Routes) {
    http::routes(r);
    lfs::routes(r);
    protection::routes(r);
    storages::routes(r);
    forks::routes(r);
    push_rules::routes(r);
    mirrors::routes(r);
    moves::routes(r);
    snapshot::routes(r);
}

pub fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    upkeep::jobs(registry);
    edits::jobs(registry);
    mirrors::jobs(registry);
    moves::jobs(registry);
}
