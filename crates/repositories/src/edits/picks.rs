//! Commits are picked onto other branches, or taken back: git merges the files, apart
//! from the repository, and what it made comes as any other change.

use super::base::{self, Base};
use super::landing::{self, Ended};
use super::merge_tree::{Merged, Merger};
use super::pack::NewObjects;
use super::{ATTEMPTS, Author, Refused, land, refs, written};
use crate::formats::object_id::ObjectId;
use crate::objects::{self, Commit};
use crate::place::Place;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use spaces::model::Project;

/// What is done with a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    CherryPick,
    Revert,
}

/// Which commit, and where.
#[derive(Debug, Clone)]
pub struct PickRequest {
    pub pick: Pick,
    /// A commit, as somebody names it.
    pub commit: String,
    pub branch: String,
    /// In place of the usual one.
    pub message: Option<String>,
    /// It is only tried.
    pub is_dry: bool,
}

/// Why nothing was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    NoCommit,
    NoBranch,
    /// Both change the same lines.
    Conflict,
    /// The branch has it already.
    Empty,
    Refused(Refused),
}

/// Picks or reverts a commit; the new one, or none where it was only tried.
pub async fn pick(
    app: &App, viewer: &Viewer, project: &Project, request: &PickRequest,
) -> Result<Result<Option<Commit>, Why>> {
    let refused = |refused| Ok(Err(Why::Refused(refused)));
    if let Err(long) = super::check_size(request.message.as_deref().unwrap_or_default(), 0) {
        return refused(long);
    }
    let place = Place::code(project);
    let _turn = landing::turn(app, place.holder()).await?;
    for _ in 0..ATTEMPTS {
        let base = match base::find(app, viewer, &place, &request.branch, (&None, None)).await? {
            Ok(base) => base,
            Err(forbidden) => return refused(forbidden),
        };
        let Some(commit) = refs::commit_of(app, &base.repository, &request.commit).await? else {
            return Ok(Err(Why::NoCommit));
        };
        let Some(head) = base.facts.head else {
            return Ok(Err(Why::NoBranch));
        };
        let (made, objects) = match make(app, viewer, &base, head, &commit, request).await? {
            Ok(made) => made,
            Err(why) => return Ok(Err(why)),
        };
        if request.is_dry {
            return Ok(Ok(None));
        }
        match land(app, &base, None, objects, made.id).await? {
            Ended::Done => return Ok(Ok(Some(made))),
            Ended::Moved => {}
            Ended::Refused(text) => return refused(Refused::new(text)),
        }
    }
    refused(super::moves_on(&request.branch))
}

async fn make(
    app: &App, viewer: &Viewer, base: &Base, head: ObjectId, commit: &Commit, request: &PickRequest,
) -> Result<Result<(Commit, NewObjects), Why>> {
    let first = commit.parents.first().copied();
    let (head, parent) = objects::read(app, &base.repository, move |objects| {
        let parent = first.map(|id| objects.commit(id)).transpose()?.flatten();
        Ok((objects.commit(head)?.found("Commit")?, parent))
    })
    .await?;
    let before = parent.map(|parent| parent.tree);
    // What to start from, and what it became: a revert goes the other way.
    let (from, into) = match request.pick {
        Pick::CherryPick => (before, Some(commit.tree)),
        Pick::Revert => (Some(commit.tree), before),
    };
    let merger = Merger::begin(app, base.repository.id).await?;
    let tree = match merger.trees(app, from, [Some(head.tree), into]).await? {
        Merged::Clean(tree) if tree == head.tree => return Ok(Err(Why::Empty)),
        Merged::Clean(tree) => tree,
        Merged::Conflicts(_) => return Ok(Err(Why::Conflict)),
    };
    let mut new = merger.made(vec![tree]).await?;
    let mut people = written::person(app, viewer, &Author::default()).await?;
    if request.pick == Pick::CherryPick {
        people.author = commit.author.clone();
    }
    let message = message(commit, request);
    let made = written::commit(&mut new, tree, &[head.id], &people, &message)?;
    Ok(Ok((made, new)))
}

fn message(commit: &Commit, request: &PickRequest) -> String {
    if let Some(message) = request.message.clone().filter(|message| !message.trim().is_empty()) {
        return message;
    }
    match request.pick {
        Pick::CherryPick => {
            let original = commit.message.trim_end_matches('\n');
            format!("{original}\n\n(cherry picked from commit {})", commit.id)
        }
        Pick::Revert => {
            format!("Revert \"{}\"\n\nThis reverts commit {}", commit.title(), commit.id)
        }
    }
}
