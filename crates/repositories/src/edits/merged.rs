//! Branches go that the default branch holds whole already.

use super::landing::command;
use crate::access;
use crate::formats::commands::Command;
use crate::formats::object_id::ObjectId;
use crate::model::{Ref, Repository, RepositoryKind};
use crate::objects::{self, Objects, Order, Walk};
use crate::place::Place;
use crate::store::{self, refs};
use crate::{protection, receive};
use ::store::grouped;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::ids::Reference;
use kernel::jobs::{Failure, Job, Run};
use serde::{Deserialize, Serialize};
use spaces::access::{Purpose, find_project, may};
use std::collections::HashSet;

/// Deletes the merged branches of a project, in the name of who asked for it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeleteMerged {
    pub project: i64,
    pub user: i64,
}

pub(super) fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    registry.add::<DeleteMerged>();
}

/// What may go: branches that nothing protects, but for the default branch.
struct Candidates {
    to: access::Pushing,
    repository: Repository,
    head: ObjectId,
    branches: Vec<Ref>,
}

impl Job for DeleteMerged {
    const NAME: &'static str = "repositories.delete_merged";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.project.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app;
        let Some(candidates) = candidates(&app, &self).await? else {
            return Ok(());
        };
        let (head, branches) = (candidates.head, candidates.branches);
        let find = move |objects: &Objects| merged(objects, head, &branches);
        let merged = objects::read(&app, &candidates.repository, find).await?;
        if !merged.is_empty() {
            let none = None::<futures_util::stream::Empty<Result<bytes::Bytes>>>;
            receive::take(&app, &candidates.to, merged, none).await?;
        }
        Ok(())
    }
}

async fn candidates(app: &App, job: &DeleteMerged) -> Result<Option<Candidates>> {
    let DeleteMerged { project, user } = *job;
    app.write(move |tx| {
        let Some(project) = find_project(tx, &Reference::Id(project))? else {
            return Ok(None);
        };
        let Some(user) = identity::users::find(tx, user)? else {
            return Ok(None);
        };
        let viewer = Viewer::addressed(user);
        let there = store::of_project(tx, project.id, RepositoryKind::Project)?;
        let Some(repository) = there else {
            return Ok(None);
        };
        let mut branches: Vec<Ref> = refs::all(tx, repository.id)?;
        branches.retain(|one| one.name.as_branch().is_some());
        let head = branches.iter().find(|one| one.name == repository.head);
        let head = head.map(|one| one.object_id);
        if !may(tx, &viewer, &project, Purpose::PushCode)? {
            return Ok(None);
        }
        branches.retain(|one| one.name != repository.head);
        let names: Vec<&str> = branches.iter().filter_map(|one| one.name.as_branch()).collect();
        let shown = protection::of_branches(tx, &viewer, &project, Some(&repository), &names)?;
        let free = branches.into_iter().zip(shown).filter(|(_, shown)| !shown.is_protected);
        let branches = free.map(|(one, _)| one).collect();
        let to = access::writing(tx, &viewer, &Place::code(&project))?;
        Ok(head.map(|head| Candidates { to, repository, head, branches }))
    })
    .await
}

/// Those of some branches that are in the history of a commit.
fn merged(objects: &Objects, head: ObjectId, branches: &[Ref]) -> Result<Vec<Command>> {
    let wanted = grouped(branches.iter().map(|one| (one.object_id, one)));
    let mut found = HashSet::new();
    let walk = Walk { from: vec![head], order: Order::AsMet, ..Walk::default() };
    for id in objects.history(&walk)? {
        let id = id?;
        if wanted.contains_key(&id) {
            found.insert(id);
        }
        if found.len() == wanted.len() {
            break;
        }
    }
    let going = branches.iter().filter(|one| found.contains(&one.object_id));
    Ok(going
        .map(|one| command(one.name.clone(), one.object_id, ObjectId::ZERO))
        .collect())
}
