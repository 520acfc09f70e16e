//! Reading by version 3 of the protocol, in projects and groups.

use super::documents::{self, Links};
use super::entries::{self, Search};
use super::{At, FilePath, Leaf, NUGET, Named, Place, Query, file_name};
use crate::access::for_client;
use crate::documents::{About, Document, of_name};
use crate::download;
use crate::keys::nuget::Level;
use crate::scope::{Prefix, Scope, missing, scope};
use crate::store::{files, index, list};
use http::{HeaderValue, header};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Asked, Params, Response, reply};
use kernel::ids::Reference;
use serde_json::Value;
use std::sync::Arc;
use store::Tx;

const JSON: &str = "application/json";
/// Results of a search unless told otherwise.
const TAKE: i64 = 20;
/// Most results of a search.
const MAX_TAKE: i64 = 1000;

/// Where a project's things are. It says nothing of whether there is such a
/// project, so anyone may ask.
pub async fn project_service(
    app: App,
    params: Params<Place>,
    asked: Arc<Asked>,
) -> Result<Response> {
    let links = Links::of_project(&app, &params.id);
    Ok(written(&documents::service(&links, true))?.reply(&asked, JSON))
}

/// Where a group's things are.
pub async fn group_service(app: App, params: Params<Place>, asked: Arc<Asked>) -> Result<Response> {
    let links = Links::of_group(&app, &params.id);
    Ok(written(&documents::service(&links, false))?.reply(&asked, JSON))
}

/// What is found in a project.
pub async fn project_search(
    app: App,
    viewer: Viewer,
    params: Params<Query>,
    asked: Arc<Asked>,
) -> Result<Response> {
    let place = Prefix::Project(params.id.clone());
    let sent = search(&app, &viewer, place, params, &asked).await;
    for_client(&viewer, sent)
}

/// What is found in a group.
pub async fn group_search(
    app: App,
    viewer: Viewer,
    params: Params<Query>,
    asked: Arc<Asked>,
) -> Result<Response> {
    let place = Prefix::Group(params.id.clone());
    let sent = search(&app, &viewer, place, params, &asked).await;
    for_client(&viewer, sent)
}

async fn search(
    app: &App,
    viewer: &Viewer,
    place: Prefix,
    params: Params<Query>,
    asked: &Asked,
) -> Result<Response> {
    let Params(query) = params;
    let wanted = Search {
        words: list::words(query.q.as_deref().unwrap_or_default()),
        prerelease: query.prerelease.unwrap_or(true),
        level: Level::of(query.sem_ver_level.as_deref()),
        skip: at_least_zero("skip", query.skip.unwrap_or(0))?,
        take: at_least_zero("take", query.take.unwrap_or(TAKE))?.min(MAX_TAKE),
    };
    let (viewer, server) = (viewer.clone(), app.clone());
    let found = app.read(move |tx| {
        let scope = scope(tx, &viewer, &place)?;
        let links = links(&server, &place, &scope)?;
        let (groups, total) = entries::search(tx, &scope, &wanted)?;
        written(&documents::results(&links, &groups, total))
    });
    Ok(found.await?.reply(asked, JSON))
}

fn at_least_zero(name: &str, number: i64) -> Result<i64> {
    match number >= 0 {
        true => Ok(number),
        false => Err(Error::Parameters(vec![format!(
            "{name} does not have a valid value"
        )])),
    }
}

/// All versions of a name in a project.
pub async fn project_registration(
    app: App,
    viewer: Viewer,
    params: Params<Named>,
    asked: Arc<Asked>,
) -> Result<Response> {
    of_project(
        &app,
        &viewer,
        params,
        &asked,
        "registration",
        documents::registration,
    )
    .await
}

/// All versions of a name in a group.
pub async fn group_registration(
    app: App,
    viewer: Viewer,
    params: Params<Named>,
    asked: Arc<Asked>,
) -> Result<Response> {
    of_group(&app, &viewer, params, &asked, documents::registration).await
}

/// The numbers of all versions of a name in a project.
pub async fn project_versions(
    app: App,
    viewer: Viewer,
    params: Params<Named>,
    asked: Arc<Asked>,
) -> Result<Response> {
    of_project(&app, &viewer, params, &asked, "versions", |_, found| {
        documents::versions(found)
    })
    .await
}

/// The numbers of all versions of a name in a group.
pub async fn group_versions(
    app: App,
    viewer: Viewer,
    params: Params<Named>,
    asked: Arc<Asked>,
) -> Result<Response> {
    of_group(&app, &viewer, params, &asked, |_, found| {
        documents::versions(found)
    })
    .await
}

/// How a document is made of versions; `None` where there are none.
type Make = fn(&Links, &[entries::Entry]) -> Option<Value>;

/// A document about a name in a project, which is kept.
async fn of_project(
    app: &App,
    viewer: &Viewer,
    params: Params<Named>,
    asked: &Asked,
    form: &'static str,
    make: Make,
) -> Result<Response> {
    let Params(Named { id, nuget_name }) = params;
    let about = About {
        project: &id,
        package_type: NUGET,
        name: &nuget_name,
        form,
    };
    let (name, server, place) = (nuget_name.clone(), app.clone(), Prefix::Project(id.clone()));
    let document = of_name(app, viewer, about, move |tx, scope| {
        let links = links(&server, &place, scope)?;
        let found = entries::of_name(tx, scope, &name)?;
        make(&links, &found).map(|value| bytes(&value)).transpose()
    });
    let sent = document
        .await
        .and_then(|document| Ok(document.found("Package")?.reply(asked, JSON)));
    for_client(viewer, sent)
}

