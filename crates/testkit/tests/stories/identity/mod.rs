//! Accounts beyond their everyday: mail, pictures, addresses, credentials,
//! lists and what must never leak.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod browser;
mod credentials;
mod lists;
mod mail;
mod places;
mod profile;
mod secrecy;
mod sign_up;
mod spam;
