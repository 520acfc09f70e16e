//! Searching the things of all rooms: `/search`, the endpoints of the same name,
//! and the keys that pages understand.
//!
//! Rooms say what is searched and who sees it ([`kernel::search`]); this room
//! knows them all, and nothing knows this one. No tables of its own. Settings:
//! `search`.

mod comments;
mod kinds;
pub mod limits;
mod pages;
mod rest;

pub use kinds::sources;

pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
