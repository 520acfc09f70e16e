//! Time estimated and spent.

use super::IssuePath;
use crate::entity::issues::{TimeStats, time_stats};
use crate::model::Issue;
use crate::rules::issues::places::{found, found_to_write};
use crate::rules::issues::time as rules;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, Flat, Ok200, Params, Routes};
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
    pub struct TimePath {
        pub at: Flat<IssuePath>,
        /// `1w 2d 3h 30m`; a bare number is hours.
        pub duration: String,
    }
}

/// Changes the times of an issue, for a reporter.
async fn measure(
    app: App,
    viewer: Viewer,
    at: IssuePath,
    work: impl Fn(&mut Tx<'_>, Option<i64>, &Issue) -> Result<Issue> + Send + Sync + 'static,
) -> Result<TimeStats> {
    app.write(move |tx| {
        let (desk, issue) = found_to_write(tx, &viewer, &at.id, at.issue_iid)?;
        match desk.is_reporter() {
            true => Ok(time_stats(&work(tx, viewer.user_id(), &issue)?)),
            false => Err(Error::forbidden("")),
        }
    })
    .await
}

async fn show(app: App, viewer: Viewer, path: Params<IssuePath>) -> Result<Ok200<TimeStats>> {
    app.read(move |tx| {
        let (_, issue) = found(tx, &viewer, &path.id, path.issue_iid)?;
        Ok(Ok200(time_stats(&issue)))
    })
    .await
}

async fn estimate(
    app: App,
    viewer: Viewer,
    Params(params): Params<TimePath>,
) -> Result<Ok200<TimeStats>> {
    let stats = measure(app, viewer, params.at.0, move |tx, actor, issue| {
        rules::estimate(tx, actor, issue, rules::span(&params.duration)?)
    });
    stats.await.map(Ok200)
}

async fn reset_estimate(
    app: App,
    viewer: Viewer,
    path: Params<IssuePath>,
) -> Result<Ok200<TimeStats>> {
    let stats = measure(app, viewer, path.0, |tx, actor, issue| {
        rules::estimate(tx, actor, issue, 0)
    });
    stats.await.map(Ok200)
}

async fn spend(
    app: App,
    viewer: Viewer,
    Params(params): Params<TimePath>,
) -> Result<Created<TimeStats>> {
    let stats = measure(app, viewer, params.at.0, move |tx, actor, issue| {
        rules::spend(tx, actor, issue, rules::span(&params.duration)?)
    });
    stats.await.map(Created)
}

async fn reset_spent(
    app: App,
    viewer: Viewer,
    path: Params<IssuePath>,
) -> Result<Ok200<TimeStats>> {
    let stats = measure(app, viewer, path.0, rules::reset);
    stats.await.map(Ok200)
}
