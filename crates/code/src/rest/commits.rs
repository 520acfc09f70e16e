//! Commits.

use super::{SCOPES, refused};
use crate::access::{self, Code, CodeRequest};
use crate::containing::{ContainingRef, containing};
use crate::entity::{CommitDetail, CommitDiff, CommitEntity, StatsEntity};
use crate::history::Asked;
use crate::hooks;
use kernel::error::Result;
use kernel::http::{Ok200, Paged, Paging, Params, Routes};
use kernel::time::Timestamp;
use repositories::diffs::{self, Limits};
use repositories::formats::object_id::ObjectId;
use repositories::objects::{self, Commit, Objects, Path, Revision, Walk};
use repositories::store::refs;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// Tips of refs that one history begins at.
const MOST_TIPS: usize = 2000;

pub(super) fn routes(r: &mut Routes) {
    r.get("/commits", list).scopes(SCOPES).job_tokens().summary("Lists commits");
    r.get("/commits/{sha}", show)
        .scopes(SCOPES)
        .job_tokens()
        .summary("Shows a commit");
    r.get("/commits/{sha}/diff", diff)
        .scopes(SCOPES)
        .job_tokens()
        .summary("Shows what a commit changed");
    r.get("/commits/{sha}/refs", refs_of)
        .scopes(SCOPES)
        .job_tokens()
        .summary("Lists the branches and tags that have a commit");
    r.get("/commits/{sha}/sequence", sequence)
        .scopes(SCOPES)
        .job_tokens()
        .summary("Counts the commits up to one");
}

kernel::choices! {
    enum CommitOrder {
        Default = "default",
        Topo = "topo",
    }
}

kernel::params! {
    /// Which commits.
    struct Filter {
        /// Branch, tag or commit, or two with `..` between them; the default branch unless said.
        pub ref_name: Option<String>,
        /// Committed then or later.
        pub since: Option<Timestamp>,
        /// Committed then or before.
        pub until: Option<Timestamp>,
        /// Changed something at this path.
        pub path: Option<String>,
        /// A part of the author's name or address.
        pub author: Option<String>,
        /// Of all branches and tags.
        pub all: Option<bool>,
        /// With the lines that came and went.
        pub with_stats: Option<bool>,
        /// Of merges, what they were merged into alone.
        pub first_parent: Option<bool>,
        /// The newest first, or each behind those that follow it.
        pub order: Option<CommitOrder>,
        /// With what stands in the last lines of messages.
        pub trailers: Option<bool>,
    }
}

kernel::params! {
    pub(super) struct OneCommit {
        /// Commit, by its name or the first digits of it, branch or tag.
        pub sha: String,
    }
}

impl Filter {
    /// Whether more is asked than where to begin.
    fn is_plain(&self) -> bool {
        let texts = [&self.path, &self.author];
        texts.iter().all(|text| text.as_deref().is_none_or(str::is_empty))
            && self.since.is_none()
            && self.until.is_none()
            && self.order != Some(CommitOrder::Topo)
    }

    fn path(&self) -> Result<Option<Path>> {
        let path = self.path.as_deref().filter(|path| !path.is_empty());
        let path = path.map(Path::read).transpose();
        path.map_err(|_| refused("path should be a valid file path"))
    }
}

/// Where a history begins and ends.
#[derive(Debug, Clone, Default)]
struct Ends {
    from: Vec<Revision>,
    without: Vec<Revision>,
}

impl Ends {
    /// A text that stands for nothing is a history without commits.
    fn of(tx: &mut store::Tx<'_>, code: &Code, filter: &Filter) -> Result<Ends> {
        let repository = code.repository()?;
        if filter.all == Some(true) {
            let below = ["refs/heads/".to_owned(), "refs/tags/".to_owned()];
            let tips = refs::beginning(tx, repository.id, &below)?;
            let from = tips.into_iter().take(MOST_TIPS).map(Revision::Ref).collect();
            return Ok(Ends { from, without: Vec::new() });
        }
        let text = filter.ref_name.as_deref().unwrap_or_default();
        if text.starts_with('-') {
            return Err(refused("ref_name is invalid"));
        }
        let (without, from) = match text.split_once("..") {
            Some((without, from)) => (Some(without), from),
            None => (None, text),
        };
        let mut revision = |text: &str| objects::named(tx, repository, or_head(text));
        let ends = match without.map(&mut revision) {
            Some(without) => (revision(from)?, Some(without?)),
            None => (revision(from)?, None),
        };
        Ok(match ends {
            (Some(from), None) => Ends { from: vec![from], without: Vec::new() },
            (Some(from), Some(Some(without))) => Ends { from: vec![from], without: vec![without] },
            _ => Ends::default(),
        })
    }

