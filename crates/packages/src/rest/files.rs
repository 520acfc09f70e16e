//! Files of a package: list, download by id, delete.

use super::Sort;
use super::packages::PackagePath;
use crate::access::authorize;
use crate::declare::{reads, writes};
use crate::download;
use crate::entity::{self, PackageFileEntity};
use crate::rules::destroy as rules;
use crate::store::{files, packages};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::params::Flat;
use kernel::http::{NoContent, Paged, Paging, Params, RequestContext, Response, Routes};
use spaces::access::Purpose;
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes) {
    let all = "/projects/{id}/packages/{package_id}/package_files";
    let one = format!("{all}/{{package_file_id}}");
    reads(r, all, list).summary("Lists the files of a package");
    reads(r, &format!("{one}/download"), download_by_id).summary("Downloads a file of a package");
    writes(r.delete(&one, destroy)).summary("Deletes a file of a package");
}

kernel::choices! {
    pub enum FileOrder { Id = "id", FileName = "file_name", CreatedAt = "created_at" }
}

kernel::params! {
    pub struct ListFiles {
        pub of: Flat<PackagePath>,
        /// The column sorted by, id unless given.
        pub order_by: Option<FileOrder>,
        /// The direction, asc unless given.
        pub sort: Option<Sort>,
    }
}

kernel::params! {
    pub struct FilePath {
        pub of: Flat<PackagePath>,
        /// The file.
        pub package_file_id: i64,
    }
}

async fn list(
    app: App,
    viewer: Viewer,
    params: Params<ListFiles>,
    paging: Paging,
) -> Result<Paged<PackageFileEntity>> {
    let order = params.order_by.unwrap_or(FileOrder::Id).as_str();
    let direction = if params.sort == Some(Sort::Desc) {
        " desc"
    } else {
        ""
    };
    app.read(move |tx| {
        let entered = authorize(tx, &viewer, &params.of.id, Purpose::ReadPackages)?;
        let package = packages::package_in(tx, entered.project.id, params.of.package_id)?
            .filter(|package| package.status.is_displayable())
            .ok_or_else(rules::not_found)?;
        let (limit, offset) = (paging.fetch(), paging.offset());
        let rows = files::list(tx, package.id, order, direction, limit, offset)?;
        let total = files::count(tx, package.id)?;
        Ok(Paged::numbered(rows, paging, Some(total)).map(entity::package_file))
    })
    .await
}

async fn download_by_id(
    app: App,
    viewer: Viewer,
    asked: Arc<RequestContext>,
    path: Params<FilePath>,
) -> Result<Response> {
    let file = app
        .read(move |tx| {
            let entered = authorize(tx, &viewer, &path.of.id, Purpose::ReadPackages)?;
            let package = packages::package_in(tx, entered.project.id, path.of.package_id)?
                .filter(|package| package.status.is_installable())
                .ok_or_else(rules::not_found)?;
            files::file_in(tx, package.id, path.package_file_id)?.found("Package File")
        })
        .await?;
    download::serve(&app, &asked, &file).await
}

async fn destroy(
    app: App,
    viewer: Viewer,
    asked: Arc<RequestContext>,
    path: Params<FilePath>,
) -> Result<NoContent> {
    let registry = app.jobs().clone();
    app.write(move |tx| {
        let entered = authorize(tx, &viewer, &path.of.id, Purpose::DestroyPackage)?;
        let ids = (path.of.package_id, path.package_file_id);
        rules::file(tx, &registry, &viewer, &entered, Some(&asked), ids)?;
        Ok(NoContent)
    })
    .await
}
