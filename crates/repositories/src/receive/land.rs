//! The last part of a push: its refs are judged, its pack is stored, and one
//! transaction makes both part of the repository.

use super::Received;
use super::objects::{Quarantine, Tip};
use super::told;
use crate::access::{CodeTarget, NO_PUSH, Pushing, Target};
use crate::formats::commands::Command;
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::held;
use crate::hooks::{self, Arriving};
use crate::lfs::missing;
use crate::model::Repository;
use crate::place::Content;
use crate::protection::{Gate, Pusher, RefChange, Way, are_opened};
use crate::push_rules;
use crate::rules::moves::{self, Change, Kept, Outcome, RefMove};
use crate::rules::push::{self, PushRefused, PushedTo};
use crate::rules::pushes::{News, Push};
use crate::size_limit::{self, TooLarge};
use crate::store;
use ::store::Tx;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use spaces::access::find_project;
use spaces::model::Project;
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

/// How often a push is tried whose repository loses objects meanwhile, or comes to lie
/// elsewhere.
const ATTEMPTS: usize = 5;

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
    // A snippet has one branch, and says itself what becomes of that.
    let is_snippet = repository.snippet_id.is_some();
    let pushed_to = PushedTo {
        default_branch: head.filter(|_| !is_snippet).map(|_| &repository.head),
        kind: &repository.kind,
    };
    // Who brings what something begins with has looked at the names, some of which are ours.
    if to.way != Way::Import
        && let Err(PushRefused(text)) = push::check(&pushed_to, commands)
    {
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
    let arriving = At { app, to, repository: &repository, quarantine, moves: &moves };
    let news = match arriving.look(head).await? {
        Ok(news) => news,
        Err(PushRefused(text)) => return Ok(Landed::Refused(text)),
    };
    let packs = quarantine.store(app, &repository).await?;
    let change = Change {
        repository: id,
        moves,
        packs: packs.into_iter().collect(),
        epoch: quarantine.epoch().unwrap_or(repository.epoch),
        atomic,
        heads: heads(to, commands),
        push: Some(Push {
            viewer: to.viewer.clone(),
            news,
            options: received.request.options.clone(),
        }),
    };
    let ended = move_refs(app, to, quarantine, change).await?;
    Ok(match ended {
        Moved::Each(results) => Landed::Refs(told(judged, results)),
        Moved::Incomplete => Landed::Refs(commands.iter().map(|_| Err(ABSENT.into())).collect()),
        Moved::Refused(text) => Landed::Refused(text),
    })
}

/// What became of refs that were about to move.
enum Moved {
    Each(Vec<Result<(), Kept>>),
    /// Objects are gone that the new ones lead to.
    Incomplete,
    Refused(String),
}

/// Moves the refs of a push, however often the repository changes below it.
async fn move_refs(
    app: &App, to: &Pushing, quarantine: &Quarantine, mut change: Change,
) -> Result<Moved> {
    let new: Vec<ObjectId> = change.moves.iter().filter_map(|one| one.new.present()).collect();
    for _ in 0..ATTEMPTS {
        let tried = change.clone();
        match app.write(move |tx| moves::move_refs(tx, &tried)).await? {
            Outcome::Done(results) => return Ok(Moved::Each(results)),
            Outcome::TooLarge(refused) => return Ok(Moved::Refused(in_words(refused, to.way))),
            Outcome::Stale => match quarantine.look_again(app, change.repository, &new).await? {
                Some(epoch) => change.epoch = epoch,
                None => return Ok(Moved::Incomplete),
            },
            Outcome::ReadOnly | Outcome::Elsewhere => {
                match held::wait(app, change.repository, to.way).await {
                    Ok(now) => {
                        change.packs = quarantine.store(app, &now).await?.into_iter().collect()
                    }
                    Err(Error::Forbidden(text)) if to.way == Way::Git => {
                        return Ok(Moved::Refused(text));
                    }
                    Err(error) => return Err(error),
                }
            }
        }
    }
    Err(Error::Unavailable("The repository changes too often now. Push again.".into()))
}

/// A push whose refs are about to move.
struct At<'a> {
    app: &'a App,
    to: &'a Pushing,
    repository: &'a Repository,
    quarantine: &'a Quarantine,
    moves: &'a [RefMove],
}

