//! The pages as a browser without a script sees them: forms, where they lead,
//! and what they refuse.

mod admin;
mod applications;
mod cleanup;
mod front;
mod home;
mod overview;
mod packages;
mod people;
mod preferences;
mod projects;
mod requests;
mod safety;
mod settings;
mod sharing;
mod statements;
mod users;

pub use admin::administrator;
