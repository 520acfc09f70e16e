//! Commits that a merge request shows beside its own, so that who reviews it knows them.

use super::{At, one};
use crate::access::check_update;
use crate::model::MergeRequest;
use crate::rules::refs::keep_commits;
use crate::store::context as rows;
use ::store::Tx;
use code::entity::CommitEntity;
use kernel::error::{Error, Found, Result};
use kernel::http::{Created, NoContent, Paged, Paging, Params, Routes};
use planning::access::ProjectAccess;
use repositories::formats::object_id::ObjectId;
use repositories::model::{Repository, RepositoryKind};
use repositories::objects::{self, Commit, Objects, Revision};
use repositories::store::of_project;
use serde_json::json;
use spaces::model::Project;

/// Most commits that are named at once.
const MOST_AT_ONCE: usize = 20;
/// Most of one merge request.
const MOST: i64 = 500;
/// Fewest digits of the name of a commit.
const FEWEST_DIGITS: usize = 7;

pub(super) fn routes(r: &mut Routes) {
    let path = one("/context_commits");
    r.get(&path, list)
        .summary("Lists the commits that a merge request shows beside its own");
    r.post(&path, create).summary("Has a merge request show commits beside its own");
    r.delete(&path, destroy).summary("Has a merge request show commits no longer");
}

kernel::params! {
    struct Named {
        /// Names of commits of the target project.
        pub commits: Vec<String>,
    }
}

/// Where commits are looked up, and what they stand for.
struct Asked {
    project: Project,
    repository: Repository,
    revisions: Vec<Revision>,
}

async fn list(at: At, paging: Paging) -> Result<Paged<CommitEntity>> {
    let by = at.caller.clone();
    let read = at.read(move |tx, _, here, request| {
        let page = rows::list(tx, request.id, paging)?;
        let repository = of_project(tx, here.project.id, RepositoryKind::Project)?;
        Ok((here.project, repository, page))
    });
    let (project, repository, page) = read.await?;
    let wanted: Vec<ObjectId> = page.items.iter().map(|one| one.commit_id).collect();
    let found = match repository {
        Some(repository) if !wanted.is_empty() => {
            let read = move |objects: &Objects| objects.commits(&wanted);
            objects::read(&by.app, &repository, read).await?
        }
        _ => Vec::new(),
    };
    let web_url = project.web_url(by.app.base_url());
    Ok(page.replace(|_| shown(&found, &web_url)))
}

fn shown(commits: &[Commit], web_url: &str) -> Vec<CommitEntity> {
    commits.iter().map(|commit| CommitEntity::of(commit, web_url)).collect()
}

async fn create(at: At, asked: Params<Named>) -> Result<Created<Vec<CommitEntity>>> {
    if asked.commits.len() > MOST_AT_ONCE {
        let text = format!("Context commits array size should not be more than {MOST_AT_ONCE}");
        return Err(refused(&text));
    }
    let (web_url, commits) = find(at.clone(), &asked.commits).await?;
    let ids: Vec<ObjectId> = commits.iter().map(|commit| commit.id).collect();
    at.write(move |tx, by, here, request| {
        check_update(tx, &by.viewer, &here, &request)?;
        add(tx, &here, &request, &ids)
    })
    .await?;
    Ok(Created(shown(&commits, &web_url)))
}

async fn destroy(at: At, asked: Params<Named>) -> Result<NoContent> {
    if asked.commits.len() > MOST_AT_ONCE {
        return Err(no_commits());
    }
    let (_, commits) = find(at.clone(), &asked.commits).await?;
    let ids: Vec<ObjectId> = commits.iter().map(|commit| commit.id).collect();
    at.write(move |tx, by, here, request| {
        check_update(tx, &by.viewer, &here, &request)?;
        rows::delete(tx, request.id, &ids)?;
        Ok(NoContent)
    })
    .await
}

/// The commits of these names, each once, for who may change the merge request; and where
/// the project is seen.
async fn find(at: At, names: &[String]) -> Result<(String, Vec<Commit>)> {
    let revisions = names.iter().map(|name| revision(name)).collect::<Option<Vec<_>>>();
    let by = at.caller.clone();
    let read = at.write(move |tx, by, here, request| {
        check_update(tx, &by.viewer, &here, &request)?;
        let revisions = revisions.clone().ok_or_else(no_commits)?;
        let repository = of_project(tx, here.project.id, RepositoryKind::Project)?;
        let repository = repository.ok_or_else(no_commits)?;
        Ok(Asked { project: here.project, repository, revisions })
    });
    let Asked { project, repository, revisions } = read.await?;
    let work = move |objects: &Objects| commits(objects, &revisions);
    let found = objects::read(&by.app, &repository, work).await?;
    Ok((project.web_url(by.app.base_url()), found))
}

/// What the name of a commit, or the first digits of it, stand for.
fn revision(name: &str) -> Option<Revision> {
    let name = name.to_ascii_lowercase();
    if let Ok(id) = name.parse::<ObjectId>() {
        return Some(Revision::Id(id));
    }
    let is_beginning = (FEWEST_DIGITS..40).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_beginning.then_some(Revision::Beginning(name))
}

fn commits(objects: &Objects, revisions: &[Revision]) -> Result<Vec<Commit>> {
    let mut found: Vec<Commit> = Vec::new();
    for revision in revisions {
        let commit = objects.commit_at(revision)?.ok_or_else(no_commits)?;
        if !found.iter().any(|other| other.id == commit.id) {
            found.push(commit);
        }
    }
    Ok(found)
}

/// Adds commits, which are in the repository, to those of a merge request.
fn add(
    tx: &mut Tx<'_>, here: &ProjectAccess, request: &MergeRequest, commits: &[ObjectId],
) -> Result<()> {
    let known = rows::among(tx, request.id, commits)?;
    if !known.is_empty() {
        let names: Vec<String> = known.iter().map(ObjectId::to_string).collect();
        return Err(refused(&format!("Context commits: {} are already created", names.join(", "))));
    }
    let more = i64::try_from(commits.len()).unwrap_or(MOST);
    if rows::count(tx, request.id)? + more > MOST {
        return Err(refused(&format!("Context commits should not be more than {MOST}")));
    }
    let repository = of_project(tx, here.project.id, RepositoryKind::Project)?;
    keep_commits(tx, &repository.found("Repository")?, commits)?;
    rows::insert(tx, request.id, commits)
}

fn refused(text: &str) -> Error {
    Error::Exact(400, json!({"message": text}))
}

fn no_commits() -> Error {
    refused("One or more context commits' sha is not valid.")
}
