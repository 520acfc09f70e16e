//! Files that both sides of a merge request changed, and how they are resolved in the
//! browser: [`finding`] reads each side of them, [`sections`] compares these line by line,
//! [`resolving`] makes the text of what somebody chose, and [`landing`] the merge of the
//! target into the source branch.
//!
//! Ours is the source branch, which the target is merged into.

pub mod finding;
pub mod landing;
pub mod obstacle;
pub mod resolving;
pub mod sections;

pub use finding::{File, Found, find};
pub use obstacle::Obstacle;
pub use sections::{Kind, Pick, Section, Text};
