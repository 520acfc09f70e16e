//! What depends on who asks: rights, subscriptions, and what is counted.

use super::{Assigned, ById, Reviewing, ids, keys, of_each};
use crate::approvals::scenes::Scenes;
use crate::model::{MergeRequest, State};
use crate::rules::places::TARGET;
use crate::store::facts;
use ::store::Tx;
use identity::graph::{caller, viewer};
use identity::model::{UserKind, UserState};
use identity::viewer::Viewer;
use kernel::error::Result as Outcome;
use kernel::graph::context::Loader;
use kernel::graph::{BOOLEAN, Context, Fault, Graph, HasTypeRef, INT, ObjectBuilder, object};
use planning::graph::{In, Standing};
use planning::store::subscriptions;
use repositories::protection::{Asked, BranchProtection, RulesOfMany};
use spaces::access::{DEVELOPER, GUEST, Levels, Purpose, REPORTER, find_projects};
use spaces::model::Project;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What the caller may do with a merge request.
#[derive(Debug, Clone)]
pub struct Permissions {
    request: Arc<MergeRequest>,
    signed_in: bool,
    /// In the target; 60 for administrators.
    level: i64,
    archived: bool,
    concerned: bool,
    target: Option<BranchProtection>,
    source: Option<BranchProtection>,
    /// The source branch is that of its project which others begin at.
    is_default: bool,
    /// They may push to the target project at all.
    pushes: bool,
}

impl Permissions {
    fn writes(&self) -> bool {
        self.signed_in && !self.archived
    }

    fn edits(&self) -> bool {
        self.writes() && (self.concerned || self.level >= DEVELOPER)
    }

    pub fn merges(&self) -> bool {
        self.target.is_some_and(|branch| branch.can_merge)
    }

    fn pushes_to_source(&self) -> bool {
        self.source.is_some_and(|branch| branch.can_push)
    }

    fn removes_source(&self) -> bool {
        let is_protected = self.source.is_some_and(|branch| branch.is_protected);
        self.pushes_to_source() && !is_protected && !self.is_default
    }

    /// Whether they may make another commit of what was merged.
    fn follows_up(&self) -> bool {
        let is_merged = self.request.state == State::Merged;
        is_merged && self.request.merge_commit_id.is_some() && self.pushes
    }
}

/// Rights of the caller, by merge request.
pub struct Rights;

impl Loader for Rights {
    type Key = ById;
    type Value = Arc<Permissions>;

    async fn load(
        context: Context, keys: Vec<ById>,
    ) -> Result<HashMap<ById, Arc<Permissions>>, Fault> {
        let requests: Vec<Arc<MergeRequest>> = keys.iter().map(|key| key.0.clone()).collect();
        let assigned = context.load::<Assigned>(ids(&requests)).await?;
        let (app, viewer) = caller(&context)?;
        let read = app.read(move |tx| {
            let scene = Scene::read(tx, &viewer, &requests)?;
            let of = |it: &Arc<MergeRequest>| {
                let assigned = assigned.get(&it.id).map(Vec::as_slice).unwrap_or_default();
                (ById(it.clone()), Arc::new(scene.permissions(&viewer, it, assigned)))
            };
            Ok(requests.iter().map(of).collect())
        });
        Ok(read.await?)
    }
}

/// What decides about rights, read for many at once.
struct Scene {
    projects: HashMap<i64, Project>,
    levels: Levels,
    rules: RulesOfMany,
    /// Groups that these rules name and the caller is in.
    groups: Vec<i64>,
}

impl Scene {
    fn read(tx: &mut Tx<'_>, viewer: &Viewer, requests: &[Arc<MergeRequest>]) -> Outcome<Scene> {
        let targets = requests.iter().map(|it| it.target_project_id);
        let sources = requests.iter().filter_map(|it| it.source_project_id);
        let ids: HashSet<i64> = targets.chain(sources).collect();
        let projects = find_projects(tx, &ids.into_iter().collect::<Vec<_>>())?;
        let all: Vec<&Project> = projects.iter().collect();
        let levels = Levels::in_projects(tx, viewer, &all)?;
        let rules = RulesOfMany::read(tx, &all)?;
        let groups = match viewer.user_id() {
            Some(user_id) => rules.joined(tx, user_id)?,
            None => Vec::new(),
        };
        let projects = projects.into_iter().map(|one| (one.id, one)).collect();
        Ok(Scene { projects, levels, rules, groups })
    }

