//! Python packages (docs/interface/packages.md 2.5): uploads as twine sends them, the simple
//! index as pip and uv read it.

mod documents;
pub mod hostile;
pub mod metadata;
pub mod names;
mod publish;

use crate::declare::{Place, writes};
use crate::documents::{Document, at_prefix};
use crate::keys::pypi::normalized;
use crate::model::PackageType;
use crate::scope::{Prefix, Scope, scope};
use crate::store::{files, index};
use crate::{download, forwarding};
use documents::Form;
use http::{HeaderValue, header};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Params, RequestContext, Response, Routes};
use kernel::ids::Reference;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::sync::Arc;
use store::Tx;

const PROJECT: &str = "/projects/{id}/packages/pypi";
/// An index is read in a project and over a group.
const PLACES: [Place; 2] = [
    Place::new(PROJECT, "a project", "project"),
    Place::new("/groups/{id}/-/packages/pypi", "a group", "group"),
];

pub fn routes(r: &mut Routes) {
    writes(r.post(PROJECT, publish::publish))
        .streams()
        .summary("Publishes a file of a Python package");
    for place in PLACES {
        let lists = "Lists the Python packages of {whose}";
        place.reads(r, "/simple", names, lists);
        let lists = "Lists the files of a Python package in {whose}";
        place.reads(r, "/simple/{package_name}", name, lists);
        let downloads = "Downloads a file of a Python package in {whose}";
        place.reads(r, "/files/{sha256}/{distribution}", file, downloads);
    }
}

kernel::params! {
    pub struct Named {
        /// The package, in any spelling.
        pub package_name: String,
    }
}

kernel::params! {
    pub struct Addressed {
        /// Digest of its bytes.
        pub sha256: String,
        /// Its name; with `.metadata` behind it, what a wheel says of itself.
        pub distribution: String,
    }
}

async fn names(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    asked: Arc<RequestContext>,
) -> Result<Response> {
    let (form, server) = (Form::asked(&asked), app.clone());
    let body = app.read(move |tx| {
        let scope = scope(tx, &viewer, &prefix)?;
        let links = links(&server, &prefix, &scope)?;
        documents::of_all(tx, &scope, &links, "all packages", form)
    });
    Ok(written(Document::made(body.await?)?, &asked, form))
}

async fn name(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    params: Params<Named>,
    asked: Arc<RequestContext>,
) -> Result<Response> {
    let (name, form) = (params.package_name.as_str(), Form::asked(&asked));
    let (server, place, wanted) = (app.clone(), prefix.clone(), name.to_owned());
    let make = move |tx: &mut Tx<'_>, scope: &Scope| {
        let links = links(&server, &place, scope)?;
        documents::of_name(tx, scope, &wanted, &links, form)
    };
    let about = (PackageType::Pypi, name, form.kept_as());
    if let Some(document) = at_prefix(&app, &viewer, &prefix, about, make).await? {
        return Ok(written(document, &asked, form));
    }
    elsewhere(&app, &prefix, name).await?.found("Package")
}

async fn file(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    params: Params<Addressed>,
    asked: Arc<RequestContext>,
) -> Result<Response> {
    let Params(Addressed {
        sha256,
        distribution: name,
    }) = params;
    let (file, extract) = app
        .read(move |tx| {
            let scope = scope(tx, &viewer, &prefix)?;
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
            let kind = "application/octet-stream";
            download::extract(&asked, &file, names::METADATA, kind, extract)
        }
        None => download::serve(&app, &asked, &file).await,
    }
}

/// Leads to the index of a name that is not here. Pip and others follow, and
/// take what that index links to.
async fn elsewhere(app: &App, prefix: &Prefix, name: &str) -> Result<Option<Response>> {
    if names::check(name).is_err() {
        return Ok(None);
    }
    // Nothing in it needs escaping.
    let path = format!("{}/", normalized(name));
    forwarding::elsewhere(app, prefix, PackageType::Pypi, name, &path).await
}

/// Where the links of an index lead: to the project that has the files, or to
/// the group as it was asked for.
fn links(app: &App, prefix: &Prefix, scope: &Scope) -> Result<String> {
    match (scope.project_id, prefix) {
        (Some(id), _) => Ok(app.url(&format!("/api/v4/projects/{id}/packages/pypi"))),
        (None, Prefix::Group(id)) => Ok(group_prefix(app, id)),
        _ => Err(Error::NotFound("")),
    }
}

/// Where a group's links lead: the group as it was asked for.
fn group_prefix(app: &App, id: &Reference) -> String {
    let id = match id {
        Reference::Id(id) => id.to_string(),
        Reference::Path(path) => utf8_percent_encode(path, NON_ALPHANUMERIC).to_string(),
    };
    app.url(&format!("/api/v4/groups/{id}/-/packages/pypi"))
}

/// The answer that carries an index. Caches keep its forms apart.
fn written(document: Document, asked: &RequestContext, form: Form) -> Response {
    let mut response = document.reply(asked, form.content_type());
    let vary = HeaderValue::from_static("Origin, Accept");
    response.headers_mut().insert(header::VARY, vary);
    response
}
