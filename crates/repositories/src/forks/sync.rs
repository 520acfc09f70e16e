//! A branch of a fork follows that of its source. What it lacks comes as a pack, by the
//! way of pushes: the same is asked of it.

use crate::access::{self, Pushing};
use crate::edits::{Ended, branch, command};
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::git::Git;
use crate::lacked::{KNOWN, lacked, pack};
use crate::lfs;
use crate::model::{Repository, RepositoryKind};
use crate::objects::{self, Objects};
use crate::place::Place;
use crate::receive::{self, Landed};
use crate::store::{self, refs};
use crate::{cache, protection};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use spaces::access::Purpose;
use spaces::model::Project;

/// Where it comes from and goes to.
struct Plan {
    to: Pushing,
    source_project: i64,
    fork_project: i64,
    source: Repository,
    fork: Repository,
    branch: RefName,
    new: ObjectId,
    old: ObjectId,
    /// What else the fork has.
    known: Vec<ObjectId>,
}

/// Moves a branch of a fork to where its source has it, if that follows from where it is.
///
/// # Errors
///
/// `BadRequest` if the project is no fork, or the branch went another way; `NotFound` of
/// the source or its branch; `Forbidden` if the viewer may not push to it.
pub async fn sync(
    app: &App, viewer: &Viewer, reference: Reference, name: Option<String>,
) -> Result<()> {
    kernel::read_only::check(app).await?;
    let viewer = viewer.clone();
    let plan = app.write(move |tx| plan(tx, &viewer, &reference, name.as_deref())).await?;
    let (old, new) = (plan.old, plan.new);
    if old == new || leads_to(app, &plan.fork, old, new).await? {
        return Ok(());
    }
    if !old.is_zero() && !leads_to(app, &plan.source, new, old).await? {
        let text = "The branch has commits that its source lacks, so that it cannot follow it";
        return Err(Error::BadRequest(text.into()));
    }
    let (from, to) = (plan.source_project, plan.fork_project);
    app.write(move |tx| lfs::copy_all(tx, from, to)).await?;
    match bring(app, &plan).await? {
        Ended::Done => Ok(()),
        Ended::Moved => Err(Error::Conflict("The branch moved meanwhile. Try again.".into())),
        Ended::Refused(text) => Err(Error::BadRequest(text)),
    }
}

fn plan(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, name: Option<&str>,
) -> Result<Plan> {
    let fork = spaces::access::project(tx, viewer, reference, Purpose::PushCode)?;
    if !fork.is_fork() {
        return Err(Error::BadRequest("The project is no fork".into()));
    }
    let of = Reference::Id(fork.forked_from_id.found("Source Project")?);
    let read = spaces::access::project(tx, viewer, &of, Purpose::DownloadCode);
    let source_project = read.map_err(|_| Error::NotFound("Source Project"))?;
    let source = store::of_project(tx, source_project.id, RepositoryKind::Project)?;
    let source = source.found("Branch")?;
    let name = match name {
        Some(name) => branch(name).found("Branch")?,
        None => source.head.clone(),
    };
    let new = refs::current(tx, source.id, &[&name])?.remove(&name).found("Branch")?;
    check_push(tx, viewer, &fork, &name)?;
    let to = access::writing(tx, viewer, &Place::code(&fork))?;
    let old = refs::current(tx, to.repository_id, &[&name])?.remove(&name);
    Ok(Plan {
        fork: store::by_id(tx, to.repository_id)?.found("Repository")?,
        known: refs::tips(tx, to.repository_id, KNOWN)?,
        source_project: source_project.id,
        fork_project: fork.id,
        old: old.unwrap_or(ObjectId::ZERO),
        branch: name,
        to,
        source,
        new,
    })
}

fn check_push(tx: &mut Tx<'_>, viewer: &Viewer, fork: &Project, name: &RefName) -> Result<()> {
    let there = store::of_project(tx, fork.id, RepositoryKind::Project)?;
    let branch = name.as_branch().unwrap_or_default();
    match protection::may_push(tx, viewer, fork, there.as_ref(), branch)? {
        true => Ok(()),
        false => Err(Error::forbidden(crate::edits::NO_PUSH)),
    }
}

/// Whether a commit, here or not, is among those that another one leads to.
async fn leads_to(
    app: &App, repository: &Repository, from: ObjectId, to: ObjectId,
) -> Result<bool> {
    let work = move |objects: &Objects| match objects.commit(to)? {
        Some(_) if !from.is_zero() => Ok(objects.merge_base(from, to)? == Some(to)),
        _ => Ok(false),
    };
    objects::read(app, repository, work).await
}

/// Has git pack what the fork lacks, and takes that as a push.
async fn bring(app: &App, plan: &Plan) -> Result<Ended> {
    let wanted = lacked(app, &plan.source, plan.known.clone(), &[plan.new]).await?;
    let copy = cache::copy(app, plan.source.id, cache::Having::Objects).await?;
    let git = app.kept::<Git>().at(app, copy.folder()).await?;
    let (pack, running) = pack(git, &wanted).await?;
    let commands = vec![command(plan.branch.clone(), plan.old, plan.new)];
    let landed: Landed = receive::take(app, &plan.to, commands, Some(pack)).await?;
    running.end().await?.check("git pack-objects")?;
    Ok(Ended::of(landed))
}
