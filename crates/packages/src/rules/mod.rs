//! What is decided and changed, without HTTP.

pub mod destroy;
pub mod names;
pub mod protection;
pub mod publish;
pub mod wildcard;

use crate::model::{Package, PackageFile};
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::Result;
use serde_json::json;
use store::Tx;

/// Writes down what somebody did with a file of a package.
fn record_file(
    tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str,
    (package, file): (&Package, &PackageFile),
) -> Result<()> {
    let details = json!({
        "project_id": package.project_id,
        "version": package.version,
        "file_id": file.id,
        "file_name": file.file_name,
        "size": file.size,
    });
    audit::record(tx, viewer, action, ("Package", package.id, &package.name), details)
}
