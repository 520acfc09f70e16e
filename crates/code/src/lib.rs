//! Code as people and programs read and write it: branches, tags, commits, files and
//! what differs between them, over REST and on pages. Git itself is in `repositories`.
//!
//! Start with [`access`], which finds a project for who reads its code; [`entity`] is
//! what REST shows of it.
//!
//! Settings: [`limits::PART`].

pub mod access;
pub mod entity;
pub mod limits;
mod rest;

pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
}
