//! Filled by its owner.
