//! Writing a repository out, as a bare one.

use super::of_path;
use crate::cache::{self, Having};
use kernel::app::App;
use kernel::error::{Error, Result};
use std::path::{Path, PathBuf};

/// Writes the repository of the project at this path as a bare one into a new folder;
/// how many files it has.
///
/// # Errors
///
/// `NotFound` without such a project, `BadRequest` if it is empty or the folder there.
pub async fn export(app: &App, path: &str, to: &Path) -> Result<usize> {
    if to.exists() {
        return Err(Error::BadRequest(format!("{} exists already", to.display())));
    }
    let path = path.to_owned();
    let found = app.read(move |tx| of_path(tx, &path)).await?;
    let empty = || Error::BadRequest("the repository is empty".into());
    let repository = found.repository.ok_or_else(empty)?;
    let copy = cache::copy(app, repository.id, Having::ObjectsAndRefs).await?;
    let (from, to) = (copy.folder().to_owned(), to.to_owned());
    let copied = tokio::task::spawn_blocking(move || {
        let part = to.with_extension("part");
        let files = copy_all(&from, &part)?;
        std::fs::rename(&part, &to)?;
        Ok::<_, std::io::Error>(files)
    });
    copied.await.map_err(Error::internal)?.map_err(Error::of_storage)
}

/// Copies what makes a repository; settings of this server are not part of it.
fn copy_all(from: &Path, to: &Path) -> std::io::Result<usize> {
    let packs = to.join("objects").join("pack");
    std::fs::create_dir_all(&packs)?;
    std::fs::create_dir_all(to.join("refs"))?;
    std::fs::write(to.join("config"), "[core]\n\trepositoryformatversion = 0\n\tbare = true\n")?;
    let mut files = vec![PathBuf::from("HEAD"), PathBuf::from("packed-refs")];
    for entry in std::fs::read_dir(from.join("objects").join("pack"))? {
        let name = entry?.file_name();
        let is_pack = Path::new(&name)
            .extension()
            .is_some_and(|ending| ending == "pack" || ending == "idx");
        if is_pack {
            files.push(Path::new("objects").join("pack").join(name));
        }
    }
    for file in &files {
        std::fs::copy(from.join(file), to.join(file))?;
    }
    Ok(files.len())
}
