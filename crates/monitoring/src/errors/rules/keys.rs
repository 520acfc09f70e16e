//! Client keys: what programs carry in them, so they are public.

use crate::errors::keys::forget;
use crate::errors::model::ClientKey;
use crate::errors::store::keys as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::audit;
use kernel::error::{Found, Result};
use kernel::secrets::random_bytes;
use serde_json::json;
use spaces::Project;
use spaces::rules::of_project;
use store::Tx;

/// What keys begin with. SDKs for JavaScript take letters, digits and the
/// underscore only.
const PREFIX: &str = "svet_";

pub fn create(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<ClientKey> {
    let public_key = format!("{PREFIX}{}", hex::encode(random_bytes::<16>()));
    let key = rows::add(tx, project.id, &public_key)?;
    let (target, details) = (of_project(project), json!({"client_key": key.id}));
    let action = "error_tracking_client_key.create";
    audit::record(tx, viewer, action, target, details)?;
    Ok(key)
}

/// Removes a key; what it was.
pub fn destroy(
    app: &App, tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, id: i64,
) -> Result<ClientKey> {
    let key = rows::remove(tx, project.id, id)?.found("Error Tracking Client Key")?;
    let (target, details) = (of_project(project), json!({"client_key": key.id}));
    let action = "error_tracking_client_key.destroy";
    audit::record(tx, viewer, action, target, details)?;
    forget(app, tx);
    Ok(key)
}

impl ClientKey {
    /// The address an SDK is set up with; it puts `/api/` before the project's
    /// number and the endpoint behind it.
    pub fn dsn(&self, base_url: &str) -> String {
        let (scheme, place) = base_url.split_once("://").unwrap_or(("http", base_url));
        let (key, project) = (&self.public_key, self.project_id);
        format!("{scheme}://{key}@{place}/api/v4/error_tracking/collector/{project}")
    }
}
