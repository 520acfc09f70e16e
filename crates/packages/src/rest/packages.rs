//! One package: show, its pipelines, delete.

use crate::access::authorize;
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

const MAX_PIPELINES: i64 = 20;

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
    let base_url = app.base_url().to_owned();
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
        let versions = others.into_iter().map(|package| PackageVersionEntity {
            tags: tags.remove(&package.id).unwrap_or_default(),
            pipelines: Vec::new(),
            package,
        });
        let versions = versions.collect();
        let path = &entered.project.full_path;
        let mut shown = entity::package(&base_url, package, path, entered.may_delete(), own);
        shown.versions = Some(versions);
        Ok(Ok200(shown))
    })
    .await
}

/// Lists the pipelines of a package: none, until pipelines exist.
async fn pipelines(
    app: App, viewer: Viewer, params: Params<ListPipelines>,
) -> Result<Paged<PipelineEntity>> {
    let per_page = params.per_page.unwrap_or(MAX_PIPELINES);
    if !(1..=MAX_PIPELINES).contains(&per_page) {
        return Err(Error::Parameters(vec!["per_page does not have a valid value".into()]));
    }
    if let Some(cursor) = params.cursor.as_deref().filter(|cursor| !cursor.is_empty()) {
        app.secrets()
            .verify("cursor", cursor)
            .ok_or_else(|| Error::Parameters(vec!["cursor does not have a valid value".into()]))?;
    }
    app.read(move |tx| {
        let entered = authorize(tx, &viewer, &params.of.id, Purpose::ReadPackages)?;
        entered.package(tx, params.of.package_id, Status::is_detailed)?;
        let paging = Paging { per_page, start: Start::After(None) };
        Ok(Paged::keyed(Vec::new(), paging, |_: &PipelineEntity| Vec::new()))
    })
    .await
}

async fn destroy(path: Params<PackagePath>, client: Client) -> Result<NoContent> {
    let Params(PackagePath { id, package_id }) = path;
    let deleted = client.change(&id, Purpose::DestroyPackage, move |tx, entered, client| {
        Deletion::unless_changed(client).package(tx, entered, package_id)
    });
    deleted.await.map(|()| NoContent)
}
