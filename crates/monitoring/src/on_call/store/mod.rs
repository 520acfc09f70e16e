//! SQL of the area.

pub mod escalations;
pub mod policies;
pub mod rotations;
pub mod schedules;
