//! Lists of software components (SBOMs): what jobs and people send is read,
//! and written again in the formats that others take. Pure: no I/O.
//!
//! Start at [`read::read`], which makes a [`model::Bom`] of CycloneDX in JSON or
//! XML. [`cyclonedx`], [`spdx`] and [`vex`] write, one component after the other,
//! so that no document has to lie in memory. [`osv`] reads advisories and says
//! which versions they are about.

pub mod cyclonedx;
#[cfg(test)]
mod hostile;
pub mod licenses;
pub mod model;
pub mod osv;
pub mod purl;
pub mod read;
pub mod relations;
pub mod spdx;
pub mod versions;
pub mod vex;

pub use model::{Bom, Chain, Component, License};
pub use read::{Limits, Wrong};
