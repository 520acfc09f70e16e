//! The GraphQL member table: rooms register types and fields *by name*, and
//! one table holds what the interface needs to know of them.
//!
//! A room adds `packages` to `Project` and answers `project` on its own
//! `Package`, though crates know each other one way only: names meet in
//! [`Graph`], and [`Graph::finish`] refuses what does not fit together. The
//! resulting [`Table`] is the single source of the checking front, of
//! execution, of introspection and of `schema.graphql`.
//!
//! Start with [`Graph`] and [`ObjectBuilder`]; values meet their GraphQL types
//! through [`Shape`], lists that page through [`connection`].

pub mod build;
pub mod coerce;
pub mod connection;
pub mod context;
pub mod fault;
mod finish;
pub mod input;
pub mod introspection;
pub mod media;
mod models;
pub mod mutation;
mod nodes;
mod page;
pub mod scalars;
pub mod sdl;
pub mod settings;
pub mod shape;
pub mod table;
#[cfg(test)]
mod tests;
mod through;
pub mod types;
pub mod uploads;

pub use build::{Graph, ObjectBuilder};
pub use connection::{Ask, Connection, Counted, Key, Order, Owned, Window, by_owner};
pub use context::{Args, Context, Request};
pub use fault::Fault;
pub use input::{Argument, EnumItem, GraphInput, argument, item};
pub use mutation::{Done, MutationBuilder};
pub use nodes::{AnyOf, NODE, any_of};
pub use scalars::{BIG_INT, BOOLEAN, DATE, FLOAT, GlobalId, ID, INT, JSON, STRING, TIME};
pub use shape::{Answer, HasTypeRef, Node, Shape, enumeration, named, object, one_of};
pub use table::{Cost, Mark, Root, Table};
pub use types::TypeRef;
