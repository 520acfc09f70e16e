//! Checks of whether merge requests can be merged are begun for who asks.

use super::versions::{self, Wanted};
use crate::access::may_update;
use crate::merging::status::Event as StatusEvent;
use crate::model::MergeRequest;
use crate::store::{self as rows, set_status};
use crate::tasks::Check;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{BestEffort, Found, Result};
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use spaces::access::find_project;
use spaces::model::Project;
use std::time::Duration;
use tokio::time::timeout;

/// How long a change of the target waits for the version that it makes.
const PATIENCE: Duration = Duration::from_secs(5);

/// Has jobs find out whether they can be merged.
pub async fn begin(app: &App, requests: Vec<MergeRequest>) -> Result<()> {
    if requests.is_empty() {
        return Ok(());
    }
    app.write(move |tx| {
        let now = tx.now();
        for request in &requests {
            set_status(tx, request.id, request.merge_status.after(StatusEvent::Begun))?;
            enqueue_at(tx, &Check { request: request.id }, now)?;
        }
        Ok(())
    })
    .await
}

/// Whether nobody knows if it can be merged, and the viewer may have that found out.
pub fn is_due(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, request: &MergeRequest,
) -> Result<bool> {
    match request.needs_check() {
        true => may_update(tx, viewer, project, request),
        false => Ok(false),
    }
}

/// Has a job find out whether it can be merged, where nobody knows and the viewer may
/// change it.
pub async fn recheck(app: &App, viewer: &Viewer, id: i64) -> Result<()> {
    let viewer = viewer.clone();
    let unchecked = app.read(move |tx| {
        let Some(request) = rows::by_id(tx, id)?.filter(MergeRequest::needs_check) else {
            return Ok(None);
        };
        let place = Reference::Id(request.target_project_id);
        let project = find_project(tx, &place)?.found("Project")?;
        let is_due = is_due(tx, &viewer, &project, &request)?;
        Ok(is_due.then_some(request))
    });
    let unchecked = unchecked.await?;
    begin(app, unchecked.into_iter().collect()).await
}

/// Makes the version of another target at once, if that is quick: a job is due, too.
pub async fn renew(app: &App, viewer: &Viewer, id: i64) {
    let made = versions::make(app, id, Some(viewer.clone()), Wanted::Either);
    if let Ok(made) = timeout(PATIENCE, made).await {
        made.best_effort("make the version of another target");
    }
}
