//! `/application/settings`: what administrators may change.

use crate::instance::{self, Everything};
use crate::viewer::Admin;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Ok200, Routes};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

pub fn routes(r: &mut Routes) {
    r.get("/application/settings", show).summary("Shows the instance's settings");
    r.put("/application/settings", update)
        .always()
        .summary("Changes the instance's settings");
}

/// The settings, of this room and of those above.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct SettingsEntity(pub Map<String, Value>);

async fn show(app: App, _: Admin) -> Result<Ok200<SettingsEntity>> {
    Ok(Ok200(SettingsEntity(app.read(instance::read).await?)))
}

async fn update(app: App, admin: Admin, sent: Everything) -> Result<Ok200<SettingsEntity>> {
    let by = admin.author();
    let inner = app.clone();
    let all = app.write(move |tx| sent.save(&inner, tx, &by)).await?;
    Ok(Ok200(SettingsEntity(all)))
}
