//! Which programming languages a project is written in, by the bytes of its files, and
//! what `.gitattributes` says of them.

mod attributes;
mod count;
mod table;

pub use count::{Share, of_tree};
