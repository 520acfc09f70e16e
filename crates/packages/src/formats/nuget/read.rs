//! Reading by version 3 of the protocol, in projects and groups.

use super::documents::{self, Links};
use super::entries::{self, Search};
use super::{At, FilePath, Leaf, NUGET, Named, Query, file_name};
use crate::client::Client;
use crate::documents::{Document, at_prefix};
use crate::download;
use crate::keys::nuget::Level;
use crate::scope::{Above, Prefix, Scope};
use crate::store::{files, index, list};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Params, RequestContext, Response};
use kernel::ids::Reference;
use serde_json::Value;
use std::sync::Arc;
use store::Tx;

const JSON: &str = "application/json";
/// Results of a search unless told otherwise.
const TAKE: i64 = 20;
const MAX_TAKE: i64 = 1000;

/// Where a project's things are. It says nothing of whether there is such a
/// project, so anyone may ask.
pub async fn project_service(
    app: App, params: Params<Above>, request: Arc<RequestContext>,
) -> Result<Response> {
    let links = Links::of_project(&app, &params.id);
    Ok(written(&documents::service(&links, true))?.reply(&request, JSON))
}

pub async fn group_service(
    app: App, params: Params<Above>, request: Arc<RequestContext>,
) -> Result<Response> {
    let links = Links::of_group(&app, &params.id);
    Ok(written(&documents::service(&links, false))?.reply(&request, JSON))
}

pub async fn search(client: Client, params: Params<Query>) -> Result<Response> {
    let Params(query) = params;
    let wanted = Search {
        words: list::words(query.q.as_deref().unwrap_or_default()),
        prerelease: query.prerelease.unwrap_or(true),
        level: Level::of(query.sem_ver_level.as_deref()),
        skip: at_least_zero("skip", query.skip.unwrap_or(0))?,
        take: at_least_zero("take", query.take.unwrap_or(TAKE))?.min(MAX_TAKE),
    };
    let found = client.read(move |tx, scope, client| {
        let links = links(client, scope)?;
        let (groups, total) = entries::search(tx, scope, &wanted)?;
        written(&documents::results(&links, &groups, total))
    });
    Ok(found.await?.reply(&client.request, JSON))
}

fn at_least_zero(name: &str, number: i64) -> Result<i64> {
    match number >= 0 {
        true => Ok(number),
        false => Err(Error::Parameters(vec![format!("{name} does not have a valid value")])),
    }
}

pub async fn registration(client: Client, params: Params<Named>) -> Result<Response> {
    let form = ("registration", documents::registration as Make);
    about_name(&client, &params.nuget_name, form).await
}

/// The numbers of all versions of a name.
pub async fn versions(client: Client, params: Params<Named>) -> Result<Response> {
    let form: (_, Make) = ("versions", |_, found| documents::versions(found));
    about_name(&client, &params.nuget_name, form).await
}

/// How a document is made of versions; `None` where there are none.
type Make = fn(&Links, &[entries::Entry]) -> Option<Value>;

/// A document about a name; a project's is kept.
async fn about_name(
    client: &Client, name: &str, (form, make): (&'static str, Make),
) -> Result<Response> {
    let (about, wanted) = ((NUGET, name, form), name.to_owned());
    let made = at_prefix(client, about, move |tx, scope, client| {
        let links = links(client, scope)?;
        let found = entries::of_name(tx, scope, &wanted)?;
        make(&links, &found).map(|value| bytes(&value)).transpose()
    });
    if let Some(document) = made.await? {
        return Ok(document.reply(&client.request, JSON));
    }
    let of = client.clone();
    client.app.read(move |tx| Err(of.missing(tx)?)).await
}

pub async fn leaf(client: Client, params: Params<Leaf>) -> Result<Response> {
    let Params(of) = params;
    let document = client.read(move |tx, scope, client| {
        let links = links(client, scope)?;
        let found = match of.nuget_leaf.strip_suffix(".json") {
            Some(version) => entries::one(tx, scope, &of.nuget_name, version)?,
            None => None,
        };
        match found {
            Some(entry) => written(&documents::leaf(&links, &entry)),
            None => Err(client.missing(tx)?),
        }
    });
    Ok(document.await?.reply(&client.request, JSON))
}

/// The archive of a version, below the feed of version 2.
pub async fn file_in_feed(params: Params<At>, client: Client) -> Result<Response> {
    let Params(At { of, .. }) = params;
    let nuget_file = file_name(&of.nuget_name, &of.nuget_version, "nupkg");
    file(client, Params(FilePath { of, nuget_file })).await
}

pub async fn file(client: Client, params: Params<FilePath>) -> Result<Response> {
    let Params(path) = params;
    let found = client.read(move |tx, scope, client| match find(tx, scope, &path)? {
        Some(found) => Ok(found),
        None => Err(client.missing(tx)?),
    });
    let (file, extract) = found.await?;
    match extract {
        Some(nuspec) => {
            let (file, kind) = (&file.file, "application/xml");
            download::extract(&client.request, file, ".nuspec", kind, nuspec)
        }
        None => client.send(&file.file).await,
    }
}

/// A file, and what is sent in its place.
type Sent = (index::IndexedFile, Option<Vec<u8>>);

/// The file of this address: an archive, or the `.nuspec` out of it.
fn find(tx: &mut Tx<'_>, scope: &Scope, path: &FilePath) -> Result<Option<Sent>> {
    let (name, version) = (&*path.of.nuget_name, &*path.of.nuget_version);
    let file = path.nuget_file.to_lowercase();
    if file == format!("{}.nuspec", name.to_lowercase()) {
        let archive = file_name(name, version, "nupkg");
        let Some(found) = newest(tx, scope, (name, version), &archive)? else {
            return Ok(None);
        };
        let extract = files::extract(tx, found.file.id)?;
        return Ok(extract.map(|extract| (found, Some(extract))));
    }
    for kind in ["nupkg", "snupkg"] {
        let stored = file_name(name, version, kind);
        let as_published = format!("{name}.{version}.{kind}").to_lowercase();
        if file == stored || file == as_published {
            let found = newest(tx, scope, (name, version), &stored)?;
            return Ok(found.map(|found| (found, None)));
        }
    }
    Ok(None)
}

fn newest(
    tx: &mut Tx<'_>, scope: &Scope, (name, version): (&str, &str), file_name: &str,
) -> Result<Option<index::IndexedFile>> {
    let of = (name, Some(version));
    let found = scope.of_format(NUGET).newest_files(tx, of, file_name, 1)?;
    Ok(found.into_iter().next())
}

/// Where documents at this prefix lead: of a project always by its id.
fn links(client: &Client, scope: &Scope) -> Result<Links> {
    match (scope.project_id, &client.prefix) {
        (Some(id), _) => Ok(Links::of_project(&client.app, &Reference::Id(id))),
        (None, Prefix::Group(id)) => Ok(Links::of_group(&client.app, id)),
        (None, _) => Err(Error::NotFound("")),
    }
}

fn bytes(value: &Value) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(Error::internal)
}

fn written(value: &Value) -> Result<Document> {
    Document::made(bytes(value)?)
}
