//! Time estimated and spent.

use super::IssuePath;
use crate::access::ProjectAccess;
use crate::entity::issues::{TimeStats, time_stats};
use crate::model::Issue;
use crate::rules::issues::places::{found, found_to_write};
use crate::rules::issues::time as rules;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, Ok200, Params, Routes};
use kernel::ids::Reference;
use store::Tx;

pub(super) fn routes(r: &mut Routes) {
    let one = |rest: &str| format!("/projects/{{id}}/issues/{{issue_iid}}/{rest}");
    r.get(&one("time_stats"), show)
        .summary("Shows the time estimated and spent");
    r.post(&one("time_estimate"), estimate)
        .summary("Sets the time an issue is estimated to take");
    r.post(&one("reset_time_estimate"), reset_estimate)
        .summary("Removes the estimate");
    r.post(&one("add_spent_time"), spend)
        .summary("Adds time spent");
    r.post(&one("reset_spent_time"), reset_spent)
        .summary("Sets the time spent to nothing");
}

kernel::params! {
    /// An issue and a span of time.
    pub struct TimePath {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the issue.
        pub issue_iid: i64,
        /// `1w 2d 3h 30m`; a bare number is hours.
        pub duration: String,
    }
}

/// The issue, for a reporter.
fn measured(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    id: &Reference,
    iid: i64,
) -> Result<(ProjectAccess, Issue)> {
    let (desk, issue) = found_to_write(tx, viewer, id, iid)?;
    match desk.is_reporter() {
        true => Ok((desk, issue)),
        false => Err(Error::forbidden("")),
    }
}

async fn show(app: App, viewer: Viewer, path: Params<IssuePath>) -> Result<Ok200<TimeStats>> {
    app.read(move |tx| {
        let (_, issue) = found(tx, &viewer, &path.id, path.issue_iid)?;
        Ok(Ok200(time_stats(&issue)))
    })
    .await
}

async fn estimate(app: App, viewer: Viewer, params: Params<TimePath>) -> Result<Ok200<TimeStats>> {
    app.write(move |tx| {
        let (_, issue) = measured(tx, &viewer, &params.id, params.issue_iid)?;
        let seconds = rules::span(&params.duration)?;
        let issue = rules::estimate(tx, viewer.user_id(), &issue, seconds)?;
        Ok(Ok200(time_stats(&issue)))
    })
    .await
}

async fn reset_estimate(
    app: App,
    viewer: Viewer,
    path: Params<IssuePath>,
) -> Result<Ok200<TimeStats>> {
    app.write(move |tx| {
        let (_, issue) = measured(tx, &viewer, &path.id, path.issue_iid)?;
        let issue = rules::estimate(tx, viewer.user_id(), &issue, 0)?;
        Ok(Ok200(time_stats(&issue)))
    })
    .await
}

async fn spend(app: App, viewer: Viewer, params: Params<TimePath>) -> Result<Created<TimeStats>> {
    app.write(move |tx| {
        let (_, issue) = measured(tx, &viewer, &params.id, params.issue_iid)?;
        let seconds = rules::span(&params.duration)?;
        let issue = rules::spend(tx, viewer.user_id(), &issue, seconds)?;
        Ok(Created(time_stats(&issue)))
    })
    .await
}

async fn reset_spent(
    app: App,
    viewer: Viewer,
    path: Params<IssuePath>,
) -> Result<Ok200<TimeStats>> {
    app.write(move |tx| {
        let (_, issue) = measured(tx, &viewer, &path.id, path.issue_iid)?;
        let issue = rules::reset(tx, viewer.user_id(), &issue)?;
        Ok(Ok200(time_stats(&issue)))
    })
    .await
}
