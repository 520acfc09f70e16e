//! What git's programs say to one another, read and written without any I/O.

pub mod commands;
pub mod object_id;
pub mod packet;
pub mod ref_name;
pub mod requests;
