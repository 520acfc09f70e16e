//! What people, and the program, do with alerts.

pub mod alerts;
pub mod images;
pub mod incidents;
pub mod integrations;
pub mod prose;
pub mod settings;
pub mod windows;
