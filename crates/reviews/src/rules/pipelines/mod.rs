//! Pipelines of merge requests: where they run, for which commit, and what their jobs are
//! told. They begin with each push to the source, and whenever somebody asks for one.

pub mod asking;
mod told;

use super::refs;
use super::sides::Sides;
use crate::access::{Scope, visible};
use crate::approvals;
use crate::model::{MergeRequest, Version};
use crate::rules::checks;
use crate::store::{self as rows, labels, people, pipelines, settings, versions};
use ::store::Tx;
use delivery::pipelines::access::sees_jobs;
use delivery::pipelines::create::{Creation, Refused, create, says_skip};
use delivery::pipelines::model::{Pipeline, Source};
use delivery::pipelines::requests::OfRequest;
use delivery::pipelines::store::settings as ci_settings;
use identity::entities::load_basic;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::ids::Reference;
use kernel::jobs::Run;
use planning::store::milestones;
use repositories::formats::object_id::ObjectId;
use repositories::objects::{self, Objects};
use repositories::protection;
use spaces::access::{Purpose, find_project, may};
use spaces::model::Project;
use told::{About, Facts};

/// What a pipeline is wanted for.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Only for this head: another one has its own.
    pub head: Option<String>,
    /// None of its jobs is to run.
    pub skips_jobs: bool,
    /// Somebody asks for it, be there another one of the head or not.
    pub is_asked: bool,
}

/// What came of that.
#[derive(Debug)]
pub enum Begun {
    /// There is nothing to run.
    Nothing,
    Made(Box<Pipeline>),
    Refused(Box<Refused>),
}

/// Both projects of a merge request, as far as the viewer sees pipelines there.
pub fn seen(
    tx: &mut Tx<'_>, viewer: &Viewer, target: &Project, request: &MergeRequest,
) -> Result<Vec<Project>> {
    let mut all = vec![target.clone()];
    if let Some(id) = request.source_project_id.filter(|_| request.is_from_fork()) {
        all.extend(find_project(tx, &Reference::Id(id))?);
    }
    let mut seen = Vec::new();
    for project in all {
        if may(tx, viewer, &project, Purpose::ReadPipelines)? {
            seen.push(project);
        }
    }
    Ok(seen)
}

/// Those of them where the viewer sees jobs, too: pages show how far these are.
pub fn with_seen_jobs(
    tx: &mut Tx<'_>, viewer: &Viewer, target: &Project, request: &MergeRequest,
) -> Result<Vec<Project>> {
    let mut open = Vec::new();
    for project in seen(tx, viewer, target, request)? {
        if sees_jobs(tx, viewer, &project)? {
            open.push(project);
        }
    }
    Ok(open)
}

/// What is known before a commit is chosen.
struct Subject {
    request: MergeRequest,
    version: Version,
    sides: Sides,
    source: Project,
    target: Project,
    about: About,
    /// The project in which it runs.
    runs_in: i64,
    has_merged_results: bool,
}

/// The commit that a pipeline is for.
struct Spot {
    sha: ObjectId,
    /// Where the target was, if the branches were merged for it.
    merged_into: Option<ObjectId>,
    /// The head says that nothing is to run for it.
    says_skip: bool,
}

/// The project in which a pipeline runs that the viewer begins; none where they may not. It
/// runs in the fork, with the rights of that, unless somebody who runs pipelines in the
/// target asks for it.
pub fn place(
    tx: &mut Tx<'_>, viewer: &Viewer, (source, target): (Option<&Project>, &Project),
    is_asked: bool,
) -> Result<Option<i64>> {
    let Some(source) = source else {
        return Ok(None);
    };
    let is_from_fork = source.id != target.id;
    let into_target = is_asked
        && is_from_fork
        && ci_settings::of_project(tx, target.id)?.fork_pipelines_in_parent
        && may(tx, viewer, target, Purpose::RunPipelines)?;
    if into_target {
        return Ok(Some(target.id));
    }
    Ok(may(tx, viewer, source, Purpose::RunPipelines)?.then_some(source.id))
}

/// Both projects of a merge request, the source first, which may be gone.
pub fn projects(
    tx: &mut Tx<'_>, request: &MergeRequest,
) -> Result<Option<(Option<Project>, Project)>> {
    let Some(target) = find_project(tx, &Reference::Id(request.target_project_id))? else {
        return Ok(None);
    };
    let source = match request.source_project_id {
        Some(id) if id == target.id => Some(target.clone()),
        Some(id) => find_project(tx, &Reference::Id(id))?,
        None => None,
    };
    Ok(Some((source, target)))
}

/// Makes a pipeline of a merge request; `by` is the job that does, which ends with it.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn begin(
    app: &App, viewer: &Viewer, id: i64, wanted: &Wanted, by: Option<Run>,
) -> Result<Begun> {
    let (asker, asked) = (viewer.clone(), wanted.clone());
    let Some(subject) = app.read(move |tx| subject(tx, &asker, id, &asked)).await? else {
        return Ok(Begun::Nothing);
    };
    let spot = spot(app, &subject).await?;
    let creation = creation(app, &subject, &spot, wanted);
    Ok(match create(app, viewer, creation, by).await? {
        Ok(pipeline) => Begun::Made(Box::new(pipeline)),
        Err(refused) => Begun::Refused(Box::new(refused)),
    })
}

