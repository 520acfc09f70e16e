//! `…/-/merge_requests/<number>/commits`: the commits that it brings, the newest first.

use super::views;
use crate::pages::frame::{self, Frame, Tab, source_of};
use crate::pages::one;
use crate::store::versions;
use code::access::Code;
use code::pages::parts::commit_rows::CommitRows;
use code::pages::parts::older::{Older, PagePart, ROWS};
use code::pages::parts::pipelines;
use code::pages::{CodeHead, CodeVisit};
use http::Method;
use kernel::error::Result;
use kernel::html::{Html, Page};
use kernel::http::{Flat, Params, Response, Routes};
use repositories::formats::object_id::ObjectId;
use repositories::model::RepositoryKind;
use repositories::objects::{Commit, Objects};
use repositories::store::of_project;
use spaces::access::Purpose;
use spaces::model::Project;

pub(super) fn routes(r: &mut Routes) {
    r.page(Method::GET, &one("/commits"), show);
}

kernel::params! {
    struct CommitsPage {
        pub merge_request_iid: i64,
        pub part: Flat<PagePart>,
    }
}

/// What rows tell of the page.
struct Read {
    page: Page,
    frame: Frame,
    head: CodeHead,
    ids: Vec<ObjectId>,
    /// How many there are in all.
    count: i64,
    /// Where their pipelines are.
    source: Option<Project>,
}

async fn show(visit: CodeVisit, Params(asked): Params<CommitsPage>) -> Result<Response> {
    let (app, by) = (visit.app.clone(), visit.clone());
    let iid = asked.merge_request_iid;
    let around = visit.page("Commits");
    let read = app.read(move |tx| {
        let found = frame::find(tx, &by.viewer, &by.address, iid, Purpose::Read)?;
        let version = versions::latest(tx, found.request.id)?;
        let project = found.here.project.clone();
        let repository = of_project(tx, project.id, RepositoryKind::Project)?;
        Ok(Read {
            page: found.page(tx, &by.viewer, around, Tab::Commits)?,
            frame: Frame::new(tx, &by.viewer, &found, Tab::Commits)?,
            ids: match &version {
                Some(version) => versions::commits(tx, version.id)?,
                None => Vec::new(),
            },
            count: version.map_or(0, |version| version.commits_count),
            source: source_of(tx, &found)?,
            head: CodeHead {
                head: found.space.head(tx, &by.viewer)?,
                space: found.space,
                code: Code { project, repository },
                can_push: false,
            },
        })
    });
    let Read { page, frame, head, ids, count, source } = read.await?;
    let listed = ids.len();
    let mut ids: Vec<ObjectId> =
        ids.into_iter().skip(asked.part.skip(ROWS)).take(ROWS + 1).collect();
    let has_more = Older::cut(&mut ids, ROWS);
    let older = Older::of(&asked.part, has_more, &format!("{}/commits", frame.url()));
    let commits = commits(&visit, &head, ids).await?;
    let rows = CommitRows::of(&commits, head.url(), app.now(), older);
    let rows = match commits.is_empty() {
        true => rows,
        false => {
            let signatures = visit.signatures(&head, &commits).await?;
            let rows = rows.signed(signatures);
            piped(&visit, rows, &commits, source.as_ref()).await?
        }
    };
    let is_cut = usize::try_from(count).is_ok_and(|count| count > listed);
    let view = views::Commits { page, frame, rows, all: is_cut.then_some(count) };
    Ok(Html::new(&view)?.response())
}

async fn commits(visit: &CodeVisit, head: &CodeHead, ids: Vec<ObjectId>) -> Result<Vec<Commit>> {
    match ids.is_empty() {
        true => Ok(Vec::new()),
        false => visit.objects(head, move |objects: &Objects| objects.commits(&ids)).await,
    }
}

/// With how far their pipelines are, which run where the commits were pushed.
async fn piped(
    visit: &CodeVisit, rows: CommitRows, commits: &[Commit], source: Option<&Project>,
) -> Result<CommitRows> {
    let Some(source) = source else {
        return Ok(rows);
    };
    let ids: Vec<ObjectId> = commits.iter().map(|commit| commit.id).collect();
    let url = format!("/{}", source.full_path);
    let place = (source, url.as_str());
    Ok(rows.piped(pipelines::of_commits(&visit.app, &visit.viewer, place, &ids).await?))
}
