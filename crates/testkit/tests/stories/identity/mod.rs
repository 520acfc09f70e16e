//! Accounts: signing in, tokens, users, and mail, pictures, addresses,
//! credentials and lists.

mod browser;
mod credentials;
mod lists;
mod mail;
mod places;
mod profile;
mod sign_in;
mod sign_up;
mod spam;
mod tokens;
mod users;
