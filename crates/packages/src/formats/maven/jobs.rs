//! What happens after a version was deleted.

use super::METADATA;
use super::metadata::{Left, MAX_DOCUMENT, keep_versions};
use crate::model::{PackageFile, PackageType};
use crate::scope::Scope;
use crate::store::{files, index, packages};
use crate::tasks::{DropVersions, Purge};
use bytes::Bytes;
use futures_util::{TryStreamExt, stream};
use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Run, enqueue};
use std::collections::HashSet;
use store::Tx;

/// How often the list is tried to be written while publishers write it too.
const TRIES: usize = 10;

impl Job for DropVersions {
    const NAME: &'static str = "packages.drop_maven_versions";

    fn dedupe_key(&self) -> Option<String> {
        Some(format!("{}:{}", self.project, self.name))
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        for _ in 0..TRIES {
            if self.try_once(&run.app).await? {
                return Ok(());
            }
        }
        Err(Failure::Retry("the list is written all the time".into()))
    }
}

impl DropVersions {
    /// False if somebody wrote the list meanwhile.
    async fn try_once(&self, app: &App) -> Result<bool> {
        let (project, name) = (self.project, self.name.clone());
        let Some((file, versions)) = app.read(move |tx| list(tx, project, &name)).await? else {
            return Ok(true);
        };
        // What cannot be read whole is left alone.
        if file.size > MAX_DOCUMENT as i64 || versions.len() as i64 >= index::MAX_VERSIONS {
            return Ok(true);
        }
        let (_, bytes) = app.blobs().get(&file.blob_key, None).await?;
        let bytes: Vec<Bytes> = bytes.try_collect().await?;
        let text = String::from_utf8_lossy(&bytes.concat()).into_owned();
        let as_of = app.now().strftime("%Y%m%d%H%M%S").to_string();
        let written = match keep_versions(&text, |one| versions.contains(one), &as_of) {
            Left::Same => return Ok(true),
            Left::Nothing => None,
            Left::Document(text) => {
                let body = stream::iter([Ok(Bytes::from(text))]);
                Some(app.blobs().put(body, None).await?)
            }
        };
        let registry = app.jobs().clone();
        app.write(move |tx| {
            let Some(package) = packages::package_in(tx, project, file.package_id)? else {
                return Ok(true);
            };
            let newest = files::newest(tx, package.id, METADATA)?;
            if newest.is_none_or(|newest| newest.id != file.id) {
                return Ok(false);
            }
            match &written {
                Some(stored) => {
                    files::insert(tx, &package, METADATA, stored, None)?;
                    packages::touch(tx, package.id)?;
                }
                None => {
                    packages::mark_destroyed(tx, &[package.id])?;
                    let package = package.id;
                    enqueue(tx, &registry, &Purge { package })?;
                }
            }
            Ok(true)
        })
        .await
    }
}

/// The newest list of a name, and the versions there are.
fn list(
    tx: &mut Tx<'_>, project: i64, name: &str,
) -> Result<Option<(PackageFile, HashSet<String>)>> {
    let Some(package) = packages::find(tx, project, PackageType::Maven, name, None)? else {
        return Ok(None);
    };
    let Some(file) = files::newest(tx, package.id, METADATA)? else {
        return Ok(None);
    };
    let here = Scope::of_project(project);
    let versions = here.of_format(PackageType::Maven).versions(tx, name)?;
    let versions = versions.into_iter().filter_map(|one| one.version).collect();
    Ok(Some((file, versions)))
}
