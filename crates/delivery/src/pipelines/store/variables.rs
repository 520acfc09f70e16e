//! `ci_pipeline_variables`, `ci_job_variables` and `ci_schedule_variables`: sealed as they
//! stand here.

use super::inserts;
use crate::pipelines::variables::Given;
use crate::variables::model::VariableType;
use ::store::{FromRow, IntoValue, Tx, Value, sql};
use kernel::error::Result;
use kernel::secrets::Secrets;

/// Whose variables they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Pipeline(i64),
    /// Given to who started a job.
    Job(i64),
    /// Given to each pipeline of a schedule.
    Schedule(i64),
}

impl Owner {
    fn id(self) -> i64 {
        match self {
            Owner::Pipeline(id) | Owner::Job(id) | Owner::Schedule(id) => id,
        }
    }

    fn context(self, key: &str) -> String {
        match self {
            Owner::Pipeline(id) => format!("ci_pipeline_variables.sealed_value:{id}:{key}"),
            Owner::Job(id) => format!("ci_job_variables.sealed_value:{id}:{key}"),
            Owner::Schedule(id) => format!("ci_schedule_variables.sealed_value:{id}:{key}"),
        }
    }
}

pub fn insert(tx: &mut Tx<'_>, secrets: &Secrets, owner: Owner, all: &[Given]) -> Result<()> {
    let row = |given: &Given| -> Vec<Value> {
        let mut row = vec![owner.id().into_value()];
        if let Owner::Job(_) = owner {
            row.push("manual".into_value());
        }
        let value = given.value.expose().as_bytes();
        row.extend([
            given.key.as_str().into_value(),
            secrets.seal(&owner.context(&given.key), value).into_value(),
            given.variable_type.into_value(),
            given.raw.into_value(),
        ]);
        row
    };
    let rows: Vec<Vec<Value>> = all.iter().map(row).collect();
    let before = match owner {
        Owner::Pipeline(_) => {
            "insert into ci_pipeline_variables (pipeline_id, key, sealed_value, variable_type,
                raw) values"
        }
        Owner::Job(_) => {
            "insert into ci_job_variables (job_id, origin, key, sealed_value, variable_type, raw)
             values"
        }
        Owner::Schedule(_) => {
            "insert into ci_schedule_variables (schedule_id, key, sealed_value, variable_type,
                raw) values"
        }
    };
    for statement in inserts(before, &rows, "") {
        tx.change_by(statement)?;
    }
    Ok(())
}

#[derive(FromRow)]
struct Row {
    key: String,
    sealed_value: String,
    variable_type: VariableType,
    raw: bool,
}

/// The variables of a pipeline, or those that somebody gave a job, by their keys.
pub fn of(tx: &mut Tx<'_>, secrets: &Secrets, owner: Owner) -> Result<Vec<Given>> {
    let statement = match owner {
        Owner::Pipeline(_) => sql!(
            "select key, sealed_value, variable_type, raw from ci_pipeline_variables
             where pipeline_id = $1 order by key"
        ),
        Owner::Job(_) => sql!(
            "select key, sealed_value, variable_type, raw from ci_job_variables
             where job_id = $1 and origin = 'manual' order by key"
        ),
        Owner::Schedule(_) => sql!(
            "select key, sealed_value, variable_type, raw from ci_schedule_variables
             where schedule_id = $1 order by key"
        ),
    };
    let rows: Vec<Row> = tx.all(statement, (owner.id(),))?;
    rows.into_iter().map(|row| open(secrets, owner, row)).collect()
}

/// Takes away the variable of a schedule that has this name.
pub fn delete_of_schedule(tx: &mut Tx<'_>, schedule_id: i64, key: &str) -> Result<()> {
    tx.run(
        sql!("delete from ci_schedule_variables where schedule_id = $1 and key = $2"),
        (schedule_id, key),
    )
}

fn open(secrets: &Secrets, owner: Owner, row: Row) -> Result<Given> {
    let bytes = secrets.unseal(&owner.context(&row.key), &row.sealed_value)?;
    let value = String::from_utf8(bytes).map_err(kernel::error::Error::internal)?;
    Ok(Given {
        key: row.key,
        value: value.into(),
        variable_type: row.variable_type,
        raw: row.raw,
    })
}
