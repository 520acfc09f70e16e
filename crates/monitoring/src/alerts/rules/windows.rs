//! Maintenance windows of a project.

use crate::alerts::model::{MAX_NAME, Window};
use crate::alerts::store::integrations;
use crate::alerts::store::windows::{self as rows, NewWindow};
use identity::viewer::Viewer;
use jiff::Timestamp;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::time::wire;
use serde_json::json;
use spaces::Project;
use spaces::rules::of_project;
use store::Tx;

const MOST: i64 = 1_000;

pub fn create(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    new: &NewWindow,
) -> Result<Window> {
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
        integrations::find(tx, project.id, id)?.found("Integration")?;
    }
    if rows::count(tx, project.id)? >= MOST {
        let text = "there are too many maintenance windows";
        return Err(Error::invalid("base", text));
    }
    let made = rows::insert(tx, project.id, viewer.user_id(), new)?;
    record(tx, viewer, project, "alert_window.create", &made)?;
    Ok(made)
}

pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, id: i64) -> Result<()> {
    let gone = rows::remove(tx, project.id, id)?.found("Maintenance window")?;
    record(tx, viewer, project, "alert_window.destroy", &gone)
}

fn record(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    action: &'static str,
    window: &Window,
) -> Result<()> {
    let details = json!({
        "window": window.id,
        "name": window.name,
        "starts_at": wire::text(window.starts_at),
        "ends_at": wire::text(window.ends_at),
    });
    audit::record(tx, viewer, action, of_project(project), details)
}
