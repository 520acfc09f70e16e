//! Issues that go with a merge request, or are named in it.

use super::{At, one};
use crate::model::MergeRequest;
use crate::noteable::noteable;
use crate::rules::closing::{closes_any, named_in};
use crate::store::{closing, versions};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::{Paged, Paging, Routes};
use planning::access::{ProjectAccess, Scope};
use planning::entity::issues::{IssueEntity, RelatedToIssues, issue};
use planning::model::Issue;
use planning::store::issues::visible_by_ids;
use planning::store::notes::of_people;
use repositories::formats::object_id::ObjectId;
use repositories::model::{Repository, RepositoryKind};
use repositories::objects::{self, Objects};
use repositories::store::of_project;

/// Comments, and commits, whose texts are read.
const MOST_NOTES: i64 = 500;
const MOST_COMMITS: usize = 100;

pub(super) fn routes(r: &mut Routes) {
    r.get(&one("/closes_issues"), closes)
        .summary("Lists the issues that go with the merge");
    r.get(&one("/related_issues"), related)
        .summary("Lists the issues that a merge request names");
}

/// Issues of any project that the viewer sees, as JSON.
fn shown(
    tx: &mut Tx<'_>, by: &identity::Caller, issues: Vec<Issue>, paging: Paging,
) -> Result<Paged<IssueEntity>> {
    let page = Paged::of_whole(issues, paging);
    let around = RelatedToIssues::read(tx, &by.viewer, &Scope::Everywhere, &page.items)?;
    Ok(page.map(|one| issue(&by.app, &one, &around, false)))
}

async fn closes(at: At, paging: Paging) -> Result<Paged<IssueEntity>> {
    at.read(move |tx, by, here, request| {
        let ids = match closes_any(&here.project, &request) {
            true => closing::of_request(tx, request.id)?,
            false => Vec::new(),
        };
        let issues = match ids.is_empty() {
            true => Vec::new(),
            false => visible_by_ids(tx, &by.viewer, &ids)?,
        };
        shown(tx, by, issues, paging)
    })
    .await
}

/// What names issues, and where the messages of commits are.
struct Texts {
    here: ProjectAccess,
    own: Vec<String>,
    commits: Vec<ObjectId>,
    repository: Option<Repository>,
}

fn texts(
    tx: &mut Tx<'_>, viewer: &Viewer, here: ProjectAccess, request: &MergeRequest,
) -> Result<Texts> {
    let notes = of_people(tx, viewer, noteable(request), MOST_NOTES)?;
    let seen = notes.into_iter().filter(|note| here.is_reporter() || !note.internal);
    let own = [request.title.clone(), request.text().to_owned()];
    let mut commits = match versions::latest(tx, request.id)? {
        Some(version) => versions::commits(tx, version.id)?,
        None => Vec::new(),
    };
    commits.truncate(MOST_COMMITS);
    Ok(Texts {
        own: own.into_iter().chain(seen.map(|note| note.body)).collect(),
        commits,
        repository: of_project(tx, here.project.id, RepositoryKind::Project)?,
        here,
    })
}

async fn related(at: At, paging: Paging) -> Result<Paged<IssueEntity>> {
    let by = at.caller.clone();
    let read = at.read(|tx, by, here, request| texts(tx, &by.viewer, here, &request));
    let Texts { here, mut own, commits, repository } = read.await?;
    if let Some(repository) = repository.filter(|_| !commits.is_empty()) {
        let read = move |objects: &Objects| objects.commits(&commits);
        let found = objects::read(&by.app, &repository, read).await?;
        own.extend(found.into_iter().map(|commit| commit.message));
    }
    by.read(move |tx, by| {
        let texts = own.iter().map(String::as_str);
        let issues = named_in(tx, &by.viewer, &here.project, texts)?;
        shown(tx, by, issues, paging)
    })
    .await
}
