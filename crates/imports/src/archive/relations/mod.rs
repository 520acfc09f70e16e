//! Parts of files that are brought into projects that are there: what has a number there
//! already stays as it is, and the rest comes by an import of its own.

pub mod model;
mod only_new;
pub mod rules;
mod store;

pub use model::{Relation, RelationImport};
pub(super) use only_new::only_new;
