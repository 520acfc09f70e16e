//! Files of packages.

use super::file_metadata::{FileMetadata, ToldOfFiles};
use super::{FILE_ID, caller, pages};
use crate::model::PackageFile;
use crate::store::pages::{self as rows, Listed};
use kernel::graph::{Args, Ask, Connection, Context, Fault, Graph, HasTypeRef, Key, Order, one_of};
use std::collections::HashMap;
use std::sync::Arc;

pub struct FileView {
    file: PackageFile,
    project_id: i64,
}

pub fn graph(g: &mut Graph) {
    g.object::<FileView>("PackageFile", "A file of a package.")
        .field("id", FILE_ID.required(), |it| it.file.id)
        .describe("Global ID.")
        .value("fileName", "Its name.", |it| it.file.file_name.clone())
        .value("size", "Bytes.", |it| it.file.size.to_string())
        .value("fileMd5", "MD5 in hex.", |it| Some(it.file.md5.clone()))
        .value("fileSha1", "SHA-1 in hex.", |it| Some(it.file.sha1.clone()))
        .value("fileSha256", "SHA-256 in hex.", |it| Some(it.file.sha256.clone()))
        .value("downloadPath", "Path to download it from.", |it| {
            let (project, package, id) = (it.project_id, it.file.package_id, it.file.id);
            let files = format!("/api/v4/projects/{project}/packages/{package}/package_files");
            format!("{files}/{id}/download")
        })
        .value("createdAt", "When it was stored.", |it| it.file.created_at)
        .value("updatedAt", "When it last changed.", |it| it.file.updated_at)
        .load::<ToldOfFiles, _>(
            "fileMetadata",
            one_of::<FileMetadata>("PackageFileMetadata", FileMetadata::concrete),
            |it| Some(it.file.id),
        )
        .describe("What its format tells of it.");
}

/// A page of the files of each package.
pub async fn of_packages(
    parents: Vec<Arc<Listed>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<FileView>>>, Fault> {
    let window = ask.window(&context, "package files", &[Key::int("f.id", Order::Desc)])?;
    let ids: Vec<i64> = parents.iter().map(|it| it.package.id).collect();
    let (app, _) = caller(&context)?;
    let wanted = ids.clone();
    let read = app.read(move |tx| Ok((rows::files(tx, wanted, &window)?, window)));
    let (mut found, window) = read.await?;
    let mut of: HashMap<i64, Vec<Arc<FileView>>> = HashMap::new();
    for it in &parents {
        let project_id = it.package.project_id;
        let files = found.remove(&it.package.id).unwrap_or_default();
        let shown = files.into_iter().map(|file| Arc::new(FileView { file, project_id }));
        of.entry(it.package.id).or_insert_with(|| shown.collect());
    }
    Ok(pages(ids, of, &window, |it: &FileView| vec![it.file.id.into()]))
}
