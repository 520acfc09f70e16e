//! What is due after pushes: versions, checks of what can be merged, and merge requests
//! that a push merged.

mod from_issue;
mod merge;
mod pipelines;

use crate::merging::Brought;
use crate::model::{MergeRequest, Version, VersionState};
use crate::rules::checks::check;
use crate::rules::merged;
use crate::rules::versions::{self, Wanted};
use crate::store::{self as rows, versions as version_rows};
use crate::tasks::{Check, FollowTarget, FollowThreads, MakeVersion};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::ids::Reference;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run, enqueue_at};
use repositories::formats::object_id::ObjectId;
use repositories::model::{Repository, RepositoryKind};
use repositories::objects::{self, Objects, Order, Walk};
use repositories::store::of_project;
use spaces::access::find_project;
use std::collections::{HashMap, HashSet};

/// Commits of a push that are looked at.
const MOST_COMMITS: usize = 1_000;

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<MakeVersion>();
    registry.add::<Check>();
    registry.add::<FollowTarget>();
    from_issue::jobs(registry);
    merge::jobs(registry);
    pipelines::jobs(registry);
    registry.add::<FollowThreads>();
}

/// A user who is still there and may do something.
pub(crate) async fn viewer(app: &App, id: Option<i64>) -> Result<Option<Viewer>> {
    let Some(id) = id else {
        return Ok(None);
    };
    let found = app.read(move |tx| identity::users::find(tx, id)).await?;
    Ok(found.filter(|user| user.refusal().is_none()).map(Viewer::addressed))
}

impl Job for MakeVersion {
    const NAME: &'static str = "reviews.make_version";

    fn dedupe_key(&self) -> Option<String> {
        Some(format!("{}:{}", self.request, self.for_target))
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let by = viewer(&run.app, self.user).await?;
        let wanted = if self.for_target {
            Wanted::Either
        } else {
            Wanted::Source
        };
        Ok(versions::make(&run.app, self.request, by, wanted).await?)
    }
}

impl Job for Check {
    const NAME: &'static str = "reviews.check";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.request.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        Ok(check(&run.app, self.request).await?)
    }
}

impl Job for FollowTarget {
    const NAME: &'static str = "reviews.follow_target";

    async fn run(self, run: Run) -> Result<(), Failure> {
        Ok(follow(&run.app, self).await?)
    }
}

/// What a push to a target branch brought.
struct Arrived {
    /// Heads that it holds now, each with the commit that brought it.
    brought: HashMap<ObjectId, ObjectId>,
    /// Commits that are new to the branch.
    commits: Vec<ObjectId>,
    /// What it was is not in it any more.
    is_forced: bool,
}

/// The merge requests into a branch, and where its files are.
struct Waiting {
    requests: Vec<MergeRequest>,
    versions: HashMap<i64, Version>,
    repository: Option<Repository>,
}

fn waiting(tx: &mut Tx<'_>, task: &FollowTarget) -> Result<Waiting> {
    let branch = std::slice::from_ref(&task.branch);
    let requests = rows::pending_into(tx, task.project, branch, task.after)?;
    let ids: Vec<i64> = requests.iter().map(|request| request.id).collect();
    Ok(Waiting {
        versions: version_rows::latest_of(tx, &ids)?,
        repository: of_project(tx, task.project, RepositoryKind::Project)?,
        requests,
    })
}

async fn follow(app: &App, task: FollowTarget) -> Result<()> {
    let asked = task.clone();
    let waiting = app.read(move |tx| waiting(tx, &asked)).await?;
    let id = |text: &str| text.parse::<ObjectId>().ok().and_then(ObjectId::present);
    let arrived = match (id(&task.new), &waiting.repository) {
        (Some(new), Some(repository)) => {
            Some(arrived(app, repository, (id(&task.old), new), &waiting).await?)
        }
        _ => None,
    };
    let by = viewer(app, task.user).await?;
    let merged = match (&arrived, &by) {
        (Some(arrived), Some(by)) => mark_merged(app, by, &waiting, arrived).await?,
        _ => HashSet::new(),
    };
    app.write(move |tx| go_on(tx, &task, &waiting, arrived.as_ref(), &merged)).await
}

/// Those heads that hold commits the target had not: an empty one is not merged.
fn candidates(waiting: &Waiting) -> Vec<ObjectId> {
    let head = |request: &MergeRequest| {
        let version = waiting.versions.get(&request.id)?;
        let is_empty = version.commits_count == 0 && version.state == VersionState::Empty;
        let is_newest = request.head_id == Some(version.head_id);
        (is_newest && !is_empty).then_some(version.head_id)
    };
    waiting.requests.iter().filter_map(head).collect()
}

