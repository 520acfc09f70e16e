//! Reads what people write, without I/O.

pub mod addresses;
pub mod closing;
pub mod mentions;
pub mod prose;
pub mod quick_actions;
pub mod references;
pub mod tasks;
