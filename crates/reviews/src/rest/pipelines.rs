//! Pipelines of a merge request.

use super::{At, Place, Wish, one};
use crate::rules::pipelines::{self as rules, Begun, asking};
use crate::store::pipelines as rows;
use crate::tasks::BeginPipeline;
use ::store::Tx;
use delivery::pipelines::model::Pipeline;
use delivery::pipelines::{PipelineBasic, PipelineEntity, shown_pipeline};
use http::StatusCode;
use identity::Caller;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::openapi::Operation;
use kernel::http::{Answer, Paged, Paging, Params, RequestContext, Response, Routes, reply};
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use serde_json::json;
use spaces::access::find_project;

pub(super) fn routes(r: &mut Routes) {
    r.get(&one("/pipelines"), list)
        .summary("Lists the pipelines of a merge request");
    r.post(&one("/pipelines"), create)
        .summary("Runs a pipeline for a merge request");
}

/// The newest first, of those projects whose pipelines the viewer sees.
async fn list(at: At, paging: Paging) -> Result<Paged<PipelineBasic>> {
    at.read(move |tx, by, here, request| {
        let seen = rules::seen(tx, &by.viewer, &here.project, &request)?;
        if seen.is_empty() {
            return Err(Error::forbidden(""));
        }
        let ids: Vec<i64> = seen.iter().map(|project| project.id).collect();
        let page = rows::of_request(tx, &request, &ids, paging)?;
        let web_url = |id: i64| {
            let project = seen.iter().find(|project| project.id == id);
            project.map(|project| project.web_url(by.app.base_url())).unwrap_or_default()
        };
        Ok(page.map(|one| PipelineBasic::of(&one, &web_url(one.project_id))))
    })
    .await
}

kernel::params! {
    struct CreatePipeline {
        /// Do not wait for it.
        pub r#async as "async": Option<bool>,
    }
}

/// 200 with the pipeline; 202 where nobody waits for it.
enum Answered {
    Now(Box<PipelineEntity>),
    Later,
}

impl Answer for Answered {
    fn reply(self, _: &App, _: &RequestContext) -> Result<Response> {
        match self {
            Answered::Now(pipeline) => reply::json(StatusCode::OK, &*pipeline),
            Answered::Later => Ok(reply::empty(StatusCode::ACCEPTED)),
        }
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.answers::<PipelineEntity>(200);
        operation.status(202, "It is made later");
    }
}

async fn create(at: At, Params(asked): Params<CreatePipeline>) -> Result<Answered> {
    let At { caller: by, place } = at;
    let is_later = asked.r#async.unwrap_or(false);
    let id = by.clone().write(move |tx, by| begin(tx, by, &place, is_later)).await?;
    if is_later {
        return Ok(Answered::Later);
    }
    let app = by.app.clone();
    match asking::begin(&app, &by.viewer, id, None).await? {
        Begun::Made(pipeline) => shown(&app, *pipeline).await,
        Begun::Refused(refused) => {
            let refused = *refused;
            match refused.pipeline {
                Some(failed) => shown(&app, failed).await,
                None => Err(Error::invalid("base", refused.text)),
            }
        }
        Begun::Nothing => {
            let text = "405 Method Not Allowed";
            Err(Error::Exact(405, json!({"message": text})))
        }
    }
}

/// The id of the merge request, for who may run pipelines for it; a job runs one later, if
/// that is wanted.
fn begin(tx: &mut Tx<'_>, by: &Caller, place: &Place, is_later: bool) -> Result<i64> {
    let user = by.viewer.signed_in()?.user.id;
    let (here, request) = place.find(tx, &by.viewer, Wish::WriteOwn)?;
    asking::check(tx, &by.viewer, &here.project, &request)?;
    if is_later {
        let now = tx.now();
        enqueue_at(tx, &BeginPipeline { request: request.id, user }, now)?;
    }
    Ok(request.id)
}

async fn shown(app: &App, pipeline: Pipeline) -> Result<Answered> {
    let by = app.clone();
    let shown = app.read(move |tx| {
        let project = find_project(tx, &Reference::Id(pipeline.project_id))?.found("Project")?;
        shown_pipeline(&by, tx, &project, &pipeline)
    });
    Ok(Answered::Now(Box::new(shown.await?)))
}
