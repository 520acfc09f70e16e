//! Maintenance windows of a project.

use crate::access::Manager;
use crate::alerts::model::{MAX_NAME, NewWindow, Window};
use crate::alerts::store::integrations;
use crate::alerts::store::windows as rows;
use jiff::Timestamp;
use kernel::error::{Error, Found, Result};
use kernel::time::wire;
use serde_json::{Value, json};
use store::Tx;

const MOST: i64 = 1_000;

pub fn create(tx: &mut Tx<'_>, by: &Manager, new: &NewWindow) -> Result<Window> {
    let name = new.name.trim();
    let starts_at = new.starts_at.unwrap_or(tx.now());
    if name.is_empty() {
        return Err(Error::invalid("name", "can't be blank"));
    }
    if name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(Error::invalid("name", "is invalid"));
    }
    if starts_at < Timestamp::UNIX_EPOCH {
        return Err(Error::invalid("starts_at", "is too long ago"));
    }
    if new.ends_at <= starts_at || new.ends_at <= tx.now() {
        let text = "must be later than now and than starts_at";
        return Err(Error::invalid("ends_at", text));
    }
    if let Some(id) = new.integration_id {
        integrations::find(tx, by.project.id, id)?.found("Integration")?;
    }
    if rows::count(tx, by.project.id)? >= MOST {
        let text = "there are too many maintenance windows";
        return Err(Error::invalid("base", text));
    }
    let made = rows::insert(tx, by.project.id, by.viewer.user_id(), new)?;
    by.record(tx, "alert_window.create", about(&made))?;
    Ok(made)
}

pub fn destroy(tx: &mut Tx<'_>, by: &Manager, id: i64) -> Result<()> {
    let gone = rows::remove(tx, by.project.id, id)?.found("Maintenance window")?;
    by.record(tx, "alert_window.destroy", about(&gone))
}

fn about(window: &Window) -> Value {
    json!({
        "window": window.id,
        "name": window.name,
        "starts_at": wire::text(window.starts_at),
        "ends_at": wire::text(window.ends_at),
    })
}
