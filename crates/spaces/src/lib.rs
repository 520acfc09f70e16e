//! The spaces room.
