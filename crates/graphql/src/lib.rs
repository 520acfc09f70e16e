//! The GraphQL interface: what stands between a request and the table of
//! members that the rooms fill ([`kernel::graph`]).
//!
//! [`transport`] reads requests and writes answers, [`validation`] checks every
//! document before anything runs, [`execute`] runs it level by level, [`root`]
//! holds the root fields that belong to no room,
//! [`explorer`] is the page to try it on, [`breaking`] names what a change of
//! the interface breaks. It owns the tables of [`allowed`] queries and of the
//! [uses](deprecated_usage) of what is deprecated, which administrators see by
//! [`rest`], and no jobs.

pub mod allowed;
pub mod breaking;
pub mod deprecated_usage;
pub mod execute;
pub mod explorer;
pub mod rest;
pub mod root;
pub mod transport;
pub mod validation;
