//! Unpublishing: a client reads the packument with its revision, and sends
//! that back with what is to stay, so that nothing published meanwhile goes.

use super::body::Body;
use super::documents::revision;
use super::{NPM, done, envelope, names};
use crate::access::{RegistryAccess, authorize};
use crate::client::Client;
use crate::rules::destroy;
use crate::scope::Scope;
use crate::store::index;
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
    let entered = client.enter(project, Purpose::DestroyPackage, |_, _| Ok(()));
    entered.await?;
    let staying = envelope::versions(&Body::envelope(body).await?, name)?;
    let staying: HashSet<String> = staying.into_iter().collect();
    let of = Of::new(client, project, name);
    let seen = seen.to_owned();
    let deleted = client.app.write(move |tx| {
        let entered = of.authorize(tx)?;
        of.check_revision(tx, &entered, &seen)?;
        of.destroy(tx, &entered, |version| !staying.contains(version))
    });
    deleted.await?;
    done()
}

pub async fn all(
    client: &Client,
    project: &Reference,
    (name, seen): (&str, &str),
) -> Result<Response> {
    let of = Of::new(client, project, name);
    let seen = seen.to_owned();
    let deleted = client.app.write(move |tx| {
        let entered = of.authorize(tx)?;
        of.check_revision(tx, &entered, &seen)?;
        of.destroy(tx, &entered, |_| true)
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
    let of = Of::new(client, project, name);
    let file = file.to_owned();
    let deleted = client.app.write(move |tx| {
        let entered = of.authorize(tx)?;
        of.destroy(tx, &entered, |version| {
            names::file_name(&of.name, version) == file
        })
    });
    deleted.await?;
    done()
}

/// Versions of a name in a project, and who wants them gone.
struct Of {
    client: Client,
    project: Reference,
    name: String,
}

impl Of {
    fn new(client: &Client, project: &Reference, name: &str) -> Of {
        Of {
            client: client.clone(),
            project: project.clone(),
            name: name.to_owned(),
        }
    }

    fn authorize(&self, tx: &mut Tx<'_>) -> Result<RegistryAccess> {
        authorize(
            tx,
            &self.client.viewer,
            &self.project,
            Purpose::DestroyPackage,
        )
    }

    fn check_revision(&self, tx: &mut Tx<'_>, entered: &RegistryAccess, seen: &str) -> Result<()> {
        let now = revision(tx, entered.project.id, &self.name)?;
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

    /// Deletes the versions that are `chosen`.
    fn destroy(
        &self,
        tx: &mut Tx<'_>,
        entered: &RegistryAccess,
        chosen: impl Fn(&str) -> bool,
    ) -> Result<()> {
        let here = Scope::of_project(entered.project.id);
        for version in index::versions(tx, &here, NPM, &self.name)? {
            if version.version.as_deref().is_some_and(&chosen) {
                let (jobs, viewer) = (self.client.app.jobs(), &self.client.viewer);
                destroy::package(tx, jobs, viewer, entered, None, version.id)?;
            }
        }
        Ok(())
    }
}
