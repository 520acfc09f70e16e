//! What differs between the two sides of a merge request: from the last commit that both
//! have to the head of the source (docs/interface/merge-requests.md 6).
//!
//! [`compare()`] finds that commit and what a version stores of the rest; [`reading`] asks git
//! and remembers what it said; [`shown`] is what clients see of it, in [`order`], within
//! [`limits`]; [`raw()`] hands git's own text on.

pub mod compare;
pub mod limits;
pub mod order;
pub mod patch_id;
pub mod raw;
pub mod reading;
mod rest;
pub mod shown;

pub use compare::{Compared, compare, touched};
pub use limits::{DiffLimits, PART};
pub use raw::{RawForm, raw};
pub use rest::routes;
