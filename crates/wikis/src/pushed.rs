//! What pushes and edits do to pages, found out before the refs move and told with them.

use crate::activity::record;
use crate::model::PageFile;
use crate::store;
use ::store::Tx;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use kernel::app::App;
use kernel::error::{Error, Result};
use repositories::diffs::EMPTY_TREE;
use repositories::formats::object_id::ObjectId;
use repositories::hooks::{Arrived, Arriving, Judged};
use repositories::model::Repository;
use repositories::objects::Path;
use repositories::protection::Way;
use repositories::receive::Quarantine;
use repositories::rules::moves::RefMove;
use serde::{Deserialize, Serialize};
use spaces::activity::{Action, Where};
use std::time::Duration;

/// Pages of a push that are told of.
const MOST: usize = 100;
/// Most bytes of what git tells of changed files, and how long it may take.
const TOLD: usize = 4 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(60);

/// What became of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Change {
    Created(String),
    Updated(String),
    Moved(String, String),
    Destroyed(String),
}

impl Change {
    /// What goes first makes room for what comes.
    fn rank(&self) -> u8 {
        match self {
            Change::Destroyed(_) => 0,
            Change::Moved(..) => 1,
            Change::Created(_) | Change::Updated(_) => 2,
        }
    }
}

/// Notes what a push does to the pages; none is refused.
pub fn judge(arriving: Arriving<'_>) -> BoxFuture<'_, Judged> {
    async move {
        let Arriving { app, repository, quarantine, moves, way, .. } = arriving;
        let changes = match shown(repository, moves).filter(|one| !one.new.is_zero()) {
            Some(one) => changes(app, quarantine, one.old, one.new).await?,
            None => Vec::new(),
        };
        let changes = if way == Way::Api { as_edited(changes) } else { changes };
        Ok(Ok(serde_json::to_value(changes).map_err(Error::internal)?))
    }
    .boxed()
}

/// An edit is of one page: where one goes and another comes, it was moved, however much of
/// its text stayed.
fn as_edited(changes: Vec<Change>) -> Vec<Change> {
    match changes.as_slice() {
        [Change::Destroyed(from), Change::Created(to)] => {
            vec![Change::Moved(from.clone(), to.clone())]
        }
        _ => changes,
    }
}

/// The move of the branch that pages come from.
fn shown<'m>(repository: &Repository, moves: &'m [RefMove]) -> Option<&'m RefMove> {
    let head = moves.iter().find(|one| one.name == repository.head);
    // The first branch of all becomes that one.
    let first = || moves.iter().find(|one| one.name.as_branch().is_some());
    match repository.pushed_at {
        None => head.or_else(first),
        Some(_) => head,
    }
}

async fn changes(
    app: &App, quarantine: &Quarantine, old: ObjectId, new: ObjectId,
) -> Result<Vec<Change>> {
    let old = old.present().map_or(EMPTY_TREE.to_owned(), |id| id.to_string());
    let asked = quarantine
        .git(app)
        .await?
        .args(["diff-tree", "-r", "-z", "-M", "--name-status", "--no-commit-id"])
        .args([old, new.to_string()]);
    let answered = match asked.ask(Vec::new(), TOLD, PATIENCE).await {
        // So much at once is an import: nobody reads what is told of it.
        Err(Error::TooLarge) => return Ok(Vec::new()),
        answered => answered?,
    };
    let mut changes = read(&String::from_utf8_lossy(&answered.output));
    changes.truncate(MOST);
    changes.sort_by_key(Change::rank);
    Ok(changes)
}

