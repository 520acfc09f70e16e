//! Packages and files that small tests begin with.

use crate::model::{Package, PackageFile, PackageType, Status};
use crate::store::index::{IndexedFile, Version};
use kernel::time::Timestamp;

const AT: Timestamp = Timestamp::UNIX_EPOCH;

/// Version 1.0.0 of this name.
pub fn package(package_type: PackageType, name: &str) -> Package {
    Package {
        id: 3,
        project_id: 5,
        package_type,
        name: name.to_owned(),
        version: Some("1.0.0".into()),
        status: Status::Default,
        creator_id: None,
        conan_name: None,
        download_count: 0,
        last_downloaded_at: None,
        created_at: AT,
        updated_at: AT,
    }
}

pub fn version(name: &str, version: &str) -> Version {
    Version {
        id: 1,
        project_id: 5,
        name: name.into(),
        version: Some(version.into()),
        status: Status::Default,
        metadata: None,
        created_at: AT,
        updated_at: AT,
    }
}

pub fn file(file_name: &str) -> PackageFile {
    PackageFile {
        id: 1,
        package_id: 1,
        created_at: AT,
        file_name: file_name.into(),
        size: 100,
        md5: String::new(),
        sha1: String::new(),
        sha256: String::new(),
        blob_key: String::new(),
        updated_at: AT,
    }
}

pub fn indexed(file: PackageFile, metadata: Option<String>) -> IndexedFile {
    IndexedFile { file, sha512: String::new(), metadata }
}
