//! Accounts beyond their everyday: mail, pictures, addresses, credentials,
//! lists and what must never leak.

mod browser;
mod credentials;
mod lists;
mod mail;
mod places;
mod profile;
mod secrecy;
mod sign_up;
mod spam;