/// All that is known of it; nothing where nothing can run.
fn subject(tx: &mut Tx<'_>, viewer: &Viewer, id: i64, wanted: &Wanted) -> Result<Option<Subject>> {
    let Some(request) = rows::by_id(tx, id)?.filter(MergeRequest::is_open) else {
        return Ok(None);
    };
    let (version, sides) = (versions::latest(tx, id)?, Sides::of(tx, &request)?);
    let Some((version, sides)) = version.zip(sides) else {
        return Ok(None);
    };
    if !is_to_run(tx, &request, (&version, &sides), wanted)? || !is_seen(tx, viewer, id)? {
        return Ok(None);
    }
    let Some((Some(source), target)) = projects(tx, &request)? else {
        return Ok(None);
    };
    let Some(runs_in) = place(tx, viewer, (Some(&source), &target), wanted.is_asked)? else {
        return Ok(None);
    };
    let has_merged_results =
        runs_in == target.id && settings::of_project(tx, target.id)?.merged_results;
    Ok(Some(Subject {
        about: about(tx, &request, &sides, (&source, &target))?,
        request,
        version,
        sides,
        source,
        target,
        runs_in,
        has_merged_results,
    }))
}

/// Whether its version is of the head that the pipeline is for, has commits, and has none yet.
fn is_to_run(
    tx: &mut Tx<'_>, request: &MergeRequest, (version, sides): (&Version, &Sides), wanted: &Wanted,
) -> Result<bool> {
    let head = sides.heads.source;
    let is_current = version.head_id == head && request.head_id == Some(head);
    let text = head.to_string();
    let is_wanted = wanted.head.as_ref().is_none_or(|wanted| *wanted == text);
    if !is_current || !is_wanted || version.commits_count == 0 {
        return Ok(false);
    }
    Ok(wanted.is_asked || !pipelines::is_begun(tx, request.id, &text)?)
}

/// Whether the viewer sees it: jobs are told of it, and who pushes to a fork need not.
fn is_seen(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<bool> {
    let condition = visible(tx, viewer, &Scope::Everywhere);
    Ok(!rows::by_ids(tx, &[id], condition)?.is_empty())
}

fn about(
    tx: &mut Tx<'_>, request: &MergeRequest, sides: &Sides, (source, target): (&Project, &Project),
) -> Result<About> {
    let id = request.id;
    let assigned = people::assignees_of_one(tx, id)?;
    let users = load_basic(tx, &assigned)?;
    let names = assigned.iter().filter_map(|id| users.get(id));
    let worn = labels::of_requests(tx, &[id])?.remove(&id).unwrap_or_default();
    let milestone = match request.milestone_id {
        Some(goal) => milestones::by_ids(tx, &[goal])?.remove(&goal),
        None => None,
    };
    let missing = approvals::progress(tx, std::slice::from_ref(request))?;
    let from = sides.fork.as_ref().unwrap_or(&sides.target);
    let is_source_protected = protection::protected_branches(tx, source, from)?;
    let is_target_protected = protection::protected_branches(tx, target, &sides.target)?;
    Ok(About {
        labels: worn.into_iter().map(|label| label.title).collect(),
        assignees: names.map(|user| user.username.clone()).collect(),
        milestone: milestone.map(|goal| goal.title),
        is_approved: !missing.contains_key(&id),
        is_source_protected: is_source_protected(&request.source_branch),
        is_target_protected: is_target_protected(&request.target_branch),
    })
}

/// The commit that it runs for: what merging would make where that is wanted and can be
/// made, or else the head.
async fn spot(app: &App, subject: &Subject) -> Result<Spot> {
    let head = subject.version.head_id;
    let detached = Spot { sha: head, merged_into: None, says_skip: false };
    if !subject.has_merged_results {
        return Ok(detached);
    }
    let Some(Some(made)) = checks::merge_ref(app, subject.request.id).await? else {
        return Ok(detached);
    };
    let read = move |objects: &Objects| Ok((objects.commit(made)?, objects.commit(head)?));
    let (merge, source) = objects::read(app, &subject.sides.target, read).await?;
    let parents = merge.map(|commit| commit.parents).unwrap_or_default();
    // A branch may be elsewhere by now; then it has a pipeline of its own.
    let [target, merged] = parents.as_slice() else {
        return Ok(detached);
    };
    if *merged != head {
        return Ok(detached);
    }
    keep(app, subject, made).await?;
    Ok(Spot {
        sha: made,
        merged_into: Some(*target),
        says_skip: source.is_some_and(|commit| says_skip(&commit.message)),
    })
}

/// Has the commit stay after the branches moved: runners fetch it later.
async fn keep(app: &App, subject: &Subject, commit: ObjectId) -> Result<()> {
    let id = subject.sides.target.id;
    app.write(move |tx| {
        let repository = repositories::store::by_id(tx, id)?.found("Repository")?;
        refs::keep_commits(tx, &repository, &[commit])
    })
    .await
}

fn creation(app: &App, subject: &Subject, spot: &Spot, wanted: &Wanted) -> Creation {
    let (request, version) = (&subject.request, &subject.version);
    let kind = if spot.merged_into.is_some() { "merge" } else { "head" };
    let on_ref = format!("refs/merge-requests/{}/{kind}", request.iid);
    let facts = Facts {
        request,
        version,
        source: &subject.source,
        target: &subject.target,
        about: &subject.about,
        merged_into: spot.merged_into,
        base_url: app.base_url(),
    };
    let of = OfRequest {
        id: request.id,
        iid: request.iid,
        source_project_id: subject.source.id,
        target_project_id: subject.target.id,
        source_branch: request.source_branch.clone(),
        target_branch: request.target_branch.clone(),
        head: version.head_id.to_string(),
        base: version.base_id.to_string(),
        variables: facts.variables(),
    };
    Creation {
        sha: Some(spot.sha),
        skip: wanted.skips_jobs || spot.says_skip,
        request: Some(of),
        ..Creation::new(subject.runs_in, &on_ref, Source::MergeRequestEvent)
    }
}
