//! The ways to merge: which commits they make, and where the target branch moves. Nothing
//! is written here; [`super::landing`] does that.

use super::made::{Brought, Made};
use super::rebase::{self, Failure};
use super::{Heads, commit};
use kernel::app::App;
use kernel::error::Result;
use repositories::edits::merges::{self, Conflicts, Merged, Merger, NewObjects, People};
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Commit, Objects, Person, Walk};

kernel::choices! {
    /// How a project merges.
    pub enum Method as "MergeMethod" {
        /// By a commit with both sides as its parents.
        Merge = "merge",
        /// The same, where the source has all of the target.
        RebaseMerge = "rebase_merge",
        /// The target moves to the source, which has all of it.
        FastForward = "ff",
    }
}

/// One commit in place of those of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Squash {
    /// Who made the merge request.
    pub author: Person,
    pub message: String,
    /// Somebody asked for this message: also a single commit is made again.
    pub is_worded: bool,
}

/// How somebody wants to have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    pub method: Method,
    /// Where the diff starts, as the newest version has it.
    pub start: ObjectId,
    pub squash: Option<Squash>,
    /// Of the commit of the merge.
    pub message: String,
    /// What lacks commits of the target is put on top of it, where the method asks for them.
    pub rebases: bool,
}

/// How it ended.
#[derive(Debug, Clone)]
pub enum Outcome {
    Made(Made),
    /// Files that both sides changed.
    Conflicts(Conflicts),
    /// The target has all of the source already.
    NothingToMerge,
    /// The source lacks what the target has, and the method does not merge.
    NeedsRebase,
    /// Its commits cannot be put on top of the target.
    NotRebased(Failure),
    /// The target has all that its commits change.
    NothingLeft,
}

/// What is known of the commits before git is asked.
struct Facts {
    target: Commit,
    source: Commit,
    start: Commit,
    /// The target has all of the source.
    is_merged: bool,
    /// The source has all of the target.
    follows: bool,
    /// The target has all of what the diff starts with.
    has_start: bool,
    /// The source has all of what the diff starts with.
    follows_start: bool,
    /// The source has one commit that the target has not.
    is_single: bool,
}

impl Facts {
    fn read(objects: &Objects, heads: Heads, start: ObjectId) -> Result<Facts> {
        let Heads { target, source } = heads;
        let walk = Walk { from: vec![source], without: vec![target], ..Walk::default() };
        let own: Vec<ObjectId> = objects.history(&walk)?.take(2).collect::<Result<_>>()?;
        Ok(Facts {
            target: commit(objects, target)?,
            source: commit(objects, source)?,
            start: commit(objects, start)?,
            is_merged: own.is_empty(),
            follows: objects.is_ancestor(target, source)?,
            has_start: objects.is_ancestor(start, target)?,
            follows_start: objects.is_ancestor(start, source)?,
            is_single: own.len() == 1,
        })
    }

    /// What a squashed commit follows, and whether the source has all of that: where the
    /// diff starts, unless the result could not be merged from there.
    fn squash_parent(&self, method: Method) -> (&Commit, bool) {
        match method == Method::Merge && self.has_start {
            true => (&self.start, self.follows_start),
            false => (&self.target, self.follows),
        }
    }
}

/// Makes what a merge writes.
///
/// # Errors
///
/// `NotFound` if a commit is not in the repository; `TooLarge` if it makes more than
/// 256 MiB; `Unavailable` if git is busy, or takes longer than a minute.
pub async fn make(
    app: &App, repository: &Repository, by: &People, heads: Heads, wish: &Wish,
) -> Result<Outcome> {
    let start = wish.start;
    let read = move |objects: &Objects| Facts::read(objects, heads, start);
    let facts = objects::read(app, repository, read).await?;
    if facts.is_merged {
        return Ok(Outcome::NothingToMerge);
    }
    if wish.method != Method::Merge && !facts.follows && !wish.rebases {
        return Ok(Outcome::NeedsRebase);
    }
    let merger = Merger::begin(app, repository.id).await?;
    let making = Making {
        app,
        repository,
        by,
        merger,
        facts,
        trees: Vec::new(),
        objects: NewObjects::default(),
    };
    making.finish(wish).await
}

/// The last commit of what is merged.
struct Tip {
    commit: Commit,
    /// It has all of the target.
    follows: bool,
    /// The commits of the source were made again.
    is_rebased: bool,
}

