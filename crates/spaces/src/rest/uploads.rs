//! Files of texts of projects and groups.

use super::SpaceRequest;
use crate::access::Purpose;
use crate::uploads::model::Upload;
use crate::uploads::{self, Which};
use identity::entities::load_basic;
use identity::model::User;
use kernel::error::{Found, Result};
use kernel::http::{
    Created, NoContent, Paged, Paging, Params, Parts, RequestContext, Response, Routes,
};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;

/// Those of a project or group, below its address.
pub(super) fn routes(r: &mut Routes) {
    r.get("/uploads", list).summary("Lists the files of texts");
    r.post("/uploads", create).streams().summary("Sends a file for texts");
    r.get("/uploads/{upload_id}", show)
        .summary("Answers with a file, by its number");
    r.delete("/uploads/{upload_id}", destroy)
        .summary("Removes a file, by its number");
    r.get("/uploads/{secret}/{filename}", show_named)
        .summary("Answers with a file, as its address names it");
    r.delete("/uploads/{secret}/{filename}", destroy_named)
        .summary("Removes a file, as its address names it");
}

/// A file that was sent, as texts show it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UploadEntity {
    id: i64,
    /// What it is called in a text.
    alt: String,
    /// Its address in texts of the same project or group.
    url: String,
    /// Its address below that of the instance.
    full_path: String,
    /// What shows it in a text, or leads to it.
    markdown: String,
}

impl From<&Upload> for UploadEntity {
    fn from(upload: &Upload) -> UploadEntity {
        UploadEntity {
            id: upload.id,
            alt: upload.alt().to_owned(),
            url: upload.url(),
            full_path: upload.full_path(),
            markdown: upload.markdown(),
        }
    }
}

/// A file in the list of them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UploadRow {
    id: i64,
    size: i64,
    filename: String,
    created_at: String,
    uploaded_by: Option<Uploader>,
}

/// Who sent it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Uploader {
    id: i64,
    name: String,
    username: String,
}

fn row(upload: Upload, people: &HashMap<i64, User>) -> UploadRow {
    let by = upload.uploaded_by_id.and_then(|id| people.get(&id));
    UploadRow {
        id: upload.id,
        size: upload.size,
        filename: upload.name,
        created_at: wire::text(upload.created_at),
        uploaded_by: by.map(|user| Uploader {
            id: user.id,
            name: user.name.clone(),
            username: user.username.clone(),
        }),
    }
}

kernel::params! {
    pub(super) struct ById {
        /// Number of the file.
        pub upload_id: i64,
    }
}

kernel::params! {
    pub(super) struct ByName {
        /// The digits in its address.
        pub secret: String,
        /// Its name.
        pub filename: String,
    }
}

impl ById {
    fn which(&self) -> Which {
        Which::Id(self.upload_id)
    }
}

impl ByName {
    fn which(&self) -> Which {
        Which::Named(self.secret.clone(), self.filename.clone())
    }
}

async fn create(
    at: SpaceRequest, request: Arc<RequestContext>, parts: Parts,
) -> Result<Created<UploadEntity>> {
    // Nobody uploads who may not.
    at.clone().read(Purpose::UploadFile, |_, _, _| Ok(())).await?;
    let sent = uploads::receive(&at.app, &request, parts).await?;
    at.write(Purpose::UploadFile, move |tx, _, place| {
        let upload = uploads::add(tx, place, &sent.name, &sent.stored)?;
        Ok(Created(UploadEntity::from(&upload)))
    })
    .await
}

async fn list(at: SpaceRequest, paging: Paging) -> Result<Paged<UploadRow>> {
    at.list(Purpose::ManageUploads, paging, |tx, _, place, paging| {
        let (found, total) = uploads::page(tx, place.key(), paging)?;
        let mut people: Vec<i64> = found.iter().filter_map(|one| one.uploaded_by_id).collect();
        people.sort_unstable();
        people.dedup();
        let people = load_basic(tx, &people)?;
        Ok((found.into_iter().map(|one| row(one, &people)).collect(), total))
    })
    .await
}

async fn show(
    at: SpaceRequest, request: Arc<RequestContext>, path: Params<ById>,
) -> Result<Response> {
    answer(at, request, Purpose::ManageUploads, path.which()).await
}

async fn show_named(
    at: SpaceRequest, request: Arc<RequestContext>, path: Params<ByName>,
) -> Result<Response> {
    answer(at, request, Purpose::Read, path.which()).await
}

async fn answer(
    at: SpaceRequest, request: Arc<RequestContext>, purpose: Purpose, which: Which,
) -> Result<Response> {
    let app = at.app.clone();
    let upload = at
        .read(purpose, move |tx, _, place| {
            uploads::find(tx, place.key(), &which)?.found("Upload")
        })
        .await?;
    uploads::serve(&app, &request, &upload).await
}

async fn destroy(at: SpaceRequest, path: Params<ById>) -> Result<NoContent> {
    remove(at, path.which()).await
}

async fn destroy_named(at: SpaceRequest, path: Params<ByName>) -> Result<NoContent> {
    remove(at, path.which()).await
}

async fn remove(at: SpaceRequest, which: Which) -> Result<NoContent> {
    at.write(Purpose::ManageUploads, move |tx, _, place| {
        uploads::remove(tx, place, &which)?;
        Ok(NoContent)
    })
    .await
}
