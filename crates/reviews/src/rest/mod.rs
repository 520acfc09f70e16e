//! REST of merge requests (docs/interface/merge-requests.md).

mod absent;
mod asked;
mod blocks;
mod context;
mod elsewhere;
mod events;
mod issues;
mod lists;
mod merge;
mod own;
mod pipelines;
mod show;
mod write;

pub use crate::place::{Place, Wish};

use crate::access::sets_people;
use crate::model::MergeRequest;
use crate::noteable::MERGE_REQUEST;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::Routes;
use kernel::ids::Reference;
use planning::access::ProjectAccess;
use planning::store::awards::Awardable;
use planning::{Measured, Named, RequestAbout};

/// The merge requests of a project, and one of them.
pub const ALL: &str = "/projects/{id}/merge_requests";
pub const ONE: &str = "/projects/{id}/merge_requests/{iid}";

pub fn routes(r: &mut Routes) {
    lists::routes(r);
    write::routes(r);
    show::routes(r);
    merge::routes(r);
    pipelines::routes(r);
    issues::routes(r);
    elsewhere::routes(r);
    own::routes(r);
    blocks::routes(r);
    context::routes(r);
    absent::routes(r);
    planning::talk_routes::<At>(r, ONE, KIND);
    planning::time_routes::<Place>(r, ONE, KIND);
    planning::event_routes::<Place>(r, ONE, KIND);
}

/// How operations and texts about routes call them.
const KIND: (&str, &str) = ("merge_requests", "a merge request");

/// A path below a merge request.
pub fn one(rest: &str) -> String {
    format!("{ONE}{rest}")
}

kernel::params! {
    /// Which merge request.
    pub struct OnePath {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the merge request.
        pub iid: i64,
    }
}

/// The merge request that a request is about, and who asks.
pub type At = RequestAbout<Place>;

impl Named for Place {
    type Path = OnePath;
    // Threads may stand in code.
    const BEGINS_ITSELF: bool = true;

    fn at(path: OnePath, _: &str) -> Place {
        Place { project: path.id, iid: path.iid }
    }

    fn find(
        &self, tx: &mut Tx<'_>, viewer: &Viewer, wish: Wish,
    ) -> Result<(ProjectAccess, MergeRequest)> {
        Place::find(self, tx, viewer, wish)
    }

    fn iid(request: &MergeRequest) -> Option<i64> {
        Some(request.iid)
    }

    fn awardable(request: &MergeRequest) -> Awardable {
        Awardable::Thing(MERGE_REQUEST, request.id)
    }
}

impl Measured for Place {
    fn may_measure(here: &ProjectAccess) -> bool {
        sets_people(here.level)
    }
}
