//! Unpublishing: a client reads the packument with its revision, and sends
//! that back with what is to stay, so that nothing published meanwhile goes.

use super::body::Body;
use super::documents::revision;
use super::{NPM, done, envelope, names};
use crate::access::RegistryAccess;
use crate::client::Client;
use crate::rules::destroy::Deletion;
use crate::scope::Scope;
use ::store::Tx;
use kernel::error::{Error, Result};
use kernel::http::{Response, Upload};
use kernel::ids::Reference;
use spaces::access::Purpose;
use std::collections::HashSet;

/// Deletes the versions that are missing from the packument in the body.
pub async fn some(
    client: &Client,
    project: &Reference,
    (name, seen): (&str, &str),
    body: Upload,
) -> Result<Response> {
    let purpose = Purpose::DestroyPackage;
    client.enter(project, purpose, |_, _| Ok(())).await?;
    let staying = envelope::versions(&Body::envelope(body).await?, name)?;
    let staying: HashSet<String> = staying.into_iter().collect();
    let (name, seen) = (name.to_owned(), seen.to_owned());
    let deleted = client.change(project, purpose, move |tx, entered, client| {
        check_revision(tx, entered, &name, &seen)?;
        let goes = |version: &str| !staying.contains(version);
        destroy(tx, entered, client, &name, goes)
    });
    deleted.await?;
    done()
}

pub async fn all(
    client: &Client,
    project: &Reference,
    (name, seen): (&str, &str),
) -> Result<Response> {
    let (name, seen) = (name.to_owned(), seen.to_owned());
    let purpose = Purpose::DestroyPackage;
    let deleted = client.change(project, purpose, move |tx, entered, client| {
        check_revision(tx, entered, &name, &seen)?;
        destroy(tx, entered, client, &name, |_| true)
    });
    deleted.await?;
    done()
}

/// Deletes the version of a file; clients ask for it after [`some`] has done
/// so already.
pub async fn one(
    client: &Client,
    project: &Reference,
    (name, file): (&str, &str),
) -> Result<Response> {
    let (name, file) = (name.to_owned(), file.to_owned());
    let purpose = Purpose::DestroyPackage;
    let deleted = client.change(project, purpose, move |tx, entered, client| {
        let goes = |version: &str| names::file_name(&name, version) == file;
        destroy(tx, entered, client, &name, goes)
    });
    deleted.await?;
    done()
}

fn check_revision(tx: &mut Tx<'_>, entered: &RegistryAccess, name: &str, seen: &str) -> Result<()> {
    let now = revision(tx, entered.project.id, name)?;
    if now == "0" {
        return Err(Error::NotFound("Package"));
    }
    match now == seen {
        true => Ok(()),
        false => Err(Error::Conflict(
            "409 Conflict - the package has changed meanwhile, try again".into(),
        )),
    }
}

/// Deletes the versions of a name that are `chosen`.
fn destroy(
    tx: &mut Tx<'_>,
    entered: &RegistryAccess,
    client: &Client,
    name: &str,
    chosen: impl Fn(&str) -> bool,
) -> Result<()> {
    let here = Scope::of_project(entered.project.id);
    for version in here.of_format(NPM).versions(tx, name)? {
        if version.version.as_deref().is_some_and(&chosen) {
            Deletion::by(client).package(tx, entered, version.id)?;
        }
    }
    Ok(())
}
