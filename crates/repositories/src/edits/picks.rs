//! Commits are picked onto other branches, or taken back: git merges the files, apart
//! from the repository, and what it made comes as any other change.

use super::base::{self, Base};
use super::landing::{self, Ended};
use super::pack::NewObjects;
use super::{ATTEMPTS, Author, Refused, land, refs, written};
use crate::formats::object_id::ObjectId;
use crate::objects::{self, Commit};
use crate::place::Place;
use crate::receive::Quarantine;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use gix::objs::Kind;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use spaces::model::Project;
use std::io::{Read, Write};
use std::path::Path;

/// Most bytes of what a merge makes, and of what git says of it.
const LARGEST: u64 = 256 * 1024 * 1024;
const ANSWER: usize = 16 * 1024 * 1024;

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
    let merged = merge(app, base.repository.id, [from, Some(head.tree), into]).await?;
    let (tree, mut new) = match merged {
        Ok(merged) => merged,
        Err(why) => return Ok(Err(why)),
    };
    if tree == head.tree {
        return Ok(Err(Why::Empty));
    }
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

/// Merges what became of the first of three trees in the two others; the tree, and what
/// was made for it.
async fn merge(
    app: &App, repository: i64, trees: [Option<ObjectId>; 3],
) -> Result<Result<(ObjectId, NewObjects), Why>> {
    let (quarantine, folder) = Quarantine::begin(app, repository).await?;
    let _seat = app.kept::<crate::git::Git>().seat().await?;
    let into = folder.clone();
    let sides = blocking(move || stand_ins(&into, trees)).await?;
    let asked = quarantine
        .git(app)
        .await?
        .args(["merge-tree", "--write-tree", "--name-only", "--no-messages"])
        .args(sides.map(|id| id.to_string()));
    let answered = asked.ask(Vec::new(), ANSWER, crate::git::PATIENCE).await?;
    let said = String::from_utf8_lossy(&answered.output).into_owned();
    let tree = said.lines().next().and_then(|line| line.parse::<ObjectId>().ok());
    match (tree, answered.ended.succeeded) {
        (Some(tree), true) => {
            let new = blocking(move || made_in(&folder)).await?;
            Ok(Ok((tree, new)))
        }
        (Some(_), false) => Ok(Err(Why::Conflict)),
        (None, _) => {
            answered.ended.check("git merge-tree")?;
            Err(Error::internal("git merge-tree named no tree"))
        }
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)?
}

/// Git merges commits, not trees: two that stand for the sides, over one for where both
/// come from. No ref ever leads to them.
fn stand_ins(folder: &Path, trees: [Option<ObjectId>; 3]) -> Result<[ObjectId; 2]> {
    let [from, one, other] = trees;
    let empty = write(folder, Kind::Tree, b"")?;
    let commit = |tree: Option<ObjectId>, parent: String| {
        let tree = tree.unwrap_or(empty);
        let line = "x <x> 0 +0000";
        let text = format!("tree {tree}\n{parent}author {line}\ncommitter {line}\n\n");
        write(folder, Kind::Commit, text.as_bytes())
    };
    let base = commit(from, String::new())?;
    let parent = format!("parent {base}\n");
    Ok([commit(one, parent.clone())?, commit(other, parent)?])
}

/// Writes one object as git keeps those that are in no pack.
fn write(folder: &Path, kind: Kind, data: &[u8]) -> Result<ObjectId> {
    let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, kind, data);
    let id: ObjectId = id.map_err(|error| Error::internal(error.to_string()))?.into();
    let name = id.to_string();
    let below = folder.join(&name[..2]);
    std::fs::create_dir_all(&below)?;
    let mut packing = ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packing.write_all(format!("{kind} {}\0", data.len()).as_bytes())?;
    packing.write_all(data)?;
    std::fs::write(below.join(&name[2..]), packing.finish()?)?;
    Ok(id)
}

/// The files and folders that a merge made.
fn made_in(folder: &Path) -> Result<NewObjects> {
    let (mut new, mut room) = (NewObjects::default(), LARGEST);
    for below in std::fs::read_dir(folder)? {
        let below = below?;
        if below.file_name().len() != 2 {
            continue;
        }
        for file in std::fs::read_dir(below.path())? {
            let mut object = Vec::new();
            let packed = std::fs::File::open(file?.path())?;
            ZlibDecoder::new(packed).take(room + 1).read_to_end(&mut object)?;
            room = room.checked_sub(object.len() as u64).ok_or(Error::TooLarge)?;
            add(&mut new, object)?;
        }
    }
    Ok(new)
}

fn add(new: &mut NewObjects, mut object: Vec<u8>) -> Result<()> {
    let end = object.iter().position(|byte| *byte == 0);
    let damaged = || Error::internal("git made an object that is none");
    let data = object.split_off(end.ok_or_else(damaged)? + 1);
    let kind = match object.split(|byte| *byte == b' ').next() {
        Some(b"blob") => Kind::Blob,
        Some(b"tree") => Kind::Tree,
        // The stand-ins.
        _ => return Ok(()),
    };
    new.add(kind, data.into()).map(drop)
}
