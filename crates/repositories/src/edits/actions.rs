//! What a change does to files, one action after the other.

use super::Refused;
use super::pack::NewObjects;
use super::path::file_path;
use super::tree::{At, FILE, Files, Leaf, PROGRAM};
use crate::formats::object_id::ObjectId;
use crate::objects::Path;
use bytes::Bytes;
use gix::objs::Kind;
use kernel::error::Result;

/// Most actions of one change.
pub const MAX_ACTIONS: usize = 20_000;

const EXISTS: &str = "A file with this name already exists";
const MISSING: &str = "A file with this name doesn't exist";
const FOLDER: &str = "A directory with this name already exists";

/// What is done to one file.
#[derive(Debug, Clone)]
pub struct Action {
    pub kind: ActionKind,
    pub path: String,
    /// Where it was.
    pub previous_path: Option<String>,
    pub content: Option<Bytes>,
    /// Whether it may be started as a program; as it was if absent.
    pub is_program: Option<bool>,
    /// The last commit of the file that who writes has seen.
    pub last_commit_id: Option<String>,
    /// What they have seen there: it is refused where something else is by now.
    pub seen: Option<ObjectId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    Create,
    Update,
    Delete,
    Move,
    Chmod,
    /// A submodule is set to this commit.
    Submodule(ObjectId),
}

impl Action {
    /// One that says only what and where.
    pub fn new(kind: ActionKind, path: impl Into<String>) -> Action {
        Action {
            kind,
            path: path.into(),
            previous_path: None,
            content: None,
            is_program: None,
            last_commit_id: None,
            seen: None,
        }
    }

    /// Where the file is before this.
    pub fn source(&self) -> &str {
        self.previous_path.as_deref().unwrap_or(&self.path)
    }
}

/// Applies actions in turn.
pub fn apply(
    files: &mut Files<'_>, new: &mut NewObjects, actions: &[Action],
) -> Result<Result<(), Refused>> {
    for (index, action) in actions.iter().enumerate() {
        if let Err(text) = apply_one(files, new, action)? {
            return Ok(Err(Refused::of_action(text, index, &action.path)));
        }
    }
    Ok(Ok(()))
}

type Done = Result<(), String>;

fn apply_one(files: &mut Files<'_>, new: &mut NewObjects, action: &Action) -> Result<Done> {
    let path = match file_path(&action.path) {
        Ok(path) => path,
        Err(text) => return Ok(Err(text)),
    };
    match action.kind {
        ActionKind::Create => create(files, new, action, &path),
        ActionKind::Update => change(files, new, action, &path),
        ActionKind::Chmod => change(files, new, &Action { content: None, ..action.clone() }, &path),
        ActionKind::Delete => delete(files, &path),
        ActionKind::Move => rename(files, new, action, &path),
        ActionKind::Submodule(id) => set_submodule(files, &path, id),
    }
}

/// Why nothing can be put there.
fn in_the_way(at: At) -> Option<String> {
    match at {
        At::Nothing => None,
        At::Folder => Some(FOLDER.into()),
        At::Leaf(_) | At::Blocked => Some(EXISTS.into()),
    }
}

fn create(
    files: &mut Files<'_>, new: &mut NewObjects, action: &Action, path: &Path,
) -> Result<Done> {
    if let Some(text) = in_the_way(files.at(path)?) {
        return Ok(Err(text));
    }
    let id = new.add(Kind::Blob, action.content.clone().unwrap_or_default())?;
    files.put(path, Leaf { mode: mode(action, FILE), id }).map(Ok)
}

fn mode(action: &Action, was: u16) -> u16 {
    match action.is_program {
        Some(true) => PROGRAM,
        Some(false) => FILE,
        None => was,
    }
}

/// A file with what the action says of it.
fn changed(new: &mut NewObjects, action: &Action, was: Leaf) -> Result<Leaf> {
    let id = match &action.content {
        Some(content) => new.add(Kind::Blob, content.clone())?,
        None => was.id,
    };
    Ok(Leaf { mode: mode(action, was.mode), id })
}

fn change(
    files: &mut Files<'_>, new: &mut NewObjects, action: &Action, path: &Path,
) -> Result<Done> {
    match files.at(path)? {
        // What a link or a submodule leads to is no text that somebody edits.
        At::Leaf(was) if was.is_file() => {
            let leaf = changed(new, action, was)?;
            files.put(path, leaf).map(Ok)
        }
        _ => Ok(Err(MISSING.into())),
    }
}

fn delete(files: &mut Files<'_>, path: &Path) -> Result<Done> {
    match files.at(path)? {
        At::Leaf(_) => files.remove(path).map(Ok),
        _ => Ok(Err(MISSING.into())),
    }
}

fn rename(
    files: &mut Files<'_>, new: &mut NewObjects, action: &Action, path: &Path,
) -> Result<Done> {
    let from = match file_path(action.previous_path.as_deref().unwrap_or_default()) {
        Ok(from) => from,
        Err(text) => return Ok(Err(text)),
    };
    let At::Leaf(was) = files.at(&from)? else {
        return Ok(Err(MISSING.into()));
    };
    if action.content.is_some() && !was.is_file() {
        return Ok(Err(MISSING.into()));
    }
    // It may go where it was in the way itself, such as below its own name.
    files.remove(&from)?;
    if let Some(text) = in_the_way(files.at(path)?) {
        return Ok(Err(text));
    }
    let leaf = match was.is_file() {
        true => changed(new, action, was)?,
        false => was,
    };
    files.put(path, leaf).map(Ok)
}

fn set_submodule(files: &mut Files<'_>, path: &Path, id: ObjectId) -> Result<Done> {
    match files.at(path)? {
        At::Leaf(was) if was.is_submodule() => files.put(path, Leaf::submodule(id)).map(Ok),
        _ => Ok(Err("Invalid submodule path".into())),
    }
}
