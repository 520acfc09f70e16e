//! Stories about the formats of packages, each from its clients' side.

mod archives;
mod composer;
mod forms;
mod golang;
mod maven;
mod pypi;
mod terraform;