/// Commits while they are made.
struct Making<'m> {
    app: &'m App,
    repository: &'m Repository,
    by: &'m People,
    merger: Merger,
    facts: Facts,
    /// The trees of new commits.
    trees: Vec<ObjectId>,
    /// New commits.
    objects: NewObjects,
}

impl Making<'_> {
    async fn finish(mut self, wish: &Wish) -> Result<Outcome> {
        let tip = match self.tip(wish).await? {
            Ok(tip) => tip,
            Err(outcome) => return Ok(outcome),
        };
        let merge = match wish.method {
            Method::FastForward => None,
            Method::Merge | Method::RebaseMerge => match self.merge(wish, &tip).await? {
                Ok(merge) => Some(merge.id),
                Err(conflicts) => return Ok(Outcome::Conflicts(conflicts)),
            },
        };
        let mut objects = self.merger.made(self.trees).await?;
        objects.append(self.objects)?;
        let last = tip.commit.id;
        let brought = Brought {
            merge,
            squash: wish.squash.is_some().then_some(last),
            rebased: tip.is_rebased.then_some(last),
        };
        Ok(Outcome::Made(Made { head: merge.unwrap_or(last), brought, objects }))
    }

    async fn tip(&mut self, wish: &Wish) -> Result<Result<Tip, Outcome>> {
        let Facts { source, follows, is_single, .. } = &self.facts;
        match &wish.squash {
            Some(squash) if squash.is_worded || !is_single => {
                self.squashed(wish.method, squash).await
            }
            _ if wish.method != Method::Merge && !follows => self.replayed().await,
            _ => Ok(Ok(Tip { commit: source.clone(), follows: *follows, is_rebased: false })),
        }
    }

    /// One commit in place of those of the source.
    async fn squashed(&mut self, method: Method, squash: &Squash) -> Result<Result<Tip, Outcome>> {
        let (parent, follows) = self.facts.squash_parent(method);
        let (parent, source) = (parent.id, &self.facts.source);
        let merged = match follows {
            true => Merged::Clean(source.tree),
            false => self.merger.commits(self.app, [parent, source.id]).await?,
        };
        let people = People { author: squash.author.clone(), ..self.by.clone() };
        let follows = parent == self.facts.target.id;
        let made = self.add(merged, &[parent], &people, &squash.message)?;
        let tip = |commit| Tip { commit, follows, is_rebased: false };
        Ok(made.map(tip).map_err(Outcome::Conflicts))
    }

    /// The commits of the source, made again on top of the target.
    async fn replayed(&mut self) -> Result<Result<Tip, Outcome>> {
        let (source, target) = (self.facts.source.id, self.facts.target.clone());
        let onto = target.id;
        let replay =
            rebase::replay(self.app, self.repository, &self.merger, self.by, (source, target));
        let made = match replay.await? {
            Err(failure) => return Ok(Err(Outcome::NotRebased(failure))),
            Ok(made) if made.head.id == onto => return Ok(Err(Outcome::NothingLeft)),
            Ok(made) => made,
        };
        self.trees.extend(made.trees);
        self.objects.append(made.objects)?;
        Ok(Ok(Tip { commit: made.head, follows: true, is_rebased: true }))
    }

    /// The commit with the target and what is merged as its parents.
    async fn merge(&mut self, wish: &Wish, tip: &Tip) -> Result<Result<Commit, Conflicts>> {
        let Facts { target, source, start, .. } = &self.facts;
        let last = &tip.commit;
        let merged = match tip.follows {
            true => Merged::Clean(last.tree),
            false if last.id == source.id => {
                self.merger.commits(self.app, [target.id, last.id]).await?
            }
            // A squashed commit follows the start alone, which the target has, too.
            false => {
                let sides = [Some(target.tree), Some(last.tree)];
                self.merger.trees(self.app, Some(start.tree), sides).await?
            }
        };
        let (parents, by) = ([target.id, last.id], self.by);
        self.add(merged, &parents, by, &wish.message)
    }

    fn add(
        &mut self, merged: Merged, parents: &[ObjectId], people: &People, message: &str,
    ) -> Result<Result<Commit, Conflicts>> {
        match merged {
            Merged::Clean(tree) => {
                self.trees.push(tree);
                merges::add_commit(&mut self.objects, tree, parents, people, message).map(Ok)
            }
            Merged::Conflicts(conflicts) => Ok(Err(conflicts)),
        }
    }
}