    fn ids(&self, objects: &Objects) -> Result<(Vec<ObjectId>, Vec<ObjectId>)> {
        let ids = |all: &[Revision]| {
            let commits = all.iter().map(|one| objects.commit_at(one));
            let ids = commits
                .filter_map(|commit| commit.map(|found| found.map(|one| one.id)).transpose());
            ids.collect::<Result<Vec<_>>>()
        };
        Ok((ids(&self.from)?, ids(&self.without)?))
    }
}

fn or_head(text: &str) -> &str {
    match text {
        "" => "HEAD",
        text => text,
    }
}

async fn list(
    at: CodeRequest, Params(filter): Params<Filter>, paging: Paging,
) -> Result<Paged<CommitEntity>> {
    let path = filter.path()?;
    let asked = filter.clone();
    let (code, ends) = at.find(move |tx, code| Ends::of(tx, code, &asked)).await?;
    let (skip, most) = (paging.offset().max(0) as usize, paging.fetch() as usize);
    let first_parent = filter.first_parent == Some(true);
    let commits = match filter.is_plain() {
        true => plain(&at, &code, ends, first_parent, (skip, most)).await?,
        false => {
            let asked = Asked {
                path,
                author: filter.author.clone().filter(|author| !author.is_empty()),
                since: filter.since.map(Timestamp::as_second),
                until: filter.until.map(Timestamp::as_second),
                first_parent,
                by_topology: filter.order == Some(CommitOrder::Topo),
                ..Asked::default()
            };
            walked(&at, &code, ends, asked, (skip, most)).await?
        }
    };
    let web_url = code.web_url(at.app.base_url());
    let with_trailers = filter.trailers == Some(true);
    let mut entities: Vec<CommitEntity> = commits
        .iter()
        .map(|commit| CommitEntity::of(commit, &web_url))
        .map(|entity| if with_trailers { entity.with_trailers() } else { entity })
        .collect();
    if filter.with_stats == Some(true) {
        let stats = stats(&at, &code, &commits).await?;
        for (entity, stats) in entities.iter_mut().zip(stats) {
            entity.stats = Some(stats);
        }
    }
    Ok(Paged::numbered(entities, paging, None))
}

async fn plain(
    at: &CodeRequest, code: &Code, ends: Ends, first_parent: bool, (skip, most): (usize, usize),
) -> Result<Vec<Commit>> {
    let work = move |objects: &Objects| {
        let (from, without) = ends.ids(objects)?;
        match from.is_empty() {
            true => Ok(Vec::new()),
            false => {
                let walk = Walk { from, without, first_parent, ..Walk::default() };
                objects.commits_of(&walk, skip, most)
            }
        }
    };
    at.objects(code, work).await
}

async fn walked(
    at: &CodeRequest, code: &Code, ends: Ends, mut asked: Asked, (skip, most): (usize, usize),
) -> Result<Vec<Commit>> {
    (asked.from, asked.without) = at.objects(code, move |objects| ends.ids(objects)).await?;
    if asked.from.is_empty() {
        return Ok(Vec::new());
    }
    let ids = asked.page(&at.app, code.repository()?.id, skip, most).await?;
    at.objects(code, move |objects| objects.commits(&ids)).await
}

/// Lines of each commit beside its first parent.
async fn stats(at: &CodeRequest, code: &Code, commits: &[Commit]) -> Result<Vec<StatsEntity>> {
    let parents: Vec<ObjectId> =
        commits.iter().filter_map(|commit| commit.parents.first().copied()).collect();
    let parents = at.objects(code, move |objects| objects.commits(&parents)).await?;
    let trees: HashMap<ObjectId, ObjectId> =
        parents.iter().map(|parent| (parent.id, parent.tree)).collect();
    let pair = |commit: &Commit| {
        let parent = commit.parents.first();
        (parent.and_then(|parent| trees.get(parent).copied()), commit.tree)
    };
    let pairs: Vec<_> = commits.iter().map(pair).collect();
    let stats = diffs::stats(&at.app, code.repository()?.id, &pairs).await?;
    Ok(stats.into_iter().map(StatsEntity::from).collect())
}

