//! `tenon repository`: bare repositories brought in from folders and written into them.

use crate::options::Options;
use crate::{Outcome, progress, told, wiring};
use repositories::on_disk;
use std::path::Path;

/// Brings a bare repository into the project at this path. Works beside a server.
pub async fn import(options: Options, from: &Path, project: &str) -> Outcome<String> {
    let (app, _) = wiring::assemble_existing(options).await?;
    let bar = progress::bytes("objects", 0);
    let imported = on_disk::import(&app, from, project, |bytes| {
        bar.set_length(bytes);
        bar.set_position(bytes);
    });
    let refs = imported.await.map_err(told)?;
    bar.finish_and_clear();
    Ok(format!("brought {refs} refs into {project}"))
}

/// Writes the repository of the project at this path into a new folder. Works beside a
/// server.
pub async fn export(options: Options, project: &str, to: &Path) -> Outcome<String> {
    let (app, _) = wiring::assemble_existing(options).await?;
    let files = on_disk::export(&app, project, to).await.map_err(told)?;
    Ok(format!("wrote {files} files into {}", to.display()))
}
