//! Sending packuments and files.

use super::address::{self, Address};
use super::packument::{self, Form, Packument};
use super::{NPM, place, store};
use crate::documents::{Document, at_prefix};
use crate::scope::{Prefix, Scope, scope};
use crate::store::index;
use crate::{download, forwarding};
use ::store::Tx;
use http::{HeaderValue, header};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{RequestContext, Response};
use kernel::ids::Reference;

/// Answers for a path of a package.
pub async fn show(
    app: &App,
    viewer: &Viewer,
    prefix: &Prefix,
    path: &str,
    asked: &RequestContext,
) -> Result<Response> {
    match (address::package(path), prefix) {
        (Some(Address::Package(name)), _) => packument(app, viewer, prefix, &name, asked).await,
        (Some(Address::File(name, file)), Prefix::Project(project)) => {
            send(app, viewer, project, (name, file), asked).await
        }
        _ => Err(Error::NotFound("Package")),
    }
}

async fn packument(
    app: &App,
    viewer: &Viewer,
    prefix: &Prefix,
    name: &str,
    asked: &RequestContext,
) -> Result<Response> {
    let form = Form::accepted(asked.header(header::ACCEPT));
    if let Some(document) = find(app, viewer, prefix, name, form).await? {
        let mut response = document.reply(asked, form.content_type());
        let vary = HeaderValue::from_static("Accept, Origin");
        response.headers_mut().insert(header::VARY, vary);
        return Ok(response);
    }
    let path = name.replace('/', "%2f");
    let elsewhere = forwarding::elsewhere(app, prefix, NPM, name, &path).await?;
    elsewhere.found("Package")
}

async fn find(
    app: &App,
    viewer: &Viewer,
    prefix: &Prefix,
    name: &str,
    form: Form,
) -> Result<Option<Document>> {
    let (base_url, wanted) = (app.base_url().to_owned(), name.to_owned());
    let make = move |tx: &mut Tx<'_>, scope: &Scope| text(tx, scope, &wanted, form, &base_url);
    match place(prefix, name) {
        Some(place) => at_prefix(app, viewer, &place, (NPM, name, form.name()), make).await,
        None => Ok(None),
    }
}

fn text(
    tx: &mut Tx<'_>,
    scope: &Scope,
    name: &str,
    form: Form,
    base_url: &str,
) -> Result<Option<Vec<u8>>> {
    let versions = index::versions(tx, scope, NPM, name)?;
    if versions.is_empty() {
        return Ok(None);
    }
    let tags = packument::tags(store::tags(tx, scope, name)?, &versions);
    let revision = match scope.project_id {
        Some(id) => revision(tx, id, name)?,
        None => "0".to_owned(),
    };
    let packument = Packument {
        name,
        versions: &versions,
        tags: &tags,
        revision: &revision,
        base_url,
    };
    packument.text(form).map(Some)
}

/// What the present state of a name in a project is called.
pub fn revision(tx: &mut Tx<'_>, project_id: i64, name: &str) -> Result<String> {
    Ok(index::stamp(tx, project_id, NPM, name)?.to_string())
}

async fn send(
    app: &App,
    viewer: &Viewer,
    project: &Reference,
    (name, file_name): (String, String),
    asked: &RequestContext,
) -> Result<Response> {
    let (viewer, prefix) = (viewer.clone(), Prefix::Project(project.clone()));
    let found = app
        .read_inline(move |tx| {
            let scope = scope(tx, &viewer, &prefix)?;
            index::newest_file(tx, &scope, NPM, &name, &file_name)?.found("Package")
        })
        .await?;
    download::serve(app, asked, &found.file).await
}
