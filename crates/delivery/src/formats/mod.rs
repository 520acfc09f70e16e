//! What comes from outside as bytes, read without I/O.

pub mod log;
pub mod zip_directory;
