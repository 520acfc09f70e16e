//! The GraphQL interface: what stands between a request and the table of
//! members that the rooms fill ([`kernel::graph`]).
//!
//! [`front`] checks every document before anything runs. It owns no tables
//! and no jobs.

pub mod front;
