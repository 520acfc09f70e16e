//! Integrations: where tools send alerts of a project, and with which key
//! (docs/interface/monitoring.md 1.1).

use crate::access::Manager;
use crate::alerts::limits::AlertLimits;
use crate::alerts::model::{Integration, Kind, LEGACY, LEGACY_PROMETHEUS, MAX_NAME, TOKEN};
use crate::alerts::payload::mapping::{Mapping, Path};
use crate::alerts::payload::{self, Format, Payload, Reading};
use crate::alerts::receive::keep::Delivery;
use crate::alerts::store::integrations as rows;
use crate::alerts::store::settings;
use jiff::{SignedDuration, Timestamp};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use kernel::secrets::random_bytes;
use serde_json::{Value, json};
use spaces::model::Problems;
use store::{Json, Tx};

const MOST: i64 = 200;
/// Longest time for which the key before still opens, in seconds.
const MAX_OVERLAP: i64 = 30 * 24 * 3_600;
/// Shortest and longest silence that is looked for, in seconds.
const HEARTBEAT: std::ops::RangeInclusive<i64> = 60..=30 * 24 * 3_600;
/// What is said where administrators allow one integration of a kind only.
pub const SINGLE: &str =
    "Multiple integrations of a single type are not supported for this project";

/// What is said where another tool is in the way of an integration.
const EXTERNAL: &str = "cannot be turned on while an external incident tool is in use";

/// What an integration becomes, or what a new one is.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub kind: Option<Kind>,
    pub name: Option<String>,
    pub active: Option<bool>,
    pub payload_example: Option<Payload>,
    pub payload_mapping: Option<Mapping>,
    pub identity_fields: Option<Vec<Path>>,
    pub ignored_fields: Option<Vec<Path>>,
    pub heartbeat_seconds: Patch<i64>,
}

impl Change {
    fn over(&self, before: Integration) -> Integration {
        let change = self.clone();
        let name = change.name.unwrap_or(before.name);
        let example = change.payload_example.map(Value::Object);
        let paths = |sent: Option<Vec<Path>>, before| sent.map_or(before, Json);
        Integration {
            kind: change.kind.unwrap_or(before.kind),
            name: name.trim().to_owned(),
            active: change.active.unwrap_or(before.active),
            payload_example: example.unwrap_or(before.payload_example),
            payload_mapping: change.payload_mapping.map_or(before.payload_mapping, Json),
            identity_fields: paths(change.identity_fields, before.identity_fields),
            ignored_fields: paths(change.ignored_fields, before.ignored_fields),
            heartbeat_seconds: change.heartbeat_seconds.over(before.heartbeat_seconds),
            ..before
        }
    }
}

/// Looks at the fields, and cleans the example of what cannot be stored.
fn checked(mut written: Integration) -> Result<Integration> {
    let mut problems = Problems::default();
    let length = written.name.chars().count();
    if length == 0 {
        problems.add("name", "can't be blank");
    } else if length > MAX_NAME {
        problems.add("name", "is too long (maximum is 255 characters)");
    } else if written.name.chars().any(char::is_control) {
        problems.add("name", "is invalid");
    }
    let silence = written.heartbeat_seconds;
    if silence.is_some_and(|seconds| !HEARTBEAT.contains(&seconds)) {
        problems.add("heartbeat_seconds", "must be between 60 and 2592000");
    }
    match payload::read(written.payload_example.to_string().as_bytes()) {
        Some(example) => written.payload_example = Value::Object(example),
        None => problems.add("payload_example", "is too large or nested too deeply"),
    }
    problems.check()?;
    Ok(written)
}

fn identifier(tx: &mut Tx<'_>, project_id: i64, kind: Kind, plain_address: bool) -> Result<String> {
    let plain = match kind {
        Kind::Prometheus => Some(LEGACY_PROMETHEUS),
        Kind::Http if plain_address => Some(LEGACY),
        Kind::Http => None,
    };
    match plain {
        Some(plain) if !rows::is_taken(tx, project_id, plain, 0, false)? => Ok(plain.to_owned()),
        _ => Ok(hex::encode(random_bytes::<8>())),
    }
}

/// Refuses an active integration where another tool looks after incidents
/// (docs/interface/monitoring.md 1.1).
fn no_external_tool(tx: &mut Tx<'_>, project_id: i64) -> Result<()> {
    match settings::of_project(tx, project_id)?.external_tool() {
        Some(_) => Err(Error::invalid("active", EXTERNAL)),
        None => Ok(()),
    }
}

/// Makes an integration with a key of its own. A `plain_address` is that of
/// the project, if it is free.
pub fn create(
    app: &App, tx: &mut Tx<'_>, by: &Manager, new: &Change, plain_address: bool,
) -> Result<Integration> {
    let blank = Integration {
        project_id: by.project.id,
        active: true,
        payload_example: json!({}),
        ..Integration::default()
    };
    let new = checked(new.over(blank))?;
    if new.active {
        no_external_tool(tx, by.project.id)?;
    }
    single(tx, by.project.id, new.kind, 0)?;
    if rows::count(tx, by.project.id)? >= MOST {
        return Err(Error::invalid("base", "there are too many integrations"));
    }
    let new = Integration {
        endpoint_identifier: identifier(tx, by.project.id, new.kind, plain_address)?,
        sealed_token: new_token(app),
        ..new
    };
    let made = rows::insert(tx, &new)?;
    let details = about(&made, json!({}));
    by.record(tx, "alert_integration.create", details)?;
    Ok(made)
}

