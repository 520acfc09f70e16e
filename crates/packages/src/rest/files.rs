//! Files of a package: list, download by id, delete.

use super::{READ, Sort, WRITE};
use crate::access::authorize;
use crate::download;
use crate::entity::{self, PackageFileEntity};
use crate::rules::destroy as rules;
use crate::store::{files, packages};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::{NoContent, Paged, Paging, Params, RequestContext, Response, Routes};
use kernel::ids::Reference;
use spaces::access::Purpose;
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes) {
    r.get("/projects/{id}/packages/{package_id}/package_files", list)
        .scopes(READ)
        .registry()
        .summary("Lists the files of a package");
    r.get(
        "/projects/{id}/packages/{package_id}/package_files/{package_file_id}/download",
        download_by_id,
    )
    .scopes(READ)
    .registry()
    .summary("Downloads a file of a package");
    r.delete(
        "/projects/{id}/packages/{package_id}/package_files/{package_file_id}",
        destroy,
    )
    .scopes(WRITE)
    .registry()
    .summary("Deletes a file of a package");
}

kernel::choices! {
    /// What a list of files is sorted by.
    pub enum FileOrder { Id = "id", FileName = "file_name", CreatedAt = "created_at" }
}

kernel::params! {
    /// The files of a package.
    pub struct ListFiles {
        /// The project.
        pub id: Reference,
        /// The package.
        pub package_id: i64,
        /// The column sorted by, id unless given.
        pub order_by: Option<FileOrder>,
        /// The direction, asc unless given.
        pub sort: Option<Sort>,
    }
}

kernel::params! {
    /// A file of a package.
    pub struct FilePath {
        /// The project.
        pub id: Reference,
        /// The package.
        pub package_id: i64,
        /// The file.
        pub package_file_id: i64,
    }
}

/// One page of a package's files.
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
        let entered = authorize(tx, &viewer, &params.id, Purpose::ReadPackages)?;
        let package = packages::package_in(tx, entered.project.id, params.package_id)?
            .filter(|package| package.status.is_displayable())
            .ok_or_else(rules::not_found)?;
        let (limit, offset) = (paging.fetch(), paging.offset());
        let rows = files::list(tx, package.id, order, direction, limit, offset)?;
        let total = files::count(tx, package.id)?;
        Ok(Paged::numbered(rows, paging, Some(total)).map(entity::package_file))
    })
    .await
}

/// The bytes of a file.
async fn download_by_id(
    app: App,
    viewer: Viewer,
    asked: Arc<RequestContext>,
    path: Params<FilePath>,
) -> Result<Response> {
    let file = app
        .read(move |tx| {
            let entered = authorize(tx, &viewer, &path.id, Purpose::ReadPackages)?;
            let package = packages::package_in(tx, entered.project.id, path.package_id)?
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
        let entered = authorize(tx, &viewer, &path.id, Purpose::DestroyPackage)?;
        let ids = (path.package_id, path.package_file_id);
        rules::file(tx, &registry, &viewer, &entered, Some(&asked), ids)?;
        Ok(NoContent)
    })
    .await
}
