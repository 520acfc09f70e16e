//! Tags: names that move between the versions of a package.

use super::{NPM, address, at_name, done, envelope, names, packument, store};
use crate::access::{RegistryAccess, authorize};
use crate::client::Client;
use crate::model::Package;
use crate::rules::protection;
use crate::scope::{Prefix, Scope, scope};
use crate::store::packages;
use crate::upload;
use ::store::Tx;
use http::{StatusCode, header};
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::http::{RequestContext, Response, Upload, reply};
use kernel::ids::Reference;
use serde_json::json;
use spaces::access::Purpose;

/// Longest body that names a version, in bytes.
const MAX_BODY: usize = 1024;

pub async fn list(client: &Client, path: &str) -> Result<Response> {
    let Some((name, None)) = address::tags(path) else {
        return Err(Error::NotFound("Package"));
    };
    let client = at_name(client, &name).found("Package")?;
    let tags = client.read(move |tx, scope, _| {
        let versions = scope.of_format(NPM).versions(tx, &name)?;
        let set = store::tags(tx, scope, &name)?;
        match versions.is_empty() {
            true => Err(Error::NotFound("Package")),
            false => Ok(packument::tags(set, &versions)),
        }
    });
    reply::json(StatusCode::OK, &tags.await?)
}

/// Puts a tag on the version in the body.
pub async fn add(client: &Client, path: &str, body: Upload) -> Result<Response> {
    let (name, tag) = one(path)?;
    let client = at_name(client, &name).found("Package")?;
    entrance(&client, Purpose::PublishPackage).await?;
    envelope::check_tag(&tag)?;
    let version = version_in(body).await?;
    let of = client.clone();
    let added = client.app.write(move |tx| {
        let find = |tx: &mut Tx<'_>, scope: &Scope| {
            let found = scope.of_format(NPM).version(tx, &name, Some(&version))?;
            Ok(found.map(|found| (found.project_id, version.clone())))
        };
        let (entered, package) = authorize_with(tx, &of, Purpose::PublishPackage, &name, find)?;
        protection::check_push(tx, &entered, NPM, &package.name)?;
        put(tx, &package, &tag)?;
        record(tx, &of.viewer, "package_tag.update", &package, &tag)
    });
    added.await?;
    changed(&client.request)
}

pub async fn remove(client: &Client, path: &str) -> Result<Response> {
    let (name, tag) = one(path)?;
    let of = at_name(client, &name).found("Package")?;
    let removed = client.app.write(move |tx| {
        let find = |tx: &mut Tx<'_>, scope: &Scope| store::tagged(tx, scope, &name, &tag);
        let (entered, package) = authorize_with(tx, &of, Purpose::DestroyPackage, &name, find)?;
        protection::check_delete(tx, &entered, NPM, &package.name)?;
        store::remove_tag(tx, &package, &tag)?;
        record(tx, &of.viewer, "package_tag.destroy", &package, &tag)
    });
    removed.await?;
    changed(&client.request)
}

/// The answer to a change: nothing, but for yarn 1, which takes that for a
/// failure.
fn changed(request: &RequestContext) -> Result<Response> {
    let program = request.header(header::USER_AGENT).unwrap_or_default();
    match program.starts_with("yarn/1.") {
        true => done(),
        false => Ok(reply::empty(StatusCode::NO_CONTENT)),
    }
}

/// Puts a tag on a version of this transaction.
pub fn put(tx: &mut Tx<'_>, package: &Package, tag: &str) -> Result<()> {
    store::set_tag(tx, package, tag)?;
    if store::count_tags(tx, package.project_id, &package.name)? > store::MAX_TAGS {
        return Err(Error::BadRequest("the package has too many dist-tags".into()));
    }
    Ok(())
}

fn one(path: &str) -> Result<(String, String)> {
    match address::tags(path) {
        Some((name, Some(tag))) => Ok((name, tag)),
        _ => Err(Error::NotFound("Package")),
    }
}

/// Refuses who has no business here before a body is read.
async fn entrance(client: &Client, purpose: Purpose) -> Result<()> {
    let of = client.clone();
    let entered = client.app.read(move |tx| entered(tx, &of, purpose));
    entered.await.map(drop)
}

/// Where a client changes something for this purpose.
fn entered(tx: &mut Tx<'_>, client: &Client, purpose: Purpose) -> Result<Scope> {
    match &client.prefix {
        Prefix::Project(project) => {
            let entered = authorize(tx, &client.viewer, project, purpose)?;
            Ok(Scope::of_project(entered.project.id))
        }
        other => scope(tx, &client.viewer, other),
    }
}

/// The package that `find` names where the client is, and its project entered
/// for the purpose.
fn authorize_with(
    tx: &mut Tx<'_>, client: &Client, purpose: Purpose, name: &str,
    find: impl FnOnce(&mut Tx<'_>, &Scope) -> Result<Option<(i64, String)>>,
) -> Result<(RegistryAccess, Package)> {
    if matches!(client.viewer, Viewer::Anonymous) {
        return Err(Error::Unauthenticated);
    }
    let within = entered(tx, client, purpose)?;
    let (project, version) = find(tx, &within)?.found("Package")?;
    let entered = authorize(tx, &client.viewer, &Reference::Id(project), purpose)?;
    let package = packages::find(tx, project, NPM, name, Some(&version))?.found("Package")?;
    Ok((entered, package))
}

/// The body is one JSON text.
async fn version_in(body: Upload) -> Result<String> {
    let refusal = || Error::BadRequest("the body is too large".into());
    let bytes = upload::small_body(body, MAX_BODY, refusal).await?;
    let version: Option<String> = serde_json::from_slice(&bytes).ok();
    version
        .filter(|version| names::version(version).is_some())
        .ok_or_else(|| Error::BadRequest("the body must be a version as a JSON string".into()))
}

fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str, package: &Package, tag: &str,
) -> Result<()> {
    audit::record(
        tx,
        viewer,
        action,
        ("Package", package.id, &package.name),
        json!({
            "project_id": package.project_id,
            "version": package.version,
            "tag": tag,
        }),
    )
}
