//! Large files beside the repository (git LFS): a commit holds a pointer, and its bytes
//! are a blob, which the digest in the pointer names.
//!
//! Start with [`batch`], where git-lfs asks what it may send or get; [`transfer`] moves
//! the bytes, [`locks`] say who is at work on what, and [`missing`] keeps pointers to
//! nothing out of pushes; [`bringing`] gets what objects lead to that come from elsewhere.
//! Tables: `lfs_objects`, `lfs_locks` (migration 0076).

mod access;
mod batch;
pub(crate) mod bringing;
mod locks;
pub(crate) mod missing;
mod pointer;
pub mod settings;
mod store;
mod ticket;
mod transfer;

pub use access::check_enabled;
pub use bringing::{Origin, Part, bring_part};
pub use pointer::{MAX_POINTER, Pointer};
pub(crate) use store::copy_all;
pub use store::{LfsObject, after, find, put_back, sizes};

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    batch::routes(r);
    transfer::routes(r);
    locks::routes(r);
}
