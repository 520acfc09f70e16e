//! Merge requests that come from elsewhere or go there, whole: with their own numbers, times
//! and people, without news, mail and checks.
//!
//! What of their commits is here, and where notes in code stand, is asked of git before the
//! transaction: [`git`] and [`places`]. Then [`write`], [`notes`] and [`events`] write what
//! [`MergeRequest`] and the others say; [`read`] gives the same back.

pub mod events;
pub mod git;
mod model;
pub mod notes;
mod people;
pub mod places;
pub mod read;
mod store;
pub mod write;

pub use git::{Found, Tips};
pub use model::{Approval, CodeNote, MergeRequest, Outcome, Reviewer, Spot, Version};
pub use places::Stands;
