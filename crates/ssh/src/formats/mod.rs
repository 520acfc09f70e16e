//! What comes from outside as text: public keys, and commands of a session.

pub mod command;
pub mod public_key;
