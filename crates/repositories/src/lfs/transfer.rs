//! The bytes of large files, straight from and to the blob store.

use super::access::{self, refused};
use super::pointer::is_oid;
use super::store;
use super::ticket::Ticket;
use crate::access::Service;
use ::store::Tx;
use http::{HeaderValue, Method, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::call::Upload;
use kernel::http::files;
use kernel::http::{Params, RequestContext, Response, Routes, reply};
use spaces::pages::PROJECT;
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes) {
    let objects = format!("{PROJECT}/service-lfs/objects");
    r.plain(Method::GET, &format!("{objects}/{{oid}}"), download)
        .unchecked()
        .refuses(access::render)
        .summary("Sends a large file");
    r.plain(Method::PUT, &format!("{objects}/{{oid}}/{{size}}"), upload)
        .unchecked()
        .streams()
        .always()
        .refuses(access::render)
        .summary("Takes a large file");
}

kernel::params! {
    /// Which large file.
    pub struct OneObject {
        /// SHA-256 of its bytes.
        pub oid: String,
    }
}

kernel::params! {
    /// A large file that comes.
    pub struct NewObject {
        /// SHA-256 of its bytes.
        pub oid: String,
        /// Bytes.
        pub size: i64,
    }
}

async fn download(
    app: App, request: Arc<RequestContext>, one: Params<OneObject>,
) -> Result<Response> {
    access::check_enabled(&app).await?;
    let ticket = Ticket::of(&app, &request, Service::Fetch)?;
    let oid = one.oid.clone();
    let found = app
        .read(move |tx| {
            ticket.check(tx)?;
            store::find(tx, ticket.project_id, &oid)
        })
        .await?;
    let object = found.ok_or_else(access::not_found)?;
    let mut response = files::send(&app, &request, object.sent()).await?;
    let headers = response.headers_mut();
    let fixed = HeaderValue::from_static;
    headers.insert(header::CONTENT_TYPE, fixed("application/octet-stream"));
    headers.insert(header::CONTENT_DISPOSITION, fixed("attachment"));
    headers.insert(header::CACHE_CONTROL, fixed("private, no-cache"));
    Ok(response)
}

async fn upload(
    app: App, request: Arc<RequestContext>, new: Params<NewObject>, body: Upload,
) -> Result<Response> {
    access::check_enabled(&app).await?;
    let ticket = Ticket::of(&app, &request, Service::Push)?;
    access::check_writable(&app).await?;
    let (holder, project) = (ticket.clone(), ticket.project_id);
    let Params(new) = new;
    let new = Arc::new(new);
    let asked = new.clone();
    app.read(move |tx| {
        holder.check(tx)?;
        access::check_held(tx, project)?;
        check_room(tx, project, &asked)
    })
    .await?;
    let mismatch = || refused(400, "SHA256 or size mismatch");
    let declared: Option<u64> =
        request.header(header::CONTENT_LENGTH).and_then(|text| text.parse().ok());
    let size = u64::try_from(new.size).map_err(|_| mismatch())?;
    if !is_oid(&new.oid) || declared.is_some_and(|length| length != size) {
        return Err(mismatch());
    }
    let oid = &new.oid;
    let stored = app
        .blobs()
        .put_if(body, Some(size), |stored| match stored.sha256 == *oid && stored.size == size {
            true => Ok(()),
            false => Err(mismatch()),
        })
        .await
        .map_err(|error| match error {
            Error::TooLarge => mismatch(),
            other => other,
        })?;
    app.write(move |tx| {
        // It may have taken long.
        ticket.check(tx)?;
        access::check_held(tx, project)?;
        check_room(tx, project, &new)?;
        store::insert(tx, project, &stored)
    })
    .await?;
    Ok(reply::empty(StatusCode::OK))
}

/// Refuses what the project has no room for; what it has takes no more.
fn check_room(tx: &mut Tx<'_>, project: i64, new: &NewObject) -> Result<()> {
    match store::find(tx, project, &new.oid)? {
        Some(_) => Ok(()),
        None => access::check_size(tx, project, new.size),
    }
}
