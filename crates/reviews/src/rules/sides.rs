//! Where the two branches of a merge request are.

use super::refs::keep_around;
use crate::merging::Heads;
use crate::model::MergeRequest;
use ::store::Tx;
use kernel::app::App;
use kernel::error::Result;
use repositories::edits::merges;
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::{Repository, RepositoryKind};
use repositories::rules::moves::RefMove;
use repositories::store::{of_project, refs};

/// Both branches, each in its repository.
#[derive(Debug, Clone)]
pub struct Sides {
    /// The repository of the target.
    pub target: Repository,
    /// That of the source, if it is another one.
    pub fork: Option<Repository>,
    pub heads: Heads,
}

/// Where branches are of which project.
pub type Branch<'b> = (i64, &'b str);

impl Sides {
    /// The branches of a merge request; none if one of them is gone.
    pub fn of(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<Option<Sides>> {
        let Some(source) = request.source_project_id else {
            return Ok(None);
        };
        let target = (request.target_project_id, request.target_branch.as_str());
        let (_, sides) = Sides::read(tx, (source, request.source_branch.as_str()), target)?;
        Ok(sides)
    }

    /// Which of two branches are there, the source first, and both if they are.
    pub fn read(
        tx: &mut Tx<'_>, source: Branch<'_>, target: Branch<'_>,
    ) -> Result<([bool; 2], Option<Sides>)> {
        let to = of_project(tx, target.0, RepositoryKind::Project)?;
        let from = match source.0 == target.0 {
            true => to.clone(),
            false => of_project(tx, source.0, RepositoryKind::Project)?,
        };
        let head = tip(tx, from.as_ref(), source.1)?;
        let start = tip(tx, to.as_ref(), target.1)?;
        let is_there = [head.is_some(), start.is_some()];
        let (Some(target_repository), Some(source_id), Some(target_id)) = (to, head, start) else {
            return Ok((is_there, None));
        };
        let sides = Sides {
            fork: from.filter(|from| from.id != target_repository.id),
            target: target_repository,
            heads: Heads { target: target_id, source: source_id },
        };
        Ok((is_there, Some(sides)))
    }

    /// Brings the head into the repository of the target, where it is of another one.
    ///
    /// # Errors
    ///
    /// `Unavailable` if too many are busy with repositories.
    pub async fn bring(&self, app: &App) -> Result<()> {
        let Some(fork) = &self.fork else {
            return Ok(());
        };
        let name = keep_around(self.heads.source)?;
        let (id, asked) = (self.target.id, name.clone());
        let is_there = app.read(move |tx| Ok(!refs::current(tx, id, &[&asked])?.is_empty()));
        if is_there.await? {
            return Ok(());
        }
        let moves = [RefMove {
            name,
            old: ObjectId::ZERO,
            new: self.heads.source,
            peeled: None,
        }];
        // Somebody else may have brought it meanwhile.
        merges::bring(app, fork, &self.target, &moves).await.map(drop)
    }
}

fn tip(tx: &mut Tx<'_>, repository: Option<&Repository>, branch: &str) -> Result<Option<ObjectId>> {
    let (Some(repository), Ok(name)) = (repository, RefName::branch(branch)) else {
        return Ok(None);
    };
    Ok(refs::current(tx, repository.id, &[&name])?.remove(&name))
}
