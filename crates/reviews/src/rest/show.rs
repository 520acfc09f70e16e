//! One merge request, and what belongs to it.

use super::{At, one};
use crate::entity::shapes::ReviewerEntity;
use crate::entity::versions::{VersionEntity, version};
use crate::entity::{Half, Include, SingleEntity, half};
use crate::model::MergeRequest;
use crate::rules::places;
use crate::rules::rechecks::{begin, is_due};
use crate::store::{people, versions};
use ::store::Tx;
use code::entity::CommitEntity;
use identity::entities::{UserBasic, basic, load_basic};
use kernel::error::Result;
use kernel::http::{Ok200, Paged, Paging, Params, Routes};
use kernel::time::wire;
use repositories::model::{Repository, RepositoryKind};
use repositories::objects;
use repositories::store::of_project;
use spaces::model::Project;

pub(super) fn routes(r: &mut Routes) {
    r.get(&one(""), show).summary("Shows a merge request");
    r.get(&one("/participants"), participants)
        .summary("Lists who takes part in a merge request");
    r.get(&one("/reviewers"), reviewers)
        .summary("Lists who reviews a merge request, and what they said");
    r.get(&one("/commits"), commits).summary("Lists the commits of a merge request");
    r.get(&one("/versions"), list_versions)
        .summary("Lists what a merge request was as its branches moved");
}

kernel::params! {
    struct ShowRequest {
        /// Show title and description as HTML, too.
        pub render_html: Option<bool>,
        /// Show how many commits the target has that the source has not.
        pub include_diverged_commits_count: Option<bool>,
        /// Show whether it is rebased now.
        pub include_rebase_in_progress: Option<bool>,
    }
}

async fn show(at: At, asked: Params<ShowRequest>) -> Result<Ok200<SingleEntity>> {
    let include = Include {
        html: asked.render_html.unwrap_or(false),
        diverged: asked.include_diverged_commits_count.unwrap_or(false),
        rebase: asked.include_rebase_in_progress.unwrap_or(false),
        first_contribution: true,
    };
    let (app, again) = (at.caller.app.clone(), at.clone());
    let found = at.read(move |tx, by, here, request| {
        if is_due(tx, &by.viewer, &here.project, &request)? {
            return Ok(Shown::Unchecked(Box::new(request)));
        }
        let half = half(&by.app, tx, &by.viewer, &here.project, &request, include)?;
        Ok(Shown::Half(Box::new(half)))
    });
    let half = match found.await? {
        Shown::Half(half) => *half,
        Shown::Unchecked(request) => {
            begin(&app, vec![*request]).await?;
            let read = again.read(move |tx, by, here, request| {
                half(&by.app, tx, &by.viewer, &here.project, &request, include)
            });
            read.await?
        }
    };
    half.whole(&app).await.map(Ok200)
}

/// What one look at a merge request finds.
enum Shown {
    Half(Box<Half>),
    /// A check is to begin first.
    Unchecked(Box<MergeRequest>),
}

async fn participants(at: At, paging: Paging) -> Result<Paged<UserBasic>> {
    at.read(move |tx, by, here, request| {
        let internal = here.is_reporter();
        let ids = places::participants(tx, &by.viewer, &request, internal)?;
        let users = load_basic(tx, &ids)?;
        let shown = ids.iter().filter_map(|id| users.get(id));
        let shown = shown.map(|user| basic(&by.app, user)).collect();
        Ok(Paged::of_whole(shown, paging))
    })
    .await
}

async fn reviewers(at: At, paging: Paging) -> Result<Paged<ReviewerEntity>> {
    at.read(move |tx, by, _, request| {
        let found = people::reviewers_of_one(tx, request.id)?;
        let ids: Vec<i64> = found.iter().map(|reviewer| reviewer.user_id).collect();
        let users = load_basic(tx, &ids)?;
        let shown = found.iter().filter_map(|reviewer| {
            Some(ReviewerEntity {
                user: basic(&by.app, users.get(&reviewer.user_id)?),
                state: reviewer.state,
                created_at: wire::text(reviewer.created_at),
            })
        });
        Ok(Paged::of_whole(shown.collect(), paging))
    })
    .await
}

/// What is read of a merge request before git is asked.
struct Subject {
    project: Project,
    repository: Option<Repository>,
    ids: Vec<repositories::formats::object_id::ObjectId>,
}

fn subject(tx: &mut Tx<'_>, project: Project, id: i64) -> Result<Subject> {
    let ids = match versions::latest(tx, id)? {
        Some(version) => versions::commits(tx, version.id)?,
        None => Vec::new(),
    };
    let repository = of_project(tx, project.id, RepositoryKind::Project)?;
    Ok(Subject { project, repository, ids })
}

async fn commits(at: At, paging: Paging) -> Result<Paged<CommitEntity>> {
    let by = at.caller.clone();
    let read = at.read(|tx, _, here, request| subject(tx, here.project, request.id));
    let Subject { project, repository, ids } = read.await?;
    let page = Paged::of_whole(ids, paging);
    let wanted = page.items.clone();
    let found = match repository {
        Some(repository) if !wanted.is_empty() => {
            let read = move |objects: &objects::Objects| objects.commits(&wanted);
            objects::read(&by.app, &repository, read).await?
        }
        _ => Vec::new(),
    };
    let web_url = project.web_url(by.app.base_url());
    Ok(page.replace(|_| found.iter().map(|one| CommitEntity::of(one, &web_url)).collect()))
}

async fn list_versions(at: At, paging: Paging) -> Result<Paged<VersionEntity>> {
    at.read(move |tx, _, _, request| {
        let page = versions::of_request(tx, request.id, paging)?;
        Ok(page.map(|one| version(&one)))
    })
    .await
}
