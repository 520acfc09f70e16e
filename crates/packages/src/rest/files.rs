//! Files of a package: list, download by id, delete.

use super::Sort;
use super::packages::PackagePath;
use crate::access::authorize;
use crate::builds;
use crate::client::Client;
use crate::declare::{reads, writes};
use crate::entity::ListedFileEntity;
use crate::model::Status;
use crate::rules::destroy::Deletion;
use crate::store::files;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::params::Flat;
use kernel::http::{NoContent, Paged, Paging, Params, Response, Routes};
use spaces::access::Purpose;

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
    app: App, viewer: Viewer, params: Params<ListFiles>, paging: Paging,
) -> Result<Paged<ListedFileEntity>> {
    let order = params.order_by.unwrap_or(FileOrder::Id).as_str();
    let direction = match params.sort {
        Some(Sort::Desc) => " desc",
        _ => "",
    };
    let handle = app.clone();
    Paged::read(&app, paging, move |tx, part| {
        let entered = authorize(tx, &viewer, &params.of.id, Purpose::ReadPackages)?;
        let package = entered.package(tx, params.of.package_id, Status::is_displayable)?;
        let (limit, offset) = (part.fetch(), part.offset());
        let rows = files::list(tx, package.id, order, direction, limit, offset)?;
        let mut built = builds::of_files(&handle, tx, &viewer, &rows)?;
        let listed = rows
            .into_iter()
            .map(|file| ListedFileEntity { pipelines: built.remove(&file.id), file });
        Ok((listed.collect(), files::count(tx, package.id)?))
    })
    .await
}

async fn download_by_id(path: Params<FilePath>, client: Client) -> Result<Response> {
    let Params(FilePath { of, package_file_id }) = path;
    let (project, id) = (of.0.id, of.0.package_id);
    let file = client.enter(&project, Purpose::ReadPackages, move |tx, entered| {
        let package = entered.package(tx, id, Status::is_installable)?;
        files::file_in(tx, package.id, package_file_id)?.found("Package File")
    });
    client.send(&file.await?).await
}

async fn destroy(path: Params<FilePath>, client: Client) -> Result<NoContent> {
    let ids = (path.of.package_id, path.package_file_id);
    let purpose = Purpose::DestroyPackage;
    let deleted = client.change(&path.of.id, purpose, move |tx, entered, client| {
        Deletion::unless_changed(client).file(tx, entered, ids)
    });
    deleted.await.map(|()| NoContent)
}
