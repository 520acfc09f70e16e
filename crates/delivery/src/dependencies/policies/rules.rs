//! Licence policies are set and taken away.

use super::model::{MOST, Mode, Policy, UNKNOWN};
use super::store;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use serde_json::json;
use spaces::Holder;

/// The policy that counts there: its own, or that of the nearest group above a project.
pub fn find(tx: &mut Tx<'_>, place: &Holder) -> Result<Policy> {
    let found = match place {
        Holder::Project(project) => store::nearest(tx, project)?,
        Holder::Group(_) => store::of(tx, place.id())?,
    };
    found.found("License policy")
}

/// # Errors
///
/// 400 where a licence is none of the SPDX list.
pub fn set(
    tx: &mut Tx<'_>, viewer: &Viewer, place: &Holder, (mode, licenses): (Mode, &[String]),
) -> Result<Policy> {
    let licenses = known(licenses)?;
    let policy = store::set(tx, place.id(), mode, &licenses)?;
    let details = json!({"mode": mode.as_str(), "licenses": licenses});
    audit::record(tx, viewer, "license_policy.update", place.target(), details)?;
    Ok(policy)
}

/// Ids as the list writes them, each once.
fn known(licenses: &[String]) -> Result<Vec<String>> {
    if licenses.len() > MOST {
        return Err(Error::BadRequest(format!("licenses has more than {MOST} items")));
    }
    let mut all: Vec<String> = Vec::new();
    for text in licenses {
        let id = match text.trim() {
            text if text.eq_ignore_ascii_case(UNKNOWN) => UNKNOWN,
            text => sbom::licenses::id_of(text).ok_or_else(|| {
                Error::BadRequest(format!("licenses has {text}, which is no id of the SPDX list"))
            })?,
        };
        if !all.iter().any(|one| one == id) {
            all.push(id.to_owned());
        }
    }
    Ok(all)
}

pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, place: &Holder) -> Result<()> {
    let policy = store::of(tx, place.id())?.found("License policy")?;
    store::delete(tx, policy.id)?;
    audit::record(tx, viewer, "license_policy.destroy", place.target(), json!({}))
}
