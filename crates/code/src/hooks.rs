//! What rooms above plug in.

use ::store::Tx;
use futures_util::future::BoxFuture;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use repositories::objects::Commit;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::{Levels, Purpose};
use spaces::model::Project;
use std::collections::HashMap;

/// What the releases of tags say, by tag.
pub type DescriptionOfTags = HashMap<String, Option<String>>;

/// Of some tags of a project, for a viewer; nothing where they see no releases.
pub type ReleasesOfTags =
    fn(&mut Tx<'_>, &Viewer, &Project, &[String]) -> Result<Option<DescriptionOfTags>>;

/// The newest pipeline of a commit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LastPipeline {
    pub id: i64,
    #[serde(rename = "ref")]
    pub on_ref: String,
    pub sha: String,
    pub status: String,
    /// The same for pages.
    #[serde(skip)]
    pub look: Look,
}

/// How pages show how far a pipeline is.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// In words.
    pub text: String,
    /// Whose colours it has.
    pub group: String,
    pub picture: &'static str,
}

/// Commits and their projects.
pub type CommitKeys = Vec<(i64, String)>;

/// The newest pipelines of those commits that have any.
pub type LastPipelines =
    fn(&mut Tx<'_>, CommitKeys) -> Result<HashMap<(i64, String), LastPipeline>>;

/// Whether the viewer may make merge requests of the branches of a project.
pub type RequestsMerges = fn(&mut Tx<'_>, &Viewer, &Project) -> Result<bool>;

/// A commit that a page shows, and who looks at it.
pub struct CommitShown {
    pub app: App,
    pub viewer: Viewer,
    pub project: Project,
    pub commit: Commit,
    /// What stands behind the question mark of the address.
    pub query: String,
}

/// What a room above shows below what a commit changed: safe HTML.
pub type BelowCommit = fn(CommitShown) -> BoxFuture<'static, Result<String>>;

/// Functions of the rooms above; they must be among the store's plugs.
#[derive(Default)]
pub struct Hooks {
    pub releases_of_tags: Option<ReleasesOfTags>,
    pub last_pipelines: Option<LastPipelines>,
    pub requests_merges: Option<RequestsMerges>,
    pub below_commit: Option<BelowCommit>,
}

/// What stands below what a commit changed.
pub(crate) async fn below_commit(shown: CommitShown) -> Result<String> {
    let below = shown.app.store().plugged::<Hooks>()?.below_commit;
    match below {
        Some(below) => below(shown).await,
        None => Ok(String::new()),
    }
}

pub(crate) fn requests_merges(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<bool> {
    match tx.plugged::<Hooks>()?.requests_merges {
        Some(may) => may(tx, viewer, project),
        None => Ok(false),
    }
}

pub(crate) fn releases_of_tags(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, tags: &[String],
) -> Result<Option<DescriptionOfTags>> {
    match tx.plugged::<Hooks>()?.releases_of_tags {
        Some(releases) => releases(tx, viewer, project, tags),
        None => Ok(None),
    }
}

/// The newest pipelines of some commits, where the viewer sees pipelines.
pub(crate) fn last_pipelines(
    tx: &mut Tx<'_>, viewer: &Viewer, commits: &[(&Project, String)],
) -> Result<HashMap<(i64, String), LastPipeline>> {
    let Some(read) = tx.plugged::<Hooks>()?.last_pipelines else {
        return Ok(HashMap::new());
    };
    let projects: Vec<&Project> = commits.iter().map(|(project, _)| *project).collect();
    let levels = Levels::in_projects(tx, viewer, &projects)?;
    let seen = commits.iter().filter(|(one, _)| levels.may(one, Purpose::ReadPipelines));
    let keys: CommitKeys = seen.map(|(project, sha)| (project.id, sha.clone())).collect();
    match keys.is_empty() {
        true => Ok(HashMap::new()),
        false => read(tx, keys),
    }
}
