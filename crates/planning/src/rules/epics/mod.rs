//! Epics: making, changing and removing them. Who may is decided in [`requests`];
//! what stands below them is in [`children`] and [`issues`], links in [`links`].

pub mod change;
pub mod children;
pub mod issues;
pub mod links;
pub mod places;
pub mod promote;
pub mod requests;
pub mod said;
