//! GPG keys of users, and who signed commits and tags.
//!
//! Start with [`checking`], which says of commits and tags who signed them; [`rules`] adds,
//! revokes and removes GPG keys. SSH keys are those of the room `ssh`.
//!
//! What a signature says is computed out of the object whenever it is asked for: a key
//! that is added later makes its commits verified. Only whether a key made a signature,
//! which never changes, is remembered.
//!
//! Tables: `gpg_keys`, `gpg_key_parts`, `gpg_key_addresses` (migration 0083).

pub mod checking;
pub mod entity;
pub mod formats;
pub mod hostile;
pub mod model;
pub mod pages;
mod rest;
pub mod rules;
mod store;

pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
