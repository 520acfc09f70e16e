//! Files that jobs leave: archives, and reports of many kinds.

pub mod archive;
pub mod browsing;
pub mod dependencies;
pub mod kinds;
pub mod upload;
