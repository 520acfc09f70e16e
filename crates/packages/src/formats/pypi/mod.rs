//! Python packages (contract 2.5): uploads as twine sends them, the simple
//! index as pip and uv read it.

mod documents;
pub mod hostile;
pub mod metadata;
pub mod names;
mod publish;
pub mod version;

use crate::access::for_client;
use crate::documents::{About, Document, of_name};
use crate::download;
use crate::model::PackageType;
use crate::rest::{READ, WRITE};
use crate::scope::{Prefix, scope};
use crate::store::{files, index};
use documents::Form;
use http::{HeaderValue, header};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Asked, Params, Response, Routes, reply};
use kernel::ids::Reference;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::sync::Arc;

const PROJECT: &str = "/projects/{id}/packages/pypi";
const GROUP: &str = "/groups/{id}/-/packages/pypi";

/// The format's routes.
pub fn routes(r: &mut Routes) {
    r.post(PROJECT, publish::publish)
        .scopes(WRITE)
        .registry()
        .streams()
        .summary("Publishes a file of a Python package");
    r.get(&format!("{PROJECT}/simple"), project_names)
        .scopes(READ)
        .registry()
        .summary("Lists the Python packages of a project");
    r.get(&format!("{PROJECT}/simple/{{package_name}}"), project_name)
        .scopes(READ)
        .registry()
        .summary("Lists the files of a Python package in a project");
    r.get(
        &format!("{PROJECT}/files/{{sha256}}/{{distribution}}"),
        project_file,
    )
    .scopes(READ)
    .registry()
    .summary("Downloads a file of a Python package in a project");
    r.get(&format!("{GROUP}/simple"), group_names)
        .scopes(READ)
        .registry()
        .summary("Lists the Python packages of a group");
    r.get(&format!("{GROUP}/simple/{{package_name}}"), group_name)
        .scopes(READ)
        .registry()
        .summary("Lists the files of a Python package in a group");
    r.get(
        &format!("{GROUP}/files/{{sha256}}/{{distribution}}"),
        group_file,
    )
    .scopes(READ)
    .registry()
    .summary("Downloads a file of a Python package in a group");
}

kernel::params! {
    /// A project or group.
    pub struct Place {
        /// The project or group.
        pub id: Reference,
    }
}

kernel::params! {
    /// A name in a project or group.
    pub struct Named {
        /// The project or group.
        pub id: Reference,
        /// The package, in any spelling.
        pub package_name: String,
    }
}

kernel::params! {
    /// A file in a project or group.
    pub struct Addressed {
        /// The project or group.
        pub id: Reference,
        /// Digest of its bytes.
        pub sha256: String,
        /// Its name; with `.metadata` behind it, what a wheel says of itself.
        pub distribution: String,
    }
}

/// The names in a project.
async fn project_names(
    app: App,
    viewer: Viewer,
    params: Params<Place>,
    asked: Arc<Asked>,
) -> Result<Response> {
    let Params(Place { id }) = params;
    let sent = send_names(&app, &viewer, Prefix::Project(id), &asked).await;
    for_client(&viewer, sent)
}

/// The names in a group.
async fn group_names(
    app: App,
    viewer: Viewer,
    params: Params<Place>,
    asked: Arc<Asked>,
) -> Result<Response> {
    let Params(Place { id }) = params;
    let sent = send_names(&app, &viewer, Prefix::Group(id), &asked).await;
    for_client(&viewer, sent)
}

/// The index of a name in a project.
async fn project_name(
    app: App,
    viewer: Viewer,
    params: Params<Named>,
    asked: Arc<Asked>,
) -> Result<Response> {
    let Params(Named { id, package_name }) = params;
    let form = Form::asked(&asked);
    let about = About {
        project: &id,
        package_type: PackageType::Pypi,
        name: &package_name,
        form: form.kept_as(),
    };
    let (name, server) = (package_name.clone(), app.clone());
    let document = of_name(&app, &viewer, about, move |tx, scope| {
        let id = scope.project_id.found("Project")?;
        let prefix = server.url(&format!("/api/v4/projects/{id}/packages/pypi"));
        documents::of_name(tx, scope, &name, &prefix, form)
    });
    let sent = document.await.and_then(|document| {
        let document = document.found("Package")?;
        Ok(written(document, &asked, form))
    });
    for_client(&viewer, sent)
}

