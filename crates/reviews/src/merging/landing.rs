//! A branch moves to what a merge or rebase made: by the way of pushes, so that the rules
//! of the project and what follows a push are the same. Nothing moves if the branch is
//! elsewhere by now.

use super::Made;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use repositories::access::{self, Pushing};
use repositories::edits::merges::{self, Elsewhere, Ended};
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::place::Place;
use repositories::protection::Way;
use spaces::model::Project;

/// What is said with the push of a rebase that shall begin no pipeline.
const SKIP_CI: &str = "ci.skip";

/// Moves the target branch from where it was when the merge was made. Of a protected
/// branch, the right to merge is enough; any right at all was asked for before.
///
/// Who wants one after the other to merge holds `repositories::edits::merges::turn` from
/// before they read where the branch is.
///
/// # Errors
///
/// Those of the server, or `Unavailable` if too many are busy with repositories.
pub async fn merge(
    app: &App, viewer: &Viewer, project: &Project, (branch, old): (RefName, ObjectId), made: &Made,
) -> Result<Ended> {
    let to = Pushing { way: Way::Merge, ..pushing(app, viewer, project).await? };
    merges::land(app, &to, branch, old, made.head, Some(made.objects.clone())).await
}

/// Where a source branch is.
#[derive(Debug, Clone)]
pub struct Source {
    pub project: Project,
    pub branch: RefName,
    /// Where it was when what it moves to was made.
    pub old: ObjectId,
}

/// Moves the source branch to a rebase, or to a merge of the target; of a fork, what the
/// target has comes along. That the viewer may push there was asked before.
///
/// # Errors
///
/// As [`merge`].
pub async fn to_source(
    app: &App, viewer: &Viewer, target: &Elsewhere, source: Source, made: &Made, skip_ci: bool,
) -> Result<Ended> {
    let mut to = pushing(app, viewer, &source.project).await?;
    if skip_ci {
        to.options.push(SKIP_CI.to_owned());
    }
    let (objects, new) = (made.objects.clone(), made.head);
    match to.repository_id == target.repository.id {
        true => merges::land(app, &to, source.branch, source.old, new, Some(objects)).await,
        false => {
            let refs = (source.branch, source.old, new);
            merges::land_from(app, &to, target, refs, objects).await
        }
    }
}

async fn pushing(app: &App, viewer: &Viewer, project: &Project) -> Result<Pushing> {
    kernel::read_only::check(app).await?;
    let (viewer, place) = (viewer.clone(), Place::code(project));
    app.write(move |tx| access::writing(tx, &viewer, &place)).await
}
