//! Time estimated and spent: of issues, and of a thing of a room above.

use super::about::{Named, RequestAbout};
use crate::access::ProjectAccess;
use crate::entity::issues::{TimeStats, time_stats};
use crate::guarded::Place;
use crate::rules::times::{self as rules, Timed};
use kernel::error::{Error, Result};
use kernel::http::{Created, Ok200, Params, Routes};
use store::Tx;

/// Where something is that takes time.
pub trait Measured: Named {
    /// Whether somebody may tell there what things take.
    fn may_measure(access: &Self::Access) -> bool;
}

impl Measured for Place {
    fn may_measure(desk: &ProjectAccess) -> bool {
        desk.is_reporter()
    }
}

pub(super) fn routes(r: &mut Routes) {
    of::<Place>(r, "/projects/{id}/issues/{issue_iid}", ("issues", "an issue"));
}

/// The times of one kind of thing, at this path; names of the operations begin with the
/// first word.
pub fn of<N: Measured>(r: &mut Routes, base: &str, (name, thing): (&str, &str))
where
    N::Found: Timed,
{
    let at = |rest: &str| format!("{base}/{rest}");
    let named = |handler: &str| format!("{name}_{handler}");
    r.get(&at("time_stats"), show::<N>)
        .named(&named("show"))
        .summary("Shows the time estimated and spent");
    r.post(&at("time_estimate"), estimate::<N>)
        .named(&named("estimate"))
        .summary(format!("Sets the time {thing} is estimated to take"));
    r.post(&at("reset_time_estimate"), reset_estimate::<N>)
        .named(&named("reset_estimate"))
        .summary("Removes the estimate");
    r.post(&at("add_spent_time"), spend::<N>)
        .named(&named("spend"))
        .summary("Adds time spent");
    r.post(&at("reset_spent_time"), reset_spent::<N>)
        .named(&named("reset_spent"))
        .summary("Sets the time spent to nothing");
}

kernel::params! {
    pub struct TimeSpan {
        /// `1w 2d 3h 30m`; a bare number is hours.
        pub duration: String,
    }
}

kernel::params! {
    pub struct SpentTime {
        /// `1w 2d 3h 30m`; a bare number is hours.
        pub duration: String,
        /// What it was spent on.
        pub summary: Option<String>,
    }
}

/// Changes the times of a thing, for who tells of them.
async fn measure<N, F>(at: RequestAbout<N>, work: F) -> Result<TimeStats>
where
    N: Measured,
    N::Found: Timed,
    F: Fn(&mut Tx<'_>, Option<i64>, &N::Found) -> Result<N::Found> + Send + 'static,
{
    at.write(move |tx, by, access, found| match N::may_measure(&access) {
        true => Ok(time_stats(&work(tx, by.viewer.user_id(), &found)?)),
        false => Err(Error::forbidden("")),
    })
    .await
}

async fn show<N: Measured>(at: RequestAbout<N>) -> Result<Ok200<TimeStats>>
where
    N::Found: Timed,
{
    at.read(|_, _, _, found| Ok(Ok200(time_stats(&found)))).await
}

async fn estimate<N: Measured>(
    at: RequestAbout<N>, it: Params<TimeSpan>,
) -> Result<Ok200<TimeStats>>
where
    N::Found: Timed,
{
    let stats = measure(at, move |tx, actor, found| {
        rules::estimate(tx, actor, found, rules::span(&it.duration)?)
    });
    stats.await.map(Ok200)
}

async fn reset_estimate<N: Measured>(at: RequestAbout<N>) -> Result<Ok200<TimeStats>>
where
    N::Found: Timed,
{
    let stats = measure(at, |tx, actor, found| rules::estimate(tx, actor, found, 0));
    stats.await.map(Ok200)
}

async fn spend<N: Measured>(
    at: RequestAbout<N>, it: Params<SpentTime>,
) -> Result<Created<TimeStats>>
where
    N::Found: Timed,
{
    let stats = measure(at, move |tx, actor, found| {
        let summary = it.summary.as_deref().unwrap_or_default();
        rules::spend(tx, actor, found, (rules::span(&it.duration)?, summary))
    });
    stats.await.map(Created)
}

async fn reset_spent<N: Measured>(at: RequestAbout<N>) -> Result<Ok200<TimeStats>>
where
    N::Found: Timed,
{
    measure(at, rules::reset).await.map(Ok200)
}
