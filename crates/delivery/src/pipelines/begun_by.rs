//! The schedule or trigger that began a pipeline, and what jobs are told of it.

use super::variables::Given;
use crate::variables::model::VariableType;
use ::store::{FromRow, Tx, sql};
use kernel::error::Result;
use kernel::secrets::Secret;
use pipeline_file::{Level, Variable};

/// What began a pipeline that no user did.
#[derive(Debug, Clone)]
pub enum BegunBy {
    Schedule {
        id: i64,
        description: String,
    },
    Trigger {
        id: i64,
        short_token: String,
        /// All that was sent with it, as JSON.
        payload: Secret,
    },
}

impl BegunBy {
    pub fn schedule_id(&self) -> Option<i64> {
        match self {
            BegunBy::Schedule { id, .. } => Some(*id),
            BegunBy::Trigger { .. } => None,
        }
    }

    pub fn trigger_id(&self) -> Option<i64> {
        match self {
            BegunBy::Trigger { id, .. } => Some(*id),
            BegunBy::Schedule { .. } => None,
        }
    }

    /// What was sent to it, which jobs find in a file.
    pub fn payload(&self) -> Option<Given> {
        let BegunBy::Trigger { payload, .. } = self else {
            return None;
        };
        Some(Given {
            key: "TRIGGER_PAYLOAD".to_owned(),
            value: payload.clone(),
            variable_type: VariableType::File,
            raw: false,
        })
    }

    /// What rules and jobs see of it.
    pub fn variables(&self) -> Vec<Variable> {
        match self {
            BegunBy::Schedule { description, .. } => of_schedule(description),
            BegunBy::Trigger { short_token, .. } => of_trigger(short_token),
        }
    }
}

fn predefined(name: &str, value: &str) -> Variable {
    let value = value.replace('\0', "");
    Variable { raw: true, ..Variable::new(Level::Predefined, name, value) }
}

fn of_schedule(description: &str) -> Vec<Variable> {
    vec![predefined("CI_PIPELINE_SCHEDULE_DESCRIPTION", description)]
}

fn of_trigger(short_token: &str) -> Vec<Variable> {
    vec![
        predefined("CI_PIPELINE_TRIGGERED", "true"),
        predefined("CI_TRIGGER_SHORT_TOKEN", short_token),
    ]
}

#[derive(FromRow)]
struct Row {
    description: Option<String>,
    short_token: Option<String>,
}

/// What the jobs of a pipeline are told of what began it.
pub fn variables_of(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<Vec<Variable>> {
    let row: Option<Row> = tx.optional(
        sql!(
            "select ci_schedules.description, ci_triggers.short_token from ci_pipelines
             left join ci_schedules on ci_schedules.id = ci_pipelines.schedule_id
             left join ci_triggers on ci_triggers.id = ci_pipelines.trigger_id
             where ci_pipelines.id = $1"
        ),
        (pipeline_id,),
    )?;
    let Some(row) = row else {
        return Ok(Vec::new());
    };
    let mut all = row.description.as_deref().map(of_schedule).unwrap_or_default();
    all.extend(row.short_token.as_deref().map(of_trigger).unwrap_or_default());
    Ok(all)
}
