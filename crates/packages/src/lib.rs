//! The package registry: packages, their files, who may publish and delete
//! them, and the protocols clients speak.
//!
//! Tables: `packages`, `package_files`, `package_tags`, `package_counts`,
//! `package_protection_rules`, `package_downloads` (migration 0004),
//! `package_cleanup_policies` (0009), `package_names` (0010), tags of npm
//! (0012), `package_file_extracts` (0014); `package_files.channel` (0018, 0020),
//! `conan_files` (0022), `package_cleanup_rules`, `package_cleanup_runs` (0026),
//! `package_readmes` (0056), `package_builds` (0102).
//! Jobs: `packages.purge`, `packages.purge_file`, `packages.release_blobs`,
//! `packages.cleanup`, `packages.clean_project`,
//! `packages.apply_cleanup_rule`, `packages.purge_some`,
//! `packages.drop_maven_versions`.
//! Settings: `package_forwarding`;
//! `namespaces.package_settings` for duplicates.
//! Hooks: [`jobs::CONTENTS`], [`jobs::project_destroying`], [`jobs::sizes`],
//! [`jobs::hand_over`]; the room of pipelines plugs [`builds::Hooks`] in.
//!
//! Start with [`upload`] and [`download`], the one path in and the one path
//! out that every format shares; [`formats::generic`] is the smallest format.

pub mod about;
pub mod access;
pub mod activity;
pub mod archive;
pub mod builds;
pub mod check;
pub mod cleanup;
pub mod client;
pub mod declare;
pub mod documents;
pub mod download;
pub mod downloads;
pub mod entity;
pub mod formats;
pub mod forwarding;
pub mod graph;
pub mod jobs;
pub mod keys;
pub mod limits;
pub mod model;
pub mod needs;
pub mod pages;
pub mod readme;
pub mod rest;
pub mod rules;
pub mod scope;
pub mod search;
pub mod settings;
pub mod source;
pub mod store;
pub mod tasks;
pub mod upload;
pub mod upload_form;

use kernel::http::Routes;

pub fn routes(r: &mut Routes) {
    rest::routes(r);
    formats::routes(r);
    pages::routes(r);
}

pub fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    jobs::register(registry);
}

#[cfg(test)]
mod samples;
