//! HTTP conventions of the whole program (docs/interface/identity.md 8).
//!
//! A room declares [`routes`]; each handler is an `async fn` whose arguments
//! are extractors ([`call`]) and whose result is an answer ([`reply`]).
//! [`serve`] matches, admits, runs and renders; [`openapi`] describes.

pub mod bodies;
pub mod call;
pub mod conditional;
pub mod connections;
pub mod files;
mod multipart;
pub mod openapi;
mod operation;
pub mod paging;
pub mod params;
pub mod refusal;
pub mod reply;
mod route;
pub mod routes;
pub mod serve;
mod table;
pub mod throttle;
mod unread;

pub use call::{Call, Files, FromCall, Params, RequestContext, Upload};
pub use multipart::{Part, Parts};
pub use paging::{Paged, Paging, Start};
pub use params::{Flat, Patch, Text};
pub use reply::{Accepted, Answer, Changed, Created, NoContent, Ok200, Response};
pub use routes::{Gate, Routes};
