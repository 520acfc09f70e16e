//! `/notification_settings`, of everything, of a group, of a project.

use super::model::{EVENTS, Level, NEW_EPIC, SwitchChanges, Switches};
use super::rules::{self, Change};
use super::store::{self as rows, Setting, SourceType};
use crate::access::ParentRef;
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Flat, Ok200, Params, Routes};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;
use store::Tx;

pub(crate) fn routes(r: &mut Routes) {
    r.get("/notification_settings", show)
        .summary("Shows what the caller wants mail of");
    r.put("/notification_settings", change)
        .summary("Changes what the caller wants mail of");
    for (places, word) in [("projects", "project"), ("groups", "group")] {
        let path = format!("/{places}/{{id}}/notification_settings");
        r.get(&path, show_of)
            .named(&format!("{places}_show_notifications"))
            .summary(format!("Shows what the caller wants mail of in a {word}"));
        r.put(&path, change_of)
            .named(&format!("{places}_change_notifications"))
            .summary(format!("Changes what the caller wants mail of in a {word}"));
    }
}

kernel::params! {
    /// What somebody wants mail of.
    pub struct UpdateNotifications {
        /// How much.
        pub level: Option<String>,
        pub switches: Flat<SwitchChanges>,
    }
}

kernel::params! {
    /// What somebody wants mail of, and where it goes.
    pub struct UpdateGlobalNotifications {
        /// One of the caller's confirmed addresses.
        pub notification_email: Option<String>,
        pub rest: Flat<UpdateNotifications>,
    }
}

/// What somebody wants mail of everywhere.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GlobalNotificationEntity {
    level: Level,
    notification_email: String,
}

/// What somebody wants mail of in a project or group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotificationEntity {
    level: Level,
    /// By name, at the custom level.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Map<String, serde_json::Value>>,
}

impl UpdateNotifications {
    fn change(&self, email: Option<String>) -> Change {
        Change {
            level: self.level.clone(),
            email,
            switches: self.switches.0.clone(),
            own_activity: None,
            digest: None,
        }
    }
}

async fn show(app: App, caller: SignedInViewer) -> Result<Ok200<GlobalNotificationEntity>> {
    app.read(move |tx| {
        let setting = rows::find(tx, caller.0.user.id, rows::EVERYTHING)?;
        global(tx, &caller, &setting)
    })
    .await
}

async fn change(
    app: App, caller: SignedInViewer, params: Params<UpdateGlobalNotifications>,
) -> Result<Ok200<GlobalNotificationEntity>> {
    app.write(move |tx| {
        let change = params.rest.0.change(params.notification_email.clone());
        let setting = rules::change(tx, &caller.0, rows::EVERYTHING, &change)?;
        global(tx, &caller, &setting)
    })
    .await
}

fn global(
    tx: &mut Tx<'_>, caller: &SignedInViewer, setting: &Setting,
) -> Result<Ok200<GlobalNotificationEntity>> {
    let notification_email = rules::address(tx, &caller.0.user, setting)?;
    Ok(Ok200(GlobalNotificationEntity { level: setting.level, notification_email }))
}

async fn show_of(
    app: App, caller: SignedInViewer, place: ParentRef,
) -> Result<Ok200<NotificationEntity>> {
    app.read(move |tx| {
        let source = rules::source(tx, &caller.viewer(), Some(&place))?;
        Ok(Ok200(entity(&rows::find(tx, caller.0.user.id, source)?)))
    })
    .await
}

async fn change_of(
    app: App, caller: SignedInViewer, place: ParentRef, params: Params<UpdateNotifications>,
) -> Result<Ok200<NotificationEntity>> {
    app.write(move |tx| {
        let source = rules::source(tx, &caller.viewer(), Some(&place))?;
        let setting = rules::change(tx, &caller.0, source, &params.0.change(None))?;
        Ok(Ok200(entity(&setting)))
    })
    .await
}

fn entity(setting: &Setting) -> NotificationEntity {
    let is_custom = setting.level == Level::Custom;
    let events = is_custom.then(|| events(&setting.switches(), setting.source_type));
    NotificationEntity { level: setting.level, events }
}

/// The switches as they act, in their order.
fn events(switches: &Switches, of: SourceType) -> Map<String, serde_json::Value> {
    let shown = EVENTS.iter().filter(|event| of == SourceType::Group || **event != NEW_EPIC);
    shown.map(|event| ((*event).to_owned(), switches.is_on(event).into())).collect()
}
