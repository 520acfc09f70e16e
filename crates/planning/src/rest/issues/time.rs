//! Time estimated and spent.

use super::IssueRequest;
use crate::entity::issues::{TimeStats, time_stats};
use crate::model::Issue;
use crate::rules::issues::time as rules;
use kernel::error::{Error, Result};
use kernel::http::{Created, Ok200, Params, Routes};
use store::Tx;

pub(super) fn routes(r: &mut Routes) {
    let one = |rest: &str| format!("/projects/{{id}}/issues/{{issue_iid}}/{rest}");
    r.get(&one("time_stats"), show).summary("Shows the time estimated and spent");
    r.post(&one("time_estimate"), estimate)
        .summary("Sets the time an issue is estimated to take");
    r.post(&one("reset_time_estimate"), reset_estimate)
        .summary("Removes the estimate");
    r.post(&one("add_spent_time"), spend).summary("Adds time spent");
    r.post(&one("reset_spent_time"), reset_spent)
        .summary("Sets the time spent to nothing");
}

kernel::params! {
    pub struct TimeSpan {
        /// `1w 2d 3h 30m`; a bare number is hours.
        pub duration: String,
    }
}

/// Changes the times of an issue, for a reporter.
async fn measure(
    at: IssueRequest,
    work: impl Fn(&mut Tx<'_>, Option<i64>, &Issue) -> Result<Issue> + Send + 'static,
) -> Result<TimeStats> {
    at.write(move |tx, by, desk, issue| match desk.is_reporter() {
        true => Ok(time_stats(&work(tx, by.viewer.user_id(), &issue)?)),
        false => Err(Error::forbidden("")),
    })
    .await
}

async fn show(at: IssueRequest) -> Result<Ok200<TimeStats>> {
    at.read(|_, _, _, issue| Ok(Ok200(time_stats(&issue)))).await
}

async fn estimate(at: IssueRequest, it: Params<TimeSpan>) -> Result<Ok200<TimeStats>> {
    let stats = measure(at, move |tx, actor, issue| {
        rules::estimate(tx, actor, issue, rules::span(&it.duration)?)
    });
    stats.await.map(Ok200)
}

async fn reset_estimate(at: IssueRequest) -> Result<Ok200<TimeStats>> {
    let stats = measure(at, |tx, actor, issue| rules::estimate(tx, actor, issue, 0));
    stats.await.map(Ok200)
}

async fn spend(at: IssueRequest, it: Params<TimeSpan>) -> Result<Created<TimeStats>> {
    let stats = measure(at, move |tx, actor, issue| {
        rules::spend(tx, actor, issue, rules::span(&it.duration)?)
    });
    stats.await.map(Created)
}

async fn reset_spent(at: IssueRequest) -> Result<Ok200<TimeStats>> {
    measure(at, rules::reset).await.map(Ok200)
}
