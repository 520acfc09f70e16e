//! The formats of files: each is begun, takes rows as they come, and is finished. Given the
//! same rows, number and time each writes the same bytes. No I/O but the writer given.

pub mod array;
pub mod bom;
pub mod csv;
pub mod list;
mod parts;
pub mod rows;
