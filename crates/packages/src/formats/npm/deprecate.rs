//! Telling people not to use versions any more.

use super::body::Body;
use super::manifest::StoredManifest;
use super::{NPM, done, envelope};
use crate::client::Client;
use crate::model::Status;
use crate::rules::protection;
use crate::scope::Scope;
use crate::store::index::Version;
use crate::store::packages;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::http::{Response, Upload};
use kernel::ids::Reference;
use serde_json::json;
use spaces::access::Purpose;
use std::collections::HashMap;

/// Longest reason, in bytes.
const MAX_REASON: usize = 4 * 1024;

/// Deprecates the versions that the packument in the body gives a reason for,
/// and no longer those with an empty one.
pub async fn deprecate(
    client: &Client, project: &Reference, name: &str, body: Upload,
) -> Result<Response> {
    let purpose = Purpose::DestroyPackage;
    client.enter(project, purpose, |_, _| Ok(())).await?;
    let given = envelope::deprecations(&Body::envelope(body).await?, name)?;
    if given
        .iter()
        .any(|(_, reason)| reason.len() > MAX_REASON || reason.contains('\0'))
    {
        return Err(Error::BadRequest("the reason is too long".into()));
    }
    let given: HashMap<String, String> = given.into_iter().collect();
    let name = name.to_owned();
    let deprecated = client.change(project, purpose, move |tx, entered, client| {
        protection::check_delete(tx, entered, NPM, &name)?;
        let here = Scope::of_project(entered.project.id);
        let versions = here.of_format(NPM).versions(tx, &name)?;
        if versions.is_empty() {
            return Err(Error::NotFound("Package"));
        }
        for version in versions {
            let reason = version.version.as_ref().and_then(|number| given.get(number));
            if let Some(reason) = reason {
                set(tx, &client.viewer, &version, reason)?;
            }
        }
        Ok(())
    });
    deprecated.await?;
    done()
}

fn set(tx: &mut Tx<'_>, viewer: &Viewer, version: &Version, reason: &str) -> Result<()> {
    let Some(metadata) = &version.metadata else {
        return Ok(());
    };
    let mut kept = StoredManifest::read(metadata)?;
    let written = serde_json::to_string(reason).map_err(Error::internal)?;
    let wanted = Some(written.as_str()).filter(|_| !reason.is_empty());
    if kept.deprecated == wanted {
        return Ok(());
    }
    kept.deprecated = wanted;
    packages::set_metadata(tx, version.id, &kept.text())?;
    let package = packages::package_in(tx, version.project_id, version.id)?.found("Package")?;
    let status = match reason {
        "" => Status::Default,
        _ => Status::Deprecated,
    };
    packages::set_status(tx, &package, status)?;
    audit::record(
        tx,
        viewer,
        "package.deprecate",
        ("Package", package.id, &package.name),
        json!({
            "project_id": package.project_id,
            "version": package.version,
            "reason": reason,
        }),
    )
}
