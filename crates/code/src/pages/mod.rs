//! Pages of code: folders and files, history, differences, branches and tags.
//!
//! A page takes a [`CodeVisit`], which finds the project for who reads its code; what
//! follows `/-/tree/` and the like is a [`Spot`]: a ref and a path. Those about a path
//! begin with [`opened`]; what several of them show is in [`parts`].

mod archive;
mod blame;
mod blob;
mod branches;
mod commit;
mod commits;
mod compare;
mod contents;
mod diff_lines;
mod edits;
pub mod feed;
mod find_file;
mod graphs;
pub mod home;
mod mirrors;
mod network;
pub mod opened;
pub mod parts;
pub mod raw;
mod ref_lists;
mod settings;
pub mod spot;
mod tags;
mod tree;
mod visit;

pub use commit::again as commit_again;
pub use spot::{RefKind, Spot};
pub use visit::{CodeHead, CodeVisit};

use kernel::http::Routes;

pub fn routes(r: &mut Routes) {
    archive::routes(r);
    blame::routes(r);
    blob::routes(r);
    branches::routes(r);
    commit::routes(r);
    commits::routes(r);
    compare::routes(r);
    diff_lines::routes(r);
    find_file::routes(r);
    graphs::routes(r);
    network::routes(r);
    raw::routes(r);
    tags::routes(r);
    tree::routes(r);
    edits::routes(r);
    settings::routes(r);
    mirrors::routes(r);
}