/// Refuses a second integration of a kind where administrators allow one only.
fn single(tx: &mut Tx<'_>, project_id: i64, kind: Kind, id: i64) -> Result<()> {
    let limits: AlertLimits = kernel::settings::read(tx)?;
    match !limits.multiple && rows::has_other(tx, project_id, kind, id)? {
        true => Err(Error::invalid("base", SINGLE)),
        false => Ok(()),
    }
}

pub fn update(
    tx: &mut Tx<'_>, by: &Manager, integration: &Integration, change: &Change,
) -> Result<Integration> {
    let after = checked(change.over(integration.clone()))?;
    if after.active && !integration.active {
        no_external_tool(tx, by.project.id)?;
    }
    if after.kind != integration.kind {
        single(tx, by.project.id, after.kind, integration.id)?;
    }
    let identifier = &integration.endpoint_identifier;
    if after.active && rows::is_taken(tx, by.project.id, identifier, integration.id, true)? {
        let text = "has already been taken";
        return Err(Error::invalid("endpoint_identifier", text));
    }
    let changed = rows::update(tx, &after)?;
    let details = about(&changed, json!({"active": changed.active}));
    by.record(tx, "alert_integration.update", details)?;
    Ok(changed)
}

/// Gives an integration another key. The old one stops at once, or opens it
/// for so many seconds more.
pub fn reset_token(
    app: &App, tx: &mut Tx<'_>, by: &Manager, integration: &Integration, overlap_seconds: i64,
) -> Result<Integration> {
    if !(0..=MAX_OVERLAP).contains(&overlap_seconds) {
        let text = format!("must be between 0 and {MAX_OVERLAP}");
        return Err(Error::invalid("overlap_seconds", text));
    }
    let overlap = SignedDuration::from_secs(overlap_seconds);
    let until = tx.now().checked_add(overlap).unwrap_or(Timestamp::MAX);
    let previous = (overlap_seconds > 0).then_some((integration.sealed_token.as_str(), until));
    let changed = rows::set_token(tx, integration.id, &new_token(app), previous)?;
    let details = about(&changed, json!({"overlap_seconds": overlap_seconds}));
    let action = "alert_integration.reset_token";
    by.record(tx, action, details)?;
    Ok(changed)
}

/// Removes an integration; its alerts stay.
pub fn destroy(tx: &mut Tx<'_>, by: &Manager, id: i64) -> Result<Integration> {
    let gone = rows::remove(tx, by.project.id, id)?.found("Integration")?;
    let details = about(&gone, json!({}));
    by.record(tx, "alert_integration.destroy", details)?;
    Ok(gone)
}

/// What a payload would come to if its sender sent it now.
pub fn trial(
    integration: &Integration, limits: &AlertLimits, payload: Payload, now: Timestamp,
) -> Result<Delivery> {
    if !integration.active {
        return Err(Error::forbidden("The integration is not active"));
    }
    let text = Value::Object(payload).to_string();
    let wrong = || Error::invalid("payload", "is too large or nested too deeply");
    let payload = payload::read(text.as_bytes()).ok_or_else(wrong)?;
    let format: Format = payload::format(&payload);
    Ok(Delivery {
        integration_id: Some(integration.id),
        key: None,
        format,
        items: payload::alerts(payload, &reading(integration, limits), now),
        log: true,
    })
}

fn reading(integration: &Integration, limits: &AlertLimits) -> Reading {
    let reading = Reading {
        name: integration.name.clone(),
        mapping: integration.payload_mapping.0.clone(),
        identity_fields: integration.identity_fields.0.clone(),
        ignored_fields: integration.ignored_fields.0.clone(),
        ..Reading::default()
    };
    reading.within(limits)
}

fn new_token(app: &App) -> String {
    let token = hex::encode(random_bytes::<16>());
    app.secrets().seal(TOKEN, token.as_bytes())
}

/// The key of an integration, for those who may see it.
pub fn token(app: &App, integration: &Integration) -> Result<String> {
    let bytes = app.secrets().unseal(TOKEN, &integration.sealed_token)?;
    String::from_utf8(bytes).map_err(Error::internal)
}

/// Where senders send to.
pub fn url(base_url: &str, full_path: &str, integration: &Integration) -> String {
    match integration.endpoint_identifier.as_str() {
        LEGACY => format!("{base_url}/{full_path}/alerts/notify.json"),
        LEGACY_PROMETHEUS => format!("{base_url}/{full_path}/prometheus/alerts/notify.json"),
        named => {
            let name = slug(&integration.name);
            format!("{base_url}/{full_path}/alerts/notify/{name}/{named}.json")
        }
    }
}

/// A name as a part of an address.
fn slug(name: &str) -> String {
    let plain = |c: char| match c.is_ascii_alphanumeric() {
        true => c.to_ascii_lowercase(),
        false => '-',
    };
    let text: String = name.chars().map(plain).collect();
    let parts: Vec<&str> = text.split('-').filter(|part| !part.is_empty()).collect();
    match parts.is_empty() {
        true => "http-endpoint".to_owned(),
        false => parts.join("-"),
    }
}

fn about(integration: &Integration, mut details: Value) -> Value {
    details["integration"] = json!(integration.id);
    details["name"] = json!(integration.name);
    details
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn names_become_parts_of_addresses() {
        for (name, expected) in [
            ("My Endpoint", "my-endpoint"),
            ("  CPU / load!  ", "cpu-load"),
            ("größe", "gr-e"),
            ("???", "http-endpoint"),
        ] {
            assert_eq!(slug(name), expected);
        }
    }
}
