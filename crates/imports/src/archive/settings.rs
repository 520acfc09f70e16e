//! How large files of projects may be, and how often somebody asks for them.

use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::limits::SetLimits;
use serde_json::json;

/// Most MiB that can be set: 1 TiB.
const MOST: i64 = 1 << 20;
/// What is counted, in seconds.
const PERIOD: i64 = 60;
/// Requests of a user that can be set.
const MOST_REQUESTS: i64 = 1_000_000;

kernel::setting! {
    /// Bounds of files of projects.
    #[derive(Copy)]
    pub struct FileLimits = "imports.project_files" {
        pub imported_megabytes: i64 = 10 * 1024,
        pub fetched_megabytes: i64 = 10 * 1024,
        pub unpacked_megabytes: i64 = 25 * 1024,
        pub exports: i64 = 6,
        pub downloads: i64 = 6,
        pub imports: i64 = 6,
    }
}

identity::settings_part! {
    FileLimits {
        /// MiB that the file of a project may have that is sent here; 0 for any number.
        max_import_size: i64 => imported_megabytes,
        /// MiB that the file of a project may have that is fetched; 0 for any number.
        max_import_remote_file_size: i64 => fetched_megabytes,
        /// MiB that the file of a project may unpack to; 0 for any number.
        max_decompressed_archive_size: i64 => unpacked_megabytes,
        /// Exports of projects that a user may begin in a minute; 0 for any number.
        project_export_limit: i64 => exports,
        /// Files of a project that a user may download in a minute; 0 for any number.
        project_download_export_limit: i64 => downloads,
        /// Files of projects that a user may import in a minute; 0 for any number.
        project_import_limit: i64 => imports,
    } sealed {}
}

impl FileLimits {
    fn validate(self) -> Result<()> {
        for (name, number, most) in [
            ("max_import_size", self.imported_megabytes, MOST),
            ("max_import_remote_file_size", self.fetched_megabytes, MOST),
            ("max_decompressed_archive_size", self.unpacked_megabytes, MOST),
            ("project_export_limit", self.exports, MOST_REQUESTS),
            ("project_download_export_limit", self.downloads, MOST_REQUESTS),
            ("project_import_limit", self.imports, MOST_REQUESTS),
        ] {
            if !(0..=most).contains(&number) {
                return Err(Error::invalid(name, format!("must be between 0 and {most}")));
            }
        }
        Ok(())
    }

    /// Bytes of a file that is sent; none for any number.
    pub fn imported(self) -> Option<u64> {
        bytes(self.imported_megabytes)
    }

    /// Bytes of a file that is fetched; none for any number.
    pub fn fetched(self) -> Option<u64> {
        bytes(self.fetched_megabytes)
    }

    /// Bytes that a file may unpack to; 0 for any number.
    pub fn unpacked(self) -> u64 {
        bytes(self.unpacked_megabytes).unwrap_or_default()
    }
}

fn bytes(megabytes: i64) -> Option<u64> {
    Some(megabytes.unsigned_abs() << 20).filter(|bytes| *bytes > 0)
}

/// What somebody does so and so often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    Export,
    /// Of one project.
    Download(i64),
    Import,
}

/// Counts one, and refuses one too many.
///
/// # Errors
///
/// 429, in the words that clients know.
pub async fn count(app: &App, user_id: i64, deed: Deed) -> Result<()> {
    let limits: FileLimits = app.settings().get(app).await?;
    let (name, most, key) = match deed {
        Deed::Export => ("project-exports", limits.exports, user_id.to_string()),
        Deed::Download(project) => {
            ("project-export-downloads", limits.downloads, format!("{user_id}:{project}"))
        }
        Deed::Import => ("project-imports", limits.imports, user_id.to_string()),
    };
    let counted = app.kept::<SetLimits>();
    if most == 0 || counted.exceeded(name, (most, PERIOD), &key, app.now()).is_none() {
        return Ok(());
    }
    let text = "This endpoint has been requested too many times. Try again later.";
    Err(Error::Exact(429, json!({"message": {"error": text}})))
}
