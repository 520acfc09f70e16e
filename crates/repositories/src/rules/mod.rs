//! What becomes of refs: [`moves`] is the only place where they change, [`push`] says
//! which changes a push may make, [`pushes`] tells of them.

pub mod heads;
pub mod moves;
pub mod push;
pub mod pushes;
