//! What SDKs say they did not send (docs/interface/monitoring.md «Beyond the reference» 7).

use super::ProjectPath;
use crate::errors::model::Dropped;
use crate::errors::rules::errors::authorize;
use crate::errors::store::drops;
use identity::Caller;
use kernel::error::Result;
use kernel::http::{Paged, Paging, Params, Routes};
use spaces::access::Purpose;

pub(super) fn routes(r: &mut Routes) {
    r.get("/projects/{id}/error_tracking/dropped_events", list)
        .summary("Lists how many events the programs of a project dropped, and why");
}

async fn list(by: Caller, path: Params<ProjectPath>, paging: Paging) -> Result<Paged<Dropped>> {
    by.read(move |tx, by| {
        let (project, _) = authorize(tx, &by.viewer, &path.id, Purpose::ReadErrors)?;
        drops::page(tx, project.id, paging)
    })
    .await
}
