//! The identity room.
