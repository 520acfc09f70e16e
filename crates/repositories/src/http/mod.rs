//! Git over HTTP (gitprotocol-http): `/group/project.git` and what follows it.

pub(crate) mod address;
mod refusal;

use crate::access::{self, Found, Service};
use crate::fetch::{self, Answer, MAX_REQUEST, Version, refs};
use crate::git::Git;
use crate::receive;
use address::Asked;
use axum::body::Body;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{HeaderValue, Method, StatusCode, header};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::call::Upload;
use kernel::http::{Params, RequestContext, Response, Routes, reply};
use spaces::pages::PROJECT;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Scopes of tokens that git may be used with.
const SCOPES: &[&str] = &["read_repository", "write_repository", "api"];
/// Pieces of an answer that wait for the client.
const WAITING: usize = 4;

pub fn routes(r: &mut Routes) {
    r.plain(Method::GET, &format!("{PROJECT}/info/refs"), info_refs)
        .git()
        .scopes(SCOPES)
        .refuses(refusal::render)
        .summary("Tells git which refs a repository has");
    r.plain(Method::POST, &format!("{PROJECT}/git-upload-pack"), upload_pack)
        .git()
        .scopes(SCOPES)
        .streams()
        .always()
        .refuses(refusal::render)
        .summary("Sends git objects of a repository");
    r.plain(Method::POST, &format!("{PROJECT}/git-receive-pack"), receive_pack)
        .git()
        .scopes(SCOPES)
        .streams()
        .refuses(refusal::render)
        .summary("Takes a push of git");
}

kernel::params! {
    /// What git is about to do.
    pub struct InfoRefs {
        /// `git-upload-pack` or `git-receive-pack`.
        pub service: Option<String>,
    }
}

async fn info_refs(
    app: App, viewer: Viewer, request: Arc<RequestContext>, asked: Params<InfoRefs>,
) -> Result<Response> {
    let old = || refusal::told(403, "This server needs git with its smart protocol over HTTP.");
    let service = asked.service.as_deref().and_then(Service::from_name).ok_or_else(old)?;
    if request.method == Method::HEAD {
        return Err(refusal::told(403, ""));
    }
    let address = match address::read(request.uri.path(), "/info/refs")? {
        Asked::Repository(address) => address,
        Asked::Without => return address::with_ending(&request.uri),
    };
    if service == Service::Push {
        receive::check_writable(&app).await?;
    }
    let found = find(&app, viewer, address, service).await?;
    // Git shows what it is told here, and nothing of what later requests are told.
    app.kept::<Git>().check().await?;
    let version = version(&request);
    let refs = refs::advertise(&app, &found, service, version).await?;
    let kind = format!("application/x-{}-advertisement", service.name());
    match service == Service::Fetch && version == Version::Two {
        true => answer(&kind, Body::from(refs)),
        false => {
            let mut whole = refs::heading(service);
            whole.extend_from_slice(&refs);
            answer(&kind, Body::from(whole))
        }
    }
}

async fn find(
    app: &App, viewer: Viewer, address: access::Address, service: Service,
) -> Result<Found> {
    app.read_inline(move |tx| access::find(tx, &viewer, &address, service)).await
}

fn version(request: &RequestContext) -> Version {
    Version::of(request.header("git-protocol").unwrap_or_default())
}

async fn upload_pack(
    app: App, viewer: Viewer, request: Arc<RequestContext>, body: Upload,
) -> Result<Response> {
    let address = named(&request, Service::Fetch)?;
    check_kind(&request, Service::Fetch)?;
    let is_anonymous = matches!(viewer, Viewer::Anonymous);
    let found = find(&app, viewer, address, Service::Fetch).await?;
    let sent = address::unpacked(&request, body, MAX_REQUEST, is_anonymous).await?;
    let version = version(&request);
    match fetch::answer(&app, &found, version, sent).await? {
        Answer::Whole(bytes) => result(Service::Fetch, Body::from(bytes)),
        Answer::Stream(objects) => result(Service::Fetch, Body::from_stream(objects)),
    }
}

async fn receive_pack(
    app: App, viewer: Viewer, request: Arc<RequestContext>, body: Upload,
) -> Result<Response> {
    let address = named(&request, Service::Push)?;
    check_kind(&request, Service::Push)?;
    receive::check_writable(&app).await?;
    let to = app.write(move |tx| access::pushing(tx, &viewer, &address)).await?;
    let body = address::inflated(&request, body)?;
    let received = receive::receive(&app, &to, body).await?;
    if received.is_empty() {
        return result(Service::Push, Body::empty());
    }
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::spawn(async move { receive::finish(&app, &to, received, sender).await });
    let told = stream::unfold(receiver, |mut receiver| async move {
        let bytes: Bytes = receiver.recv().await?;
        Some((Ok::<_, Error>(bytes), receiver))
    });
    result(Service::Push, Body::from_stream(told.boxed()))
}

fn named(request: &RequestContext, service: Service) -> Result<access::Address> {
    let ending = format!("/{}", service.name());
    match address::read(request.uri.path(), &ending)? {
        Asked::Repository(address) => Ok(address),
        Asked::Without => Err(Error::NotFound("")),
    }
}

/// Other types are another protocol.
fn check_kind(request: &RequestContext, service: Service) -> Result<()> {
    let wanted = format!("application/x-{}-request", service.name());
    match request.header(header::CONTENT_TYPE) == Some(&wanted) {
        true => Ok(()),
        false => Err(refusal::told(415, &format!("Content-Type must be {wanted}."))),
    }
}

fn result(service: Service, body: Body) -> Result<Response> {
    answer(&format!("application/x-{}-result", service.name()), body)
}

/// What nobody keeps.
fn answer(kind: &str, body: Body) -> Result<Response> {
    let mut response = reply::empty(StatusCode::OK);
    *response.body_mut() = body;
    let kind = HeaderValue::from_str(kind).map_err(Error::internal)?;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind);
    let fixed = HeaderValue::from_static;
    headers.insert(header::CACHE_CONTROL, fixed("no-cache, max-age=0, must-revalidate"));
    headers.insert(header::PRAGMA, fixed("no-cache"));
    headers.insert(header::EXPIRES, fixed("Fri, 01 Jan 1980 00:00:00 GMT"));
    Ok(response)
}
