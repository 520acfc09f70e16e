//! The last part of a push: its refs are judged, its pack is stored, and one
//! transaction makes both part of the repository.

use super::Received;
use super::objects::{Quarantine, Tip};
use super::told;
use crate::access::Pushing;
use crate::formats::commands::Command;
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::lfs::missing;
use crate::model::Repository;
use crate::protection::{Gate, Pusher, RefChange};
use crate::push_rules;
use crate::rules::moves::{self, Change, Kept, Outcome, RefMove};
use crate::rules::push::{self, PushRefused, PushedTo};
use crate::store;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use spaces::access::find_project;
use std::collections::HashMap;

/// Names that a branch may have which HEAD comes to stand for, after the project's own
/// wish and before any other.
const USUAL: &[&str] = &["main", "master"];

/// What became of a push.
#[derive(Debug)]
pub enum Landed {
    /// Each ref, in the order sent.
    Refs(Vec<Result<(), String>>),
    /// Nothing changed, for these reasons: of the objects, or of all.
    BadObjects(String),
    Refused(String),
}

/// How often a push is tried whose repository loses objects meanwhile.
const ATTEMPTS: usize = 3;

/// A ref does not move, for this reason.
const NO_COMMIT: Kept = "a branch points at a commit";
const ABSENT: Kept = "missing necessary objects";

pub(super) async fn land(app: &App, to: &Pushing, received: &Received) -> Result<Landed> {
    let quarantine = match &received.objects {
        Ok(quarantine) => quarantine,
        Err(text) => return Ok(Landed::BadObjects(text.clone())),
    };
    let commands = &received.request.commands;
    let id = to.repository_id;
    let (repository, head) = app
        .read(move |tx| {
            let repository = store::by_id(tx, id)?.found("Repository")?;
            let mut head = store::refs::current(tx, id, &[&repository.head])?;
            let head = head.remove(&repository.head);
            Ok((repository, head))
        })
        .await?;
    let pushed_to = PushedTo { default_branch: head.map(|_| &repository.head) };
    if let Err(PushRefused(text)) = push::check(&pushed_to, commands) {
        return Ok(Landed::Refused(text));
    }
    let new: Vec<ObjectId> = commands.iter().filter_map(|command| command.new.present()).collect();
    let tips = match new.is_empty() {
        true => HashMap::new(),
        false => quarantine.tips(app, &new).await?,
    };
    let judged: Vec<Result<RefMove, Kept>> =
        commands.iter().map(|command| as_move(command, &tips)).collect();
    let atomic = received.request.atomic;
    if atomic && judged.iter().any(Result::is_err) {
        return Ok(Landed::Refs(judged.into_iter().map(kept_together).collect()));
    }
    let moves: Vec<RefMove> = judged.iter().filter_map(|one| one.as_ref().ok().cloned()).collect();
    if let Err(PushRefused(text)) =
        check_protection(app, to, &repository, quarantine, &moves).await?
    {
        return Ok(Landed::Refused(text));
    }
    if let Err(PushRefused(text)) =
        push_rules::check(app, to, &repository, quarantine, &moves).await?
    {
        return Ok(Landed::Refused(text));
    }
    if to.has_large_files && missing::are_some(app, to.project_id, quarantine).await? {
        return Ok(Landed::Refused(missing::MISSING.to_owned()));
    }
    let push = told::find(app, to, quarantine, &moves, (&repository.head, head)).await?;
    let packs = quarantine.store(app, &repository).await?;
    let mut change = Change {
        repository: id,
        moves,
        packs: packs.into_iter().collect(),
        epoch: quarantine.epoch().unwrap_or(repository.epoch),
        atomic,
        heads: heads(to, commands),
        push: Some(push),
    };
    for _ in 0..ATTEMPTS {
        let tried = change.clone();
        match app.write(move |tx| moves::move_refs(tx, &tried)).await? {
            Outcome::Done(results) => return Ok(Landed::Refs(told(judged, results))),
            Outcome::Stale => match quarantine.look_again(app, id, &new).await? {
                Some(epoch) => change.epoch = epoch,
                None => {
                    return Ok(Landed::Refs(commands.iter().map(|_| Err(ABSENT.into())).collect()));
                }
            },
        }
    }
    Err(Error::Unavailable("The repository changes too often now. Push again.".into()))
}

/// Refuses a push to what is protected.
async fn check_protection(
    app: &App, to: &Pushing, repository: &Repository, quarantine: &Quarantine, moves: &[RefMove],
) -> Result<Result<(), PushRefused>> {
    let changes = moves.iter().map(|one| RefChange {
        name: one.name.clone(),
        old: one.old,
        new: one.new,
        is_forced: false,
    });
    let mut changes: Vec<RefChange> = changes.collect();
    let pusher = Pusher {
        viewer: to.viewer.clone(),
        deploy_key_id: to.deploy_key_id,
        way: to.way,
    };
    let (project_id, repository, asked) = (to.project_id, repository.clone(), changes.clone());
    let gate = app
        .read(move |tx| {
            let project = find_project(tx, &Reference::Id(project_id))?.found("Project")?;
            Gate::load(tx, &pusher, &project, &repository, &asked)
        })
        .await?;
    for change in &mut changes {
        if gate.asks_for_history_of(change) {
            change.is_forced = !told::follows(app, quarantine, change.old, change.new).await?;
        }
    }
    Ok(gate.check(&changes))
}

/// Why a ref stays of those that move together, of which one cannot.
fn kept_together(judged: Result<RefMove, Kept>) -> Result<(), String> {
    Err(judged.err().unwrap_or(moves::TOGETHER).to_owned())
}

fn as_move(command: &Command, tips: &HashMap<ObjectId, Tip>) -> Result<RefMove, Kept> {
    let name = command.name.clone().ok_or("funny refname")?;
    let tip = match command.new.present() {
        Some(new) => Some(*tips.get(&new).ok_or(ABSENT)?),
        None => None,
    };
    if name.as_branch().is_some() && tip.is_some_and(|tip| !tip.is_commit) {
        return Err(NO_COMMIT);
    }
    Ok(RefMove {
        name,
        old: command.old,
        new: command.new,
        peeled: tip.and_then(|tip| tip.peeled),
    })
}

/// The branches that HEAD may come to stand for, the best first.
fn heads(to: &Pushing, commands: &[Command]) -> Vec<RefName> {
    let wished = to.default_branch.iter().map(String::as_str).chain(USUAL.iter().copied());
    let mut heads: Vec<RefName> = wished.filter_map(|name| RefName::branch(name).ok()).collect();
    let made = commands.iter().filter(|command| !command.new.is_zero());
    let branches = made.filter_map(|command| command.name.clone());
    heads.extend(branches.filter(|name| name.as_branch().is_some()).take(1));
    heads
}

/// What becomes of each ref that was asked for, where only the good ones were tried.
fn told(
    judged: Vec<Result<RefMove, Kept>>, tried: Vec<Result<(), Kept>>,
) -> Vec<Result<(), String>> {
    let mut tried = tried.into_iter();
    let each = judged.into_iter().map(|one| match one {
        Ok(_) => tried.next().unwrap_or(Err(moves::MOVED)),
        Err(text) => Err(text),
    });
    each.map(|one| one.map_err(str::to_owned)).collect()
}
