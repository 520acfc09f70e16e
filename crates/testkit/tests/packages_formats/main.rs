//! Stories about the formats of packages, each from its clients' side.

mod archives;
mod composer;
mod conan;
mod forms;
mod golang;
mod helm;
mod maven;
mod npm;
mod pypi;
#[allow(dead_code, reason = "the stories of the other binary use the rest")]
#[path = "../packages/registry.rs"]
mod registry;
mod terraform;
