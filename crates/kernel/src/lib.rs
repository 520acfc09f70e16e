//! What every room needs and no product word.
//!
//! Start with [`app::App`], the handle every request and job receives; then
//! [`http`] for how a route is declared, [`error`] for how a refusal is said,
//! [`jobs`] for work that outlives a request and [`blobs`] for bytes.
//! Tables: `jobs`, `settings`, `audit_records`, `blobs`, `attempts`
//! (migration 0001), `search_fills` (migration 0052); jobs: `kernel.sweep_blobs`, `search.fill`.
#![warn(missing_docs)]

// Templates, here and in rooms, call parts as `kernel::html::…`.
extern crate self as kernel;

pub mod app;
pub mod audit;
pub mod blob_rows;
pub mod blobs;
pub mod blobs_sweep;
pub mod error;
pub mod graph;
pub mod html;
pub mod http;
pub mod ids;
pub mod incoming_mail;
pub mod jobs;
pub mod keyed_batcher;
pub mod limits;
pub mod mail;
pub mod markup;
pub mod media;
pub mod outbound;
pub mod own_address;
pub mod pipe;
pub mod process;
pub mod programs;
pub mod quantity;
pub mod read_only;
pub mod room;
pub mod search;
pub mod secrets;
pub mod settings;
pub mod shared_transaction;
pub mod telemetry;
pub mod time;
pub mod trust;
pub mod zones;

// For the macros `params!` and `choices!`.
#[doc(hidden)]
pub use schemars;
#[doc(hidden)]
pub use serde;
#[doc(hidden)]
pub use serde_json;
