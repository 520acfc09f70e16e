//! Locks on paths of a project (git-lfs, docs/api/locking.md).

use super::access::{self, Deed, SCOPES, refused};
use super::batch::read;
use super::store::{self, Lock, Wanted};
use http::{Method, StatusCode};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::call::Upload;
use kernel::http::{Params, RequestContext, Response, Routes};
use serde::Deserialize;
use serde_json::{Value, json};
use spaces::access::{MAINTAINER, level_in_project};
use spaces::pages::PROJECT;
use std::sync::Arc;

/// Bytes of a path.
const MAX_PATH: usize = 4096;
/// Locks on a page, unless asked for, and at most.
const USUAL: i64 = 100;
const MOST: i64 = 1000;

const LOCKS: &str = "/info/lfs/locks";
const VERIFY: &str = "/info/lfs/locks/verify";

pub(super) fn routes(r: &mut Routes) {
    let git = |declared: kernel::http::routes::Declared<'_>, summary: &str| {
        declared.git().scopes(SCOPES).refuses(access::render).summary(summary);
    };
    git(
        r.plain(Method::GET, &format!("{PROJECT}{LOCKS}"), list),
        "Lists the locks on large files",
    );
    git(
        r.plain(Method::POST, &format!("{PROJECT}{LOCKS}"), create).streams(),
        "Locks the path of a large file",
    );
    git(
        r.plain(Method::POST, &format!("{PROJECT}{VERIFY}"), verify).streams(),
        "Lists the locks on large files, apart the caller's own",
    );
    git(
        r.plain(Method::POST, &format!("{PROJECT}{LOCKS}/{{id}}/unlock"), unlock)
            .streams(),
        "Takes the lock on a large file away",
    );
}

kernel::params! {
    /// Which locks.
    pub struct Which {
        /// Of this path alone.
        pub path: Option<String>,
        /// This one alone.
        pub id: Option<i64>,
        /// From where the page before ended.
        pub cursor: Option<i64>,
        /// Locks on a page, 1,000 at most.
        pub limit: Option<i64>,
    }
}

kernel::params! {
    /// A lock.
    pub struct OneLock {
        /// Its number.
        pub id: i64,
    }
}

fn entity(lock: &Lock) -> Value {
    json!({
        "id": lock.id.to_string(),
        "path": lock.path,
        "locked_at": lock.locked_at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        "owner": {"name": lock.owner},
    })
}

/// Locks of a page, and where the next one begins.
fn page(mut locks: Vec<Lock>, limit: i64) -> (Vec<Lock>, Option<String>) {
    let next = locks.get(limit as usize).map(|lock| lock.id.to_string());
    locks.truncate(limit as usize);
    (locks, next)
}

fn limit(asked: Option<i64>) -> i64 {
    asked.filter(|limit| *limit > 0).unwrap_or(USUAL).min(MOST)
}

async fn list(
    app: App, viewer: Viewer, request: Arc<RequestContext>, which: Params<Which>,
) -> Result<Response> {
    let project = access::project(&app, &viewer, &request, LOCKS, Deed::Get).await?;
    let limit = limit(which.limit);
    let wanted = Wanted {
        path: which.path.clone(),
        id: which.id,
        from: which.cursor.unwrap_or(0),
        limit: limit + 1,
    };
    let found = app.read(move |tx| store::locks(tx, project.id, &wanted)).await?;
    let (locks, next) = page(found, limit);
    let locks: Vec<Value> = locks.iter().map(entity).collect();
    access::answer(StatusCode::OK, &json!({"locks": locks, "next_cursor": next}))
}

#[derive(Deserialize)]
struct NewLock {
    path: String,
}

/// Who locks: a user, never a machine's token.
fn user_of(viewer: &Viewer) -> Result<i64> {
    viewer.user_id().ok_or_else(|| refused(403, "You have no permissions"))
}

async fn create(
    app: App, viewer: Viewer, request: Arc<RequestContext>, body: Upload,
) -> Result<Response> {
    let project = access::project(&app, &viewer, &request, LOCKS, Deed::Lock).await?;
    let (user, NewLock { path }) = (user_of(&viewer)?, read(&request, &viewer, body).await?);
    let is_good = !path.is_empty() && path.len() <= MAX_PATH && !path.contains('\0');
    if !is_good {
        return Err(refused(422, "The path must be that of a file."));
    }
    let (made, lock) = app
        .write(move |tx| {
            let made = store::lock(tx, project.id, &path, user)?;
            Ok((made, store::lock_on(tx, project.id, &path)?))
        })
        .await?;
    let lock = lock.as_ref().map(entity);
    match made {
        true => access::answer(StatusCode::CREATED, &json!({"lock": lock})),
        false => Err(Error::Exact(409, json!({"lock": lock, "message": "already locked"}))),
    }
}

#[derive(Deserialize)]
struct Verifying {
    cursor: Option<String>,
    limit: Option<i64>,
}

async fn verify(
    app: App, viewer: Viewer, request: Arc<RequestContext>, body: Upload,
) -> Result<Response> {
    let project = access::project(&app, &viewer, &request, VERIFY, Deed::Send(None)).await?;
    let (user, asked): (_, Verifying) = (user_of(&viewer)?, read(&request, &viewer, body).await?);
    let limit = limit(asked.limit);
    let cursor = asked.cursor.as_deref().unwrap_or_default();
    let from = match cursor {
        "" => 0,
        text => text.parse().map_err(|_| refused(422, "The cursor is none of this server."))?,
    };
    let wanted = Wanted { from, limit: limit + 1, ..Wanted::default() };
    let found = app.read(move |tx| store::locks(tx, project.id, &wanted)).await?;
    let (locks, next) = page(found, limit);
    let (ours, theirs): (Vec<Lock>, Vec<Lock>) =
        locks.into_iter().partition(|lock| lock.user_id == user);
    let entities = |locks: Vec<Lock>| locks.iter().map(entity).collect::<Vec<_>>();
    let all = json!({"ours": entities(ours), "theirs": entities(theirs), "next_cursor": next});
    access::answer(StatusCode::OK, &all)
}

#[derive(Deserialize)]
struct Unlocking {
    #[serde(default)]
    force: bool,
}

async fn unlock(
    app: App, viewer: Viewer, request: Arc<RequestContext>, one: Params<OneLock>, body: Upload,
) -> Result<Response> {
    let ending = format!("{LOCKS}/{}/unlock", one.id);
    let project = access::project(&app, &viewer, &request, &ending, Deed::Lock).await?;
    let (user, asked): (_, Unlocking) = (user_of(&viewer)?, read(&request, &viewer, body).await?);
    let id = one.id;
    let lock = app
        .write(move |tx| {
            let absent = || refused(404, "Lock not found");
            let lock = store::lock_by_id(tx, project.id, id)?.ok_or_else(absent)?;
            if lock.user_id != user {
                if !asked.force {
                    let text = format!("{} is locked by Service User {}", lock.path, lock.user_id);
                    return Err(refused(403, &text));
                }
                if level_in_project(tx, &viewer, &project)? < MAINTAINER {
                    let text = "You must have maintainer access to force delete a lock";
                    return Err(refused(403, text));
                }
            }
            match store::unlock(tx, project.id, id)? {
                true => Ok(lock),
                false => Err(absent()),
            }
        })
        .await?;
    access::answer(StatusCode::OK, &json!({"lock": entity(&lock)}))
}
