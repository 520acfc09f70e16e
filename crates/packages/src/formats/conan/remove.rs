//! Deleting revisions, binary packages and files.

use super::address::{self, About, Recipe, RevisionPath, WITHOUT_REVISIONS};
use super::{CONAN, Client, done, store};
use crate::access::RegistryAccess;
use crate::model::Package;
use crate::rules::destroy::Deletion;
use crate::rules::protection;
use crate::scope::Scope;
use crate::store::{files as rows, packages};
use crate::tasks::PurgeFile;
use ::store::Tx;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::http::Response;
use kernel::jobs::enqueue;
use serde_json::json;
use spaces::access::Purpose;

/// Answers a DELETE below `v1/conans/`: the whole recipe.
pub async fn without_revisions(client: &Client, path: &str) -> Result<Response> {
    let (recipe, about) = address::without_revisions(path)?;
    match about {
        About::Whole(None) => change(client, recipe, |tx, doomed| doomed.destroy(tx)).await,
        _ => Err(Error::NotFound("Package")),
    }
}

/// Answers a DELETE below `v2/conans/`.
pub async fn with_revisions(client: &Client, path: &str) -> Result<Response> {
    let (recipe, about) = address::with_revisions(path)?;
    match about {
        About::Revision(place) if place.binary.is_none() => {
            change(client, recipe, move |tx, doomed| {
                let revision = &place.recipe_revision;
                let files = store::all_in_recipe(tx, doomed.package.id, revision)?;
                if store::has_other_recipe(tx, doomed.package.id, revision)? {
                    return doomed.remove(tx, revision, some(files)?);
                }
                check_count(&some(files)?)?;
                doomed.destroy(tx)
            })
            .await
        }
        About::Revision(place) => {
            change(client, recipe, move |tx, doomed| {
                let kept = store::files(tx, doomed.package.id, &place)?;
                let files = kept.iter().map(|kept| kept.file.id).collect();
                doomed.remove(tx, &place.recipe_revision, some(files)?)
            })
            .await
        }
        About::Packages(revision) => {
            change(client, recipe, move |tx, doomed| {
                let known = store::has_recipe(tx, doomed.package.id, &revision)?;
                known.then_some(()).found("Package")?;
                let files = store::all_of_binaries(tx, doomed.package.id, &revision, &[])?;
                doomed.remove(tx, &revision, files)
            })
            .await
        }
        _ => Err(Error::NotFound("Package")),
    }
}

/// Deletes binary packages without revisions; all, if none are named.
pub async fn binaries(
    client: &Client, recipe: &Recipe, references: Vec<String>,
) -> Result<Response> {
    change(client, recipe.clone(), move |tx, doomed| {
        let files = store::all_of_binaries(tx, doomed.package.id, WITHOUT_REVISIONS, &references)?;
        doomed.remove(tx, WITHOUT_REVISIONS, some(files)?)
    })
    .await
}

/// Deletes files of a recipe without revisions.
pub async fn files(client: &Client, recipe: &Recipe, names: Vec<String>) -> Result<Response> {
    change(client, recipe.clone(), move |tx, doomed| {
        let place = RevisionPath::without_revisions(None);
        let kept = store::files_named(tx, doomed.package.id, &place, &names)?;
        let files = kept.iter().map(|kept| kept.file.id).collect();
        doomed.remove(tx, WITHOUT_REVISIONS, files)
    })
    .await
}

/// Refuses who may not delete the recipe before what they send is read.
pub async fn admit(client: &Client, recipe: &Recipe) -> Result<()> {
    let (of, recipe, project) = (client.clone(), recipe.clone(), client.project(recipe)?);
    let admitted = client.enter(&project, Purpose::DestroyPackage, move |tx, entered| {
        Doomed::new(tx, &of, &entered, &recipe).map(drop)
    });
    admitted.await.map_err(|error| client.unmoved(error))
}

/// Deletes in one transaction what a closure says.
async fn change(
    client: &Client, recipe: Recipe,
    remove: impl Fn(&mut Tx<'_>, &Doomed<'_>) -> Result<()> + Send + 'static,
) -> Result<Response> {
    let (project, purpose) = (client.project(&recipe)?, Purpose::DestroyPackage);
    let written = client.change(&project, purpose, move |tx, entered, client| {
        let doomed = Doomed::new(tx, client, entered, &recipe)?;
        remove(tx, &doomed)
    });
    written.await.map_err(|error| client.unmoved(error))?;
    done()
}

/// A package of which something is deleted, by somebody who may.
struct Doomed<'a> {
    client: &'a Client,
    entered: &'a RegistryAccess,
    package: Package,
}

impl<'a> Doomed<'a> {
    fn new(
        tx: &mut Tx<'_>, client: &'a Client, entered: &'a RegistryAccess, recipe: &Recipe,
    ) -> Result<Doomed<'a>> {
        let project = entered.project.id;
        let id = store::package(tx, &Scope::of_project(project), recipe)?.found("Package")?;
        let package = packages::package_in(tx, project, id)?.found("Package")?;
        protection::check_delete(tx, entered, CONAN, &package.name)?;
        Ok(Doomed { client, entered, package })
    }

    fn destroy(&self, tx: &mut Tx<'_>) -> Result<()> {
        Deletion::by(self.client).package(tx, self.entered, self.package.id)
    }

    /// Deletes files; the package stays.
    fn remove(&self, tx: &mut Tx<'_>, recipe_revision: &str, files: Vec<i64>) -> Result<()> {
        check_count(&files)?;
        for file in &files {
            rows::mark_destroyed(tx, *file)?;
            enqueue(tx, self.client.app.jobs(), &PurgeFile { file: *file })?;
        }
        packages::touch(tx, self.package.id)?;
        audit::record(
            tx,
            &self.client.viewer,
            "package_file.destroy",
            ("Package", self.package.id, &self.package.name),
            json!({
                "project_id": self.package.project_id,
                "version": self.package.version,
                "recipe_revision": recipe_revision,
                "files": files.len(),
            }),
        )
    }
}

/// Files, of which there must be some.
fn some(files: Vec<i64>) -> Result<Vec<i64>> {
    if files.is_empty() {
        return Err(Error::NotFound("Package"));
    }
    Ok(files)
}

fn check_count(files: &[i64]) -> Result<()> {
    if files.len() as i64 > store::MAX {
        let text = format!("Cannot delete more than {} files", store::MAX);
        return Err(Error::Unprocessable(text));
    }
    Ok(())
}
