//! What tests stand on.
//!
//! [`postgres`] gives every test its own PostgreSQL database.

pub mod postgres;
