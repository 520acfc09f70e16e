//! What merge requests need beside their rows, read for all at once.

use crate::approvals;
use crate::merging::status::ApprovalProgress;
use crate::model::{MergeRequest, Reviewer, Settings, Version};
use crate::rules::collaboration;
use crate::store::flags::{self, Flags};
use crate::store::people::{self, Parts};
use crate::store::{labels, pipelines, settings, versions};
use ::store::Tx;
use delivery::pipelines::model::Pipeline;
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use planning::model::{Label, Milestone};
use planning::store::issues::reported;
use planning::store::milestones;
use spaces::access::{Levels, Purpose, find_projects};
use spaces::model::Project;
use std::collections::{HashMap, HashSet};

/// From where merge requests are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Base {
    #[default]
    Project,
    /// The path of a group.
    Group(String),
    Nothing,
}

/// What is beside some merge requests.
#[derive(Debug, Default)]
pub struct Related {
    pub(super) users: HashMap<i64, User>,
    pub(crate) assignees: HashMap<i64, Vec<i64>>,
    pub(crate) reviewers: HashMap<i64, Vec<Reviewer>>,
    pub(crate) labels: HashMap<i64, Vec<Label>>,
    pub(crate) milestones: HashMap<i64, Milestone>,
    pub(crate) versions: HashMap<i64, Version>,
    pub(crate) settings: HashMap<i64, Settings>,
    pub(crate) approvals: HashMap<i64, ApprovalProgress>,
    flags: HashMap<i64, Flags>,
    /// Those whose source branch is open to who may merge.
    pub(crate) open_forks: HashSet<i64>,
    /// Targets and sources.
    projects: HashMap<i64, Project>,
    /// Of the heads, by their merge requests.
    pipelines: HashMap<i64, Pipeline>,
    /// Projects whose pipelines the viewer sees.
    shows_pipelines: HashSet<i64>,
    /// Projects whose internal notes the viewer may count; none: all.
    reported: Option<HashSet<i64>>,
    pub(crate) base: Base,
}

impl Related {
    /// Reads what is beside merge requests of any projects.
    pub fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, base: Base, requests: &[MergeRequest],
    ) -> Result<Related> {
        Related::read_in(tx, viewer, base, None, requests)
    }

    /// The same, where one of their projects is known already.
    pub fn read_in(
        tx: &mut Tx<'_>, viewer: &Viewer, base: Base, known: Option<&Project>,
        requests: &[MergeRequest],
    ) -> Result<Related> {
        let ids: Vec<i64> = requests.iter().map(|request| request.id).collect();
        if ids.is_empty() {
            return Ok(Related { base, ..Related::default() });
        }
        let parts = people::parts_of(tx, &ids)?;
        let users = load_basic(tx, &people_of(requests, &parts))?;
        let targets: Vec<i64> = requests.iter().map(|one| one.target_project_id).collect();
        let projects = projects(tx, known, requests)?;
        let flags = flags::of(tx, &ids)?;
        let pipelines = pipelines(tx, &flags)?;
        Ok(Related {
            users,
            labels: labels::of_requests(tx, &ids)?,
            milestones: milestones(tx, requests)?,
            versions: versions::latest_of(tx, &ids)?,
            settings: settings::of_projects(tx, &targets)?,
            approvals: approvals(tx, requests, &flags)?,
            open_forks: open_forks(tx, requests, &projects)?,
            shows_pipelines: shows_pipelines(tx, viewer, &projects, &pipelines)?,
            reported: reported_in(tx, viewer, &targets)?,
            assignees: parts.assignees,
            reviewers: parts.reviewers,
            flags,
            pipelines,
            projects,
            base,
        })
    }

    /// What is beside it of which a word or a number is enough.
    pub(crate) fn flags(&self, request: &MergeRequest) -> Flags {
        self.flags.get(&request.id).copied().unwrap_or_default()
    }

    /// Somebody who made it, merged or closed it, is assigned or reviews.
    pub(crate) fn user(&self, id: i64) -> Option<&User> {
        self.users.get(&id)
    }

    pub(crate) fn person(&self, app: &App, id: Option<i64>) -> Option<UserBasic> {
        let user = self.users.get(&id?)?;
        Some(basic(app, user))
    }

    /// The project that it is to be merged in.
    pub(crate) fn target(&self, request: &MergeRequest) -> Option<&Project> {
        self.projects.get(&request.target_project_id)
    }

    /// The project that it comes from, if that is still there.
    pub(crate) fn source(&self, request: &MergeRequest) -> Option<&Project> {
        self.projects.get(&request.source_project_id?)
    }

    /// The pipeline of its head, whoever sees it.
    pub(crate) fn pipeline(&self, request: &MergeRequest) -> Option<&Pipeline> {
        self.pipelines.get(&request.id)
    }

    /// The same with the project it runs in, if the viewer sees pipelines there.
    pub(crate) fn seen_pipeline(&self, request: &MergeRequest) -> Option<(&Pipeline, &Project)> {
        let pipeline = self.pipeline(request)?;
        let is_seen = self.shows_pipelines.contains(&pipeline.project_id);
        let project = self.projects.get(&pipeline.project_id).filter(|_| is_seen)?;
        Some((pipeline, project))
    }

    /// Comments that the viewer may count.
    pub(crate) fn notes(&self, request: &MergeRequest) -> i64 {
        let all = match &self.reported {
            None => true,
            Some(projects) => projects.contains(&request.target_project_id),
        };
        match all {
            true => request.notes_count + request.internal_notes_count,
            false => request.notes_count,
        }
    }
}

