//! What rooms above plug in.

use crate::access::{Address, Pushing, Service, Target};
use crate::formats::commands::{Command, PushRequest};
use crate::hidden::{self, HiddenRequests};
use crate::model::{Holder, Repository, RepositoryKind};
use crate::moves::snippets::OfSnippets;
use crate::place::Content;
use crate::protection::Way;
use crate::receive::Quarantine;
use crate::rules::moves::RefMove;
use crate::rules::push::PushRefused;
use crate::rules::pushes::Pushed;
use ::store::Tx;
use futures_util::future::BoxFuture;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use serde_json::Value;
use spaces::model::Project;
use std::collections::HashMap;

/// Work in the transaction that moves the refs of a push.
pub type OnPush = fn(&mut Tx<'_>, &Pushed<'_>) -> Result<()>;

/// A push of code by git, whose refs have moved.
pub struct Answering<'a> {
    pub app: &'a App,
    pub viewer: &'a Viewer,
    pub project_id: i64,
    /// Who pushed is known by a key of projects: they are no person.
    pub is_by_deploy_key: bool,
    /// The refs that moved.
    pub moved: Vec<&'a Command>,
    /// What was said to the server with it, `git push -o`.
    pub options: &'a [String],
}

/// The lines that who pushed is told, once a room above has done what they asked for.
pub type Answer<'a> = BoxFuture<'a, Vec<String>>;
pub type OnAnswer = for<'a> fn(Answering<'a>) -> Answer<'a>;

