//! Addresses of releases that lead on, and evidence as it was collected.

use super::{Here, OneRelease, below};
use crate::access::found;
use crate::downloads;
use crate::model::part_of_address;
use crate::store::{self, evidences};
use http::{Method, StatusCode};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::paging::with_query;
use kernel::http::{Flat, Params, RequestContext, Response, Routes, reply};
use spaces::pages::Address;
use std::sync::Arc;

const LATEST: &str = "/permalink/latest";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below(LATEST), latest);
    r.page(Method::GET, &below(&format!("{LATEST}/{{*suffix}}")), latest);
    r.page(Method::GET, &below("/{tag_name}/downloads/{*asset_path}"), download);
    r.page(Method::GET, &below("/{tag_name}/evidences/{file}"), evidence);
    r.page(Method::GET, &below("/{tag_name}/evidence.json"), last_evidence);
}

kernel::params! {
    pub struct Download {
        pub at: Flat<OneRelease>,
        /// The path of a link below the release.
        pub asset_path: String,
    }
}

kernel::params! {
    pub struct OneEvidence {
        pub at: Flat<OneRelease>,
        /// `12.json`
        pub file: String,
    }
}

async fn latest(
    app: App, viewer: Viewer, address: Address, request: Arc<RequestContext>,
) -> Result<Response> {
    let target = app.read(move |tx| {
        let here = Here::with_code(tx, &viewer, &address)?;
        let release = found(store::latest(tx, here.releases.project.id)?)?;
        Ok(format!("{}/{}", here.url(), part_of_address(&release.tag)))
    });
    let to = format!("{}{}", target.await?, downloads::suffix(&request, LATEST));
    let asked = with_query(&request, &[], &["order_by"]);
    reply::redirect(&downloads::with_its_query(&asked, &to))
}

async fn download(
    app: App, viewer: Viewer, address: Address, asked: Params<Download>,
) -> Result<Response> {
    let url = app.read(move |tx| {
        let here = Here::find(tx, &viewer, &address)?;
        downloads::find(tx, &here.releases, &asked.at.tag_name, &asked.asset_path)
    });
    reply::redirect(&url.await?)
}

async fn evidence(
    app: App, viewer: Viewer, address: Address, asked: Params<OneEvidence>,
) -> Result<Response> {
    let id = asked.file.strip_suffix(".json").and_then(|id| id.parse().ok());
    let id = id.ok_or(Error::NotFound(""))?;
    summary(&app, viewer, address, asked.0.at.0.tag_name, Some(id)).await
}

async fn last_evidence(
    app: App, viewer: Viewer, address: Address, asked: Params<OneRelease>,
) -> Result<Response> {
    summary(&app, viewer, address, asked.0.tag_name, None).await
}

/// The very bytes of which the release tells the digest.
async fn summary(
    app: &App, viewer: Viewer, address: Address, tag: String, id: Option<i64>,
) -> Result<Response> {
    let text = app.read(move |tx| {
        let here = Here::with_code(tx, &viewer, &address)?;
        let release = found(store::find(tx, here.releases.project.id, &tag)?)?;
        found(evidences::summary(tx, release.id, id)?)
    });
    let mut response = reply::text(StatusCode::OK, text.await?);
    let kind = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(http::header::CONTENT_TYPE, kind);
    Ok(response)
}
