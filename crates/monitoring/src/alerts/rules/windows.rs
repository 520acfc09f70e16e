//! Maintenance windows of a project.

use super::Manager;
use crate::alerts::model::{MAX_NAME, Window};
use crate::alerts::store::integrations;
use crate::alerts::store::windows::{self as rows, NewWindow};
use jiff::Timestamp;
use kernel::error::{Error, Found, Result};
use kernel::time::wire;
use serde_json::{Value, json};
use store::Tx;

const MOST: i64 = 1_000;

pub fn create(tx: &mut Tx<'_>, by: &Manager, new: &NewWindow) -> Result<Window> {
    let length = new.name.trim().chars().count();
    if length == 0 {
        return Err(Error::invalid("name", "can't be blank"));
    }
    if length > MAX_NAME || new.name.chars().any(char::is_control) {
        return Err(Error::invalid("name", "is invalid"));
    }
    if new.starts_at < Timestamp::UNIX_EPOCH {
        return Err(Error::invalid("starts_at", "is too long ago"));
    }
    if new.ends_at <= new.starts_at || new.ends_at <= tx.now() {
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
