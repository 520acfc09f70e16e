//! What people want mail of, and who is told of what.
//!
//! A setting of a project says it, else that of the nearest group above that says
//! anything, else the one for everything ([`rules::levels`]). Who is told of one
//! thing that happened is decided in [`recipients`], a table of a person's level, how
//! they are tied to the thing, and what happened ([`model::is_told`]).

/// Where somebody chooses what they are told of.
pub const SETTINGS: &str = "/-/profile/notifications";

pub mod digests;
pub mod many;
pub mod model;
pub mod recipients;
pub mod rest;
pub mod rules;
pub mod seen;
pub mod sent;
pub mod store;
