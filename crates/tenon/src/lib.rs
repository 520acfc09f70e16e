//! The program: command line, configuration and wiring.
//!
//! [`options`] says how it is started, [`wiring`] puts the rooms together,
//! [`serve`] runs them. The other commands ([`accounts`],
//! [`backup`], [`check`], [`repository`]) work on the same store and may run beside a server.
//! Owns no table and no rule; what the rooms offer is registered in [`wiring`].

pub mod accounts;
mod admin;
pub mod backup;
pub mod check;
mod home;
pub mod jobs;
pub mod options;
pub mod progress;
pub mod repository;
pub mod schema;
pub mod serve;
pub mod system;
pub mod wiring;

use kernel::error::Error;

/// What a command answers: nothing, or a sentence for the person who ran it.
pub type Outcome<T = ()> = Result<T, String>;

/// A refusal as a sentence for the terminal.
fn told(error: Error) -> String {
    match error {
        Error::Invalid(fields) => {
            let said = fields.iter().map(|(field, texts)| format!("{field} {}", texts.join(", ")));
            said.collect::<Vec<_>>().join("; ")
        }
        Error::NotFound(thing) => format!("no such {}", thing.to_lowercase()),
        Error::Forbidden(reason) => reason,
        Error::Parameters(texts) => texts.join(", "),
        Error::BadRequest(text) | Error::Conflict(text) | Error::Unavailable(text) => text,
        Error::Internal(cause) => cause.to_string(),
        other => other.to_string(),
    }
}
