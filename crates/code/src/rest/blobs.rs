//! Files by the ids of their contents.

use super::SCOPES;
use crate::access::CodeRequest;
use crate::sending::{SMALL, send};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::error::{Error, Found, Result};
use kernel::http::{Ok200, Params, RequestContext, Response, Routes};
use repositories::formats::object_id::ObjectId;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// Bytes of a file that is told as JSON.
pub(super) const MOST_AS_JSON: u64 = 32 * 1024 * 1024;

pub(super) fn routes(r: &mut Routes) {
    r.get("/blobs/{blob_id}", show).scopes(SCOPES).summary("Shows a content");
    r.get("/blobs/{blob_id}/raw", raw)
        .scopes(SCOPES)
        .summary("Answers with the bytes of a content");
}

kernel::params! {
    struct OneBlob {
        /// Id of the content.
        pub blob_id: String,
    }
}

impl OneBlob {
    fn id(&self) -> Result<ObjectId> {
        self.blob_id.parse().map_err(|_| Error::NotFound("Blob"))
    }
}

/// A content.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CodeBlob")]
struct BlobEntity {
    size: u64,
    encoding: &'static str,
    content: String,
    sha: String,
}

async fn show(at: CodeRequest, one: Params<OneBlob>) -> Result<Ok200<BlobEntity>> {
    let id = one.id()?;
    let (code, ()) = at.find(|_, code| code.repository.as_ref().found("Blob").map(|_| ())).await?;
    let blob = at.objects(&code, move |objects| objects.blob(id, MOST_AS_JSON)?.found("Blob"));
    let blob = blob.await?;
    let content = blob.content.ok_or_else(too_large)?;
    Ok(Ok200(BlobEntity {
        size: blob.size,
        encoding: "base64",
        content: STANDARD.encode(content),
        sha: id.to_string(),
    }))
}

/// What is too large for JSON.
pub(super) fn too_large() -> Error {
    Error::BadRequest("The file is too large for this; its raw bytes can be had.".into())
}

async fn raw(
    at: CodeRequest, request: Arc<RequestContext>, one: Params<OneBlob>,
) -> Result<Response> {
    let id = one.id()?;
    let (code, ()) = at.find(|_, code| code.repository.as_ref().found("Blob").map(|_| ())).await?;
    let blob = at.objects(&code, move |objects| objects.blob(id, SMALL)?.found("Blob")).await?;
    send(&at.app, &code, &request, blob, &id.to_string()).await
}
