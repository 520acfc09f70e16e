//! What REST shows of schedules, in wire order.

use super::model::{Schedule, ScheduleInput};
use crate::pipelines::entity::PipelineBasic;
use crate::pipelines::variables::Given;
use crate::variables::model::VariableType;
use identity::User;
use identity::entities::{UserBasic, basic};
use kernel::app::App;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// A schedule in a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "PipelineSchedule")]
pub struct ScheduleEntity {
    pub id: i64,
    pub description: String,
    /// The whole name of a branch or tag.
    #[serde(rename = "ref")]
    pub on_ref: String,
    pub cron: String,
    pub cron_timezone: String,
    pub next_run_at: Option<String>,
    pub active: bool,
    pub created_at: String,
    pub updated_at: String,
    pub owner: Option<UserBasic>,
}

impl ScheduleEntity {
    pub fn of(app: &App, schedule: &Schedule, people: &HashMap<i64, User>) -> ScheduleEntity {
        let owner = schedule.owner_id.and_then(|id| people.get(&id));
        ScheduleEntity {
            id: schedule.id,
            description: schedule.description.clone(),
            on_ref: schedule.on_ref.clone(),
            cron: schedule.cron.clone(),
            cron_timezone: schedule.cron_timezone.clone(),
            next_run_at: schedule.next_run_at.map(wire::text),
            active: schedule.active,
            created_at: wire::text(schedule.created_at),
            updated_at: wire::text(schedule.updated_at),
            owner: owner.map(|user| basic(app, user)),
        }
    }
}

/// A schedule by itself.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "PipelineScheduleDetails")]
pub struct ScheduleDetails {
    #[serde(flatten)]
    pub schedule: ScheduleEntity,
    pub last_pipeline: Option<PipelineBasic>,
    /// For who may change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<Vec<ScheduleVariable>>,
    /// For who may change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<ScheduleInput>>,
}

/// What the pipelines of a schedule are given.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "PipelineScheduleVariable")]
pub struct ScheduleVariable {
    pub key: String,
    pub variable_type: VariableType,
    pub value: String,
    pub raw: bool,
}

impl From<Given> for ScheduleVariable {
    fn from(given: Given) -> ScheduleVariable {
        ScheduleVariable {
            value: given.value.expose().to_owned(),
            key: given.key,
            variable_type: given.variable_type,
            raw: given.raw,
        }
    }
}
