//! Stories about the whole server through HTTP, a folder for each room. They
//! are one executable: each more would be linked, and started, by itself.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
#![recursion_limit = "256"]

mod activity;
mod alerts;
mod boards;
mod bounds;
mod code;
mod conventions;
mod delivery;
mod epics;
mod error_tracking;
mod graphql;
mod identity;
mod imports;
mod incoming;
mod keyed_batcher;
mod lfs;
mod oauth;
mod oauth_clients;
mod oncall;
mod packages;
mod packages_formats;
mod pages;
mod planning;
mod refusals;
mod releases;
mod repositories;
mod review;
mod reviews;
mod roadmap;
mod search;
mod server;
mod sign_on_hook;
mod signatures;
mod snippets;
mod spaces;
mod ssh;
mod supply;
mod two_factor;
mod wikis;
