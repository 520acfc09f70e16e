//! Where blobs are kept, as the operator named it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path as Location;
use object_store::prefix::PrefixStore;

use super::spool::sweep;
use super::{Blobs, ROOT, TEMPORARY, failed};
use crate::error::{Error, Result};

/// Folder of unfinished uploads to S3 within the spool directory.
pub(super) const SPOOL: &str = "tenon-uploads";
/// File below the root that is locked while blobs are published or removed.
const LOCK: &str = "lock";

impl Blobs {
    /// Opens `file:///dir`, a plain directory (made when missing), or
    /// `s3://bucket/prefix`. S3 is configured by the usual `AWS_…` variables;
    /// `AWS_ENDPOINT_URL` names a compatible server. Uploads to S3 pass through
    /// the system's temporary directory; see [`Blobs::open_with_spool`].
    pub fn open(url: &str) -> Result<Blobs> {
        Blobs::open_with_spool(url, &std::env::temp_dir())
    }

    /// Like [`Blobs::open`], with the directory uploads to S3 pass through: it
    /// needs room for all uploads in progress and should be on disk.
    pub fn open_with_spool(url: &str, spool: &Path) -> Result<Blobs> {
        match url.strip_prefix("s3://") {
            Some(rest) => Blobs::open_s3(rest, spool, std::env::vars()),
            None => Blobs::open_disk(url),
        }
    }

    fn open_disk(url: &str) -> Result<Blobs> {
        let root = match url::Url::parse(url) {
            Ok(parsed) if parsed.scheme() == "file" => parsed.to_file_path().ok(),
            Ok(_) => None,
            Err(_) => Some(PathBuf::from(url)),
        };
        let root = root.ok_or_else(|| unusable(url, "use file:///DIR or s3://BUCKET/PREFIX"))?;
        let spool = root.join(TEMPORARY);
        std::fs::create_dir_all(&spool)?;
        std::fs::create_dir_all(root.join(ROOT))?;
        sweep(&spool)?;
        let store = LocalFileSystem::new_with_prefix(&root).map_err(failed)?.with_fsync(true);
        Ok(Blobs::over(Arc::new(store), spool, Some(root.join(LOCK))))
    }

    pub(super) fn open_s3(
        rest: &str, spool: &Path, environment: impl Iterator<Item = (String, String)>,
    ) -> Result<Blobs> {
        crate::outbound::install_crypto();
        // A folder of our own, which may be swept.
        let spool = spool.join(SPOOL);
        std::fs::create_dir_all(&spool)?;
        sweep(&spool)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(unusable("s3://", "name a bucket: s3://BUCKET/PREFIX"));
        }
        let mut builder = AmazonS3Builder::new();
        for (name, value) in environment.filter(|(name, _)| name.starts_with("AWS_")) {
            if let Ok(key) = name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>() {
                if key == AmazonS3ConfigKey::Endpoint {
                    builder = builder.with_allow_http(value.starts_with("http://"));
                }
                builder = builder.with_config(key, value);
            }
        }
        // Not every compatible server has the bulk delete, and we delete one by one.
        let builder = builder.with_bucket_name(bucket).with_disable_bulk_delete(true);
        let store = builder.build().map_err(failed)?;
        let prefix = prefix.trim_matches('/');
        let store: Arc<dyn ObjectStore> = match prefix {
            "" => Arc::new(store),
            _ => Arc::new(PrefixStore::new(store, Location::parse(prefix).map_err(failed)?)),
        };
        let address = format!("s3://{bucket}/{prefix}");
        let bucket = Some(with_slash(address).into());
        Ok(Blobs { bucket, ..Blobs::over(store, spool, None) })
    }
}

impl Blobs {
    /// Whether another place is this one, or one of them lies in the other.
    pub(super) fn overlaps(&self, other: &Blobs) -> bool {
        match (self.address(), other.address()) {
            (Some(one), Some(other)) => one.starts_with(&other) || other.starts_with(&one),
            _ => false,
        }
    }

    /// Where it is, whatever leads there.
    fn address(&self) -> Option<String> {
        match &self.bucket {
            Some(bucket) => Some(bucket.to_string()),
            None => Some(with_slash(self.root()?.canonicalize().ok()?.display().to_string())),
        }
    }
}

/// So that no name is the beginning of another one's.
fn with_slash(address: String) -> String {
    format!("{}/", address.trim_end_matches('/'))
}

fn unusable(url: &str, advice: &str) -> Error {
    Error::internal(format!("blobs cannot be kept at {url:?}: {advice}"))
}
