//! A merge request by itself.

use super::basic::basic;
use super::related::{Base, Related};
use super::shapes::{DiffRefs, SingleEntity, UserRights};
use crate::model::{MergeRequest, Version};
use crate::rules::places::TARGET;
use crate::rules::sides::Sides;
use crate::store::facts;
use ::store::Tx;
use delivery::pipelines::{PipelineBasic, shown_pipeline};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::time::wire;
use planning::rules::references::Links;
use planning::store::subscriptions;
use repositories::model::RepositoryKind;
use repositories::objects::{self, Objects};
use repositories::protection;
use repositories::store::of_project;
use spaces::model::Project;
use std::collections::HashMap;

/// Steps of the walk that counts commits.
const MOST_STEPS: usize = 20_000;

/// What is shown where it is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Include {
    pub html: bool,
    pub diverged: bool,
    pub rebase: bool,
    pub first_contribution: bool,
}

/// A merge request of this project by itself, without what has to be asked for.
pub async fn single(
    app: &App, viewer: &Viewer, project: &Project, request: MergeRequest,
) -> Result<SingleEntity> {
    let (by, here, application) = (viewer.clone(), project.clone(), app.clone());
    let read =
        move |tx: &mut Tx<'_>| half(&application, tx, &by, &here, &request, Include::default());
    app.read(read).await?.whole(app).await
}

/// One as its row and those beside it tell; what git tells is still to come.
#[derive(Debug)]
pub struct Half {
    entity: SingleEntity,
    /// Commits are to be counted between its branches.
    counts: bool,
    sides: Option<Sides>,
}

impl Half {
    /// With what git tells.
    ///
    /// # Errors
    ///
    /// `Unavailable` if too many are busy with repositories.
    pub async fn whole(self, app: &App) -> Result<SingleEntity> {
        let mut entity = self.entity;
        if self.counts {
            entity.diverged_commits_count = Some(diverged(app, self.sides).await?);
        }
        Ok(entity)
    }
}

/// Reads one of this project, with what was asked for.
pub fn half(
    app: &App, tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, request: &MergeRequest,
    include: Include,
) -> Result<Half> {
    let one = std::slice::from_ref(request);
    let around = Related::read_in(tx, viewer, Base::Project, Some(project), one)?;
    let extra = Extra::read(tx, viewer, &around, one)?;
    let mut entity = assembled(app, request, &around, &extra);
    if let Some((pipeline, project)) = around.seen_pipeline(request) {
        entity.head_pipeline = Some(shown_pipeline(app, tx, project, pipeline)?);
    }
    let deployed = facts::deployed_at(tx, request)?;
    entity.first_deployed_to_production_at = deployed.map(wire::text);
    if include.first_contribution {
        entity.first_contribution = Some(facts::is_first_contribution(tx, request)?);
    }
    if include.rebase {
        entity.rebase_in_progress = Some(request.rebase_started_at.is_some());
    }
    if include.html {
        let texts = [request.title.as_str(), request.text()];
        let links = Links::find(tx, viewer, app.base_url(), Some(project), texts)?;
        entity.basic.title_html = Some(links.render(&request.title));
        entity.basic.description_html = Some(links.render(request.text()));
    }
    let sides = match include.diverged {
        true => Sides::of(tx, request)?,
        false => None,
    };
    Ok(Half { entity, counts: include.diverged, sides })
}

/// Commits that the target has and the source has not.
async fn diverged(app: &App, sides: Option<Sides>) -> Result<u64> {
    let Some(sides) = sides else {
        return Ok(0);
    };
    sides.bring(app).await?;
    let heads = sides.heads;
    let count = move |objects: &Objects| {
        let found = objects.divergence(heads.target, &[heads.source], MOST_STEPS)?;
        let first = found.into_iter().next().flatten();
        Ok(first.map_or(0, |found| found.behind))
    };
    objects::read(app, &sides.target, count).await
}

/// What single ones have beside what lists have, read for all at once.
struct Extra {
    subscribed: HashMap<i64, bool>,
    viewer: Option<i64>,
    /// Project and branch.
    can_merge: HashMap<(i64, String), bool>,
}

