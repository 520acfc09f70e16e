//! What somebody does with a merge request they have to do with, and may do.

use super::enums::REVIEW_STATE;
use super::people::{Involved, TYPES};
use super::{Assigned, Given, Reviewing};
use crate::model::{MergeRequest, ReviewState};
use ::store::Tx;
use identity::graph::caller;
use identity::model::UserState;
use identity::viewer::Viewer;
use kernel::error::Result as Outcome;
use kernel::graph::{Args, BOOLEAN, Context, Fault, Graph, HasTypeRef, object};
use repositories::protection::{Asked, RulesOfMany};
use spaces::access::{ADMINISTRATOR, DEVELOPER, NONE, find_projects};
use spaces::model::Project;
use spaces::store::members::roles_in_projects;
use std::collections::HashMap;
use std::sync::Arc;

struct Interaction {
    approved: bool,
    can_merge: bool,
    can_update: bool,
    review_state: Option<ReviewState>,
}

pub fn graph(g: &mut Graph) {
    let text = "What somebody does with a merge request.";
    g.object::<Interaction>("UserMergeRequestInteraction", text)
        .field("approved", BOOLEAN.required(), |it| it.approved)
        .describe("Whether they approved it.")
        .field("canMerge", BOOLEAN.required(), |it| it.can_merge)
        .describe("Whether they may merge it.")
        .field("canUpdate", BOOLEAN.required(), |it| it.can_update)
        .describe("Whether they may change it.")
        .field("reviewState", REVIEW_STATE, |it| it.review_state)
        .describe("What they said last, if they review it.")
        .field("reviewed", BOOLEAN.required(), |it| it.review_state.is_some_and(is_review))
        .describe("Whether they reviewed it.");
    for (name, _) in TYPES {
        g.on::<Involved>(name)
            .level(
                "mergeRequestInteraction",
                object::<Interaction>("UserMergeRequestInteraction"),
                interactions,
            )
            .describe("What they do with the merge request.");
    }
}

fn is_review(state: ReviewState) -> bool {
    matches!(
        state,
        ReviewState::Reviewed | ReviewState::RequestedChanges | ReviewState::Approved
    )
}

/// The rights of people in projects, read in as many statements for any number of both.
struct Rights {
    projects: HashMap<i64, Project>,
    /// By project and user.
    roles: HashMap<(i64, i64), i64>,
    rules: RulesOfMany,
    /// Groups that these rules name, by their members.
    groups: HashMap<i64, Vec<i64>>,
}

impl Rights {
    fn read(tx: &mut Tx<'_>, all: &[Arc<Involved>]) -> Outcome<Rights> {
        let mut places: Vec<i64> = all.iter().map(|it| it.request.target_project_id).collect();
        let mut users: Vec<i64> = all.iter().map(|it| it.person.user.id).collect();
        for ids in [&mut places, &mut users] {
            ids.sort_unstable();
            ids.dedup();
        }
        let projects = find_projects(tx, &places)?;
        let rules = RulesOfMany::read(tx, &projects.iter().collect::<Vec<_>>())?;
        Ok(Rights {
            roles: roles_in_projects(tx, places, users)?,
            groups: rules.members(tx)?,
            projects: projects.into_iter().map(|one| (one.id, one)).collect(),
            rules,
        })
    }

    fn level(&self, it: &Involved) -> i64 {
        let user = &it.person.user;
        match user.state == UserState::Active {
            false => NONE,
            true if user.is_admin => ADMINISTRATOR,
            true => {
                let key = (it.request.target_project_id, user.id);
                self.roles.get(&key).copied().unwrap_or(NONE)
            }
        }
    }

    fn merges(&self, it: &Involved) -> bool {
        let Some(project) = self.projects.get(&it.request.target_project_id) else {
            return false;
        };
        let user = &it.person.user;
        let viewer = Viewer::addressed(user.clone());
        let groups = self.groups.get(&user.id).map(Vec::as_slice).unwrap_or_default();
        let asked = Asked { viewer: &viewer, level: self.level(it), groups };
        self.rules.of(project, &it.request.target_branch, asked).can_merge
    }

    fn updates(&self, it: &Involved, assigned: &[i64]) -> bool {
        let project = self.projects.get(&it.request.target_project_id);
        let takes_changes = project.is_some_and(|project| !project.archived);
        let user_id = it.person.user.id;
        let concerned = it.request.author_id == Some(user_id) || assigned.contains(&user_id);
        takes_changes && (concerned || self.level(it) >= DEVELOPER)
    }
}

async fn interactions(
    all: Vec<Arc<Involved>>, _: Args, context: Context,
) -> Result<Vec<Option<Arc<Interaction>>>, Fault> {
    let requests: Vec<Arc<MergeRequest>> = all.iter().map(|it| it.request.clone()).collect();
    let ids = super::ids(&requests);
    let reviewing = context.load::<Reviewing>(ids.clone()).await?;
    let given = context.load::<Given>(ids.clone()).await?;
    let assigned = context.load::<Assigned>(ids).await?;
    let (app, _) = caller(&context)?;
    let asked = all.clone();
    let rights = app.read(move |tx| Rights::read(tx, &asked)).await?;
    let of = |it: &Arc<Involved>| {
        let (id, user_id) = (it.request.id, it.person.user.id);
        let mut reviewers = reviewing.get(&id).into_iter().flatten();
        let assigned = assigned.get(&id).map(Vec::as_slice).unwrap_or_default();
        let interaction = Interaction {
            approved: given.get(&id).into_iter().flatten().any(|one| one.user_id == user_id),
            can_merge: rights.merges(it),
            can_update: rights.updates(it, assigned),
            review_state: reviewers.find(|one| one.user_id == user_id).map(|one| one.state),
        };
        Some(Arc::new(interaction))
    };
    Ok(all.iter().map(of).collect())
}
