//! SQL of environments, deployments and freezes.

pub mod deployments;
pub mod environments;
pub mod freezes;
