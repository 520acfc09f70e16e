//! What tests stand on: the whole server in process, and stories about it.
//!
//! [`both_engines!`] runs a story on SQLite and PostgreSQL; [`TestServer`] is
//! the server with its own database, files and mail; [`Client`] speaks HTTP
//! to it; [`postgres`] gives every test its own PostgreSQL database.

mod browser;
mod client;
mod fixtures;
pub mod hostile;
pub mod npm;
pub mod postgres;
mod server;
pub mod service;
mod soft_key;

pub use browser::{Browser, PASSWORD};
pub use client::{Client, Reply, Request};
pub use fixtures::{TestGroup, TestPackage, TestProject, TestUser};
pub use server::{TestServer, files_below, run, sha256};
pub use soft_key::SoftKey;

#[doc(hidden)]
pub use tokio;

/// Runs each story on both engines, as two tests named after it.
///
/// ```
/// testkit::both_engines! {
///     async fn the_server_is_alive(t: TestServer) {
///         t.anonymous().at("/-/liveness").await.is(200);
///     }
/// }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! both_engines {
    ($($(#[$meta:meta])* async fn $name:ident($server:ident: TestServer) $body:block)*) => {$(
        $(#[$meta])*
        mod $name {
            #[allow(unused_imports, reason = "a story may need nothing of its file")]
            use super::*;

            async fn story($server: $crate::TestServer) $body

            #[test]
            fn on_sqlite() {
                $crate::run(async { story($crate::TestServer::sqlite().await).await });
            }

            #[test]
            fn on_postgres() {
                $crate::run(async {
                    if let Some(server) = $crate::TestServer::postgres().await {
                        story(server).await;
                    }
                });
            }
        }
    )*};
}

/// Noon of a day in a server whose clock is moved by hand.
pub fn noon() -> kernel::time::Clock {
    kernel::time::Clock::fixed("2031-05-06T12:00:00Z".parse().expect("a time"))
}

/// Runs each story at [`noon`] on both engines; [`TestServer::advance`] moves
/// the clock.
#[macro_export]
macro_rules! at_noon {
    ($($(#[$meta:meta])* async fn $name:ident($server:ident: TestServer) $body:block)*) => {$(
        $(#[$meta])*
        mod $name {
            #[allow(unused_imports, reason = "a story may need nothing of its file")]
            use super::*;

            async fn story($server: $crate::TestServer) $body

            #[test]
            fn on_sqlite() {
                $crate::run(async {
                    story($crate::TestServer::sqlite_at($crate::noon()).await).await;
                });
            }

            #[test]
            fn on_postgres() {
                $crate::run(async {
                    let server = $crate::TestServer::postgres_at($crate::noon()).await;
                    if let Some(server) = server {
                        story(server).await;
                    }
                });
            }
        }
    )*};
}
