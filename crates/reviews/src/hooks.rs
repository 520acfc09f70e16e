//! What this room plugs into those below.

use crate::access::{self, Scope, visible};
use crate::commits::store as discussed;
use crate::model::MergeRequest;
use crate::rules::change::close;
use crate::rules::{failing, from_issue};
use crate::store::elsewhere;
use crate::store::merging;
use crate::store::upkeep;
use crate::store::{self as rows};
use crate::tasks::AutoMerge;
use ::store::Tx;
use delivery::pipelines::model::Pipeline;
use delivery::pipelines::status::Status;
use delivery::pipelines::{Hooks, RequestLink};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::jobs::enqueue_at;
use planning::requests::Requests;
use spaces::hooks::Contents;
use std::collections::HashMap;

pub use crate::pages::list::panels;
pub use crate::rules::collaboration::opened;
pub use crate::rules::push_options::answer;
pub use crate::rules::pushed::pushed;
pub use crate::rules::settings::HOOKS as MERGE_SETTINGS;
pub use crate::store::elsewhere::{labels_replaced, made_by, milestones_replaced, of_banned};
pub use crate::store::upkeep::hand_over;

/// Merge requests of projects that go, for `spaces::hooks::Hooks`.
pub const CONTENTS: Contents = Contents { count: upkeep::count_in, remove: upkeep::remove_some };

/// The same of what is said of their commits.
pub const COMMITS: Contents =
    Contents { count: discussed::count_in, remove: discussed::remove_some };

/// What issues, labels and texts ask of merge requests, for `planning::hooks::Hooks`.
pub const REQUESTS: Requests = Requests {
    is_visible: access::is_visible,
    named: elsewhere::named,
    closing: elsewhere::closing,
    labelled: elsewhere::labelled,
    begins: from_issue::begins,
    begin: from_issue::begin,
};

/// What was to be merged from a project that goes is closed.
pub fn project_destroying(tx: &mut Tx<'_>, project_id: i64) -> Result<()> {
    for request in rows::pending_of_source(tx, project_id)? {
        if request.is_open() {
            close(tx, None, &request)?;
        }
    }
    Ok(())
}

/// Open merge requests that the jobs of a branch are told of.
const MOST_OPEN: usize = 4;

/// What pipelines ask of merge requests.
pub fn of_pipelines() -> Hooks {
    Hooks {
        ended: vec![pipeline_ended],
        open_requests: Some(open_requests),
        request_links: Some(request_links),
    }
}

/// Merges that wait for the pipelines of a commit are tried again, and who is to mend what
/// failed is told.
fn pipeline_ended(tx: &mut Tx<'_>, pipeline: &Pipeline) -> Result<()> {
    let now = tx.now();
    let of = (pipeline.project_id, pipeline.head(), pipeline.merge_request_id);
    if pipeline.status == Status::Failed && pipeline.parent_pipeline_id.is_none() {
        failing::pipeline_failed(tx, of.0, of.1, of.2)?;
    }
    for request in merging::ordered_of(tx, of.0, of.1, of.2)? {
        enqueue_at(tx, &AutoMerge { request }, now)?;
    }
    Ok(())
}

/// The open ones from a branch that the viewer sees, the newest first.
fn open_requests(
    tx: &mut Tx<'_>, viewer: &Viewer, (project_id, branch): (i64, &str),
) -> Result<Vec<String>> {
    let found = rows::pending_from(tx, project_id, &[branch.to_owned()])?;
    let ids: Vec<i64> = found.iter().map(|request| request.id).collect();
    let name = |request: &MergeRequest| format!("{}{}", request.project_path, request.reference());
    let seen = seen(tx, viewer, &ids)?;
    Ok(seen.iter().rev().take(MOST_OPEN).map(name).collect())
}

/// Those of these that the viewer sees, the oldest first.
fn seen(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<Vec<MergeRequest>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let condition = visible(tx, viewer, &Scope::Everywhere);
    rows::by_ids(tx, ids, condition)
}

fn request_links(
    tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64],
) -> Result<HashMap<i64, RequestLink>> {
    let link = |request: MergeRequest| {
        let link = RequestLink {
            project_id: request.target_project_id,
            reference: request.reference(),
            path: request.path(),
            project_path: request.project_path,
            title: request.title,
        };
        (request.id, link)
    };
    Ok(seen(tx, viewer, ids)?.into_iter().map(link).collect())
}
