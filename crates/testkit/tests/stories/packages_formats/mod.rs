//! Stories about the formats of packages, each from its clients' side.

mod about;
mod abuse;
pub mod archives;
mod composer;
mod composer_fields;
mod conan;
mod elsewhere;
pub mod forms;
mod golang;
mod helm;
mod maven;
mod npm;
mod nuget;
mod pages;
mod pypi;
mod side_by_side;
mod terraform;

use crate::packages::registry;
