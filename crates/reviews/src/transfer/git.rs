//! Which commits of a merge request are here, and what differs between them: asked of git
//! before the transaction that writes it.

use super::model::{MergeRequest, Outcome};
use crate::diffs::compare;
use crate::merging::Heads;
use crate::merging::trees::own_ref;
use crate::positions::Shas;
use crate::rules::versions::{new_version, owners};
use crate::store::versions::NewVersion;
use ::store::Tx;
use kernel::app::App;
use kernel::error::Result;
use kernel::time::Timestamp;
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::Repository;
use repositories::objects::{self, Commit, Objects};
use repositories::store::refs;

/// Most versions of one merge request; the oldest of more are left out.
const MOST_VERSIONS: usize = 100;
/// Least digits of the name of a commit that is cut short.
const SHORTEST: usize = 7;

/// Where the refs of a merge request are here, as far as they are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tips {
    pub source: Option<ObjectId>,
    pub target: Option<ObjectId>,
    /// `refs/merge-requests/N/head`.
    pub head: Option<ObjectId>,
}

impl Tips {
    pub fn read<P>(tx: &mut Tx<'_>, repository: i64, request: &MergeRequest<P>) -> Result<Tips> {
        let source = RefName::branch(&request.source_branch).ok();
        let target = RefName::branch(&request.target_branch).ok();
        let head = own_ref(request.number, "head").ok();
        let names: Vec<&RefName> = [&source, &target, &head].into_iter().flatten().collect();
        let found = refs::current(tx, repository, &names)?;
        let at = |name: Option<RefName>| name.and_then(|name| found.get(&name).copied());
        Ok(Tips { source: at(source), target: at(target), head: at(head) })
    }
}

/// A version that is to be written.
#[derive(Debug, Clone)]
pub struct FoundVersion {
    pub new: NewVersion,
    /// None where nobody said when it was made.
    pub created_at: Option<Timestamp>,
}

/// What of a merge request is here.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// Oldest first, the last one is how it is now; none where its commits are gone.
    pub versions: Vec<FoundVersion>,
    pub merge_commit: Option<ObjectId>,
    pub squash_commit: Option<ObjectId>,
    /// Who committed what it brings, by their addresses.
    pub(super) committers: Vec<String>,
    /// The file that names owners of paths, of one that can still be merged.
    pub(super) owners: String,
    /// The paths that it changes.
    pub(super) paths: Vec<String>,
}

impl Found {
    /// How it is now.
    pub fn newest(&self) -> Option<&NewVersion> {
        self.versions.last().map(|version| &version.new)
    }

    /// Between which commits.
    pub fn shas(&self) -> Option<Shas> {
        self.newest().map(|newest| Shas {
            base: newest.base_id,
            start: newest.start_id,
            head: newest.head_id,
        })
    }
}

/// What is told of the commits of one, beside where its refs are.
struct Named {
    tips: Tips,
    state: Outcome,
    head: Option<String>,
    start: Option<String>,
    base: Option<String>,
    merge_commit: Option<String>,
    squash_commit: Option<String>,
    /// Head, start, base and time.
    versions: Vec<([String; 3], Timestamp)>,
}

impl Named {
    fn of<P>(request: &MergeRequest<P>, tips: Tips) -> Named {
        let older = request.versions.len().saturating_sub(MOST_VERSIONS);
        let versions = request.versions.iter().skip(older).map(|version| {
            let names = [&version.head, &version.start, &version.base];
            (names.map(String::clone), version.created_at)
        });
        Named {
            tips,
            state: request.state,
            head: request.head.clone(),
            start: request.start.clone(),
            base: request.base.clone(),
            merge_commit: request.merge_commit.clone(),
            squash_commit: request.squash_commit.clone(),
            versions: versions.collect(),
        }
    }
}

/// Its commits that are here.
struct Commits {
    /// Oldest first.
    versions: Vec<(Heads, Option<Timestamp>)>,
    merge_commit: Option<ObjectId>,
    squash_commit: Option<ObjectId>,
    owners: String,
}

