//! Brings threads to the newest version after a push.

use super::model::{Thread, read, written};
use super::rules::{Ground, resolved};
use super::store as rows;
use crate::model::MergeRequest;
use crate::noteable::noteable;
use crate::positions::{Followed, Position, follow as follow_positions};
use crate::rules::remarks::remark;
use crate::store::{self, settings};
use crate::suggestions::around::{self, Around};
use crate::suggestions::rules::OpenSuggestions;
use crate::tasks::FollowThreads;
use ::store::Tx;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::jobs::{Failure, Job, Run};
use planning::store::threads::resolve;

/// How often it is begun again while the branches move.
const ATTEMPTS: usize = 5;

impl Job for FollowThreads {
    const NAME: &'static str = "reviews.follow_threads";

    async fn run(self, run: Run) -> Result<(), Failure> {
        Ok(follow(&run.app, &self).await?)
    }
}

/// Threads of a merge request that are looked at together.
struct Due {
    request: MergeRequest,
    ground: Ground,
    threads: Vec<(Thread, Position)>,
    /// The last one that was read.
    last: i64,
}

/// Brings all threads of a merge request that are not outdated to its newest version.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories, or the branches move all the time.
async fn follow(app: &App, task: &FollowThreads) -> Result<()> {
    let (id, user) = (task.request, task.user);
    let (mut after, mut attempts) = (0, 0);
    loop {
        let Some(due) = app.read(move |tx| due(tx, id, after)).await? else {
            return Ok(());
        };
        let positions = due.threads.iter().map(|(_, position)| position.clone()).collect();
        let (repository, now) = (&due.ground.repository, due.ground.now);
        let followed = follow_positions(app, repository, positions, now).await?;
        let followed = with_lines(app, &due, followed).await?;
        let last = due.last;
        if app.write(move |tx| write(tx, &due, &followed, user)).await? {
            after = last;
            continue;
        }
        (after, attempts) = (0, attempts + 1);
        if attempts == ATTEMPTS {
            let text = "The branches move too often now. Try again.";
            return Err(Error::Unavailable(text.into()));
        }
    }
}

/// What became of threads, each with the lines around it where it moved.
async fn with_lines(
    app: &App, due: &Due, followed: Vec<Followed>,
) -> Result<Vec<(Followed, Option<Around>)>> {
    let moved = followed.iter().zip(&due.threads).map(|(followed, (_, before))| match followed {
        Followed::Moved(position) if position != before => Some(position.clone()),
        _ => None,
    });
    let moved: Vec<Option<Position>> = moved.collect();
    let arounds = around::read(app, &due.ground.repository, &moved).await?;
    Ok(followed.into_iter().zip(arounds).collect())
}

/// None if no thread is left.
fn due(tx: &mut Tx<'_>, id: i64, after: i64) -> Result<Option<Due>> {
    let Some(request) = store::by_id(tx, id)? else {
        return Ok(None);
    };
    let Some(ground) = Ground::of(tx, &request)? else {
        return Ok(None);
    };
    let threads = rows::to_follow(tx, id, after)?;
    let Some(last) = threads.last().map(|thread| thread.id) else {
        return Ok(None);
    };
    let placed = threads.into_iter().filter_map(|thread| {
        let position = read(&thread.position)?;
        Some((thread, position))
    });
    Ok(Some(Due { request, ground, threads: placed.collect(), last }))
}

/// Writes what became of them; whether the branches are where they were.
fn write(
    tx: &mut Tx<'_>, due: &Due, followed: &[(Followed, Option<Around>)], user: Option<i64>,
) -> Result<bool> {
    let Some(ground) = Ground::of(tx, &due.request)? else {
        return Ok(true);
    };
    if ground.now != due.ground.now {
        return Ok(false);
    }
    let settings = settings::of_project(tx, due.request.target_project_id)?;
    let mut open = OpenSuggestions::read(tx, due.threads.iter().map(|(thread, _)| thread))?;
    for ((thread, before), (followed, around)) in due.threads.iter().zip(followed) {
        match followed {
            Followed::Moved(position) if position == before => {}
            Followed::Moved(position) => {
                rows::moved(tx, thread.id, position, around.as_ref())?;
                open.moved(&thread.discussion_id, position, around.as_ref());
            }
            Followed::Outdated(change) => {
                open.gone(&thread.discussion_id);
                rows::outdated(tx, thread.id, change.as_ref().map(written))?;
                if settings.resolve_outdated_threads {
                    settle(tx, &due.request, thread, user)?;
                }
            }
        }
    }
    open.write(tx)?;
    Ok(true)
}

/// Resolves a thread whose lines are gone, where it is open.
fn settle(
    tx: &mut Tx<'_>, request: &MergeRequest, thread: &Thread, user: Option<i64>,
) -> Result<()> {
    if !resolve(tx, noteable(request), &thread.discussion_id, user)? {
        return Ok(());
    }
    remark(tx, request, user, "resolved a thread, as a push changed what it is about")?;
    resolved(tx, user, request.id)
}
