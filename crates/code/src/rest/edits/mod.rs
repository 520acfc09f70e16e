//! What REST writes without git: commits, files, branches, tags, picks and submodules
//! (docs/interface/repositories.md 3).

mod actions;
mod branches;
mod commits;
mod files;
mod picks;
mod tags;

use crate::access::{Code, CodeRequest};
use crate::entity::CommitDetail;
use identity::viewer::Viewer;
use jiff::Timestamp;
use kernel::error::{Error, Found, Result};
use kernel::http::conditional::check_unmodified;
use kernel::http::{NoContent, RequestContext, Routes};
use kernel::limits::Limiter;
use repositories::edits::{self, Refused};
use repositories::formats::ref_name::RefName;
use repositories::objects::{self, Commit, Objects};
use repositories::store::refs;
use spaces::access::{Purpose, may};
use store::Tx;

/// Largest body, in bytes: a file of 20 MB in any encoding.
const MAX_BODY: usize = 40 * 1024 * 1024;
/// From how many bytes of content on a change counts as large.
const LARGE: usize = 20 * 1024 * 1024;

/// Large changes, counted for each user: 3 in 30 seconds.
struct LargeChanges(Limiter);

impl Default for LargeChanges {
    fn default() -> LargeChanges {
        LargeChanges(Limiter::new("large_commits", 3, 30))
    }
}

pub fn routes(r: &mut Routes) {
    r.below("/projects/{id}/repository", "repository", |r| {
        commits::routes(r);
        files::routes(r);
        branches::routes(r);
        tags::routes(r);
        picks::routes(r);
    });
}

/// The project, for who is signed in and reads its code; what they may write is asked by
/// who writes.
async fn code(at: &CodeRequest) -> Result<Code> {
    check_known(&at.viewer)?;
    Ok(at.find(|_, _| Ok(())).await?.0)
}

/// The project, for who may push to it.
async fn writable(at: &CodeRequest) -> Result<Code> {
    let viewer = at.viewer.clone();
    let pushes =
        move |tx: &mut Tx<'_>, code: &Code| may(tx, &viewer, &code.project, Purpose::PushCode);
    check_known(&at.viewer)?;
    match at.find(pushes).await? {
        (code, true) => Ok(code),
        (_, false) => Err(Error::Forbidden(String::new())),
    }
}

/// Nobody writes without saying who they are.
fn check_known(viewer: &Viewer) -> Result<()> {
    match viewer {
        Viewer::Anonymous => Err(Error::Unauthenticated),
        _ => Ok(()),
    }
}

/// Refuses large changes that come too often.
fn check_rate(at: &CodeRequest, bytes: usize) -> Result<()> {
    if bytes < LARGE {
        return Ok(());
    }
    let key = at.viewer.user_id().unwrap_or_default().to_string();
    let now: Timestamp = at.app.now();
    let decision = at.app.kept::<LargeChanges>().0.check(&key, now);
    match decision.allowed {
        true => Ok(()),
        false => Err(Error::Limited(decision.retry_after)),
    }
}

/// A commit that was just made, with what it changed if that is wanted.
async fn detail(at: &CodeRequest, commit: Commit, with_stats: bool) -> Result<CommitDetail> {
    super::commits::detail(at, &code(at).await?, commit, with_stats).await
}

/// Deletes a branch or tag, if it is as it was when the caller looked.
async fn delete(
    at: &CodeRequest, request: &RequestContext, name: Option<RefName>, thing: &'static str,
) -> Result<NoContent> {
    let code = writable(at).await?;
    let name = name.found(thing)?;
    let commit = pointed_at(at, &code, &name).await?.found(thing)?;
    check_unmodified(request, commit.author.at)?;
    let deleted = edits::delete_ref(&at.app, &at.viewer, &code.project, name).await?;
    deleted.map(|()| NoContent).map_err(not_deleted)
}

/// The commit that a ref leads to, if it is there.
async fn pointed_at(at: &CodeRequest, code: &Code, name: &RefName) -> Result<Option<Commit>> {
    let Some(repository) = &code.repository else {
        return Ok(None);
    };
    let (id, name) = (repository.id, name.clone());
    let found = at.app.read(move |tx| refs::some(tx, id, &[name])).await?.pop();
    match found {
        Some(found) => {
            let commit = move |objects: &Objects| objects.peeled(found.object_id);
            objects::read(&at.app, repository, commit).await
        }
        None => Ok(None),
    }
}

/// What is protected is forbidden; what else stays is a bad wish.
fn not_deleted(refused: Refused) -> Error {
    match refused.text.starts_with("You are not allowed to delete protected") {
        true => Error::Forbidden(refused.text),
        false => refused.into(),
    }
}
