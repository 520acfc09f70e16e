//! The pipeline file: read, checked and turned into the jobs of a pipeline.
//!
//! Pure: whoever calls fetches included files and knows the commit.
//! [`Loader`] says which files it needs and ends with a [`Configuration`];
//! [`plan()`] asks a [`Context`] about the commit and says which jobs to create.

pub mod caches;
mod check;
mod configuration;
pub mod coverage;
pub mod cron;
pub mod dotenv;
pub mod durations;
pub mod environments;
pub mod expression;
pub mod glob;
mod graph;
pub mod include;
mod inherit;
pub mod inputs;
pub mod limits;
pub mod message;
pub mod model;
pub mod pattern;
pub mod plan;
pub mod rules;
pub mod variables;
pub mod yaml;

pub use configuration::Configuration;
pub use graph::group_name;
pub use include::{Answer, Loader, Origin, Request, Source, Start, Step};
pub use limits::Limits;
pub use message::{Message, Place};
pub use plan::{Outcome, Plan, PlannedJob, PlannedNeed, plan};
pub use rules::{Changed, Context, Files, Paths, RefKind, Subject};
pub use variables::{Level, Variable, Variables};
