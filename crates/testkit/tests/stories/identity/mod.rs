//! Accounts: signing in, tokens, users, and mail, pictures, addresses,
//! credentials and lists.

mod activity;
mod addresses;
mod blank;
mod browser;
mod credentials;
mod inactive;
mod lists;
mod mail;
mod passwords;
mod places;
mod profile;
mod sign_in;
mod sign_up;
mod spam;
mod strangers;
mod tokens;
mod users;
