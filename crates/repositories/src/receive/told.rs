//! What is new to the refs of a push, found out before they move.

use super::objects::Quarantine;
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::git::PATIENCE;
use crate::rules::moves::RefMove;
use crate::rules::pushes::{MOST_COUNTED, MOST_READ, PushedCommit, Told, is_told};
use kernel::app::App;
use kernel::error::{Error, Result};
use std::collections::HashMap;

/// Most bytes of the messages that are read of a push.
const MOST_SAID: usize = 4 * 1024 * 1024;

/// What there is to tell of moves, where the default branch stands there.
pub(super) async fn find(
    app: &App, quarantine: &Quarantine, moves: &[RefMove],
    default_branch: (&RefName, Option<ObjectId>),
) -> Result<HashMap<RefName, Told>> {
    let mut told = HashMap::new();
    for one in moves {
        let is_there = !one.new.is_zero();
        if is_there && is_told(&one.name, moves.len(), default_branch.0) {
            told.insert(one.name.clone(), of_ref(app, quarantine, one, default_branch.1).await?);
        }
    }
    Ok(told)
}

async fn of_ref(
    app: &App, quarantine: &Quarantine, one: &RefMove, default_branch: Option<ObjectId>,
) -> Result<Told> {
    let tip = one.peeled.unwrap_or(one.new);
    let known = one.old.present().or(default_branch);
    let new = match one.name.as_branch() {
        Some(_) => new_to(app, quarantine, tip, known).await?,
        None => Vec::new(),
    };
    let read: Vec<ObjectId> = std::iter::once(tip)
        .chain(new.iter().copied().filter(|id| *id != tip))
        .take(MOST_READ)
        .collect();
    let mut commits = messages(app, quarantine, &read).await?;
    let title = commits.iter().find(|commit| commit.id == tip);
    let title = title.and_then(|commit| commit.message.lines().next()).map(str::to_owned);
    if !new.contains(&tip) {
        commits.retain(|commit| commit.id != tip);
    }
    Ok(Told { commit_count: new.len() as i64, title, commits })
}

/// The commits that lead to one and not to another, the newest first, as far as they
/// are counted.
async fn new_to(
    app: &App, quarantine: &Quarantine, tip: ObjectId, known: Option<ObjectId>,
) -> Result<Vec<ObjectId>> {
    let mut args = vec!["rev-list".to_owned(), format!("--max-count={MOST_COUNTED}")];
    args.push(tip.to_string());
    args.extend(known.map(|known| format!("^{known}")));
    let most = (MOST_COUNTED as usize + 1) * 41;
    let answered = quarantine.git(app).await?.args(args).ask(Vec::new(), most, PATIENCE).await?;
    if !answered.ended.succeeded {
        // The client made up what was there: the ref will not move.
        return Ok(Vec::new());
    }
    let text = String::from_utf8_lossy(&answered.output).into_owned();
    Ok(text.lines().filter_map(|line| line.parse().ok()).collect())
}

/// The messages of some commits; none if they are too long together, or are no commits.
async fn messages(
    app: &App, quarantine: &Quarantine, ids: &[ObjectId],
) -> Result<Vec<PushedCommit>> {
    let asked: String = ids.iter().map(|id| format!("{id}\n")).collect();
    let args = [
        "log",
        "--no-walk=unsorted",
        "-z",
        "--encoding=UTF-8",
        "--format=%H%n%B",
        "--stdin",
    ];
    let asking = quarantine.git(app).await?.args(args);
    let answered = match asking.ask(asked.into_bytes(), MOST_SAID, PATIENCE).await {
        Err(Error::TooLarge) => return Ok(Vec::new()),
        answered => answered?,
    };
    let text = String::from_utf8_lossy(&answered.output).into_owned();
    Ok(text.split('\0').filter_map(commit).collect())
}

/// `ID`, a new line, and the message.
fn commit(text: &str) -> Option<PushedCommit> {
    let (id, message) = text.split_once('\n')?;
    Some(PushedCommit {
        id: id.trim().parse().ok()?,
        message: message.trim().to_owned(),
    })
}

/// Whether an object leads to another, or is it.
pub(super) async fn follows(
    app: &App, quarantine: &Quarantine, old: ObjectId, new: ObjectId,
) -> Result<bool> {
    let args = [
        "merge-base".to_owned(),
        "--is-ancestor".to_owned(),
        old.to_string(),
        new.to_string(),
    ];
    let asking = quarantine.git(app).await?.args(args);
    Ok(asking.ask(Vec::new(), 1024, PATIENCE).await?.ended.succeeded)
}
