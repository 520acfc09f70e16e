//! REST of code, as it is read and, in [`edits`], written (docs/interface/repositories.md 3).

mod archive;
mod blame;
mod blobs;
mod branches;
mod changelog;
mod commits;
mod compare;
mod contributors;
mod edits;
mod files;
mod housekeeping;
mod languages;
mod listing;
mod signatures;
mod tags;
mod templates;
mod tree;

use crate::access::SCOPES;
use kernel::error::Error;
use kernel::http::Routes;
use serde_json::json;

pub(super) fn routes(r: &mut Routes) {
    r.below("/projects/{id}/repository", "of_project", |r| {
        branches::routes(r);
        tags::routes(r);
        commits::routes(r);
        signatures::routes(r);
        changelog::routes(r);
        tree::routes(r);
        files::routes(r);
        blame::routes(r);
        blobs::routes(r);
        compare::routes(r);
        contributors::routes(r);
        archive::routes(r);
    });
    edits::routes(r);
    templates::routes(r);
    housekeeping::routes(r);
    r.below("/projects/{id}", "of_code", |r| {
        languages::routes(r);
    });
}

/// 400 with exactly this text.
fn refused(text: impl Into<String>) -> Error {
    Error::Exact(400, json!({"message": text.into()}))
}
