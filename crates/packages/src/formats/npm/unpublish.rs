//! Unpublishing: a client reads the packument with its revision, and sends
//! that back with what is to stay, so that nothing published meanwhile goes.

use super::body::Body;
use super::documents::revision;
use super::{NPM, done, envelope, names};
use crate::client::Client;
use crate::rules::destroy::Deletion;
use crate::scope::Scope;
use kernel::error::{Error, Result};
use kernel::http::{Response, Upload};
use kernel::ids::Reference;
use spaces::access::Purpose;
use std::collections::HashSet;

/// Deletes the versions that are missing from the packument in the body.
pub async fn some(
    client: &Client, project: &Reference, (name, seen): (&str, &str), body: Upload,
) -> Result<Response> {
    let entered = client.enter(project, Purpose::DestroyPackage, |_, _| Ok(()));
    entered.await?;
    let staying = envelope::versions(&Body::envelope(body).await?, name)?;
    let staying: HashSet<String> = staying.into_iter().collect();
    let goes = move |version: &str| !staying.contains(version);
    unpublish(client, project, (name, Some(seen)), goes).await
}

pub async fn all(
    client: &Client, project: &Reference, (name, seen): (&str, &str),
) -> Result<Response> {
    unpublish(client, project, (name, Some(seen)), |_| true).await
}

/// Deletes the version of a file; clients ask for it after [`some`] has done
/// so already.
pub async fn one(
    client: &Client, project: &Reference, (name, file): (&str, &str),
) -> Result<Response> {
    let (of, file) = (name.to_owned(), file.to_owned());
    let goes = move |version: &str| names::file_name(&of, version) == file;
    unpublish(client, project, (name, None), goes).await
}

/// Deletes the versions of a name that are `chosen`, if nothing has changed
/// since it was `seen`, where that counts.
async fn unpublish(
    client: &Client, project: &Reference, (name, seen): (&str, Option<&str>),
    chosen: impl Fn(&str) -> bool + Send + 'static,
) -> Result<Response> {
    let (name, seen) = (name.to_owned(), seen.map(str::to_owned));
    let purpose = Purpose::DestroyPackage;
    let deleted = client.change(project, purpose, move |tx, entered, client| {
        if let Some(seen) = &seen {
            check_unchanged(&revision(tx, entered.project.id, &name)?, seen)?;
        }
        let here = Scope::of_project(entered.project.id);
        for version in here.of_format(NPM).versions(tx, &name)? {
            if version.version.as_deref().is_some_and(&chosen) {
                Deletion::by(client).package(tx, entered, version.id)?;
            }
        }
        Ok(())
    });
    deleted.await?;
    done()
}

fn check_unchanged(now: &str, seen: &str) -> Result<()> {
    match now {
        "0" => Err(Error::NotFound("Package")),
        now if now == seen => Ok(()),
        _ => Err(Error::Conflict(
            "409 Conflict - the package has changed meanwhile, try again".into(),
        )),
    }
}
