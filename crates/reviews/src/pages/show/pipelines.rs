//! `…/-/merge_requests/<number>/pipelines`: the pipelines of the heads that it had, for who
//! sees pipelines and their jobs; who may run one has a button for that.

use super::merging::led;
use super::page::RequestPage;
use super::views;
use crate::pages::frame::{self, Frame, Tab};
use crate::pages::one;
use crate::place::{Place, Wish};
use crate::rules::pipelines::{Begun, asking, with_seen_jobs};
use crate::store::pipelines;
use delivery::pipelines::pages::rows::PipelineRows;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Html, Pages};
use kernel::http::{Paging, Params, Response, Routes};
use planning::pages::talk::TalkPage;
use spaces::access::Purpose;
use spaces::model::Project;
use spaces::pages::Address;

const NOT_RUNNING: &str = "You may not run pipelines for it";
const NOTHING: &str = "No pipeline can run for it: it is not open, its source branch is gone, or that has no commit \
     which the target lacks";

pub(super) fn routes(r: &mut Routes) {
    r.page(Method::GET, &one("/pipelines"), show);
    r.page(Method::POST, &one("/pipelines"), run);
}

kernel::params! {
    struct PipelinesPage {
        pub merge_request_iid: i64,
    }
}

async fn show(
    app: App, viewer: Viewer, address: Address, Params(asked): Params<PipelinesPage>,
    paging: Paging,
) -> Result<Response> {
    let around = page(&app, &viewer, "Pipelines");
    let wanted = paging.clone();
    let by = viewer.clone();
    let read = app.read(move |tx| {
        let found = frame::find(tx, &viewer, &address, asked.merge_request_iid, Purpose::Read)?;
        let mut projects = with_seen_jobs(tx, &viewer, &found.here.project, &found.request)?;
        if projects.is_empty() {
            return Err(Error::NotFound(""));
        }
        // The source has the commits, where it is seen.
        projects.reverse();
        let ids: Vec<i64> = projects.iter().map(|project| project.id).collect();
        let pipelines = pipelines::of_request(tx, &found.request, &ids, wanted)?;
        let page = found.page(tx, &viewer, around, Tab::Pipelines)?;
        let frame = Frame::new(tx, &viewer, &found, Tab::Pipelines)?;
        let may_run = asking::may_begin(tx, &viewer, &found.here.project, &found.request)?;
        Ok((page, frame, may_run, projects, pipelines))
    });
    let (page, frame, may_run, projects, pipelines) = read.await?;
    let projects: Vec<&Project> = projects.iter().collect();
    let total = i64::try_from(pipelines.counted()).unwrap_or(i64::MAX);
    let pages = Pages::of(&paging, total, format!("{}/pipelines", frame.url()));
    let rows = PipelineRows::read(&app, &by, &projects, pipelines.items).await?;
    let view = views::Pipelines { page, frame, may_run, rows, pages };
    Ok(Html::new(&view)?.response())
}

async fn run(app: App, page: RequestPage) -> Result<Response> {
    let (place, url) = page.place(&app).await?;
    let done = begin(&app, page.viewer(), place).await;
    led(&app, &format!("{url}/pipelines"), done, "Pipeline begun.", NOT_RUNNING)
}

/// Runs one, by the rules of REST.
async fn begin(app: &App, viewer: &Viewer, place: Place) -> Result<()> {
    let by = viewer.clone();
    let read = app.read(move |tx| {
        let (here, request) = place.find(tx, &by, Wish::WriteOwn)?;
        asking::check(tx, &by, &here.project, &request)?;
        Ok(request.id)
    });
    match asking::begin(app, viewer, read.await?, None).await? {
        Begun::Made(_) => Ok(()),
        Begun::Refused(refused) => Err(Error::Unprocessable(refused.text)),
        Begun::Nothing => Err(Error::Conflict(NOTHING.into())),
    }
}
