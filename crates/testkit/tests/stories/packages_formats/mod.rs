//! Stories about the formats of packages, each from its clients' side.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod abuse;
mod archives;
mod composer;
mod conan;
mod contract_rows;
mod elsewhere;
mod forms;
mod golang;
mod helm;
mod maven;
mod npm;
mod nuget;
mod pages;
mod pypi;
#[allow(dead_code, reason = "the stories of the other binary use the rest")]
#[path = "../packages/registry.rs"]
mod registry;
mod side_by_side;
mod terraform;
