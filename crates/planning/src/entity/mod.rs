//! JSON of this room, keys in wire order (docs/interface/collaboration.md 5.3, 5.4).

pub mod boards;
pub mod epics;
pub mod events;
pub mod issues;
pub mod labels;
pub mod milestones;
pub mod notes;
pub mod todos;