async fn arrived(
    app: &App, repository: &Repository, (old, new): (Option<ObjectId>, ObjectId), waiting: &Waiting,
) -> Result<Arrived> {
    let heads = candidates(waiting);
    let work = move |objects: &Objects| {
        let all = Walk {
            from: vec![new],
            without: old.into_iter().collect(),
            order: Order::Newest,
            first_parent: false,
        };
        let firsts = Walk { first_parent: true, ..all.clone() };
        let read = |walk: &Walk| -> Result<Vec<ObjectId>> {
            objects.history(walk)?.take(MOST_COMMITS).collect()
        };
        let (commits, steps) = (read(&all)?, read(&firsts)?);
        let mut brought = HashMap::new();
        for head in objects.merged_into(new, &heads)? {
            brought.insert(head, bringing(objects, &steps, head, new)?);
        }
        let is_forced = match old {
            Some(old) => objects.commit(old)?.is_none() || !objects.is_ancestor(old, new)?,
            None => false,
        };
        Ok(Arrived { brought, commits, is_forced })
    };
    objects::read(app, repository, work).await
}

/// The first commit on the branch that leads back to a head.
fn bringing(
    objects: &Objects, steps: &[ObjectId], head: ObjectId, new: ObjectId,
) -> Result<ObjectId> {
    // From the newest back, as long as the head is in them: so many are looked at.
    let (mut low, mut high) = (0, steps.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let Some(step) = steps.get(middle) else { break };
        match objects.is_ancestor(head, *step)? {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    let last = low.checked_sub(1).and_then(|at| steps.get(at));
    Ok(last.copied().unwrap_or(new))
}

/// Marks what went into the branch with the push as merged; which that was.
async fn mark_merged(
    app: &App, by: &Viewer, waiting: &Waiting, arrived: &Arrived,
) -> Result<HashSet<i64>> {
    let mut merged = HashSet::new();
    for request in &waiting.requests {
        let brought = request.head_id.and_then(|head| arrived.brought.get(&head).copied());
        let Some(commit) = brought else { continue };
        let (viewer, request) = (by.clone(), request.clone());
        let id = request.id;
        let is_done = app.write(move |tx| mark(tx, &viewer, &request, commit)).await?;
        if is_done {
            merged.insert(id);
        }
    }
    Ok(merged)
}

/// One that somebody merges at this moment is theirs to mark.
fn mark(
    tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, commit: ObjectId,
) -> Result<bool> {
    let now = rows::by_id(tx, request.id)?;
    let Some(now) = now.filter(|now| now.is_open() && now.head_id == request.head_id) else {
        return Ok(false);
    };
    let Some(project) = find_project(tx, &Reference::Id(now.target_project_id))? else {
        return Ok(false);
    };
    let brought = Brought { merge: Some(commit), ..Brought::default() };
    merged::mark(tx, viewer, &project, &now, brought)?;
    Ok(true)
}

/// Has versions made for those that want one, and all of them checked.
fn go_on(
    tx: &mut Tx<'_>, task: &FollowTarget, waiting: &Waiting, arrived: Option<&Arrived>,
    merged: &HashSet<i64>,
) -> Result<()> {
    let now = tx.now();
    let versions: Vec<i64> = waiting.versions.values().map(|version| version.id).collect();
    let holding = match arrived {
        Some(arrived) if !arrived.is_forced => {
            version_rows::holding(tx, &versions, &arrived.commits)?
        }
        _ => HashSet::new(),
    };
    let is_forced = arrived.is_some_and(|arrived| arrived.is_forced);
    for request in waiting.requests.iter().filter(|request| !merged.contains(&request.id)) {
        let version = waiting.versions.get(&request.id);
        let holds = version.is_some_and(|version| holding.contains(&version.id));
        if is_forced || holds {
            let make = MakeVersion { request: request.id, user: task.user, for_target: true };
            enqueue_at(tx, &make, now)?;
        }
        enqueue_at(tx, &Check { request: request.id }, now)?;
    }
    let is_full = waiting.requests.len() as i64 >= rows::MOST_OF_PUSH;
    match waiting.requests.last().filter(|_| is_full) {
        Some(last) => {
            let next = FollowTarget { after: last.id, ..task.clone() };
            enqueue_at(tx, &next, now)
        }
        None => Ok(()),
    }
}