impl At<'_> {
    /// Refuses it for what it brings, or says what there is to tell of it.
    async fn look(&self, head: Option<ObjectId>) -> Result<Result<News, PushRefused>> {
        match &self.to.target {
            Target::Code(code) => self.look_at_code(code, head).await,
            Target::Content(_) if self.to.way == Way::Import => Ok(Ok(News::Imported)),
            Target::Content(content) => self.look_at_content(content).await,
        }
    }

    async fn look_at_code(
        &self, code: &CodeTarget, head: Option<ObjectId>,
    ) -> Result<Result<News, PushRefused>> {
        let At { app, to, repository, quarantine, moves } = *self;
        if to.way.is_guarded()
            && let Err(refused) = self.guard(code).await?
        {
            return Ok(Err(refused));
        }
        if let Err(refused) = self.check_size(code.project_id).await? {
            return Ok(Err(PushRefused(in_words(refused, to.way))));
        }
        if to.way == Way::Import {
            return Ok(Ok(News::Imported));
        }
        let told = told::find(app, quarantine, moves, (&repository.head, head)).await?;
        Ok(Ok(News::Code(told)))
    }

    /// Refuses what the project does not take from anybody.
    async fn guard(&self, code: &CodeTarget) -> Result<Result<(), PushRefused>> {
        let At { app, to, repository, quarantine, moves } = *self;
        if let Err(refused) = self.check_protection(code).await? {
            return Ok(Err(refused));
        }
        let judged =
            push_rules::check(app, (to, code.project_id), repository, quarantine, moves).await?;
        if let Err(refused) = judged {
            return Ok(Err(refused));
        }
        match code.has_large_files && missing::are_some(app, code.project_id, quarantine).await? {
            true => Ok(Err(PushRefused(missing::MISSING.to_owned()))),
            false => Ok(Ok(())),
        }
    }

    /// Refuses what is too large before its bytes are stored; [`moves::move_refs`] asks
    /// again, where others may have been faster.
    async fn check_size(&self, project_id: i64) -> Result<Result<(), TooLarge>> {
        if self.moves.iter().all(|one| one.new.is_zero()) {
            return Ok(Ok(()));
        }
        let more = self.quarantine.size().await?;
        self.app.read(move |tx| size_limit::check(tx, project_id, more)).await
    }

    async fn look_at_content(&self, content: &Content) -> Result<Result<News, PushRefused>> {
        let At { app, to, repository, quarantine, moves } = *self;
        let kind = content.holder.kind();
        let judge = app.read(move |tx| Ok(hooks::contents(tx, kind)?.judge)).await?;
        let arriving = Arriving { app, content, repository, quarantine, moves, way: to.way };
        Ok(judge(arriving).await?.map(News::Content))
    }

    /// Refuses a push to what is protected.
    async fn check_protection(&self, code: &CodeTarget) -> Result<Result<(), PushRefused>> {
        let At { app, to, repository, quarantine, moves } = *self;
        let changes = moves.iter().map(|one| RefChange {
            name: one.name.clone(),
            old: one.old,
            new: one.new,
            is_forced: false,
        });
        let mut changes: Vec<RefChange> = changes.collect();
        let pusher = Pusher {
            viewer: to.viewer.clone(),
            deploy_key_id: code.deploy_key_id,
            way: to.way,
        };
        let (project_id, repository, asked) =
            (code.project_id, repository.clone(), changes.clone());
        let is_opened = code.is_opened;
        let gate = app
            .read(move |tx| {
                let project = find_project(tx, &Reference::Id(project_id))?.found("Project")?;
                if is_opened && !opens(tx, &pusher, &project, &asked)? {
                    return Ok(None);
                }
                Gate::load(tx, &pusher, &project, &repository, &asked).map(Some)
            })
            .await?;
        let Some(gate) = gate else {
            return Ok(Err(PushRefused(NO_PUSH.to_owned())));
        };
        for change in &mut changes {
            if gate.asks_for_history_of(change) {
                change.is_forced = !told::follows(app, quarantine, change.old, change.new).await?;
            }
        }
        Ok(gate.check(&changes))
    }
}

/// Whether who may not push to a project may change these refs of it. Nothing is opened to
/// keys.
fn opens(
    tx: &mut Tx<'_>, pusher: &Pusher, project: &Project, changes: &[RefChange],
) -> Result<bool> {
    let is_key = pusher.deploy_key_id.is_some();
    Ok(!is_key && are_opened(tx, &pusher.viewer, project, changes)?)
}

/// What who made a change is told that the project has no room for.
fn in_words(refused: TooLarge, way: Way) -> String {
    match way {
        Way::Git | Way::Mirror | Way::Import => refused.of_push(),
        Way::Api | Way::Merge => refused.of_commit(),
    }
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
