//! Gists of provider A become personal snippets of who has their token: each with its files
//! and their history, its visibility and its times. A job ([`jobs`]) brings a few after the
//! others; what cannot be brought is told by one mail.
//!
//! Tables (migration 0128): `gist_imports`, `imported_gists`. Jobs: `imports.gists`,
//! `imports.tell_of_gists`.

mod bring;
mod jobs;
mod mail;
mod model;
mod rules;
mod store;
mod tasks;

pub use rules::begin;

pub(crate) fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    registry.add::<tasks::ImportGists>();
    registry.add::<tasks::TellOfGists>();
}
