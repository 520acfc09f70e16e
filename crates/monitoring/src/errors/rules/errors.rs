//! What people see and say of errors.

use super::issues;
use crate::errors::model::{Setting, Status, Tracked};
use crate::errors::store::{errors as rows, settings};
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use serde_json::json;
use spaces::Project;
use spaces::access::Purpose;
use store::Tx;

/// The project, if it tracks errors and the viewer may do this with them.
pub fn authorize(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, purpose: Purpose,
) -> Result<(Project, Setting)> {
    let project = spaces::project(tx, viewer, reference, purpose)?;
    let setting = settings::of_project(tx, project.id)?.filter(|setting| setting.active);
    let setting = setting.ok_or_else(not_enabled)?;
    Ok((project, setting))
}

pub fn not_enabled() -> Error {
    Error::Exact(400, json!({"message": "Error Tracking is not enabled"}))
}

#[derive(Debug, Clone)]
pub struct Changed {
    pub error: Tracked,
    /// Number of the issue that was closed because the error is resolved.
    pub closed_issue_iid: Option<i64>,
}

/// Says what becomes of an error. The open issue about one that is resolved is
/// closed (docs/interface/monitoring.md 6.6).
pub fn set_status(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, id: i64, status: Status,
) -> Result<Changed> {
    let error = rows::find(tx, project.id, id)?.found("Error")?;
    if error.status != status {
        rows::set_status(tx, &error, status)?;
        let name = format!("{}: {}", project.full_path, error.short_title());
        let target = ("ErrorTracking::Error", error.id, name.as_str());
        let details = json!({"status": status});
        audit::record(tx, viewer, "error.update", target, details)?;
    }
    let closed_issue_iid = match status {
        Status::Resolved => issues::close(tx, viewer, id)?,
        Status::Unresolved | Status::Ignored => None,
    };
    Ok(Changed {
        error: rows::find(tx, project.id, id)?.found("Error")?,
        closed_issue_iid,
    })
}
