//! What users choose for the pages they see.

use super::record;
use crate::author::Author;
use crate::model::User;
use kernel::error::{Error, Result};
use kernel::html::Preferences;
use kernel::zones;
use serde_json::json;
use store::Tx;

/// Stores what a user chose; a time zone gets its proper name.
pub fn set_preferences(
    tx: &mut Tx<'_>, by: &Author, user: &User, wanted: &Preferences,
) -> Result<()> {
    let zone = match wanted.time_zone.as_deref().map(str::trim) {
        None | Some("") => None,
        Some(name) => Some(
            zones::named(name)
                .ok_or_else(|| Error::invalid("time_zone", "is not a known time zone"))?,
        ),
    };
    crate::store::users::set_preferences(tx, user.id, wanted, zone)?;
    record(tx, by, "user.update", user, json!({"changed": ["preferences"]}))
}
