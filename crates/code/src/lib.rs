//! Code as people and programs read and write it: branches, tags, commits, files and
//! what differs between them, over REST and on pages. Git itself is in `repositories`.
//!
//! Start with [`access`], which finds a project for who reads its code; [`entity`] is
//! what REST shows of it; [`pages`] are for people.
//!
//! Settings: [`limits::PART`]. Rooms above plug into [`hooks`].

pub mod about;
pub mod access;
pub mod address;
mod ahead;
pub mod archive;
pub mod blame;
pub mod boilerplate;
mod branches;
pub mod caching;
pub mod changelog;
pub mod changelog_config;
mod comparing;
mod containing;
mod content;
mod contributions;
pub mod counts;
pub mod diff;
pub mod entity;
pub mod folder;
pub mod graph;
pub mod highlight;
pub mod history;
pub mod hooks;
mod lanes;
pub mod languages;
pub mod licenses;
pub mod limits;
pub mod line_ends;
mod message;
mod names;
pub mod pages;
pub mod paths;
pub mod readme;
mod rest;
pub mod search;
pub mod sending;
mod tags;
pub mod text;
pub mod visible;

pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