/// The commit that the address names.
pub(super) async fn named(at: &CodeRequest, sha: &str) -> Result<(Code, Commit)> {
    let (code, revision) = at.at(Some(sha), "Commit").await?;
    let find = move |objects: &Objects| access::commit(objects, &revision, "Commit");
    let commit = at.objects(&code, find).await?;
    Ok((code, commit))
}

kernel::params! {
    struct Show {
        /// With the lines that came and went; so unless said.
        pub stats: Option<bool>,
    }
}

async fn show(
    at: CodeRequest, one: Params<OneCommit>, show: Params<Show>,
) -> Result<Ok200<CommitDetail>> {
    let (code, commit) = named(&at, &one.sha).await?;
    detail(&at, &code, commit, show.stats.unwrap_or(true)).await.map(Ok200)
}

/// A commit by itself, with the lines that came and went if they are wanted.
pub(super) async fn detail(
    at: &CodeRequest, code: &Code, commit: Commit, with_stats: bool,
) -> Result<CommitDetail> {
    let web_url = code.web_url(at.app.base_url());
    let mut entity = CommitEntity::of(&commit, &web_url).with_trailers();
    if with_stats {
        entity.stats = stats(at, code, &[commit]).await?.pop();
    }
    let (project, viewer) = (code.project.clone(), at.viewer.clone());
    let (project_id, sha) = (project.id, entity.id.clone());
    let found = at.app.read(move |tx| hooks::last_pipelines(tx, &viewer, &[(&project, sha)]));
    let last = found.await?.into_values().next();
    Ok(CommitDetail::of(entity, project_id, last))
}

kernel::params! {
    struct DiffForm {
        /// With the two names before each difference.
        pub unidiff: Option<bool>,
    }
}

async fn diff(
    at: CodeRequest, one: Params<OneCommit>, form: Params<DiffForm>, paging: Paging,
) -> Result<Paged<CommitDiff>> {
    let (code, commit) = named(&at, &one.sha).await?;
    let repository = code.repository()?.id;
    let diffs = diffs::of_commit(&at.app, repository, &commit, Limits::default()).await?;
    let unidiff = form.unidiff == Some(true);
    let files = diffs.files.into_iter().map(|file| CommitDiff::of(file, unidiff));
    Ok(Paged::of_whole(files.collect(), paging))
}

kernel::choices! {
    enum RefType {
        Branch = "branch",
        Tag = "tag",
        All = "all",
    }
}

kernel::params! {
    struct RefsOf {
        /// Branches or tags alone; all unless said.
        pub kind as "type": Option<RefType>,
    }
}

/// A branch or tag.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct CommitRef {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
}

async fn refs_of(
    at: CodeRequest, one: Params<OneCommit>, of: Params<RefsOf>, paging: Paging,
) -> Result<Paged<CommitRef>> {
    let (code, commit) = named(&at, &one.sha).await?;
    let kind = of.kind.unwrap_or(RefType::All);
    let below: &[&'static str] = match kind {
        RefType::Branch => &["refs/heads/"],
        RefType::Tag => &["refs/tags/"],
        RefType::All => &["refs/heads/", "refs/tags/"],
    };
    let refs = containing(&at.app, code.repository()?.id, commit.id, below, None).await?;
    let entity = |one: ContainingRef| CommitRef {
        kind: if one.is_tag { "tag" } else { "branch" },
        name: one.name,
    };
    let part = refs.into_iter().map(entity).skip(paging.offset().max(0) as usize);
    let part = part.take(paging.fetch() as usize).collect();
    Ok(Paged::numbered(part, paging, None))
}

kernel::params! {
    struct Sequence {
        /// Of merges, what they were merged into alone.
        pub first_parent: Option<bool>,
    }
}

/// How many commits lead to one, and itself.
#[derive(Debug, Serialize, JsonSchema)]
struct CommitSequence {
    count: usize,
}

async fn sequence(
    at: CodeRequest, one: Params<OneCommit>, asked: Params<Sequence>,
) -> Result<Ok200<CommitSequence>> {
    let (code, commit) = named(&at, &one.sha).await?;
    let first_parent = asked.first_parent == Some(true);
    let asked = Asked { from: vec![commit.id], first_parent, ..Asked::default() };
    let count = asked.count(&at.app, code.repository()?.id).await?;
    Ok(Ok200(CommitSequence { count }))
}