/// The same over the projects of a group.
async fn of_group(
    app: &App,
    viewer: &Viewer,
    params: Params<Named>,
    asked: &Asked,
    make: Make,
) -> Result<Response> {
    let Params(Named { id, nuget_name }) = params;
    let (of, server, place) = (viewer.clone(), app.clone(), Prefix::Group(id));
    let document = app.read(move |tx| {
        let scope = scope(tx, &of, &place)?;
        let links = links(&server, &place, &scope)?;
        let found = entries::of_name(tx, &scope, &nuget_name)?;
        match make(&links, &found) {
            Some(value) => written(&value),
            None => Err(missing(tx, &of, &place)?),
        }
    });
    let sent = document.await.map(|document| document.reply(asked, JSON));
    for_client(viewer, sent)
}

/// One version in a project.
pub async fn project_leaf(
    app: App,
    viewer: Viewer,
    params: Params<Leaf>,
    asked: Arc<Asked>,
) -> Result<Response> {
    let place = Prefix::Project(params.id.clone());
    let sent = leaf(&app, &viewer, place, params, &asked).await;
    for_client(&viewer, sent)
}

/// One version in a group.
pub async fn group_leaf(
    app: App,
    viewer: Viewer,
    params: Params<Leaf>,
    asked: Arc<Asked>,
) -> Result<Response> {
    let place = Prefix::Group(params.id.clone());
    let sent = leaf(&app, &viewer, place, params, &asked).await;
    for_client(&viewer, sent)
}

async fn leaf(
    app: &App,
    viewer: &Viewer,
    place: Prefix,
    params: Params<Leaf>,
    asked: &Asked,
) -> Result<Response> {
    let Params(of) = params;
    let (viewer, server) = (viewer.clone(), app.clone());
    let document = app.read(move |tx| {
        let scope = scope(tx, &viewer, &place)?;
        let links = links(&server, &place, &scope)?;
        let found = match of.nuget_leaf.strip_suffix(".json") {
            Some(version) => entries::one(tx, &scope, &of.nuget_name, version)?,
            None => None,
        };
        match found {
            Some(entry) => written(&documents::leaf(&links, &entry)),
            None => Err(missing(tx, &viewer, &place)?),
        }
    });
    Ok(document.await?.reply(asked, JSON))
}

/// A file of a project.
pub async fn project_file(
    app: App,
    viewer: Viewer,
    params: Params<FilePath>,
    asked: Arc<Asked>,
) -> Result<Response> {
    let place = Prefix::Project(params.id.clone());
    let sent = send(&app, &viewer, place, params, &asked).await;
    for_client(&viewer, sent)
}

/// A file of a group.
pub async fn group_file(
    app: App,
    viewer: Viewer,
    params: Params<FilePath>,
    asked: Arc<Asked>,
) -> Result<Response> {
    let place = Prefix::Group(params.id.clone());
    let sent = send(&app, &viewer, place, params, &asked).await;
    for_client(&viewer, sent)
}

/// The archive of a version, below the feed of version 2.
pub async fn file_in_feed(
    app: App,
    viewer: Viewer,
    params: Params<At>,
    asked: Arc<Asked>,
) -> Result<Response> {
    let Params(At {
        id,
        nuget_name,
        nuget_version,
    }) = params;
    let path = FilePath {
        nuget_file: file_name(&nuget_name, &nuget_version, "nupkg"),
        id: id.clone(),
        nuget_name,
        nuget_version,
    };
    let sent = send(&app, &viewer, Prefix::Project(id), Params(path), &asked).await;
    for_client(&viewer, sent)
}

async fn send(
    app: &App,
    viewer: &Viewer,
    place: Prefix,
    params: Params<FilePath>,
    asked: &Asked,
) -> Result<Response> {
    let Params(path) = params;
    let viewer = viewer.clone();
    let (file, extract) = app
        .read(move |tx| {
            let scope = scope(tx, &viewer, &place)?;
            match find(tx, &scope, &path)? {
                Some(found) => Ok(found),
                None => Err(missing(tx, &viewer, &place)?),
            }
        })
        .await?;
    let Some(nuspec) = extract else {
        return download::serve(app, asked, &file.file).await;
    };
    let tag = format!("\"{}.nuspec\"", file.file.sha256);
    let mut response = reply::tagged(asked, "application/xml", nuspec, &tag)?;
    let attached = HeaderValue::from_static("attachment");
    response
        .headers_mut()
        .insert(header::CONTENT_DISPOSITION, attached);
    Ok(response)
}

/// A file, and what is sent in its place.
type Sent = (index::IndexedFile, Option<Vec<u8>>);

/// The file of this address: an archive, or the `.nuspec` out of it.
fn find(tx: &mut Tx<'_>, scope: &Scope, path: &FilePath) -> Result<Option<Sent>> {
    let (name, version) = (path.nuget_name.as_str(), path.nuget_version.as_str());
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
    tx: &mut Tx<'_>,
    scope: &Scope,
    (name, version): (&str, &str),
    file_name: &str,
) -> Result<Option<index::IndexedFile>> {
    let of = (name, Some(version));
    let found = index::newest_files(tx, scope, NUGET, of, file_name, 1)?;
    Ok(found.into_iter().next())
}

/// Where documents at this prefix lead: of a project always by its id.
fn links(app: &App, place: &Prefix, scope: &Scope) -> Result<Links> {
    match (scope.project_id, place) {
        (Some(id), _) => Ok(Links::of_project(app, &Reference::Id(id))),
        (None, Prefix::Group(id)) => Ok(Links::of_group(app, id)),
        (None, _) => Err(Error::NotFound("")),
    }
}

fn bytes(value: &Value) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(Error::internal)
}

fn written(value: &Value) -> Result<Document> {
    Document::made(bytes(value)?)
}
