//! What people did: `/events`, the pages of activity, their feeds and the calendar
//! of a profile.
//!
//! Rooms record what is done ([`spaces::activity`]) and say who sees it; this room
//! knows them all, and nothing knows this one. No tables of its own. Jobs:
//! `activity.forget_old`.

mod entity;
mod feeds;
mod jobs;
mod kinds;
mod list;
mod marks;
mod pages;
mod rest;
mod telling;

pub use jobs::jobs;
pub use pages::panels;

pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
    feeds::routes(r);
}