    fn branch(&self, viewer: &Viewer, project: &Project, branch: &str) -> BranchProtection {
        let level = self.levels.of_project(project);
        self.rules.of(project, branch, Asked { viewer, level, groups: &self.groups })
    }

    fn permissions(
        &self, viewer: &Viewer, it: &Arc<MergeRequest>, assigned: &[i64],
    ) -> Permissions {
        let target = self.projects.get(&it.target_project_id);
        let source = it.source_project_id.and_then(|id| self.projects.get(&id));
        let user = viewer.user_id();
        let is_theirs = |id: i64| it.author_id == Some(id) || assigned.contains(&id);
        let branch = it.source_branch.as_str();
        Permissions {
            request: it.clone(),
            signed_in: user.is_some(),
            level: target.map_or(0, |project| self.levels.of_project(project)),
            archived: target.is_none_or(|project| project.archived),
            concerned: user.is_some_and(is_theirs),
            target: target.map(|project| self.branch(viewer, project, &it.target_branch)),
            source: source.map(|project| self.branch(viewer, project, branch)),
            is_default: source
                .is_some_and(|project| project.default_branch.as_deref() == Some(branch)),
            pushes: target.is_some_and(|project| self.levels.may(project, Purpose::PushCode)),
        }
    }
}

pub fn graph(g: &mut Graph) {
    permissions(g);
    let it = g
        .on::<MergeRequest>("MergeRequest")
        .level(
            "userPermissions",
            object::<Permissions>("MergeRequestPermissions").required(),
            |requests: Vec<Arc<MergeRequest>>, _, context| async move {
                let found = context.load::<Rights>(keys(&requests)).await?;
                let of = |key: ById| found.get(&key).cloned().ok_or_else(Fault::not_available);
                keys(&requests).into_iter().map(of).collect()
            },
        )
        .describe("What the caller may do with it.")
        .level("subscribed", BOOLEAN.required(), |requests, _, context| {
            subscribed(requests, context)
        })
        .describe("Whether the caller is told of it.");
    counts(it);
}

fn permissions(g: &mut Graph) {
    let text = "What the caller may do with a merge request.";
    g.object::<Permissions>("MergeRequestPermissions", text)
        .field("readMergeRequest", BOOLEAN.required(), |_| true)
        .describe("See it.")
        .field("adminMergeRequest", BOOLEAN.required(), |it| {
            it.writes() && it.level >= DEVELOPER
        })
        .describe("Set labels, people and milestone.")
        .field("updateMergeRequest", BOOLEAN.required(), Permissions::edits)
        .describe("Change its texts and target, close it and open it again.")
        .field("createNote", BOOLEAN.required(), |it| {
            it.writes() && (!it.request.is_locked() || it.level >= GUEST)
        })
        .describe("Write notes about it.")
        .level("canApprove", BOOLEAN.required(), |all, _, context| approving(all, context))
        .describe("Approve it.")
        .field("canMerge", BOOLEAN.required(), Permissions::merges)
        .describe("Merge it.")
        .field("pushToSourceBranch", BOOLEAN.required(), Permissions::pushes_to_source)
        .describe("Push to the source branch.")
        .field("removeSourceBranch", BOOLEAN.required(), Permissions::removes_source)
        .describe("Delete the source branch.")
        .field("cherryPickOnCurrentMergeRequest", BOOLEAN.required(), Permissions::follows_up)
        .describe("Apply what it changed to another branch.")
        .field("revertOnCurrentMergeRequest", BOOLEAN.required(), Permissions::follows_up)
        .describe("Take back what it changed.");
}

