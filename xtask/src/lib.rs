//! What the project's commands share: [`steps`], their output and [`costs`], the
//! [`tree`] they work in, [`tools`] that are installed, the [`server`] as a
//! process, and the [`cluster`] of PostgreSQL beside it.
#![expect(clippy::print_stderr, reason = "commands for the terminal")]

pub mod costs;
pub mod disk;
pub mod server;
pub mod slots;
pub mod steps;
pub mod tools;
pub mod tree;

/// The same throw-away cluster the tests use; one is shared by a whole run.
#[path = "../../crates/testkit/src/postgres/cluster.rs"]
pub mod cluster;
