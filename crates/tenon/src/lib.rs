//! The program: command line, configuration and wiring.
//!
//! [`options`] says how it is started, [`wiring`] puts the rooms together,
//! [`serve`] runs them. The other commands ([`accounts`],
//! [`backup`], [`check`]) work on the same store and may run beside a server.
//! Owns no table and no rule; what the rooms offer is registered in [`wiring`].

pub mod accounts;
mod admin;
pub mod backup;
pub mod check;
mod home;
pub mod options;
pub mod progress;
pub mod schema;
pub mod serve;
pub mod system;
pub mod wiring;

/// What a command answers: nothing, or a sentence for the person who ran it.
pub type Outcome<T = ()> = Result<T, String>;
