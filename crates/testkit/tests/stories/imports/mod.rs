//! Projects that come from elsewhere, and files of projects.

mod archive;
mod code;
mod pages;
pub mod people;
mod planning;
mod provider_a;
mod provider_b;
mod reviews;
mod run;
