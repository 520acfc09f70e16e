//! Commits that something is said of, and where threads about them stand.

use super::access::desk_to_write;
use super::model::{DiscussedCommit, NewCommit};
use super::store as rows;
use super::talk::thing;
use crate::access::code_desk;
use crate::positions::{Position, Sent, Shas, place_between};
use crate::rules::refs::keep_commits;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use planning::access::{Desk, ProjectAccess};
use planning::guarded::NoteablePath;
use planning::rules::topic::Topic;
use planning::store::notes::Note;
use repositories::diffs::EMPTY_TREE;
use repositories::formats::object_id::ObjectId;
use repositories::model::{Repository, RepositoryKind};
use repositories::objects::Commit;
use repositories::store::of_project;

/// A commit as notes about it are asked for, by its whole name.
#[derive(Debug, Clone)]
pub struct CommitPlace {
    pub project: Reference,
    pub sha: String,
}

impl CommitPlace {
    pub fn of(project_id: i64, commit: &Commit) -> CommitPlace {
        CommitPlace {
            project: Reference::Id(project_id),
            sha: commit.id.to_string(),
        }
    }

    /// The commit, for who reads the code; that there is one is known.
    pub fn find(
        &self, tx: &mut Tx<'_>, viewer: &Viewer,
    ) -> Result<(ProjectAccess, DiscussedCommit)> {
        let here = code_desk(tx, viewer, &self.project)?;
        let commit = rows::by_sha(tx, here.project.id, &self.sha)?;
        let unsaid = DiscussedCommit::unsaid(&here.project, &self.sha, tx.now());
        Ok((here, commit.unwrap_or(unsaid)))
    }
}

impl NoteablePath for CommitPlace {
    type Access = ProjectAccess;
    type Found = DiscussedCommit;

    fn authorize(
        &self, tx: &mut Tx<'_>, viewer: &Viewer,
    ) -> Result<(ProjectAccess, DiscussedCommit)> {
        let here = desk_to_write(tx, viewer, &self.project)?;
        let commit = rows::by_sha(tx, here.project.id, &self.sha)?.found("Discussion")?;
        Ok((here, commit))
    }

    fn desk(access: &ProjectAccess) -> Desk<'_> {
        access.into()
    }

    fn topic(commit: &DiscussedCommit) -> Topic<'_> {
        Topic::Thing(thing(commit.id))
    }
}

/// Has a commit be something that notes are about, for who may write them, and stay in the
/// repository.
pub async fn discuss(
    app: &App, viewer: &Viewer, project_id: i64, commit: &Commit,
) -> Result<CommitPlace> {
    let place = CommitPlace::of(project_id, commit);
    let (viewer, new, id) = (viewer.clone(), NewCommit::of(commit), commit.id);
    let project = place.project.clone();
    app.write(move |tx| {
        let here = desk_to_write(tx, &viewer, &project)?;
        if !rows::insert(tx, here.project.id, &new)? {
            return Ok(());
        }
        let repository = of_project(tx, here.project.id, RepositoryKind::Project)?;
        keep_commits(tx, &repository.found("Repository")?, &[id])
    })
    .await?;
    Ok(place)
}

/// Between what a commit changed: its first parent and itself.
pub fn sides(commit: &Commit) -> Result<Shas> {
    let before = match commit.parents.first() {
        Some(parent) => *parent,
        None => {
            let tree = EMPTY_TREE.parse::<ObjectId>();
            tree.map_err(|_| Error::internal("the empty tree has no name"))?
        }
    };
    Ok(Shas { base: before, start: before, head: commit.id })
}

/// Finds what was sent in what a commit changed.
///
/// # Errors
///
/// Those of [`place_between`].
pub async fn place(
    app: &App, repository: &Repository, commit: &Commit, sent: &Sent,
) -> Result<Position> {
    place_between(app, repository, sent, sides(commit)?).await
}

/// Has a thread stand somewhere, whose first note was written in this transaction.
pub fn stand(
    tx: &mut Tx<'_>, commit: &DiscussedCommit, note: &Note, position: &Position,
) -> Result<()> {
    rows::insert_thread(tx, commit.id, &note.discussion_id, position)
}
