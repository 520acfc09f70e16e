//! The target is merged into the source branch, with files as somebody resolved them. The
//! branch moves by the way of pushes, from where it was when its conflicts were looked at.

use crate::merging::landing::{self, Source};
use crate::merging::{Brought, Made};
use crate::rules::sides::Sides;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use repositories::edits::Author;
use repositories::edits::merges::{self, Elsewhere, Ended, Merger};
use repositories::formats::ref_name::RefName;
use repositories::model::Holder;
use repositories::objects::Path;
use spaces::model::Project;
use std::collections::BTreeMap;

/// The branches of a merge request, each with its project.
#[derive(Debug, Clone)]
pub struct Branches {
    pub source: Project,
    pub source_branch: String,
    pub target_id: i64,
    pub sides: Sides,
}

/// Merges with these files, by their paths: all that conflict. That the viewer may push to
/// the source branch was asked before.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn land(
    app: &App, viewer: &Viewer, branches: Branches, files: BTreeMap<String, String>, message: &str,
) -> Result<Ended> {
    let Branches { source, source_branch, target_id, sides } = branches;
    let heads = sides.heads;
    let _turn = merges::turn(app, Holder::Code(source.id)).await?;
    let merger = Merger::begin(app, sides.target.id).await?;
    let Some(conflicted) = merger.conflicted(app, [heads.source, heads.target]).await? else {
        return Ok(Ended::Moved);
    };
    let is_given =
        |path: &[u8]| std::str::from_utf8(path).is_ok_and(|path| files.contains_key(path));
    if conflicted.has_more || !conflicted.files.iter().all(|file| is_given(&file.path)) {
        return Err(Error::internal("a file in conflict was not resolved"));
    }
    let mut contents = Vec::with_capacity(files.len());
    for (path, text) in files {
        let path = Path::read(&path).map_err(|_| Error::internal("a file without a path"))?;
        contents.push((path, text.into()));
    }
    let tree = merger.resolved(app, &sides.target, conflicted.tree, contents).await?;
    let mut objects = merger.made(vec![tree]).await?;
    let by = merges::person(app, viewer, &Author::default()).await?;
    let parents = [heads.source, heads.target];
    let commit = merges::add_commit(&mut objects, tree, &parents, &by, message)?;
    let made = Made { head: commit.id, brought: Brought::default(), objects };
    let branch = RefName::branch(&source_branch)
        .map_err(|_| Error::internal("a source branch that has no name"))?;
    let from = Source { project: source, branch, old: heads.source };
    let target = Elsewhere { project_id: target_id, repository: sides.target };
    landing::to_source(app, viewer, &target, from, &made, false).await
}
