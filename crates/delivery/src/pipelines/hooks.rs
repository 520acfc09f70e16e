//! What other rooms tell this one, and ask of it.

use super::entity::PipelineBasic;
use super::model::Pipeline;
use super::pages::look;
use super::store::jobs::by_id;
use super::store::pipelines::{self, newest_of_commits, some};
use super::tasks::PipelineOfPush;
use ::store::{Tx, sql};
use code::hooks::{CommitKeys, LastPipeline};
use identity::entities::{basic, load_basic};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::{Job, enqueue_at};
use packages::entity::PipelineEntity as BuiltBy;
use repositories::rules::pushes::Pushed;
use spaces::access::find_projects;
use std::collections::HashMap;

/// Branches and tags of one push that pipelines begin for.
const MOST_REFS: usize = 4;
/// What a push says that wants no pipeline at all, and one that wants none of its jobs run.
const NONE: &str = "ci.no_pipeline";
const SKIP: &str = "ci.skip";

/// Whether what was said with a push wants pipelines.
pub fn wants_pipelines(options: &[String]) -> bool {
    !options.iter().any(|option| option == NONE)
}

/// Whether it wants none of their jobs run.
pub fn skips_jobs(options: &[String]) -> bool {
    options.iter().any(|option| option == SKIP)
}

/// Work in the transaction in which a pipeline ended.
pub type OnEnd = fn(&mut Tx<'_>, &Pipeline) -> Result<()>;

/// The open merge requests from a branch of a project that somebody sees, the newest first,
/// as texts anywhere name them.
pub type OpenRequests = fn(&mut Tx<'_>, &Viewer, (i64, &str)) -> Result<Vec<String>>;

/// Those of these merge requests that somebody sees, by their ids.
pub type RequestLinks = fn(&mut Tx<'_>, &Viewer, &[i64]) -> Result<HashMap<i64, RequestLink>>;

/// A merge request as pages name it.
#[derive(Debug, Clone)]
pub struct RequestLink {
    pub project_id: i64,
    pub project_path: String,
    /// As texts of its project name it.
    pub reference: String,
    pub title: String,
    /// Path of its page.
    pub path: String,
}

impl RequestLink {
    /// How pages of a project name it.
    pub fn text(&self, project_id: i64) -> String {
        match self.project_id == project_id {
            true => self.reference.clone(),
            false => format!("{}{}", self.project_path, self.reference),
        }
    }
}

/// Functions of the rooms above; they must be among the store's plugs.
#[derive(Default)]
pub struct Hooks {
    /// A pipeline ended, or waits for somebody.
    pub ended: Vec<OnEnd>,
    pub open_requests: Option<OpenRequests>,
    pub request_links: Option<RequestLinks>,
}

pub(super) fn open(tx: &mut Tx<'_>, viewer: &Viewer, branch: (i64, &str)) -> Result<Vec<String>> {
    match tx.plugged::<Hooks>()?.open_requests {
        Some(open) => open(tx, viewer, branch),
        None => Ok(Vec::new()),
    }
}

/// The merge requests that some pipelines are of, as far as somebody sees these.
pub(super) fn links(
    tx: &mut Tx<'_>, viewer: &Viewer, pipelines: &[Pipeline],
) -> Result<HashMap<i64, RequestLink>> {
    let ids: Vec<i64> = pipelines.iter().filter_map(|one| one.merge_request_id).collect();
    match tx.plugged::<Hooks>()?.request_links {
        Some(links) if !ids.is_empty() => links(tx, viewer, &ids),
        _ => Ok(HashMap::new()),
    }
}

pub(super) fn ended(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<()> {
    let Some(pipeline) = pipelines::by_id(tx, pipeline_id)? else {
        return Ok(());
    };
    let hooks: &Hooks = tx.plugged()?;
    hooks.ended.iter().try_for_each(|hook| hook(tx, &pipeline))
}

/// Begins pipelines for what was pushed, once that is committed.
pub fn pushed(tx: &mut Tx<'_>, push: &Pushed<'_>) -> Result<()> {
    let Some(user) = push.viewer.user_id() else {
        return Ok(());
    };
    if !wants_pipelines(push.options) {
        return Ok(());
    }
    let now = tx.now();
    let moved = push.refs.iter().map(|(one, _)| *one);
    let things = moved.filter(|one| {
        !one.new.is_zero() && (one.name.as_branch().is_some() || one.name.as_tag().is_some())
    });
    for one in things.take(MOST_REFS) {
        let task = PipelineOfPush {
            project: push.project_id,
            user,
            name: one.name.to_string(),
            old: one.old.to_string(),
            new: one.peeled.unwrap_or(one.new).to_string(),
            options: push.options.to_vec(),
        };
        enqueue_at(tx, &task, now)?;
    }
    Ok(())
}

/// Whether a pipeline of a commit that was pushed is about to be made.
pub fn is_being_made(tx: &mut Tx<'_>, sha: &str) -> Result<bool> {
    let due: Option<i64> = tx.optional(
        sql!(
            "select id from jobs where name = $1 and state in ('queued', 'running')
                and payload ->> 'new' = $2 limit 1"
        ),
        (PipelineOfPush::NAME, sha),
    )?;
    Ok(due.is_some())
}

/// The newest pipelines of those commits that have any.
pub fn of_commits(
    tx: &mut Tx<'_>, commits: CommitKeys,
) -> Result<HashMap<(i64, String), LastPipeline>> {
    let entity = |pipeline: Pipeline| {
        let last = LastPipeline {
            id: pipeline.id,
            on_ref: pipeline.on_ref,
            sha: pipeline.sha.clone(),
            status: pipeline.status.to_string(),
            look: look(pipeline.status),
        };
        ((pipeline.project_id, pipeline.sha), last)
    };
    Ok(newest_of_commits(tx, commits)?.into_iter().map(entity).collect())
}

/// What packages ask of pipelines.
pub const OF_PACKAGES: packages::builds::Hooks =
    packages::builds::Hooks { pipeline_of_job: Some(of_job), pipelines: Some(built_by) };

fn of_job(tx: &mut Tx<'_>, job: i64) -> Result<Option<i64>> {
    Ok(by_id(tx, job)?.map(|job| job.pipeline_id))
}

/// Pipelines as packages show them.
fn built_by(app: &App, tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<HashMap<i64, BuiltBy>> {
    let found = some(tx, ids)?;
    let people: Vec<i64> = found.iter().filter_map(|one| one.user_id).collect();
    let people = load_basic(tx, &people)?;
    let projects: Vec<i64> = found.iter().map(|one| one.project_id).collect();
    let projects = find_projects(tx, &projects)?;
    let url = |one: &Pipeline| {
        let project = projects.iter().find(|project| project.id == one.project_id)?;
        Some(project.web_url(app.base_url()))
    };
    let entity = |one: &Pipeline| {
        let shown = PipelineBasic::of(one, &url(one)?);
        let user = one.user_id.and_then(|id| people.get(&id));
        let built_by = BuiltBy {
            id: shown.id,
            iid: shown.iid,
            project_id: shown.project_id,
            sha: shown.sha,
            reference: shown.on_ref,
            status: shown.status,
            source: shown.source,
            created_at: shown.created_at,
            updated_at: shown.updated_at,
            web_url: shown.web_url,
            user: user.map(|user| basic(app, user)),
        };
        Some((one.id, built_by))
    };
    Ok(found.iter().filter_map(entity).collect())
}
