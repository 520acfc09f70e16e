//! Administrators bring advisories and take them away.

use super::load::LoadAdvisories;
use super::matching::advisories_changed;
use super::model::{Advisory, Load, MOST_WAITING};
use super::store::{self, loads};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::blobs::Stored;
use kernel::error::{Error, Found, Result};
use kernel::jobs::enqueue_at;
use serde_json::json;

/// Seconds after which somebody may try again.
const WAIT: u64 = 60;

/// Refuses where too many files wait, before any of one is read.
pub fn check(tx: &mut Tx<'_>) -> Result<()> {
    match loads::waiting(tx)? >= MOST_WAITING {
        true => Err(Error::Limited(WAIT)),
        false => Ok(()),
    }
}

/// Has a file read whose bytes are kept.
pub fn load(tx: &mut Tx<'_>, viewer: &Viewer, stored: &Stored) -> Result<Load> {
    check(tx)?;
    let load = loads::insert(tx, viewer.user_id(), stored)?;
    let target = ("AdvisoryLoad", load.id, stored.sha256.as_str());
    audit::record(tx, viewer, "advisories.load", target, json!({"size": stored.size}))?;
    let now = tx.now();
    enqueue_at(tx, &LoadAdvisories { load: load.id }, now)?;
    Ok(load)
}

/// The advisory of this id.
pub fn find(tx: &mut Tx<'_>, name: &str) -> Result<Advisory> {
    store::named(tx, name)?.found("Advisory")
}

pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, name: &str) -> Result<()> {
    let advisory = find(tx, name)?;
    store::delete(tx, vec![advisory.id])?;
    let target = ("Advisory", advisory.id, advisory.name.as_str());
    audit::record(tx, viewer, "advisories.destroy", target, json!({}))?;
    advisories_changed(tx)
}
