//! Merge requests as JSON, keys in wire order (docs/interface/merge-requests.md 1).

pub mod basic;
pub mod events;
pub mod facts;
pub mod glance;
pub mod related;
pub mod shapes;
pub mod single;
pub mod versions;

pub use basic::{basic, simple};
pub use glance::Glance;
pub use related::{Base, Related};
pub use shapes::{BasicEntity, SimpleEntity, SingleEntity};
pub use single::{Half, Include, half, single, singles};
