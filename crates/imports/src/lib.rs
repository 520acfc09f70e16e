//! Projects that come from elsewhere, whole: from servers of three kinds, and from files that
//! an instance wrote; and these files.
//!
//! An import is a row ([`run::Import`]) and a chain of short jobs ([`run::jobs`]). Each asks
//! the [`sources::Source`] for the next page of a stage, and one transaction writes what it
//! holds ([`writers`]), notes what came ([`ledger`]), counts it and stores where the page
//! after it begins: whatever ends in the middle goes on from there, and nothing comes twice.
//!
//! Tables (migration 0125): `imports`, `import_records`, `import_failures`,
//! `import_memberships`; of people elsewhere (0126) `import_source_users`; of gists
//! (0128) `gist_imports`, `imported_gists`; of files (0127) `project_exports`, `project_files`,
//! `project_file_members`, `relation_imports`. Jobs: `imports.step`, `imports.tend`,
//! `imports.reassign`, `imports.tell_of_reassignment`, `imports.gists`,
//! `imports.tell_of_gists`, `imports.write_project_file`, `imports.send_project_file`,
//! `imports.sweep_project_files`.
//! Settings: [`settings::PART`], [`archive::settings::PART`]; where the public providers are,
//! [`settings::Providers`],
//! which is plugged in.
//!
//! Start with [`model`], which says what imports are made of, then [`run`].

pub mod archive;
pub mod attachments;
pub mod gists;
pub mod git;
pub mod hooks;
pub mod ledger;
pub mod model;
mod offers;
mod pages;
pub mod people;
mod rest;
pub mod run;
pub mod settings;
pub mod sources;
mod store;
pub mod upstream;
pub mod writers;

pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}

pub fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    run::jobs(registry);
    people::jobs(registry);
    gists::jobs(registry);
    archive::jobs(registry);
}