/// Reads what of a merge request is here.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn read<P>(
    app: &App, repository: &Repository, request: &MergeRequest<P>, tips: Tips,
) -> Result<Found> {
    let named = Named::of(request, tips);
    let commits = objects::read(app, repository, move |objects| commits(objects, &named)).await?;
    let mut found = Found {
        merge_commit: commits.merge_commit,
        squash_commit: commits.squash_commit,
        owners: commits.owners,
        ..Found::default()
    };
    for (heads, created_at) in commits.versions {
        let compared = compare(app, repository, heads.target, heads.source).await?;
        let new = new_version(heads, &compared);
        found.versions.push(FoundVersion { new, created_at });
        let addresses = compared.commits.into_iter().map(|commit| commit.committer.email);
        found.committers = addresses.collect();
        found.paths = compared.paths;
    }
    Ok(found)
}

fn commits(objects: &Objects, named: &Named) -> Result<Commits> {
    let merge = commit(objects, named.merge_commit.as_deref())?;
    let squash = commit(objects, named.squash_commit.as_deref())?;
    let mut versions = Vec::new();
    for ([head, start, base], at) in &named.versions {
        let head = commit(objects, Some(head.as_str()))?;
        let start = match commit(objects, Some(start.as_str()))? {
            Some(start) => Some(start),
            None => commit(objects, Some(base.as_str()))?,
        };
        if let Some((head, start)) = head.zip(start) {
            versions.push((Heads { target: start.id, source: head.id }, Some(*at)));
        }
    }
    if let Some(now) = newest(objects, named, merge.as_ref())?
        && versions.last().is_none_or(|(last, _)| *last != now)
    {
        versions.push((now, None));
    }
    let target = named.tips.target.filter(|_| named.state != Outcome::Merged);
    Ok(Commits {
        versions,
        merge_commit: merge.map(|commit| commit.id),
        squash_commit: squash.map(|commit| commit.id),
        owners: target.map_or(Ok(String::new()), |target| owners(objects, target))?,
    })
}

/// The commit of a name, which may be cut short, if it is here.
pub(super) fn commit(objects: &Objects, name: Option<&str>) -> Result<Option<Commit>> {
    let Some(name) = name else {
        return Ok(None);
    };
    let id = match name.parse::<ObjectId>() {
        Ok(id) => Some(id),
        Err(_) if name.len() >= SHORTEST => objects.beginning(name)?,
        Err(_) => None,
    };
    id.map_or(Ok(None), |id| objects.commit(id))
}

fn newest(objects: &Objects, named: &Named, merge: Option<&Commit>) -> Result<Option<Heads>> {
    let Some(source) = head(objects, named, merge)? else {
        return Ok(None);
    };
    let target = start(objects, named, (source, merge))?;
    Ok(target.map(|target| Heads { target, source }))
}

/// Where the source is: the branch of one that is open, else what is told. What was merged of
/// a source that is gone is told by the merge.
fn head(objects: &Objects, named: &Named, merge: Option<&Commit>) -> Result<Option<ObjectId>> {
    let branch = named.tips.source.filter(|_| named.state == Outcome::Opened);
    let merged = merge.map(|merge| merge.parents.get(1).copied().unwrap_or(merge.id));
    if let Some(head) = branch {
        return Ok(Some(head));
    }
    if let Some(head) = commit(objects, named.head.as_deref())? {
        return Ok(Some(head.id));
    }
    for id in [named.tips.head, merged].into_iter().flatten() {
        if objects.commit(id)?.is_some() {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Where the target was: of what is told, and what the merge tells, the first that has not
/// all of the source already.
fn start(
    objects: &Objects, named: &Named, (head, merge): (ObjectId, Option<&Commit>),
) -> Result<Option<ObjectId>> {
    let told = commit(objects, named.start.as_deref())?.map(|commit| commit.id);
    let base = commit(objects, named.base.as_deref())?.map(|commit| commit.id);
    if told.is_some() && base.is_some() {
        return Ok(told);
    }
    let before = merge.and_then(|merge| merge.parents.first().copied());
    let candidates = match merge.is_some_and(|merge| merge.id == head) {
        true => [before, told, base, named.tips.target],
        false => [told, base, before, named.tips.target],
    };
    let mut first = None;
    for id in candidates.into_iter().flatten() {
        if objects.commit(id)?.is_none() {
            continue;
        }
        if objects.merge_base(id, head)? != Some(head) {
            return Ok(Some(id));
        }
        first = first.or(Some(id));
    }
    Ok(first)
}
