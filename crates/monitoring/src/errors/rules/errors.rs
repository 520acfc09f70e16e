//! What people see and say of errors.

use crate::errors::model::{Setting, Status, Tracked};
use crate::errors::store::{errors as rows, settings};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use serde_json::json;
use spaces::Project;
use spaces::access::Purpose;
use store::Tx;

/// The project, if it tracks errors and the viewer may do this with them.
pub fn enter(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    reference: &Reference,
    purpose: Purpose,
) -> Result<(Project, Setting)> {
    let project = spaces::project(tx, viewer, reference, purpose)?;
    let setting = settings::of_project(tx, project.id)?.filter(|setting| setting.active);
    let setting = setting.ok_or_else(not_enabled)?;
    Ok((project, setting))
}

/// The project does not track errors.
pub fn not_enabled() -> Error {
    Error::Exact(400, json!({"message": "Error Tracking is not enabled"}))
}

/// Says what becomes of an error; what it is then.
pub fn set_status(tx: &mut Tx<'_>, project: &Project, id: i64, status: Status) -> Result<Tracked> {
    let error = rows::find(tx, project.id, id)?.found("Error")?;
    if error.status != status {
        rows::set_status(tx, id, status)?;
    }
    rows::find(tx, project.id, id)?.found("Error")
}
