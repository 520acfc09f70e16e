//! Snippets: some files of a person or a project, in a repository of their own, which is
//! cloned and pushed like any other.
//!
//! Tables (migration 0084): `snippets`; its repository is one of the room below.
//! Hooks: [`hooks::CONTENTS`], [`hooks::OF_PROJECTS`], [`hooks::user_destroying`],
//! [`hooks::hand_over`], [`store::sizes`], [`talk::KIND`].
//!
//! Start with [`access`], which finds a snippet for a purpose; [`rules`] change them, and
//! [`pushed`] keeps their rows up to date with what is in their repositories.

pub mod access;
pub mod activity;
pub mod entity;
pub mod files;
pub mod graph;
pub mod hooks;
pub mod model;
pub mod pages;
mod pushed;
mod rest;
pub mod rules;
pub mod search;
pub mod store;
pub mod talk;

pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
