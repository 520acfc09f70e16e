//! What is between two revisions.

use super::{SCOPES, refused};
use crate::access::CodeRequest;
use crate::comparing::Between;
use crate::entity::{CommitDiff, CommitEntity, in_address};
use kernel::error::{Found, Result};
use kernel::http::{Ok200, Params, Routes};
use repositories::diffs::{self, Limits};
use repositories::objects::{self, Objects};
use schemars::JsonSchema;
use serde::Serialize;

/// Commits between two revisions that are shown.
const MOST_COMMITS: usize = 1000;
/// Revisions whose base is looked for at once.
const MOST_REFS: usize = 20;

pub(super) fn routes(r: &mut Routes) {
    r.get("/compare", compare)
        .scopes(SCOPES)
        .summary("Tells what is between two revisions");
    r.get("/merge_base", merge_base)
        .scopes(SCOPES)
        .summary("Finds the last commit that revisions have in common");
}

kernel::params! {
    /// What is compared.
    struct Sides {
        /// Branch, tag or commit that it begins at.
        pub from: String,
        /// Branch, tag or commit that it ends at.
        pub to: String,
        /// The project of `from`, if it is another one.
        pub from_project_id: Option<i64>,
        /// With the very `from`, not with what both have in common.
        pub straight: Option<bool>,
        /// With the two names before each difference.
        pub unidiff: Option<bool>,
    }
}

/// What is between two revisions.
#[derive(Debug, Serialize, JsonSchema)]
struct Comparison {
    /// The newest, if there is one.
    commit: Option<CommitEntity>,
    /// The oldest first.
    commits: Vec<CommitEntity>,
    diffs: Vec<CommitDiff>,
    /// There is more that differs than is shown.
    compare_timeout: bool,
    compare_same_ref: bool,
    web_url: String,
}

async fn compare(at: CodeRequest, sides: Params<Sides>) -> Result<Ok200<Comparison>> {
    let (from, to) = (sides.from.clone(), sides.to.clone());
    let from_project = sides.from_project_id;
    let (code, revisions) = at
        .find(move |tx, code| {
            if let Some(id) = from_project.filter(|id| *id != code.project.id) {
                let name = code.project.id;
                let text = format!("Target project id:{id} is not a fork of project id:{name}");
                return Err(refused(text));
            }
            Ok((code.revision(tx, Some(&from), "Ref")?, code.revision(tx, Some(&to), "Ref")?))
        })
        .await?;
    let straight = sides.straight == Some(true);
    let work = move |objects: &Objects| Between::read(objects, &revisions, straight, MOST_COMMITS);
    let Between { from, to, base, mut commits } = at.objects(&code, work).await?;
    commits.reverse();
    let diffs = match from == to {
        true => diffs::Diffs::default(),
        false => {
            let repository = code.repository()?.id;
            diffs::between(&at.app, repository, Some(base), to, Limits::default()).await?
        }
    };
    let project = code.web_url(at.app.base_url());
    let commits: Vec<CommitEntity> =
        commits.iter().map(|commit| CommitEntity::of(commit, &project)).collect();
    let unidiff = sides.unidiff == Some(true);
    let is_cut = diffs.overflow || diffs.files.iter().any(|file| file.is_collapsed);
    let dots = if straight { ".." } else { "..." };
    let (first, last) = (in_address(&sides.from), in_address(&sides.to));
    Ok(Ok200(Comparison {
        commit: commits.last().cloned(),
        commits,
        diffs: diffs.files.into_iter().map(|file| CommitDiff::of(file, unidiff)).collect(),
        compare_timeout: is_cut,
        compare_same_ref: from == to,
        web_url: format!("{project}/-/compare/{first}{dots}{last}"),
    }))
}

kernel::params! {
    struct Refs {
        /// Branches, tags or commits, two or more.
        pub refs: Vec<String>,
    }
}

async fn merge_base(at: CodeRequest, asked: Params<Refs>) -> Result<Ok200<CommitEntity>> {
    let names = asked.refs.clone();
    let (code, revisions) = at
        .find(move |tx, code| {
            match names.len() {
                0 | 1 => return Err(refused("Provide at least 2 refs")),
                2..=MOST_REFS => {}
                _ => return Err(refused("refs is too long")),
            }
            let repository = code.repository()?;
            let named = names.into_iter().map(|name| {
                let found = objects::named(tx, repository, &name)?;
                Ok((name, found))
            });
            named.collect::<Result<Vec<_>>>()
        })
        .await?;
    let work = move |objects: &Objects| {
        let (mut ids, mut missing) = (Vec::new(), Vec::new());
        for (name, revision) in &revisions {
            let commit = revision.as_ref().map(|one| objects.commit_at(one)).transpose()?;
            match commit.flatten() {
                Some(commit) => ids.push(commit.id),
                None => missing.push(name.as_str()),
            }
        }
        match &missing[..] {
            [] => {}
            [one] => return Err(refused(format!("Could not find ref: {one}"))),
            all => return Err(refused(format!("Could not find refs: {}", all.join(", ")))),
        }
        let base = objects.merge_base_of(&ids)?.found("Merge Base")?;
        objects.commit(base)?.found("Merge Base")
    };
    let commit = at.objects(&code, work).await?;
    Ok(Ok200(CommitEntity::of(&commit, &code.web_url(at.app.base_url()))))
}
