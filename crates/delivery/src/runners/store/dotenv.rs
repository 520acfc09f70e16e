//! Variables that a report of a job hands on, in `ci_job_variables`: sealed as they stand.

use crate::pipelines::store::inserts;
use ::store::{FromRow, IntoValue, Tx, Value, sql};
use kernel::error::{Error, Result};
use kernel::secrets::Secrets;
use pipeline_file::{Level, Variable};

fn context(job_id: i64, key: &str) -> String {
    format!("ci_job_variables.dotenv:{job_id}:{key}")
}

/// Notes what a job hands on, in place of what it handed on before.
pub fn set(
    tx: &mut Tx<'_>, secrets: &Secrets, job_id: i64, pairs: &[(String, String)],
) -> Result<()> {
    tx.execute(
        sql!("delete from ci_job_variables where job_id = $1 and origin = 'dotenv'"),
        (job_id,),
    )?;
    let row = |(key, value): &(String, String)| -> Vec<Value> {
        let sealed = secrets.seal(&context(job_id, key), value.as_bytes());
        vec![
            job_id.into_value(),
            "dotenv".into_value(),
            key.as_str().into_value(),
            sealed.into_value(),
            "env_var".into_value(),
            true.into_value(),
        ]
    };
    let rows: Vec<Vec<Value>> = pairs.iter().map(row).collect();
    let before = "insert into ci_job_variables (job_id, origin, key, sealed_value, variable_type,
        raw) values";
    for statement in inserts(before, &rows, "") {
        tx.change_by(statement)?;
    }
    Ok(())
}

#[derive(FromRow)]
struct Row {
    job_id: i64,
    key: String,
    sealed_value: String,
}

/// What some jobs hand on, the earlier ones first.
pub fn of(tx: &mut Tx<'_>, secrets: &Secrets, jobs: Vec<i64>) -> Result<Vec<Variable>> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<Row> = tx.all(
        sql!(
            "select job_id, key, sealed_value from ci_job_variables
             where job_id in_list($1) and origin = 'dotenv' order by job_id, key"
        ),
        (jobs,),
    )?;
    let open = |row: Row| {
        let bytes = secrets.unseal(&context(row.job_id, &row.key), &row.sealed_value)?;
        let value = String::from_utf8(bytes).map_err(Error::internal)?;
        Ok(Variable { raw: true, ..Variable::new(Level::Dotenv, row.key, value) })
    };
    rows.into_iter().map(open).collect()
}
