//! Metric images of an alert (docs/interface/monitoring.md 2.1), and the addresses of the
//! pictures themselves.

use super::alerts::AlertPath;
use crate::alerts::model::{MAX_IMAGE, MetricImage};
use crate::alerts::rules::images::{self, Chart};
use crate::alerts::store::images as rows;
use futures_util::StreamExt;
use http::{HeaderValue, Method, header};
use identity::Caller;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{
    Created, Flat, NoContent, Ok200, Paged, Paging, Params, Part, Parts, Patch, Response, Routes,
};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::Purpose;

const PATH: &str = "/projects/{id}/alert_management_alerts/{alert_iid}/metric_images";
const ONE: &str = "/projects/{id}/alert_management_alerts/{alert_iid}/metric_images/{image_id}";
/// Longest text of a form's field, in bytes.
const MAX_FIELD: usize = 4_096;
/// Bytes of a file that is too large which are taken, so that its sender
/// reads the answer.
const MAX_TAKEN: usize = 64 << 20;

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, list).summary("Lists the metric images of an alert");
    r.post(PATH, create).streams().summary("Adds a metric image to an alert");
    r.put(ONE, update).summary("Says where the chart of a metric image is");
    r.delete(ONE, destroy).summary("Removes a metric image");
    r.plain(Method::GET, &format!("{}/{{image_id}}/{{file}}", MetricImage::FILES), file);
}

kernel::params! {
    pub struct ImagePath {
        pub at: Flat<AlertPath>,
        /// The image.
        pub image_id: i64,
    }
}

kernel::params! {
    pub struct UpdateImage {
        pub at: Flat<ImagePath>,
        pub chart: Flat<Chart>,
        /// What that place is called, as a client of JavaScript names it.
        pub url_text_too as "urlText": Patch<String>,
    }
}

kernel::params! {
    pub struct FilePath {
        /// The image.
        pub image_id: i64,
        /// Its name with its ending.
        pub file: String,
    }
}

/// A metric image.
#[derive(Serialize, JsonSchema)]
pub struct MetricImageEntity {
    /// Its number.
    id: i64,
    /// When it was added.
    created_at: String,
    /// Its name without the ending.
    filename: String,
    /// Path of the picture.
    file_path: String,
    /// Where the chart is.
    url: Option<String>,
    /// What that place is called.
    url_text: Option<String>,
}

impl From<MetricImage> for MetricImageEntity {
    fn from(image: MetricImage) -> MetricImageEntity {
        MetricImageEntity {
            id: image.id,
            created_at: wire::text(image.created_at),
            file_path: image.path(),
            filename: image.file_name,
            url: image.url,
            url_text: image.url_text,
        }
    }
}

async fn list(
    by: Caller, path: Params<AlertPath>, paging: Paging,
) -> Result<Paged<MetricImageEntity>> {
    by.read(move |tx, by| {
        let alert = path.authorize(tx, &by.viewer, Purpose::ReadAlerts)?.alert;
        Ok(rows::page(tx, alert.id, paging)?.map(MetricImageEntity::from))
    })
    .await
}

async fn create(
    app: App, viewer: Viewer, path: Params<AlertPath>, parts: Parts,
) -> Result<Created<MetricImageEntity>> {
    let (sender, to) = (viewer.clone(), path.0.clone());
    // Nobody uploads who may not.
    app.read(move |tx| to.authorize(tx, &sender, Purpose::ManageAlerts).map(drop))
        .await?;
    let (file, chart) = read(parts).await?;
    let (name, bytes) = file.ok_or_else(|| Error::missing("file"))?;
    let new = images::read(&name, &bytes, &chart)?;
    app.write(move |tx| {
        let alert = path.authorize(tx, &viewer, Purpose::ManageAlerts)?.alert;
        Ok(Created(images::create(tx, &alert, &new)?.into()))
    })
    .await
}

/// The file, by its name, and what is said of its chart.
async fn read(mut parts: Parts) -> Result<(Option<(String, Vec<u8>)>, Chart)> {
    let (mut file, mut chart) = (None, Chart::default());
    while let Some(part) = parts.next().await? {
        match part.name() {
            "file" => {
                let name = part.file_name().unwrap_or_default().to_owned();
                file = Some((name, bytes(part).await?));
            }
            "url" => chart.url = text(part).await?,
            "url_text" | "urlText" => chart.url_text = text(part).await?,
            _ => {}
        }
    }
    Ok((file, chart))
}

async fn text(part: Part) -> Result<Patch<String>> {
    let (text, _) = part.beginning(MAX_FIELD, MAX_FIELD).await?;
    match text.contains('\0') {
        true => Err(Error::Parameters(vec!["url is invalid".into()])),
        false => Ok(Patch::Value(text)),
    }
}

/// A file of at most one byte more than is allowed.
async fn bytes(part: Part) -> Result<Vec<u8>> {
    let (mut bytes, mut taken) = (Vec::new(), 0);
    let mut stream = part.bytes();
    while let Some(more) = stream.next().await {
        let more = more?;
        taken += more.len();
        if taken > MAX_TAKEN {
            return Err(Error::TooLarge);
        }
        let room = (MAX_IMAGE + 1).saturating_sub(bytes.len());
        bytes.extend_from_slice(&more[..more.len().min(room)]);
    }
    Ok(bytes)
}

async fn update(by: Caller, params: Params<UpdateImage>) -> Result<Ok200<MetricImageEntity>> {
    let mut chart = params.chart.0.clone();
    if chart.url_text == Patch::Absent {
        chart.url_text = params.url_text_too.clone();
    }
    by.write(move |tx, by| {
        let here = params.at.at.authorize(tx, &by.viewer, Purpose::ManageAlerts)?;
        let changed = images::update(tx, &here.alert, params.at.image_id, &chart)?;
        Ok(Ok200(changed.into()))
    })
    .await
}

async fn destroy(by: Caller, path: Params<ImagePath>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let here = path.at.authorize(tx, &by.viewer, Purpose::ManageAlerts)?;
        images::destroy(tx, &here.alert, path.image_id)?;
        Ok(NoContent)
    })
    .await
}

/// The picture, for those who see the alerts of the project; of a fixed type,
/// whatever its bytes say to other programs.
async fn file(app: App, viewer: Viewer, path: Params<FilePath>) -> Result<Response> {
    let found = app
        .read(move |tx| {
            let Some((project, name, ending, bytes)) = rows::whole(tx, path.image_id)? else {
                return Ok(None);
            };
            let project = Reference::Id(project);
            let hidden = |error| match error {
                Error::Forbidden(_) | Error::Unauthenticated => Error::NotFound(""),
                other => other,
            };
            spaces::project(tx, &viewer, &project, Purpose::ReadAlerts).map_err(hidden)?;
            let is_named = path.file == format!("{name}.{ending}");
            Ok(is_named.then_some((ending, bytes)))
        })
        .await?;
    let (ending, bytes) = found.found("")?;
    let mut response = http::Response::new(bytes.into());
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, images::media_type(&ending)),
        (header::CACHE_CONTROL, "private, max-age=604800, immutable"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}
