//! What this room plugs into those below: snippets by git, and what becomes of them where
//! projects and people go.

use crate::access::{self, THING};
use crate::model::Snippet;
use crate::{pushed, store};
use ::store::{Fragment, Tx};
use identity::hooks::Destroying;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::{Reference, fold};
use repositories::access::{Address, Service};
use repositories::hooks::Contents;
use repositories::model::RepositoryKind;
use repositories::moves::snippets::{MovedSnippet, OfSnippets};
use repositories::place::Content;

const NOT_FOUND: &str = "The snippet you were looking for could not be found.";
const NO_PUSH: &str = "You are not allowed to update this snippet.";
/// Snippets of a person that one statement removes.
const BATCH: i64 = 500;

/// Snippets, for `repositories::hooks::Hooks`.
pub const CONTENTS: Contents = Contents {
    kind: RepositoryKind::Snippet,
    not_found: NOT_FOUND,
    find,
    authorize,
    judge: pushed::judge,
    arrived: pushed::arrived,
};

/// Those of projects that go, for `spaces::hooks::Hooks`.
pub const OF_PROJECTS: spaces::hooks::Contents =
    spaces::hooks::Contents { count: store::count_in, remove };

/// Snippets as moves between storages have to do with them, for `repositories::hooks::Hooks`.
pub const MOVES: OfSnippets = OfSnippets { find: moved, touch: store::touch };

pub use crate::store::hand_over;

fn find(tx: &mut Tx<'_>, address: &Address) -> Result<Option<Content>> {
    let id = address.full_path.rsplit('/').next().and_then(|id| id.parse().ok());
    let Some(snippet) = store::by_id(tx, id.unwrap_or_default())? else {
        return Ok(None);
    };
    let is_named = fold(&snippet.repository_path()) == fold(&address.full_path);
    if !is_named && !has_moved(tx, &snippet, address)? {
        return Ok(None);
    }
    access::content(tx, &snippet).map(Some)
}

fn moved(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<MovedSnippet>> {
    let there = store::by_ids(tx, ids, Fragment::new("snippets.is_written"))?;
    let moved = |one: Snippet| MovedSnippet {
        id: one.id,
        visibility: one.visibility(),
        path: one.path(),
        repository_path: one.repository_path(),
        title: one.title,
        description: one.description,
        created_at: one.created_at,
        updated_at: one.updated_at,
        project_id: one.project_id,
    };
    Ok(there.into_iter().map(moved).collect())
}

/// Whether the project of a snippet had the path before that an address names.
fn has_moved(tx: &mut Tx<'_>, snippet: &Snippet, address: &Address) -> Result<bool> {
    let Some((project, _)) = address.full_path.rsplit_once("/snippets/") else {
        return Ok(false);
    };
    let reference = Reference::Path(project.to_owned());
    let moved = spaces::access::moved_project(tx, &reference)?;
    Ok(moved.is_some() && moved == snippet.project_id)
}

fn authorize(tx: &mut Tx<'_>, viewer: &Viewer, content: &Content, service: Service) -> Result<()> {
    let id = content.holder.snippet_id().found(THING)?;
    let found = access::find(tx, viewer, None, id)?;
    match service == Service::Fetch || found.may_change(viewer) {
        true => Ok(()),
        false => Err(Error::forbidden(NO_PUSH)),
    }
}

/// Removes some of a project that goes, at most so many; how many.
fn remove(tx: &mut Tx<'_>, project_id: i64, limit: i64) -> Result<i64> {
    let ids = store::ids_in(tx, project_id, limit)?;
    store::remove(tx, &ids)?;
    Ok(i64::try_from(ids.len()).unwrap_or(i64::MAX))
}

/// A leaving user takes their personal snippets along.
pub fn user_destroying(tx: &mut Tx<'_>, destroying: &Destroying) -> Result<()> {
    loop {
        let ids = store::ids_of_person(tx, destroying.user.id, BATCH)?;
        if ids.is_empty() {
            return Ok(());
        }
        store::remove(tx, &ids)?;
    }
}
