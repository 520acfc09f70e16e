//! What projects do not have here: checks by programs elsewhere, and trains of merges.

use super::{At, one};
use crate::access::desk;
use identity::Caller;
use kernel::error::{Error, Result};
use kernel::http::{NoContent, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use serde_json::Value;

const TRAINS: &str = "/projects/{id}/merge_trains";

pub(super) fn routes(r: &mut Routes) {
    r.get(&one("/status_checks"), status_checks)
        .summary("Lists the external checks of a merge request: none");
    r.get(TRAINS, trains)
        .named("merge_trains")
        .summary("Lists merge trains, which projects do not have");
    r.get(&format!("{TRAINS}/{{target_branch}}"), trains)
        .named("merge_train_of_branch")
        .summary("Lists a merge train, which projects do not have");
    let car = format!("{TRAINS}/merge_requests/{{iid}}");
    r.get(&car, trains)
        .named("merge_train_car")
        .summary("Shows where a merge request is in a train, which projects do not have");
    r.post(&car, trains)
        .named("merge_train_add")
        .summary("Adds a merge request to a train, which projects do not have");
}

kernel::params! {
    struct TrainPath {
        /// Id or path of the project.
        pub id: Reference,
        /// The branch of the train.
        pub target_branch: Option<String>,
        /// Number of the merge request.
        pub iid: Option<i64>,
    }
}

async fn status_checks(at: At, paging: Paging) -> Result<Paged<Value>> {
    at.read(move |_, _, _, _| Ok(Paged::numbered(Vec::new(), paging, Some(0))))
        .await
}

/// Who sees the merge requests of the project is told that it has no trains.
async fn trains(by: Caller, at: Params<TrainPath>) -> Result<NoContent> {
    by.read(move |tx, by| {
        desk(tx, &by.viewer, &at.id)?;
        Err(Error::forbidden("Merge trains are not enabled for this project"))
    })
    .await
}
