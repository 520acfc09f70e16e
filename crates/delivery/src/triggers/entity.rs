//! What REST shows of triggers, in wire order.

use super::model::Trigger;
use identity::User;
use identity::entities::{UserBasic, basic};
use kernel::app::App;
use kernel::secrets::Secret;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// A trigger.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "PipelineTrigger")]
pub struct TriggerEntity {
    pub id: i64,
    /// Whole when it is made, and its first letters later.
    pub token: String,
    pub description: String,
    pub created_at: String,
    pub updated_at: String,
    pub last_used: Option<String>,
    pub expires_at: Option<String>,
    pub owner: Option<UserBasic>,
}

impl TriggerEntity {
    pub fn of(
        app: &App, trigger: &Trigger, people: &HashMap<i64, User>, secret: Option<&Secret>,
    ) -> TriggerEntity {
        let whole = secret.map(|secret| secret.expose().to_owned());
        TriggerEntity {
            id: trigger.id,
            token: whole.unwrap_or_else(|| trigger.short_token.clone()),
            description: trigger.description.clone(),
            created_at: wire::text(trigger.created_at),
            updated_at: wire::text(trigger.updated_at),
            last_used: trigger.last_used.map(wire::text),
            expires_at: trigger.expires_at.map(wire::text),
            owner: people.get(&trigger.owner_id).map(|user| basic(app, user)),
        }
    }
}
