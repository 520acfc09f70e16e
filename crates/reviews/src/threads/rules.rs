//! Where threads stand, and who resolves them.

use super::model::{Stored, is_outdated, shown};
use super::store as rows;
use crate::model::MergeRequest;
use crate::positions::{Placed, Refusal, Sent, Shas, place};
use crate::rules::news::notify;
use crate::rules::refs::keep_commits;
use crate::store::{self, facts, versions};
use crate::suggestions;
use crate::tasks::FollowThreads;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::jobs::enqueue_at;
use planning::access::Desk;
use planning::store::notes::{Note, threads_of};
use planning::store::threads::Resolves;
use planning::targets::{Placement, Threads};
use planning::tasks::Event;
use repositories::formats::object_id::ObjectId;
use repositories::model::{Repository, RepositoryKind};
use repositories::store::of_project;
use spaces::access::DEVELOPER;
use std::collections::{HashMap, HashSet};

/// What planning asks of threads about merge requests.
pub const PLUG: Threads = Threads {
    resolves,
    resolving,
    resolved,
    placed,
    reworded: suggestions::reworded,
    beside: suggestions::pages::beside,
};

/// Developers and the author resolve all threads.
pub fn resolves(tx: &mut Tx<'_>, viewer: &Viewer, desk: Desk<'_>, id: i64) -> Result<Resolves> {
    let Some(user_id) = viewer.user_id() else {
        return Ok(Resolves::None);
    };
    if desk.level() >= DEVELOPER {
        return Ok(Resolves::All);
    }
    let request = store::by_id(tx, id)?.found("")?;
    Ok(match request.author_id == Some(user_id) {
        true => Resolves::All,
        false => Resolves::None,
    })
}

/// The same of many, each with the level of a user where it is.
fn resolving(tx: &mut Tx<'_>, user_id: i64, things: &[(i64, i64)]) -> Result<HashSet<i64>> {
    let (all, others): (Vec<(i64, i64)>, Vec<(i64, i64)>) =
        things.iter().partition(|(_, level)| *level >= DEVELOPER);
    let others: Vec<i64> = others.into_iter().map(|(id, _)| id).collect();
    let mut found: HashSet<i64> = all.into_iter().map(|(id, _)| id).collect();
    if !others.is_empty() {
        found.extend(store::made_by(tx, user_id, &others)?);
    }
    Ok(found)
}

/// People are told where the last open thread was resolved.
pub fn resolved(tx: &mut Tx<'_>, actor: Option<i64>, id: i64) -> Result<()> {
    if !facts::with_open_threads(tx, &[id])?.is_empty() {
        return Ok(());
    }
    let request = store::by_id(tx, id)?.found("")?;
    notify(tx, actor, &request, Event::ThreadsResolved, Vec::new())
}

fn placed(tx: &mut Tx<'_>, notes: &[Note]) -> Result<HashMap<i64, Placement>> {
    let ids = threads_of(notes);
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let threads = rows::of_discussions(tx, &ids)?;
    let all: Vec<&Note> = notes.iter().collect();
    let mut suggested = suggestions::entities(tx, &threads, &all)?;
    let threads: HashMap<&str, Placement> = threads
        .iter()
        .map(|thread| {
            let placement = Placement {
                commit_id: thread.commit_id.clone(),
                position: shown(&thread.position),
                suggestions: Vec::new(),
            };
            (thread.discussion_id.as_str(), placement)
        })
        .collect();
    let found = notes.iter().filter_map(|note| {
        let placement = threads.get(note.discussion_id.as_str())?.clone();
        let suggestions = suggested.remove(&note.id).unwrap_or_default();
        Some((note.id, Placement { suggestions, ..placement }))
    });
    Ok(found.collect())
}

/// A note is about to go; the place of its thread goes with the last one.
pub fn unsaid(tx: &mut Tx<'_>, note: &Note) -> Result<()> {
    rows::forget_after(tx, &note.discussion_id, note.id)
}

/// What positions about a merge request are looked up in: the repository of its target, and
/// its newest version.
pub struct Ground {
    pub repository: Repository,
    pub now: Shas,
}

impl Ground {
    /// None if there is no version yet.
    pub fn of(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<Option<Ground>> {
        let target = request.target_project_id;
        let repository = of_project(tx, target, RepositoryKind::Project)?;
        let version = versions::latest(tx, request.id)?;
        Ok(repository.zip(version).map(|(repository, version)| Ground {
            repository,
            now: Shas {
                base: version.base_id,
                start: version.start_id,
                head: version.head_id,
            },
        }))
    }

    /// Finds what was sent.
    ///
    /// # Errors
    ///
    /// Those of [`place`].
    pub async fn place(self, app: &App, sent: &Sent) -> Result<Placed> {
        place(app, &self.repository, sent, self.now).await
    }
}

/// Finds what was sent, where something was.
///
/// # Errors
///
/// Those of [`place`]; `BadRequest` where nothing differs yet.
pub async fn find(
    app: &App, ground: Option<Ground>, sent: Option<&Sent>,
) -> Result<Option<Placed>> {
    match (sent, ground) {
        (None, _) => Ok(None),
        (Some(_), None) => Err(Refusal::NoLine.into()),
        (Some(sent), Some(ground)) => ground.place(app, sent).await.map(Some),
    }
}

/// Has a thread stand somewhere, whose first note was written in this transaction. Where the
/// branches moved meanwhile, it is followed.
pub fn stand(
    tx: &mut Tx<'_>, request: &MergeRequest, (discussion_id, actor): (&str, Option<i64>),
    stored: &Stored, commit_id: Option<&str>,
) -> Result<()> {
    let ground = Ground::of(tx, request)?.ok_or(Refusal::NoLine)?;
    let is_outdated = is_outdated(&stored.position, ground.now);
    keep(tx, &ground.repository, stored)?;
    // What was found in an older version may be in the newest one, too.
    let is_final = is_outdated && stored.change.is_some();
    rows::insert(tx, request.id, discussion_id, stored, commit_id, is_final)?;
    suggestions::stands(tx, discussion_id)?;
    if is_outdated && !is_final {
        let now = tx.now();
        enqueue_at(tx, &FollowThreads { request: request.id, user: actor }, now)?;
    }
    Ok(())
}

/// Has the commits stay that a position names.
pub fn keep(tx: &mut Tx<'_>, repository: &Repository, stored: &Stored) -> Result<()> {
    let all = [Some(&stored.original), Some(&stored.position), stored.change.as_ref()];
    let positions = all.into_iter().flatten().filter_map(super::model::read);
    let commits: Vec<ObjectId> = positions
        .flat_map(|position| {
            let shas = position.shas();
            [shas.base, shas.start, shas.head]
        })
        .collect();
    keep_commits(tx, repository, &commits)
}

/// The commit that a note was sent about; `undefined` is none.
///
/// # Errors
///
/// `Parameters` where it is no name of a commit.
pub fn commit_id(sent: Option<&str>) -> Result<Option<String>> {
    match sent.filter(|sent| !sent.is_empty() && *sent != "undefined") {
        None => Ok(None),
        Some(sent) => match sent.parse::<ObjectId>() {
            Ok(id) => Ok(Some(id.to_string())),
            Err(_) => Err(Error::Parameters(vec!["commit_id is invalid".to_owned()])),
        },
    }
}
