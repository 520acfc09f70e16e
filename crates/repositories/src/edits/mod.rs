//! Writing without git: files, branches, tags, picks and reverts, as pages and REST ask
//! for them. New objects are made in process, come in a pack, and go the way of a push.
//!
//! ```ignore
//! match edits::commit(&app, &viewer, &project, request).await? {
//!     Ok(commit) => …,
//!     Err(refused) => …refused.text…,
//! }
//! ```

mod actions;
mod base;
mod conflicted;
mod elsewhere;
mod first;
mod landing;
mod merge_tree;
mod merged;
pub mod merges;
mod pack;
mod path;
mod picks;
mod refs;
mod replay;
pub mod signing;
mod submodules;
mod tree;
mod written;

pub use actions::{Action, ActionKind, MAX_ACTIONS};
pub use base::CHANGED;
pub use elsewhere::Elsewhere;
pub use first::{initialize, initialize_new};
pub use merged::DeleteMerged;
pub use path::file_path;
pub use picks::{Pick, PickRequest, Why, pick};
pub use refs::{NewTag, create_branch, create_tag, delete_ref};
pub use submodules::{SubmoduleRequest, set_submodule};

use crate::access::{self, Pushing};
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::objects::{self, Commit, Objects};
use crate::place::Place;
pub(crate) use base::NO_PUSH;
use base::{Base, Facts};
use futures_util::future::BoxFuture;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
pub(crate) use landing::{Ended, command};
use pack::NewObjects;
use serde_json::json;
use spaces::model::Project;
use std::sync::Arc;
use tree::Files;

/// How often a change is made again because the branch moved meanwhile.
const ATTEMPTS: usize = 3;
/// What is said of a change that changes nothing.
pub const NOTHING: &str = "The files are like this already: nothing would change";
/// Longest message, in bytes.
const LONGEST_MESSAGE: usize = 1_048_576;

pub(crate) fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    merged::jobs(registry);
}

/// From where a new branch begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    Branch(String),
    /// A commit by its whole name.
    Id(String),
}

/// Whom a commit names as its author.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Author {
    pub name: Option<String>,
    pub email: Option<String>,
}

/// A change of files, all of it or nothing.
#[derive(Debug, Clone)]
pub struct EditRequest {
    /// Where it goes.
    pub branch: String,
    /// From where that begins, if it shall be made or, with `force`, begun anew.
    pub start: Option<Start>,
    /// The repository of that, if it is another one.
    pub start_in: Option<Elsewhere>,
    pub force: bool,
    pub message: String,
    /// Who asks, but for what stands here.
    pub author: Author,
    pub actions: Vec<Action>,
    /// Whether it is a commit also if no file changes.
    pub may_be_empty: bool,
}

impl EditRequest {
    /// A change of one branch by who asks.
    pub fn new(branch: &str, message: &str, actions: Vec<Action>) -> EditRequest {
        EditRequest {
            branch: branch.to_owned(),
            start: None,
            start_in: None,
            force: false,
            message: message.to_owned(),
            author: Author::default(),
            actions,
            may_be_empty: false,
        }
    }
}

/// Why nothing was written, in words for who asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub text: String,
    /// They have no right to it, whatever they write.
    pub is_forbidden: bool,
    /// Which action was in the way, and the path it names.
    pub action: Option<(usize, String)>,
}

impl Refused {
    pub fn new(text: impl Into<String>) -> Refused {
        Refused { text: text.into(), is_forbidden: false, action: None }
    }

    fn forbidden(text: &str) -> Refused {
        Refused { is_forbidden: true, ..Refused::new(text) }
    }

