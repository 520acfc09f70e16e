//! SQL of the area.

pub mod alerts;
pub mod arrive;
pub mod deliveries;
pub mod history;
pub mod images;
pub mod integrations;
pub mod settings;
pub mod windows;
