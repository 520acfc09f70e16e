//! The kernel without rooms.
#![expect(clippy::unwrap_used, reason = "a failed set-up fails the test")]

mod conventions;
mod house;
mod jobs;