impl Extra {
    fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, around: &Related, requests: &[MergeRequest],
    ) -> Result<Extra> {
        let ids: Vec<i64> = requests.iter().map(|request| request.id).collect();
        let subscribed = match viewer.user_id() {
            Some(user_id) => subscriptions::of_user(tx, user_id, TARGET, &ids)?,
            None => HashMap::new(),
        };
        let can_merge = can_merge(tx, viewer, around, requests)?;
        Ok(Extra { subscribed, viewer: viewer.user_id(), can_merge })
    }

    fn is_subscribed(&self, request: &MergeRequest, around: &Related) -> bool {
        if let Some(asked) = self.subscribed.get(&request.id) {
            return *asked;
        }
        let Some(user_id) = self.viewer else {
            return false;
        };
        let assignees = around.assignees.get(&request.id);
        let reviewers = around.reviewers.get(&request.id);
        request.author_id == Some(user_id)
            || assignees.is_some_and(|all| all.contains(&user_id))
            || reviewers.is_some_and(|all| all.iter().any(|one| one.user_id == user_id))
    }
}

/// Into which branches the viewer may merge: some statements for each project.
fn can_merge(
    tx: &mut Tx<'_>, viewer: &Viewer, around: &Related, requests: &[MergeRequest],
) -> Result<HashMap<(i64, String), bool>> {
    let mut wanted: HashMap<i64, Vec<&str>> = HashMap::new();
    for request in requests {
        let branches = wanted.entry(request.target_project_id).or_default();
        if !branches.contains(&request.target_branch.as_str()) {
            branches.push(&request.target_branch);
        }
    }
    let mut found = HashMap::new();
    for (id, branches) in wanted {
        let mut of_it = requests.iter().filter(|request| request.target_project_id == id);
        let Some(project) = of_it.clone().find_map(|request| around.target(request)) else {
            continue;
        };
        let rights = match of_it.any(|request| around.flags(request).branches.target) {
            true => protection::of_branches_there(tx, viewer, project, &branches)?,
            false => {
                let repository = of_project(tx, id, RepositoryKind::Project)?;
                protection::of_branches(tx, viewer, project, repository.as_ref(), &branches)?
            }
        };
        for (branch, rights) in branches.iter().zip(rights) {
            found.insert((id, (*branch).to_owned()), rights.can_merge);
        }
    }
    Ok(found)
}

fn diff_refs(version: &Version) -> DiffRefs {
    DiffRefs {
        base_sha: version.base_id.to_string(),
        head_sha: version.head_id.to_string(),
        start_sha: version.start_id.to_string(),
    }
}

fn assembled(app: &App, request: &MergeRequest, around: &Related, extra: &Extra) -> SingleEntity {
    let version = around.versions.get(&request.id);
    let seen = around.seen_pipeline(request);
    let pipeline = seen.map(|(pipeline, _)| pipeline);
    let place = (request.target_project_id, request.target_branch.clone());
    SingleEntity {
        subscribed: extra.is_subscribed(request, around),
        changes_count: version.map(Version::changes_count),
        latest_build_started_at: pipeline.and_then(|one| one.started_at).map(wire::text),
        latest_build_finished_at: pipeline.and_then(|one| one.finished_at).map(wire::text),
        first_deployed_to_production_at: None,
        pipeline: seen
            .map(|(one, project)| PipelineBasic::of(one, &project.web_url(app.base_url()))),
        head_pipeline: None,
        diff_refs: version.map(diff_refs),
        merge_error: request.merge_error.clone(),
        rebase_in_progress: None,
        diverged_commits_count: None,
        first_contribution: None,
        user: UserRights {
            can_merge: extra.can_merge.get(&place).copied().unwrap_or(false),
        },
        basic: basic(app, request, around, false),
    }
}

/// Some of any projects, as to-dos show them: without the pipeline of the head and what
/// became of it in production.
pub fn singles(
    app: &App, tx: &mut Tx<'_>, viewer: &Viewer, requests: &[MergeRequest],
) -> Result<Vec<SingleEntity>> {
    let around = Related::read(tx, viewer, Base::Project, requests)?;
    let extra = Extra::read(tx, viewer, &around, requests)?;
    Ok(requests
        .iter()
        .map(|request| assembled(app, request, &around, &extra))
        .collect())
}