fn people_of(requests: &[MergeRequest], parts: &Parts) -> Vec<i64> {
    let mut people: Vec<i64> = parts.assignees.values().flatten().copied().collect();
    people.extend(parts.reviewers.values().flatten().map(|reviewer| reviewer.user_id));
    for request in requests {
        people.extend(request.author_id);
        people.extend(request.closed_by_id);
        people.extend(request.merge_user_id);
    }
    people.sort_unstable();
    people.dedup();
    people
}

fn projects(
    tx: &mut Tx<'_>, known: Option<&Project>, requests: &[MergeRequest],
) -> Result<HashMap<i64, Project>> {
    let targets = requests.iter().map(|request| request.target_project_id);
    let sources = requests.iter().filter_map(|request| request.source_project_id);
    let mut wanted: HashSet<i64> = targets.chain(sources).collect();
    let known = known.filter(|project| wanted.remove(&project.id));
    let mut found = match wanted.is_empty() {
        true => Vec::new(),
        false => find_projects(tx, &wanted.into_iter().collect::<Vec<_>>())?,
    };
    found.extend(known.cloned());
    Ok(found.into_iter().map(|project| (project.id, project)).collect())
}

fn milestones(tx: &mut Tx<'_>, requests: &[MergeRequest]) -> Result<HashMap<i64, Milestone>> {
    let goals: Vec<i64> = requests.iter().filter_map(|one| one.milestone_id).collect();
    match goals.is_empty() {
        true => Ok(HashMap::new()),
        false => milestones::by_ids(tx, &goals),
    }
}

/// How far the approvals are; where no rule asks for any, none are missing.
fn approvals(
    tx: &mut Tx<'_>, requests: &[MergeRequest], flags: &HashMap<i64, Flags>,
) -> Result<HashMap<i64, ApprovalProgress>> {
    match flags.values().any(|one| one.asks_approvals) {
        true => approvals::progress(tx, requests),
        false => Ok(HashMap::new()),
    }
}

fn pipelines(tx: &mut Tx<'_>, flags: &HashMap<i64, Flags>) -> Result<HashMap<i64, Pipeline>> {
    let of = |(id, one): (&i64, &Flags)| Some((*id, one.head.pipeline_id?));
    let chosen: Vec<(i64, i64)> = flags.iter().filter_map(of).collect();
    pipelines::by_request(tx, &chosen)
}

/// The projects of these pipelines whose pipelines the viewer sees.
fn shows_pipelines(
    tx: &mut Tx<'_>, viewer: &Viewer, projects: &HashMap<i64, Project>,
    pipelines: &HashMap<i64, Pipeline>,
) -> Result<HashSet<i64>> {
    let run: HashSet<i64> = pipelines.values().map(|one| one.project_id).collect();
    let all: Vec<&Project> = run.iter().filter_map(|id| projects.get(id)).collect();
    if all.is_empty() {
        return Ok(HashSet::new());
    }
    let levels = Levels::in_projects(tx, viewer, &all)?;
    let shows = |project: &&&Project| levels.may(project, Purpose::ReadPipelines);
    Ok(all.iter().filter(shows).map(|project| project.id).collect())
}

/// Those whose source branch is open to who may merge. Few wish for it.
fn open_forks(
    tx: &mut Tx<'_>, requests: &[MergeRequest], projects: &HashMap<i64, Project>,
) -> Result<HashSet<i64>> {
    let mut open = HashSet::new();
    for request in requests.iter().filter(|one| one.allow_collaboration && one.is_from_fork()) {
        let source = request.source_project_id.and_then(|id| projects.get(&id));
        let target = projects.get(&request.target_project_id);
        if let (Some(source), Some(target)) = (source, target)
            && collaboration::is_open(tx, request, source, target)?
        {
            open.insert(request.id);
        }
    }
    Ok(open)
}

/// The projects where the viewer is a reporter; none: all.
fn reported_in(tx: &mut Tx<'_>, viewer: &Viewer, projects: &[i64]) -> Result<Option<HashSet<i64>>> {
    match viewer.user_id() {
        _ if viewer.is_admin() => Ok(None),
        Some(user_id) => Ok(Some(reported(tx, user_id, projects)?)),
        None => Ok(Some(HashSet::new())),
    }
}
