//! Lists that are sent without a pipeline.

use crate::dependencies::entity::{TokenEntity, UploadEntity};
use crate::dependencies::ingest::boms::MOST;
use crate::dependencies::store::uploads;
use crate::dependencies::{access, rules};
use http::{StatusCode, header};
use identity::Caller;
use kernel::app::App;
use kernel::blobs::Received;
use kernel::error::{Error, Found, Result};
use kernel::http::openapi::Operation;
use kernel::http::{
    Call, FromCall, Ok200, Params, Parts, RequestContext, Response, Routes, Upload, reply,
};
use kernel::ids::Reference;
use kernel::secrets::random_bytes;
use std::sync::Arc;

/// What a form may add to the length of its file, in bytes, and its parts.
const ENVELOPE: u64 = 64 * 1024;
const MOST_PARTS: usize = 50;

pub fn routes(r: &mut Routes) {
    r.post("/projects/{id}/sboms", send)
        .streams()
        .answers(202, "It is to be read; the token says how far that is")
        .answers(413, "It is too large")
        .summary("Sends a list of components in place of a pipeline");
    r.get("/projects/{id}/sboms/{sbom_token}", show)
        .summary("Shows how far a list is that was sent");
}

kernel::params! {
    pub struct OneProject {
        /// Id or path of the project.
        pub id: Reference,
    }
}

kernel::params! {
    pub struct OneUpload {
        /// Id or path of the project.
        pub id: Reference,
        /// What the sender was told.
        pub sbom_token: String,
    }
}

/// A list as the body, or as the field `bom` of a form.
pub enum Body {
    File(Upload),
    Form(Parts),
}

impl FromCall for Body {
    async fn from_call(call: &mut Call) -> Result<Body> {
        match call.is_multipart() {
            true => Parts::from_call(call).await.map(Body::Form),
            false => Upload::from_call(call).await.map(Body::File),
        }
    }

    fn describe(operation: &mut Operation<'_>) {
        Upload::describe(operation);
    }
}

impl Body {
    async fn receive(self, app: &App) -> Result<Received> {
        let received = match self {
            Body::File(bytes) => app.blobs().receive(bytes, Some(MOST)).await?,
            Body::Form(parts) => field(app, parts).await?,
        };
        match received.stored().size {
            0 => Err(Error::missing("bom")),
            _ => Ok(received),
        }
    }
}

/// The field `bom` of a form; what follows it is not read.
async fn field(app: &App, mut parts: Parts) -> Result<Received> {
    for _ in 0..MOST_PARTS {
        match parts.next().await? {
            Some(part) if part.name() == "bom" => {
                return app.blobs().receive(part.bytes(), Some(MOST)).await;
            }
            Some(_) => {}
            None => break,
        }
    }
    Err(Error::missing("bom"))
}

async fn send(
    by: Caller, request: Arc<RequestContext>, at: Params<OneProject>, body: Body,
) -> Result<Response> {
    let id = at.0.id;
    let (reference, app) = (id.clone(), by.app.clone());
    let asking = by.clone();
    asking
        .read(move |tx, by| {
            let project = access::project(tx, &by.viewer, &reference)?;
            rules::check_upload(tx, &project)
        })
        .await?;
    let announced = request.header(header::CONTENT_LENGTH).and_then(|text| text.parse().ok());
    if announced.is_some_and(|size: u64| size > MOST + ENVELOPE) {
        return Err(Error::TooLarge);
    }
    let received = body.receive(&app).await?;
    let stored = app.blobs().keep(received).await?;
    let token = hex::encode(random_bytes::<20>());
    let token = by.write(move |tx, by| {
        let project = access::project(tx, &by.viewer, &id)?;
        rules::upload(tx, &by.viewer, &project, (&token, &stored))
    });
    reply::json(StatusCode::ACCEPTED, &TokenEntity { token: token.await? })
}

async fn show(by: Caller, one: Params<OneUpload>) -> Result<Ok200<UploadEntity>> {
    by.read(move |tx, by| {
        let project = access::project(tx, &by.viewer, &one.id)?;
        let upload = uploads::by_token(tx, project.id, &one.sbom_token)?.found("Sbom")?;
        Ok(Ok200(upload.into()))
    })
    .await
}
