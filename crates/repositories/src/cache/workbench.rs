//! Folders beside the copies for work that ends with its process. What ended servers left
//! of them is swept away with what is left of pushes.

use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use kernel::secrets::random_bytes;
use std::path::{Path, PathBuf};

/// A folder that is gone when dropped.
pub(crate) struct Workbench(PathBuf);

impl Workbench {
    /// Makes one, whose name begins so.
    pub(crate) async fn new(app: &App, what: &str) -> Result<Workbench> {
        let name = format!("{what}-{}", hex::encode(random_bytes::<16>()));
        let bench = Workbench(super::root(app).with_file_name("pushes").join(name));
        tokio::fs::create_dir_all(&bench.0).await.map_err(Error::of_storage)?;
        Ok(bench)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }
}

impl Drop for Workbench {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).best_effort("remove a folder of work");
    }
}