    fn of_action(text: String, index: usize, path: &str) -> Refused {
        Refused { action: Some((index, path.to_owned())), ..Refused::new(text) }
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Error {
        match (refused.is_forbidden, refused.action) {
            (true, _) => Error::Forbidden(refused.text),
            (_, None) => Error::Exact(400, json!({"message": refused.text})),
            (_, Some((index, path))) => Error::Exact(
                400,
                json!({"message": refused.text, "action_index": index, "path": path}),
            ),
        }
    }
}

/// Changes files of a branch of a project by one commit; see [`commit_to`].
pub async fn commit(
    app: &App, viewer: &Viewer, project: &Project, request: EditRequest,
) -> Result<Result<Commit, Refused>> {
    commit_to(app, viewer, &Place::code(project), request).await
}

/// Changes files of a branch by one commit. That the viewer may change the content of a
/// room above was asked before.
///
/// # Errors
///
/// What is wrong with the request is an answer, no error: errors are those of the server,
/// or `Unavailable` if too many write at once.
pub async fn commit_to(
    app: &App, viewer: &Viewer, place: &Place, request: EditRequest,
) -> Result<Result<Commit, Refused>> {
    commit_noted(app, viewer, place, request, |_| Box::pin(async { Ok(Ok(())) })).await
}

/// The same; each commit that is tried is noted before the branch moves to it, so that what
/// is done in the transaction of the push may know it. Who notes may refuse it.
///
/// # Errors
///
/// As [`commit_to`].
pub async fn commit_noted(
    app: &App, viewer: &Viewer, place: &Place, request: EditRequest,
    note: impl Fn(Commit) -> BoxFuture<'static, Result<Result<(), Refused>>> + Send + Sync,
) -> Result<Result<Commit, Refused>> {
    if let Err(refused) = check_size(&request.message, request.actions.len()) {
        return Ok(Err(refused));
    }
    let request = Arc::new(request);
    let _turn = landing::turn(app, place.holder()).await?;
    for _ in 0..ATTEMPTS {
        let (asked, edit) = (request.clone(), request.clone());
        let source = request.start_in.as_ref().map(|it| &it.repository);
        let begin = (&asked.start, source);
        let base = match base::find(app, viewer, place, &asked.branch, begin).await? {
            Ok(base) => base,
            Err(refused) => return Ok(Err(refused)),
        };
        let facts = base.facts.clone();
        let person = written::person(app, viewer, &request.author).await?;
        let build = move |objects: &Objects| build(objects, &facts, &edit, &person);
        let source = source.unwrap_or(&base.repository);
        let made = match objects::read(app, source, build).await? {
            Ok(made) => made,
            Err(refused) => return Ok(Err(refused)),
        };
        if let Err(refused) = note(made.commit.clone()).await? {
            return Ok(Err(refused));
        }
        match land(app, &base, request.start_in.as_ref(), made.objects, made.commit.id).await? {
            Ended::Done => return Ok(Ok(made.commit)),
            Ended::Refused(text) => return Ok(Err(base.refusal(&request.branch, text))),
            Ended::Moved => {}
        }
    }
    Ok(Err(moves_on(&request.branch)))
}

async fn land(
    app: &App, base: &Base, from: Option<&Elsewhere>, objects: NewObjects, new: ObjectId,
) -> Result<Ended> {
    let old = base.facts.head.unwrap_or(ObjectId::ZERO);
    let Some(name) = base.facts.branch.clone() else {
        return Err(Error::internal("a branch without a good name was written to"));
    };
    match from {
        Some(from) => elsewhere::land(app, &base.to, from, (name, old, new), objects).await,
        None => landing::land(app, &base.to, name, old, new, Some(objects)).await,
    }
}

fn check_size(message: &str, actions: usize) -> Result<(), Refused> {
    if message.len() > LONGEST_MESSAGE {
        return Err(Refused::new("The commit message is too long (maximum is 1048576 bytes)"));
    }
    match actions > MAX_ACTIONS {
        true => Err(Refused::new(format!("A commit has at most {MAX_ACTIONS} actions"))),
        false => Ok(()),
    }
}

/// Others were faster each time.
fn moves_on(branch: &str) -> Refused {
    Refused::new(format!("Could not update {branch}. Please refresh and try again."))
}

/// A commit to be, and what it needs.
struct Made {
    commit: Commit,
    objects: NewObjects,
}

fn build(
    objects: &Objects, facts: &Facts, request: &EditRequest, people: &written::People,
) -> Result<Result<Made, Refused>> {
    let parent = match base::parent(objects, facts, request)? {
        Ok(parent) => parent,
        Err(refused) => return Ok(Err(refused)),
    };
    if let Some(parent) = &parent
        && let Err(refused) = base::check_last_commits(objects, parent, &request.actions)?
    {
        return Ok(Err(refused));
    }
    let tree = parent.as_ref().map(|parent| parent.tree);
    let (mut files, mut new) = (Files::of(objects, tree)?, NewObjects::default());
    if let Err(refused) = actions::apply(&mut files, &mut new, &request.actions)? {
        return Ok(Err(refused));
    }
    let written = files.write(&mut new)?;
    if Some(written) == tree && !request.may_be_empty {
        return Ok(Err(Refused::new(NOTHING)));
    }
    let parents: Vec<ObjectId> = parent.iter().map(|parent| parent.id).collect();
    let commit = written::commit(&mut new, written, &parents, people, &request.message)?;
    Ok(Ok(Made { commit, objects: new }))
}

/// Who writes to a project, for the last step.
async fn pushing(app: &App, viewer: &Viewer, project: &Project) -> Result<Pushing> {
    kernel::read_only::check(app).await?;
    let (viewer, place) = (viewer.clone(), Place::code(project));
    app.write(move |tx| access::writing(tx, &viewer, &place)).await
}

/// The ref of a branch that somebody named.
pub(crate) fn branch(name: &str) -> Option<RefName> {
    RefName::branch(name).ok()
}
