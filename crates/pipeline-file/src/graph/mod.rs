//! Which jobs there are, and which comes after which (contract 6.3, 6.4).

pub(crate) mod checks;
pub(crate) mod components;
pub(crate) mod instances;
pub(crate) mod needs;

pub use instances::group_name;
