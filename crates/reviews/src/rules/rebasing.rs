//! The source branch of a merge request is made again on top of its target, by a job.

use super::change::reread;
use super::landed::with_param;
use super::sides::Sides;
use crate::merging::landing::{self, Source};
use crate::merging::options::{RebaseFacts, check_rebase, merge_error};
use crate::merging::rebase::{self, HEAD_KEY, Outcome};
use crate::model::MergeRequest;
use crate::store::{self as rows};
use crate::tasks::Rebase;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use repositories::edits::Author;
use repositories::edits::merges::{self, Elsewhere, Ended};
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::{Holder, RepositoryKind};
use repositories::protection::{self, Pusher, RefChange, Way};
use repositories::store::of_project;
use serde_json::json;
use spaces::access::find_project;
use spaces::model::Project;

/// Has a job rebase it.
///
/// # Errors
///
/// Those of [`check_rebase`].
pub fn begin(
    tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, skip_ci: bool,
) -> Result<()> {
    let user = viewer.signed_in()?.user.id;
    check_rebase(facts(tx, viewer, request)?)?;
    let mut after = request.clone();
    after.rebase_started_at = Some(tx.now());
    after.merge_error = None;
    rows::update(tx, &after)?;
    let now = tx.now();
    enqueue_at(tx, &Rebase { request: request.id, user, skip_ci }, now)
}

/// Whether the viewer may have it rebased now.
pub fn may_begin(tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest) -> Result<bool> {
    if viewer.user_id().is_none() {
        return Ok(false);
    }
    Ok(check_rebase(facts(tx, viewer, request)?).is_ok())
}

/// Whether the viewer may push to the source branch, which is there.
pub fn may_push(tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest) -> Result<bool> {
    Ok(viewer.user_id().is_some() && facts(tx, viewer, request)?.may_push)
}

fn source_of(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<Option<Project>> {
    match request.source_project_id {
        Some(id) => find_project(tx, &Reference::Id(id)),
        None => Ok(None),
    }
}

fn facts(tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest) -> Result<RebaseFacts> {
    let sides = Sides::of(tx, request)?;
    let source = source_of(tx, request)?;
    let (may_push, is_guarded) = match (&sides, &source) {
        (Some(sides), Some(source)) => rights(tx, viewer, request, source, sides)?,
        _ => (false, false),
    };
    Ok(RebaseFacts {
        has_source_branch: sides.is_some() && source.is_some(),
        may_push,
        is_guarded,
        is_open: request.is_open(),
        is_rebasing: request.rebase_started_at.is_some(),
    })
}

/// Whether the viewer may push to the source branch, and whether that is protected from
/// being pushed to by force.
fn rights(
    tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, source: &Project, sides: &Sides,
) -> Result<(bool, bool)> {
    let branch = request.source_branch.as_str();
    let repository = of_project(tx, source.id, RepositoryKind::Project)?.found("Repository")?;
    let may_push = protection::may_push(tx, viewer, source, Some(&repository), branch)?;
    if !may_push {
        return Ok((false, false));
    }
    let name = RefName::branch(branch).map_err(|_| Error::NotFound("Branch"))?;
    let pusher = Pusher { viewer: viewer.clone(), deploy_key_id: None, way: Way::Api };
    let (old, new) = (sides.heads.source, sides.heads.target);
    let change = RefChange { name, old, new, is_forced: true };
    let judged = protection::check_refs(tx, &pusher, source, &repository, &[change])?;
    Ok((true, judged.is_err()))
}

/// What is rebased.
struct Subject {
    request: MergeRequest,
    target: Project,
    source: Project,
    sides: Sides,
}

fn subject(tx: &mut Tx<'_>, id: i64) -> Result<Option<Subject>> {
    let found = rows::by_id(tx, id)?.filter(|one| one.rebase_started_at.is_some());
    let Some(request) = found.filter(MergeRequest::is_open) else {
        return Ok(None);
    };
    let (sides, source) = (Sides::of(tx, &request)?, source_of(tx, &request)?);
    let target = find_project(tx, &Reference::Id(request.target_project_id))?;
    Ok(match (sides, source, target) {
        (Some(sides), Some(source), Some(target)) => {
            Some(Subject { request, target, source, sides })
        }
        _ => None,
    })
}

/// Rebases it, and notes how that ended together with that it did.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories: then it goes on later.
pub async fn run(app: &App, viewer: Option<&Viewer>, task: &Rebase) -> Result<()> {
    let id = task.request;
    let failed = match viewer {
        Some(viewer) => match rebase(app, viewer, task).await {
            Err(error @ Error::Unavailable(_)) => return Err(error),
            Err(error) => Some(merge_error::rebase_failed(&error.to_string())),
            Ok(failed) => failed,
        },
        None => Some(merge_error::rebase_failed("Who asked for it is gone")),
    };
    app.write(move |tx| end(tx, id, failed.clone())).await
}

/// Ends what nobody rebases any more.
pub fn give_up(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    end(tx, id, Some(merge_error::rebase_failed("It was not made in time. Try again")))
}

fn end(tx: &mut Tx<'_>, id: i64, failed: Option<String>) -> Result<()> {
    let Some(mut request) = rows::by_id(tx, id)? else {
        return Ok(());
    };
    request.rebase_started_at = None;
    if failed.is_some() {
        request.merge_error = failed;
        with_param(&mut request, HEAD_KEY, None);
    }
    rows::update(tx, &request)
}

/// Why it failed, if it did.
async fn rebase(app: &App, viewer: &Viewer, task: &Rebase) -> Result<Option<String>> {
    let id = task.request;
    let Some(target_id) = app
        .read(move |tx| Ok(rows::by_id(tx, id)?.map(|one| one.target_project_id)))
        .await?
    else {
        return Ok(None);
    };
    let _turn = merges::turn(app, Holder::Code(target_id)).await?;
    let Some(subject) = app.read(move |tx| subject(tx, id)).await? else {
        return Ok(None);
    };
    let Subject { request, target, source, sides } = subject;
    sides.bring(app).await?;
    let by = merges::person(app, viewer, &Author::default()).await?;
    let made = match rebase::make(app, &sides.target, &by, sides.heads).await? {
        Outcome::Made(made) => made,
        Outcome::Failed(failure) => return Ok(Some(failure.text())),
        Outcome::NothingToRebase => return Ok(None),
    };
    let new = made.head;
    app.write(move |tx| note_head(tx, id, new)).await?;
    let branch = RefName::branch(&request.source_branch)
        .map_err(|_| Error::internal("a source branch that has no name"))?;
    let from = Source { project: source, branch, old: sides.heads.source };
    let elsewhere = Elsewhere { project_id: target.id, repository: sides.target };
    let ended = landing::to_source(app, viewer, &elsewhere, from, &made, task.skip_ci).await?;
    Ok(match ended {
        Ended::Done => None,
        Ended::Moved => Some(merge_error::rebase_failed("The source branch was updated meanwhile")),
        Ended::Refused(text) => Some(merge_error::rebase_refused(&text)),
    })
}

/// The push that brings this head keeps approvals.
fn note_head(tx: &mut Tx<'_>, id: i64, head: ObjectId) -> Result<()> {
    let mut request = reread(tx, id)?;
    with_param(&mut request, HEAD_KEY, Some(json!(head.to_string())));
    rows::update(tx, &request)
}
