//! Users, sessions, sign-in, tokens and the viewer of every request.
//!
//! Tables: `users`, `user_avatars`, `user_emails`, `sessions`, `mail_links`,
//! `access_tokens`, `deploy_tokens` (written by the spaces room), `follows`,
//! `totp`, `recovery_codes`, `sign_in_steps`, `webauthn_keys`,
//! `webauthn_ceremonies`, `spam_logs`, `sign_in_places`;
//! failures are counted in `attempts` (migration 0001). Jobs: `identity.sweep`.
//!
//! Start with [`viewer::Viewer`], who asks; [`gate`] finds it out of the
//! credentials of a request. [`hooks`] is what rooms above plug in. SQL is in
//! `store`, by resource; `tasks` are the payloads of what `jobs` do later.

pub mod access;
mod addresses;
pub mod admin_mode;
pub mod agents;
pub mod attempts;
pub mod author;
pub mod bootstrap;
pub mod caller;
pub mod csrf;
pub mod domains;
pub mod entities;
pub mod feed_tokens;
pub mod gate;
pub mod git_pass;
pub mod graph;
pub mod handing;
pub mod hooks;
pub mod instance;
mod jobs;
pub mod mail_links;
pub mod model;
pub mod oauth;
pub mod pages;
pub mod password;
pub mod password_rules;
mod problems;
mod profile;
pub mod reauthentication;
mod recent_passwords;
pub mod registry_session;
mod rest;
mod scopes;
pub mod search;
pub mod sessions;
pub mod settings;
pub mod sign_in;
pub mod sign_in_locations;
pub mod sign_up;
pub mod spam;
pub mod standing;
mod store;
mod tasks;
pub mod tokens;
pub mod two_factor;
pub mod users;
pub mod viewer;

pub use caller::Caller;
pub use model::{User, UserId};
pub use tasks::{Change as AccountChange, notify as notify_of_change};
pub use viewer::{Admin, Credential, DeployViewer, SignedIn, SignedInViewer, SourceType, Viewer};

use kernel::http::Routes;
use kernel::jobs::RegistryBuilder;

pub fn routes(r: &mut Routes) {
    rest::routes(r);
    pages::routes(r);
    oauth::routes(r);
}

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add_periodic::<jobs::Sweep>(3600);
    registry.add_periodic::<jobs::ExpiringTokens>(3600);
    registry.add_periodic::<jobs::EndUnconfirmed>(3600);
    registry.add::<jobs::TokenExpires>();
    registry.add::<tasks::SendLink>();
    registry.add::<tasks::Notify>();
    registry.add::<tasks::AddressInUse>();
    registry.add::<tasks::PendingUser>();
    registry.add::<tasks::Decided>();
    registry.add::<tasks::NewPlace>();
    registry.add::<tasks::DestroyUser>();
    oauth::jobs(registry);
}
