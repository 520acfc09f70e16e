//! Whether a merge request can be merged is found out, and kept.

use super::failing;
use super::news::notify;
use super::sides::Sides;
use crate::merging::status::Event as StatusEvent;
use crate::merging::trees::{self, Check as Found};
use crate::merging::{Heads, MergeStatus};
use crate::model::MergeRequest;
use crate::store as rows;
use crate::tasks::AutoMerge;
use ::store::Tx;
use kernel::app::App;
use kernel::error::{BestEffort, Result};
use kernel::jobs::enqueue_at;
use planning::rules::todos::Action;
use planning::tasks::{Event, Reason};
use repositories::formats::object_id::ObjectId;
use repositories::objects::{self, Objects, Person};

/// How a merge request can be merged, as its branches are.
pub struct Mergeable {
    request: MergeRequest,
    sides: Sides,
    files: trees::Mergeable,
}

/// Finds out whether a merge request can be merged, if that is not known, and keeps how.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn check(app: &App, id: i64) -> Result<()> {
    if let Some(found) = find_out(app, id).await? {
        found.keep(app).await;
    }
    Ok(())
}

/// The same for who merges it now, and keeps it only if nothing comes of that. None where it
/// is known or cannot be merged, or the branches moved meanwhile, so that another check is
/// due.
///
/// # Errors
///
/// Those of [`check`].
pub async fn find_out(app: &App, id: i64) -> Result<Option<Mergeable>> {
    let Some((request, sides)) = app.write(move |tx| begin(tx, id)).await? else {
        return Ok(None);
    };
    sides.bring(app).await?;
    let heads = sides.heads;
    let found = trees::check(app, &sides.target, heads).await?;
    let follows = objects::read(app, &sides.target, move |objects: &Objects| {
        objects.is_ancestor(heads.target, heads.source)
    })
    .await?;
    let outcome = (matches!(found, Found::Mergeable(_)), !follows);
    let conflicts = matches!(found, Found::Conflicts(_));
    let is_current = app.write(move |tx| end(tx, id, heads, outcome, conflicts)).await?;
    Ok(match found {
        Found::Mergeable(files) if is_current => Some(Mergeable { request, sides, files }),
        _ => None,
    })
}

impl Mergeable {
    /// Keeps it as a ref of the merge request; whoever needs the ref makes it again.
    pub async fn keep(self, app: &App) {
        let kept = self.kept(app).await;
        kept.best_effort("keep how a merge request would be merged");
    }

    async fn kept(self, app: &App) -> Result<Option<ObjectId>> {
        let Mergeable { request, sides, files } = self;
        let (found, by, message) = ((sides.heads, files), program(app), message(&request));
        trees::keep_result(app, &sides.target, request.iid, found, &by, &message).await
    }
}

/// Keeps how a merge request would be merged now; none where it cannot be, and no commit
/// where somebody else keeps another one at the same time.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn merge_ref(app: &App, id: i64) -> Result<Option<Option<ObjectId>>> {
    let subject = app.read(move |tx| {
        let request = rows::by_id(tx, id)?.filter(MergeRequest::is_pending);
        let Some(request) = request else { return Ok(None) };
        Ok(Sides::of(tx, &request)?.map(|sides| (request, sides)))
    });
    let Some((request, sides)) = subject.await? else {
        return Ok(None);
    };
    sides.bring(app).await?;
    let Found::Mergeable(files) = trees::check(app, &sides.target, sides.heads).await? else {
        return Ok(None);
    };
    Mergeable { request, sides, files }.kept(app).await.map(Some)
}

fn message(request: &MergeRequest) -> String {
    format!("Merge branch '{}' into '{}'", request.source_branch, request.target_branch)
}

/// Who makes what nobody asked for.
fn program(app: &App) -> Person {
    Person {
        name: "tenon".to_owned(),
        email: format!("noreply@{}", app.host()),
        at: app.now(),
        offset: 0,
    }
}

/// Notes that the check begins; nothing where there is nothing to find out. What lacks a
/// branch cannot be merged.
fn begin(tx: &mut Tx<'_>, id: i64) -> Result<Option<(MergeRequest, Sides)>> {
    let Some(request) = rows::by_id(tx, id)?.filter(MergeRequest::is_pending) else {
        return Ok(None);
    };
    let status = request.merge_status.after(StatusEvent::Prepared).after(StatusEvent::Begun);
    if !status.is_checking() {
        return Ok(None);
    }
    let Some(sides) = Sides::of(tx, &request)? else {
        rows::set_status(tx, id, status.after(StatusEvent::Checked(false)))?;
        return Ok(None);
    };
    // Its version is still to be made; that has it checked.
    if request.head_id != Some(sides.heads.source) {
        return Ok(None);
    }
    rows::set_status(tx, id, status)?;
    Ok(Some((request, sides)))
}

/// Writes what a check found, unless the branches are elsewhere by now; whether it did.
fn end(
    tx: &mut Tx<'_>, id: i64, heads: Heads, (can, needs_rebase): (bool, bool), conflicts: bool,
) -> Result<bool> {
    let Some(request) = rows::by_id(tx, id)? else {
        return Ok(false);
    };
    let status = request.merge_status.after(StatusEvent::Checked(can));
    let is_written = rows::checked(tx, id, (heads.target, heads.source), status, needs_rebase)?;
    if is_written && request.auto_merge {
        let now = tx.now();
        enqueue_at(tx, &AutoMerge { request: id }, now)?;
    }
    let is_news = request.merge_status == MergeStatus::Checking;
    if is_written && conflicts && is_news {
        tell_of_conflict(tx, &request)?;
    }
    Ok(is_written)
}

/// Its author, and who ordered the merge, have something to do.
fn tell_of_conflict(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<()> {
    let people = failing::tell(tx, request, Action::Unmergeable)?;
    let direct = people.into_iter().map(|user| (user, Reason::Participating)).collect();
    notify(tx, None, request, Event::Unmergeable, direct)
}
