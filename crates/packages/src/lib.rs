//! The packages room.
