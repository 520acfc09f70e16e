//! What is decided and changed, without HTTP.

pub mod destroy;
pub mod names;
pub mod protection;
pub mod publish;
pub mod wildcard;
