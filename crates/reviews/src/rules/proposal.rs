//! What a merge request of two branches would bring, before anybody makes one. Nothing is
//! written, so that who only looks brings nothing of a fork into its source.

use super::closing::named_in;
use super::defaults::issue_number;
use super::sides::Sides;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use planning::model::Issue;
use repositories::forks::common;
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Commit, Objects, Walk};
use spaces::model::Project;

/// Commits that are read.
pub const MOST_COMMITS: usize = 1_000;

/// What leads from the target to the source.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// The last commit that both have; none where there is none, or it is too far away.
    pub base: Option<ObjectId>,
    /// The newest first, at most [`MOST_COMMITS`].
    pub commits: Vec<Commit>,
}

/// The repository that has the commits of the source.
pub fn source_of(sides: &Sides) -> &Repository {
    sides.fork.as_ref().unwrap_or(&sides.target)
}

/// Reads what leads from the target to the source.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn read(app: &App, sides: &Sides) -> Result<Proposal> {
    let heads = sides.heads;
    let base = match &sides.fork {
        Some(fork) => common(app, (fork, heads.source), (&sides.target, heads.target)).await?,
        None => {
            let work = move |objects: &Objects| objects.merge_base(heads.source, heads.target);
            objects::read(app, &sides.target, work).await?
        }
    };
    // A fork lacks what its source has since then.
    let without = match &sides.fork {
        Some(_) => base,
        None => Some(heads.target),
    };
    let Some(without) = without else {
        return Ok(Proposal { base, commits: Vec::new() });
    };
    let work = move |objects: &Objects| {
        let walk = Walk {
            from: vec![heads.source],
            without: vec![without],
            ..Walk::default()
        };
        objects.commits_of(&walk, 0, MOST_COMMITS)
    };
    let commits = objects::read(app, source_of(sides), work).await?;
    Ok(Proposal { base, commits })
}

/// The open issue of the target that a branch names, if the viewer sees it.
pub fn issue_of(
    tx: &mut Tx<'_>, viewer: &Viewer, target: &Project, branch: &str,
) -> Result<Option<Issue>> {
    let Some(number) = issue_number(branch) else {
        return Ok(None);
    };
    let name = format!("#{number}");
    let found = named_in(tx, viewer, target, [name.as_str()])?;
    Ok(found.into_iter().find(|issue| issue.is_open()))
}