/// Whether a deploy key may push to a project.
pub type DeployKeyPushes = fn(&mut Tx<'_>, i64, i64) -> Result<bool>;

/// Whether a branch of a project, or any of them where none is named, was opened to
/// somebody who may not push to the project.
pub type Opened = fn(&mut Tx<'_>, &Viewer, &Project, Option<&str>) -> Result<bool>;

/// The merge requests of some projects whose refs are for administrators alone: each project
/// with a number, in this order, at most so many of each.
pub type ForAdministrators = fn(&mut Tx<'_>, &[i64], i64) -> Result<Vec<(i64, i64)>>;

/// Whether projects may begin with a repository at some address.
pub type ImportsByAddress = fn(&mut Tx<'_>) -> Result<bool>;

/// A push to the repository of a room above, before any ref moves.
#[derive(Clone, Copy)]
pub struct Arriving<'a> {
    pub app: &'a App,
    pub content: &'a Content,
    pub repository: &'a Repository,
    /// The new objects, beside those that are there.
    pub quarantine: &'a Quarantine,
    pub moves: &'a [RefMove],
    pub way: Way,
}

/// The same as its refs move.
pub struct Arrived<'a> {
    pub viewer: &'a Viewer,
    pub holder: Holder,
    pub repository_id: i64,
    /// What was noted of it before.
    pub noted: &'a Value,
}

/// What comes of looking at a push: a refusal, or what is noted for [`Contents::arrived`].
pub type Judged = Result<std::result::Result<Value, PushRefused>>;

/// What a room above keeps in repositories of one kind.
#[derive(Clone, Copy)]
pub struct Contents {
    pub kind: RepositoryKind,
    /// What git's user is told of what is not there, or hidden.
    pub not_found: &'static str,
    /// What stands at an address, or stood there before its holder moved; whoever asks.
    pub find: fn(&mut Tx<'_>, &Address) -> Result<Option<Content>>,
    /// Refuses who may not do this with it: not found, or forbidden in words.
    pub authorize: fn(&mut Tx<'_>, &Viewer, &Content, Service) -> Result<()>,
    /// Looks at what is pushed.
    pub judge: for<'a> fn(Arriving<'a>) -> BoxFuture<'a, Judged>,
    /// Work in the transaction that moves the refs.
    pub arrived: fn(&mut Tx<'_>, &Arrived<'_>) -> Result<()>,
}

/// Functions of the rooms above; they must be among the store's plugs.
#[derive(Default)]
pub struct Hooks {
    /// Somebody pushed, or edited a branch: some of the refs moved.
    pub pushed: Vec<OnPush>,
    /// Somebody pushed by git, and waits for what they are told.
    pub answers: Vec<OnAnswer>,
    /// Of a project and a deploy key.
    pub deploy_key_pushes: Option<DeployKeyPushes>,
    /// Who else may push to a branch.
    pub opened: Option<Opened>,
    /// Which merge requests others are not told of.
    pub for_administrators: Option<ForAdministrators>,
    /// What other repositories there are than those of code.
    pub contents: Vec<Contents>,
    /// What moves between storages ask of snippets.
    pub snippets: Option<OfSnippets>,
    /// Whether the instance lets projects begin with a repository at some address; it does
    /// unless a room above says otherwise.
    pub imports_by_address: Option<ImportsByAddress>,
}

/// The room that keeps repositories of this kind.
pub(crate) fn contents<'t>(tx: &Tx<'t>, kind: RepositoryKind) -> Result<&'t Contents> {
    let hooks: &Hooks = tx.plugged()?;
    let room = hooks.contents.iter().find(|one| one.kind == kind);
    room.ok_or(Error::NotFound("Repository"))
}

pub(crate) fn may_deploy_key_push(tx: &mut Tx<'_>, project_id: i64, key_id: i64) -> Result<bool> {
    match tx.plugged::<Hooks>()?.deploy_key_pushes {
        Some(pushes) => pushes(tx, project_id, key_id),
        None => Ok(false),
    }
}

/// Whether a branch of a project, or any of them, was opened to somebody who may not push
/// to the project.
pub(crate) fn is_opened(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, branch: Option<&str>,
) -> Result<bool> {
    match tx.plugged::<Hooks>()?.opened {
        Some(opened) if viewer.user_id().is_some() => opened(tx, viewer, project, branch),
        _ => Ok(false),
    }
}

/// The merge requests of each of these projects whose refs are for administrators alone;
/// nothing of a project that has none.
pub(crate) fn hidden_requests(
    tx: &mut Tx<'_>, projects: &[i64],
) -> Result<HashMap<i64, HiddenRequests>> {
    let Some(find) = tx.plugged::<Hooks>()?.for_administrators else {
        return Ok(HashMap::new());
    };
    let mut numbers: HashMap<i64, Vec<i64>> = HashMap::new();
    for (project, number) in find(tx, projects, hidden::MOST as i64 + 1)? {
        numbers.entry(project).or_default().push(number);
    }
    Ok(numbers.into_iter().map(|(id, all)| (id, HiddenRequests::of(all))).collect())
}

/// Whether projects may begin with a repository at some address.
pub(crate) fn has_imports_by_address(tx: &mut Tx<'_>) -> Result<bool> {
    match tx.plugged::<Hooks>()?.imports_by_address {
        Some(are_on) => are_on(tx),
        None => Ok(true),
    }
}

pub(crate) fn pushed(tx: &mut Tx<'_>, push: &Pushed<'_>) -> Result<()> {
    let hooks: &Hooks = tx.plugged()?;
    hooks.pushed.iter().try_for_each(|hook| hook(tx, push))
}

/// What rooms above tell who pushed, of those refs that moved.
pub(crate) async fn answer(
    app: &App, to: &Pushing, push: &PushRequest, results: &[std::result::Result<(), String>],
) -> Result<Vec<String>> {
    let Target::Code(code) = &to.target else {
        return Ok(Vec::new());
    };
    let all = push.commands.iter().zip(results);
    let moved: Vec<&Command> =
        all.filter_map(|(one, result)| result.is_ok().then_some(one)).collect();
    if moved.is_empty() {
        return Ok(Vec::new());
    }
    let mut lines = Vec::new();
    for answer in &app.plugged::<Hooks>()?.answers {
        let answering = Answering {
            app,
            viewer: &to.viewer,
            project_id: code.project_id,
            is_by_deploy_key: code.deploy_key_id.is_some(),
            moved: moved.clone(),
            options: &push.options,
        };
        lines.extend(answer(answering).await);
    }
    Ok(lines)
}

pub(crate) fn arrived(tx: &mut Tx<'_>, push: &Arrived<'_>) -> Result<()> {
    let room = contents(tx, push.holder.kind())?;
    (room.arrived)(tx, push)
}