/// Whether the caller's approval counts and is not given yet.
async fn approving(all: Vec<Arc<Permissions>>, context: Context) -> Result<Vec<bool>, Fault> {
    let (app, viewer) = caller(&context)?;
    let counts = viewer
        .user()
        .is_some_and(|user| user.state == UserState::Active && user.kind == UserKind::Human);
    let Some(user_id) = viewer.user_id().filter(|_| counts) else {
        return Ok(vec![false; all.len()]);
    };
    let read = app.read(move |tx| {
        let requests: Vec<MergeRequest> = all.iter().map(|it| (*it.request).clone()).collect();
        let scenes = Scenes::read(tx, &requests)?;
        let may = |it: &Arc<Permissions>| {
            let has_approved = scenes.given(it.request.id).iter().any(|one| one.user_id == user_id);
            it.writes() && !has_approved && scenes.may_approve(&it.request, user_id, it.level)
        };
        Ok(all.iter().map(may).collect())
    });
    Ok(read.await?)
}

/// As the caller asked, or else as author, assignee or reviewer.
async fn subscribed(
    requests: Vec<Arc<MergeRequest>>, context: Context,
) -> Result<Vec<bool>, Fault> {
    let Some(user_id) = viewer(&context).user_id() else {
        return Ok(vec![false; requests.len()]);
    };
    let all = ids(&requests);
    let assigned = context.load::<Assigned>(all.clone()).await?;
    let reviewing = context.load::<Reviewing>(all.clone()).await?;
    let (app, _) = caller(&context)?;
    let asked = app.read(move |tx| subscriptions::of_user(tx, user_id, TARGET, &all)).await?;
    let of = |it: &Arc<MergeRequest>| {
        let reviews = || {
            let mut all = reviewing.get(&it.id).into_iter().flatten();
            all.any(|one| one.user_id == user_id)
        };
        let concerned = it.author_id == Some(user_id)
            || assigned.get(&it.id).is_some_and(|all| all.contains(&user_id))
            || reviews();
        asked.get(&it.id).copied().unwrap_or(concerned)
    };
    Ok(requests.iter().map(of).collect())
}

/// Threads that can be resolved, of those the caller sees, and those of them that are not.
struct Threads;

impl Loader for Threads {
    type Key = ById;
    type Value = (i64, i64);

    async fn load(context: Context, keys: Vec<ById>) -> Result<HashMap<ById, (i64, i64)>, Fault> {
        of_each(&context, keys, |tx, viewer, requests| {
            let ids: Vec<i64> = requests.iter().map(|it| it.id).collect();
            facts::threads_of(tx, viewer, &ids)
        })
        .await
    }
}

async fn threads(
    requests: Vec<Arc<MergeRequest>>, context: Context, count: fn((i64, i64)) -> i64,
) -> Result<Vec<Option<i64>>, Fault> {
    let found = context.load::<Threads>(keys(&requests)).await?;
    let of = |key: ById| Some(found.get(&key).map_or(0, |both| count(*both)));
    Ok(keys(&requests).into_iter().map(of).collect())
}

fn counts(it: ObjectBuilder<'_, MergeRequest>) {
    it.level(
        "userNotesCount",
        INT,
        |requests: Vec<Arc<MergeRequest>>, _, context| async move {
            let found = context.load::<Standing>(super::targets(&requests)).await?;
            let of = |it: &Arc<MergeRequest>| {
                let In { level, .. } =
                    found.get(&it.target_project_id).copied().unwrap_or_default();
                Some(match level >= REPORTER {
                    true => it.notes_count + it.internal_notes_count,
                    false => it.notes_count,
                })
            };
            Ok(requests.iter().map(of).collect())
        },
    )
    .describe("How many notes people wrote about it, of those the caller sees.")
    .level("resolvableDiscussionsCount", INT, |requests, _, context| {
        threads(requests, context, |(all, _)| all)
    })
    .describe("How many of its discussions can be resolved, of those the caller sees.")
    .level("resolvedDiscussionsCount", INT, |requests, _, context| {
        threads(requests, context, |(all, open)| all - open)
    })
    .describe("How many of these are resolved.");
}
