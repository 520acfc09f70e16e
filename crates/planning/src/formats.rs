//! Reads what people write, without I/O.

pub mod prose;
pub mod tasks;
