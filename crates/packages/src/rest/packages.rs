//! One package: show, its pipelines, delete.

use crate::access::authorize;
use crate::builds;
use crate::client::Client;
use crate::declare::{reads, writes};
use crate::entity::{self, PackageEntity, PackageVersionEntity, PipelineEntity};
use crate::model::Status;
use crate::rules::destroy::Deletion;
use crate::store::packages as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::params::Flat;
use kernel::http::{NoContent, Ok200, Paged, Paging, Params, Routes, Start};
use kernel::ids::Reference;
use spaces::access::Purpose;
use std::collections::HashMap;

const MAX_PIPELINES: i64 = builds::MOST;

pub(super) fn routes(r: &mut Routes) {
    let one = "/projects/{id}/packages/{package_id}";
    reads(r, one, show).summary("Shows a package with its other versions");
    reads(r, &format!("{one}/pipelines"), pipelines)
        .summary("Lists the pipelines that built a package");
    writes(r.delete(one, destroy)).summary("Deletes a package");
}

kernel::params! {
    pub struct PackagePath {
        /// The project.
        pub id: Reference,
        /// The package.
        pub package_id: i64,
    }
}

kernel::params! {
    pub struct ListPipelines {
        pub of: Flat<PackagePath>,
        /// Rows of a page, 1 to 20.
        pub per_page: Option<i64>,
        /// Opaque start of the page.
        pub cursor: Option<String>,
    }
}

async fn show(app: App, viewer: Viewer, path: Params<PackagePath>) -> Result<Ok200<PackageEntity>> {
    let (base_url, handle) = (app.base_url().to_owned(), app.clone());
    app.read(move |tx| {
        let entered = authorize(tx, &viewer, &path.id, Purpose::ReadPackages)?;
        let package = entered.package(tx, path.package_id, Status::is_detailed)?;
        let others = rows::other_versions(tx, &package)?;
        let mut tags = HashMap::new();
        if package.package_type.has_tags() {
            let ids = others.iter().map(|other| other.id).chain([package.id]);
            tags = entity::tags_by_package(rows::tags_of(tx, ids.collect())?);
        }
        let own = tags.remove(&package.id).unwrap_or_default();
        let all = others.iter().map(|other| other.id).chain([package.id]).collect();
        let mut built = builds::of_packages(&handle, tx, &viewer, all)?;
        let built_own = built.remove(&package.id);
        let versions = others.into_iter().map(|package| {
            let pipelines = built.remove(&package.id).unwrap_or_default();
            PackageVersionEntity {
                tags: tags.remove(&package.id).unwrap_or_default(),
                pipeline: pipelines.first().cloned(),
                pipelines,
                package,
            }
        });
        let versions = versions.collect();
        let path = &entered.project.full_path;
        let shown = entity::package(&base_url, package, path, entered.may_delete(), own);
        let mut shown = shown.built_by(built_own);
        shown.versions = Some(versions);
        Ok(Ok200(shown))
    })
    .await
}

/// Lists the pipelines of a package, the newest first.
async fn pipelines(
    app: App, viewer: Viewer, params: Params<ListPipelines>,
) -> Result<Paged<PipelineEntity>> {
    let per_page = params.per_page.unwrap_or(MAX_PIPELINES);
    if !(1..=MAX_PIPELINES).contains(&per_page) {
        return Err(Error::Parameters(vec!["per_page does not have a valid value".into()]));
    }
    let cursor = params.cursor.as_deref().filter(|cursor| !cursor.is_empty());
    let after =
        match cursor {
            Some(cursor) => Some(last_id(&app, cursor).ok_or_else(|| {
                Error::Parameters(vec!["cursor does not have a valid value".into()])
            })?),
            None => None,
        };
    let handle = app.clone();
    app.read(move |tx| {
        let entered = authorize(tx, &viewer, &params.of.id, Purpose::ReadPackages)?;
        let package = entered.package(tx, params.of.package_id, Status::is_detailed)?;
        let paging = Paging { per_page, start: Start::After(None) };
        let part = (after, paging.fetch());
        let found = builds::page(&handle, tx, &viewer, package.id, part)?;
        Ok(Paged::keyed(found, paging, |one: &PipelineEntity| vec![one.id.into()]))
    })
    .await
}

/// The id of the last pipeline of the page before.
fn last_id(app: &App, cursor: &str) -> Option<i64> {
    let keys = app.secrets().verify("cursor", cursor)?;
    let keys: Vec<i64> = serde_json::from_slice(&keys).ok()?;
    keys.first().copied()
}

async fn destroy(path: Params<PackagePath>, client: Client) -> Result<NoContent> {
    let Params(PackagePath { id, package_id }) = path;
    let deleted = client.change(&id, Purpose::DestroyPackage, move |tx, entered, client| {
        Deletion::unless_changed(client).package(tx, entered, package_id)
    });
    deleted.await.map(|()| NoContent)
}
