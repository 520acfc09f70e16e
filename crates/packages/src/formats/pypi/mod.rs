//! Python packages (docs/interface/packages.md 2.5): uploads as twine sends them, the simple
//! index as pip and uv read it.

mod documents;
pub mod hostile;
pub mod metadata;
pub mod names;
mod publish;

use crate::client::Client;
use crate::declare::{Place, writes};
use crate::documents::{Document, at_prefix};
use crate::keys::pypi::normalized;
use crate::model::PackageType;
use crate::scope::{Prefix, Scope};
use crate::store::files;
use crate::{download, forwarding};
use documents::Form;
use http::{HeaderValue, header};
use kernel::error::{Error, Found, Result};
use kernel::http::{Params, RequestContext, Response, Routes};
use kernel::ids::Reference;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

const PYPI: PackageType = PackageType::Pypi;
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

async fn names(client: Client) -> Result<Response> {
    let form = Form::accepted(&client.request);
    let body = client.read(move |tx, scope, client| {
        let links = links(client, scope)?;
        documents::of_all(tx, scope, &links, "all packages", form)
    });
    Ok(written(Document::made(body.await?)?, &client.request, form))
}

async fn name(client: Client, params: Params<Named>) -> Result<Response> {
    let (name, form) = (params.package_name.as_str(), Form::accepted(&client.request));
    let (about, wanted) = ((PYPI, name, form.kept_as()), name.to_owned());
    let document = at_prefix(&client, about, move |tx, scope, client| {
        let links = links(client, scope)?;
        documents::of_name(tx, scope, &wanted, &links, form)
    });
    match document.await? {
        Some(document) => Ok(written(document, &client.request, form)),
        None => elsewhere(&client, name).await?.found("Package"),
    }
}

async fn file(client: Client, params: Params<Addressed>) -> Result<Response> {
    let Params(of) = params;
    let found = client.read(move |tx, scope, _| {
        let sha256 = of.sha256.to_ascii_lowercase();
        let mut find = |name: &str| scope.of_format(PYPI).file_of_digest(tx, &sha256, name);
        let Some(wheel) = of.distribution.strip_suffix(names::METADATA) else {
            let file = find(&of.distribution)?.found("Package File")?.file;
            return Ok((file, None));
        };
        let wheel = find(wheel)?.found("Package File")?.file;
        let extract = files::extract(tx, wheel.id)?.found("Package File")?;
        Ok((wheel, Some(extract)))
    });
    let (file, extract) = found.await?;
    match extract {
        Some(extract) => {
            let kind = "application/octet-stream";
            download::extract(&client.request, &file, names::METADATA, kind, extract)
        }
        None => client.send(&file).await,
    }
}

/// Leads to the index of a name that is not here. Pip and others follow, and
/// take what that index links to.
async fn elsewhere(client: &Client, name: &str) -> Result<Option<Response>> {
    if names::check(name).is_err() {
        return Ok(None);
    }
    // Nothing in it needs escaping.
    let path = format!("{}/", normalized(name));
    forwarding::elsewhere(client, PYPI, name, &path).await
}

/// Where the links of an index lead: to the project that has the files, or to
/// the group as it was asked for.
fn links(client: &Client, scope: &Scope) -> Result<String> {
    let place = match (scope.project_id, &client.prefix) {
        (Some(id), _) => format!("projects/{id}"),
        (None, Prefix::Group(Reference::Id(id))) => format!("groups/{id}/-"),
        (None, Prefix::Group(Reference::Path(path))) => {
            format!("groups/{}/-", utf8_percent_encode(path, NON_ALPHANUMERIC))
        }
        _ => return Err(Error::NotFound("")),
    };
    Ok(client.app.url(&format!("/api/v4/{place}/packages/pypi")))
}

/// The answer that carries an index. Caches keep its forms apart.
fn written(document: Document, request: &RequestContext, form: Form) -> Response {
    let mut response = document.reply(request, form.content_type());
    let vary = HeaderValue::from_static("Origin, Accept");
    response.headers_mut().insert(header::VARY, vary);
    response
}
