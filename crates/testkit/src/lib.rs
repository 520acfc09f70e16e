//! What tests stand on: the whole server in process, and stories about it.
//!
//! [`macro@story`] makes a story two tests, on SQLite and on PostgreSQL;
//! [`TestServer`] is the server with its own database, files and mail;
//! [`Client`] speaks HTTP to it; [`postgres`] gives every test its own
//! PostgreSQL database.

mod browser;
mod client;
mod fixtures;
mod git;
pub mod hostile;
pub mod npm;
pub mod postgres;
pub mod scratch;
mod server;
pub mod service;
mod soft_key;
pub mod story;

pub use browser::{Browser, PASSWORD};
pub use client::{Client, Reply, Request};
pub use fixtures::{TestGroup, TestPackage, TestProject, TestUser};
pub use git::{Git, Ran};
pub use server::{INCOMING_TOKEN, TestServer, files_below, sha256};
pub use soft_key::SoftKey;
pub use story::{noon, run};

/// Makes a story two tests named after it, one on each engine:
/// `NAME::on_sqlite` and `NAME::on_postgres`.
///
/// `#[testkit::story(noon)]` tells it to a server whose clock stands at
/// [`noon`] until [`TestServer::advance`] moves it; with `localhost` the server
/// calls itself so, as security keys need.
///
/// ```
/// #[testkit::story]
/// async fn the_server_is_alive(t: testkit::TestServer) {
///     t.anonymous().at("/-/liveness").await.is(200);
/// }
/// # fn main() {}
/// ```
pub use testkit_macros::story;

#[doc(hidden)]
pub use tokio;
