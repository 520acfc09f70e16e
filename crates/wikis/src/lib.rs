//! Wikis of projects and groups: pages are files of a repository of their own, which is
//! cloned and pushed like any other.
//!
//! Tables (migration 0082): `wiki_pages`, `wiki_page_slugs`.
//! Hooks: [`hooks::CONTENTS`], [`store::sizes`].
//!
//! Start with [`access`], which finds a wiki for a purpose; [`tree`] reads its pages out of
//! the repository, and [`rules`] change them.

pub mod access;
pub mod activity;
mod entity;
pub mod hooks;
pub mod model;
mod pages;
mod pushed;
mod render;
mod rest;
pub mod rules;
pub mod store;
pub mod tree;

pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