/// Reads what `git diff-tree -z --name-status` tells: a letter, and one path or two.
fn read(told: &str) -> Vec<Change> {
    let (mut parts, mut changes) = (told.split('\0'), Vec::new());
    while let (Some(status), Some(path)) = (parts.next(), parts.next()) {
        let is_two = status.starts_with(['R', 'C']);
        let to = if is_two { parts.next() } else { None };
        let is_page = |path: &str| page(path).is_some();
        let change = match (status.chars().next(), to) {
            (Some('A'), _) if is_page(path) => Change::Created(path.to_owned()),
            (Some('M' | 'T'), _) if is_page(path) => Change::Updated(path.to_owned()),
            (Some('D'), _) if is_page(path) => Change::Destroyed(path.to_owned()),
            (Some('R'), Some(to)) => match (is_page(path), is_page(to)) {
                (true, true) => Change::Moved(path.to_owned(), to.to_owned()),
                (true, false) => Change::Destroyed(path.to_owned()),
                (false, true) => Change::Created(to.to_owned()),
                (false, false) => continue,
            },
            _ => continue,
        };
        changes.push(change);
    }
    changes
}

fn page(path: &str) -> Option<PageFile> {
    PageFile::of(Path::read(path).ok()?, ObjectId::ZERO)
}

/// Writes down what was noted, as the refs move.
pub fn arrived(tx: &mut Tx<'_>, push: &Arrived<'_>) -> Result<()> {
    let place = match (push.holder.project_id(), push.holder.group_id()) {
        (Some(id), _) => Where::Project(id),
        (None, Some(id)) => Where::Group(id),
        (None, None) => return Err(Error::internal("a wiki belongs to nothing")),
    };
    if let Where::Project(id) = place {
        spaces::rules::note_activity(tx, id)?;
    }
    let changes: Vec<Change> =
        serde_json::from_value(push.noted.clone()).map_err(Error::internal)?;
    let author = push.viewer.user_id();
    for change in &changes {
        if let Some((action, id, page)) = put(tx, push.repository_id, change)? {
            record(tx, author, (action, place), (id, &page.title()))?;
        }
    }
    Ok(())
}

/// Brings the rows of pages up to date; what was done to which.
fn put(
    tx: &mut Tx<'_>, repository: i64, change: &Change,
) -> Result<Option<(Action, Option<i64>, PageFile)>> {
    let (Change::Created(path)
    | Change::Updated(path)
    | Change::Destroyed(path)
    | Change::Moved(_, path)) = change;
    let Some(file) = page(path) else { return Ok(None) };
    Ok(Some(match change {
        Change::Created(_) => (Action::Created, Some(store::put(tx, repository, &file)?), file),
        Change::Updated(_) => (Action::Updated, Some(store::put(tx, repository, &file)?), file),
        Change::Destroyed(_) => {
            (Action::Destroyed, store::remove(tx, repository, &file.slug)?, file)
        }
        Change::Moved(from, _) => {
            let from = page(from).map(|page| page.slug).filter(|slug| *slug != file.slug);
            let id = match from {
                Some(from) => store::rename(tx, repository, &from, &file)?,
                None => store::put(tx, repository, &file)?,
            };
            (Action::Updated, Some(id), file)
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_tells_is_read_as_changes_of_pages() {
        let told = "A\0new.md\0M\0a/old.md\0D\0gone.org\0R090\0from.md\0to.md\0\
                    R100\0x.png\0y.png\0R100\0p.md\0p.txt\0A\0b.png\0";
        assert_eq!(
            read(told),
            [
                Change::Created("new.md".into()),
                Change::Updated("a/old.md".into()),
                Change::Destroyed("gone.org".into()),
                Change::Moved("from.md".into(), "to.md".into()),
                Change::Destroyed("p.md".into()),
            ]
        );
        assert!(read("").is_empty());
    }

    #[test]
    fn an_edit_moves_a_page_whatever_stays_of_its_text() {
        let moved = as_edited(read("D\0a/old.md\0A\0new.org\0"));
        assert_eq!(moved, [Change::Moved("a/old.md".into(), "new.org".into())]);
        let one = read("M\0a.md\0");
        assert_eq!(as_edited(one.clone()), one);
    }
}
