//! The addresses of uploads, where editors send files to, and the page that
//! sends them without a script.

use super::show::{Below, show};
use super::{Address, GROUP, PROJECT, Section, SpaceHead, Visit, sections};
use crate::access::Purpose;
use crate::model::SourceKind;
use crate::uploads::{self, Which, model};
use askama::Template;
use http::{Method, StatusCode, header};
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Html, Page, ui};
use kernel::http::{Paging, Params, Parts, RequestContext, Response, Routes, reply};
use kernel::ids::Reference;
use serde_json::json;
use std::sync::Arc;

const FILE: &str = "uploads/{secret}/{filename}";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &format!("/-/project/{{id}}/{FILE}"), of_project);
    r.page(Method::GET, &format!("/-/group/{{id}}/{FILE}"), of_group);
    r.page(Method::GET, &format!("{PROJECT}/{FILE}"), of_path);
    r.page(Method::GET, &format!("{GROUP}/{FILE}"), of_path);
    for path in sections("uploads") {
        r.page(Method::GET, &path, form);
        r.page(Method::POST, &path, create).streams();
    }
}

kernel::params! {
    pub struct ById {
        pub id: i64,
        pub name: kernel::http::Flat<ByName>,
    }
}

kernel::params! {
    pub struct ByName {
        pub secret: String,
        pub filename: String,
    }
}

async fn of_project(
    app: App, viewer: Viewer, request: Arc<RequestContext>, path: Params<ById>,
) -> Result<Response> {
    let at = (SourceKind::Project, Reference::Id(path.id));
    answer(app, viewer, request, at, &path.name).await
}

async fn of_group(
    app: App, viewer: Viewer, request: Arc<RequestContext>, path: Params<ById>,
) -> Result<Response> {
    let at = (SourceKind::Group, Reference::Id(path.id));
    answer(app, viewer, request, at, &path.name).await
}

/// Behind the path of a project or group, as older texts have it. Where there
/// is no secret, it is the page of what is called so.
async fn of_path(
    app: App, viewer: Viewer, address: Address, request: Arc<RequestContext>, path: Params<ByName>,
    paging: Paging,
) -> Result<Response> {
    let place = match (&address.reference, model::is_secret(&path.secret)) {
        (Reference::Path(whole), true) => place(whole),
        _ => None,
    };
    match place {
        Some(place) => {
            let at = (address.kind, Reference::Path(place.to_owned()));
            answer(app, viewer, request, at, &path).await
        }
        None => show(app, viewer, address, Params(Below::default()), paging, request).await,
    }
}

/// What stands before `/uploads/`, the secret and the name.
fn place(path: &str) -> Option<&str> {
    let mut parts = path.rsplitn(4, '/');
    let (_, _, word, place) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    (word == "uploads").then_some(place)
}

async fn answer(
    app: App, viewer: Viewer, request: Arc<RequestContext>,
    (kind, reference): (SourceKind, Reference), name: &ByName,
) -> Result<Response> {
    let which = Which::Named(name.secret.clone(), name.filename.clone());
    let upload = app
        .read(move |tx| uploads::readable(tx, &viewer, kind, &reference, &which))
        .await?;
    uploads::serve(&app, &request, &upload).await
}

/// `…/-/uploads`: a plain form, for who writes a text without a script.
#[derive(Template)]
#[template(path = "upload.html")]
struct UploadPage {
    page: Page,
    head: SpaceHead,
    /// What shows the file that was sent in a text.
    markdown: Option<String>,
    /// Why what was sent was not taken.
    refusal: String,
}

impl UploadPage {
    async fn shown(
        app: &App, visit: &Visit, markdown: Option<String>, refusal: String,
    ) -> Result<Html> {
        let bare = page(app, &visit.viewer, "Upload a file");
        let visit = visit.clone();
        let view = app.read(move |tx| {
            let space = visit.authorize(tx, Purpose::UploadFile)?;
            let head = space.head(tx, &visit.viewer)?;
            let page = head.page(bare.clone(), Section::Overview).crumb(&head.name, &head.url);
            let (markdown, refusal) = (markdown.clone(), refusal.clone());
            Ok(UploadPage { page, head, markdown, refusal })
        });
        Html::new(&view.await?)
    }
}

async fn form(app: App, visit: Visit) -> Result<Response> {
    Ok(UploadPage::shown(&app, &visit, None, String::new()).await?.response())
}

/// Takes a file from an editor or from the form; what shows it in a text.
async fn create(
    app: App, visit: Visit, request: Arc<RequestContext>, parts: Parts,
) -> Result<Response> {
    let by = visit.clone();
    // Nobody uploads who may not.
    app.read(move |tx| by.authorize(tx, Purpose::UploadFile).map(drop)).await?;
    let is_form = request.header(header::ACCEPT).is_some_and(|types| types.contains("text/html"));
    let sent = match uploads::receive(&app, &request, parts).await {
        Err(Error::Parameters(texts)) if is_form => {
            let page = UploadPage::shown(&app, &visit, None, texts.join("; ")).await?;
            return Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY).response());
        }
        sent => sent?,
    };
    let by = visit.clone();
    let upload = app
        .write(move |tx| {
            let space = by.authorize(tx, Purpose::UploadFile)?;
            uploads::add(tx, &space.place(&by.viewer), &sent.name, &sent.stored)
        })
        .await?;
    if is_form {
        let page = UploadPage::shown(&app, &visit, Some(upload.markdown()), String::new());
        return Ok(page.await?.response());
    }
    let link = json!({
        "alt": upload.alt(),
        "url": upload.url(),
        "full_path": upload.full_path(),
        "markdown": upload.markdown(),
    });
    reply::json(StatusCode::OK, &json!({"link": link}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_stands_before_the_upload() {
        assert_eq!(place("acme/anvil/uploads/s/n"), Some("acme/anvil"));
        assert_eq!(place("a/uploads/uploads/s/n"), Some("a/uploads"));
        for path in ["uploads/s/n", "a/b/c", "a/uploads/n", ""] {
            assert_eq!(place(path), None, "{path}");
        }
    }
}