/// The index of a name in a group.
async fn group_name(
    app: App,
    viewer: Viewer,
    params: Params<Named>,
    asked: Arc<Asked>,
) -> Result<Response> {
    let Params(Named { id, package_name }) = params;
    let (form, of, prefix) = (Form::asked(&asked), viewer.clone(), group_prefix(&app, &id));
    let document = app.read(move |tx| {
        let scope = scope(tx, &of, &Prefix::Group(id))?;
        documents::of_name(tx, &scope, &package_name, &prefix, form)?.found("Package")
    });
    let sent = document
        .await
        .and_then(|body| Ok(written(Document::made(body)?, &asked, form)));
    for_client(&viewer, sent)
}

/// A file of a project.
async fn project_file(
    app: App,
    viewer: Viewer,
    params: Params<Addressed>,
    asked: Arc<Asked>,
) -> Result<Response> {
    let Params(Addressed {
        id,
        sha256,
        distribution,
    }) = params;
    let sent = send_file(
        &app,
        &viewer,
        Prefix::Project(id),
        sha256,
        distribution,
        &asked,
    )
    .await;
    for_client(&viewer, sent)
}

/// A file of a group.
async fn group_file(
    app: App,
    viewer: Viewer,
    params: Params<Addressed>,
    asked: Arc<Asked>,
) -> Result<Response> {
    let Params(Addressed {
        id,
        sha256,
        distribution,
    }) = params;
    let sent = send_file(
        &app,
        &viewer,
        Prefix::Group(id),
        sha256,
        distribution,
        &asked,
    )
    .await;
    for_client(&viewer, sent)
}

/// Where a group's links lead: the group as it was asked for.
fn group_prefix(app: &App, id: &Reference) -> String {
    let id = match id {
        Reference::Id(id) => id.to_string(),
        Reference::Path(path) => utf8_percent_encode(path, NON_ALPHANUMERIC).to_string(),
    };
    app.url(&format!("/api/v4/groups/{id}/-/packages/pypi"))
}

async fn send_names(app: &App, viewer: &Viewer, place: Prefix, asked: &Asked) -> Result<Response> {
    let (form, viewer, server) = (Form::asked(asked), viewer.clone(), app.clone());
    let body = app.read(move |tx| {
        let scope = scope(tx, &viewer, &place)?;
        let prefix = match (&place, scope.project_id) {
            (_, Some(id)) => server.url(&format!("/api/v4/projects/{id}/packages/pypi")),
            (Prefix::Group(id), None) => group_prefix(&server, id),
            _ => return Err(Error::NotFound("")),
        };
        documents::of_all(tx, &scope, &prefix, "all packages", form)
    });
    Ok(written(Document::made(body.await?)?, asked, form))
}

/// The answer that carries an index. Caches keep its forms apart.
fn written(document: Document, asked: &Asked, form: Form) -> Response {
    let mut response = document.reply(asked, form.content_type());
    let vary = HeaderValue::from_static("Origin, Accept");
    response.headers_mut().insert(header::VARY, vary);
    response
}

async fn send_file(
    app: &App,
    viewer: &Viewer,
    place: Prefix,
    sha256: String,
    name: String,
    asked: &Asked,
) -> Result<Response> {
    let viewer = viewer.clone();
    let (file, extract) = app
        .read(move |tx| {
            let scope = scope(tx, &viewer, &place)?;
            let sha256 = sha256.to_ascii_lowercase();
            let mut find =
                |name: &str| index::file_of_digest(tx, &scope, PackageType::Pypi, &sha256, name);
            if let Some(wheel) = name.strip_suffix(names::METADATA) {
                let wheel = find(wheel)?.found("Package File")?.file;
                let extract = files::extract(tx, wheel.id)?.found("Package File")?;
                return Ok((wheel, Some(extract)));
            }
            Ok((find(&name)?.found("Package File")?.file, None))
        })
        .await?;
    match extract {
        Some(extract) => {
            let tag = format!("\"{}{}\"", file.sha256, names::METADATA);
            let mut response = reply::tagged(asked, "application/octet-stream", extract, &tag)?;
            let attached = HeaderValue::from_static("attachment");
            response
                .headers_mut()
                .insert(header::CONTENT_DISPOSITION, attached);
            Ok(response)
        }
        None => download::serve(app, asked, &file).await,
    }
}
