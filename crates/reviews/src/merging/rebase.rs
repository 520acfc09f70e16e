//! The commits of a source branch are made again on top of the target: authors stay,
//! merges are left out, and so is what the target has already.

use super::made::{Brought, Made};
use super::options::merge_error;
use super::{Heads, commit};
use kernel::app::App;
use kernel::error::Result;
use repositories::edits::merges::{self, Conflicts, Merged, Merger, NewObjects, People};
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Commit, Objects};

/// Most commits that are made again.
pub const MOST_COMMITS: usize = 1_000;

/// What a merge request keeps the new head under, in what its merge was ordered with, from
/// before its branch moves there: approvals outlast that push.
pub const HEAD_KEY: &str = "rebase_head";

/// How it ended.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The new head of the source; the target's own where nothing was left.
    Made(Made),
    Failed(Failure),
    /// The source has all of the target already.
    NothingToRebase,
}

/// Why commits are not made again.
#[derive(Debug, Clone)]
pub enum Failure {
    /// A commit does not fit any more.
    Conflicts { commit_id: ObjectId, conflicts: Conflicts },
    /// More than [`MOST_COMMITS`] commits.
    TooMany,
}

impl Failure {
    /// What is noted of it.
    pub fn text(&self) -> String {
        match self {
            Failure::Conflicts { .. } => merge_error::REBASE_CONFLICT.to_owned(),
            Failure::TooMany => merge_error::rebase_failed("There are too many commits"),
        }
    }
}

/// Commits that were made again.
#[derive(Debug, Clone)]
pub struct Replayed {
    /// The last of them; the target where nothing was left.
    pub head: Commit,
    /// Their files, which the merger holds.
    pub trees: Vec<ObjectId>,
    /// The commits.
    pub objects: NewObjects,
}

/// A commit that is made again.
struct Step {
    commit: Commit,
    /// The files before it; none before the first of all.
    before: Option<ObjectId>,
}

impl Step {
    fn read(objects: &Objects, id: ObjectId) -> Result<Step> {
        let found = commit(objects, id)?;
        let before = found.parents.first().map(|id| commit(objects, *id)).transpose()?;
        Ok(Step { commit: found, before: before.map(|before| before.tree) })
    }

    /// Whether it changed nothing from the beginning, as some do on purpose.
    fn is_empty(&self) -> bool {
        self.before == Some(self.commit.tree)
    }
}

/// Makes the commits of the source again; who asks is their committer.
///
/// # Errors
///
/// `NotFound` if a commit is not in the repository; `TooLarge` if it makes more than
/// 256 MiB; `Unavailable` if git is busy, or takes longer than a minute for a commit.
pub async fn make(
    app: &App, repository: &Repository, by: &People, heads: Heads,
) -> Result<Outcome> {
    let read = move |objects: &Objects| {
        let follows = objects.is_ancestor(heads.target, heads.source)?;
        Ok((commit(objects, heads.target)?, follows))
    };
    let (target, follows) = objects::read(app, repository, read).await?;
    if follows {
        return Ok(Outcome::NothingToRebase);
    }
    let merger = Merger::begin(app, repository.id).await?;
    let replayed = match replay(app, repository, &merger, by, (heads.source, target)).await? {
        Ok(replayed) => replayed,
        Err(failure) => return Ok(Outcome::Failed(failure)),
    };
    let Replayed { head, trees, mut objects } = replayed;
    objects.append(merger.made(trees).await?)?;
    Ok(Outcome::Made(Made { head: head.id, brought: Brought::default(), objects }))
}

/// Makes the commits of a source again on top of a target, with the files of a merger.
///
/// # Errors
///
/// As [`make`].
pub async fn replay(
    app: &App, repository: &Repository, merger: &Merger, by: &People,
    (source, target): (ObjectId, Commit),
) -> Result<Result<Replayed, Failure>> {
    let Some(ids) = merger.replayed(app, source, target.id, MOST_COMMITS).await? else {
        return Ok(Err(Failure::TooMany));
    };
    let read = move |objects: &Objects| {
        let steps = ids.iter().map(|id| Step::read(objects, *id));
        steps.collect::<Result<Vec<_>>>()
    };
    let steps = objects::read(app, repository, read).await?;
    let (mut head, mut trees, mut objects) = (target, Vec::new(), NewObjects::default());
    for step in steps {
        let tree = match again(app, merger, &head, &step).await? {
            Merged::Clean(tree) => tree,
            Merged::Conflicts(conflicts) => {
                return Ok(Err(Failure::Conflicts { commit_id: step.commit.id, conflicts }));
            }
        };
        if tree == head.tree && !step.is_empty() {
            continue;
        }
        let people = People { author: step.commit.author, ..by.clone() };
        let message = &step.commit.message;
        head = merges::add_commit(&mut objects, tree, &[head.id], &people, message)?;
        trees.push(tree);
    }
    Ok(Ok(Replayed { head, trees, objects }))
}

/// The files of the head with what a commit changed.
async fn again(app: &App, merger: &Merger, head: &Commit, step: &Step) -> Result<Merged> {
    if step.before == Some(head.tree) {
        return Ok(Merged::Clean(step.commit.tree));
    }
    let sides = [Some(head.tree), Some(step.commit.tree)];
    merger.trees(app, step.before, sides).await
}
