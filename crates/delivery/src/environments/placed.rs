//! Jobs that are about an environment, as far as that goes.

use crate::pipelines::definition::{Definition, Deployment as Said};
use ::store::{FromRow, Json, Tx, concat, sql};
use kernel::error::Result;

#[derive(Debug, Clone, FromRow)]
#[columns("ci_jobs")]
struct Row {
    id: i64,
    project_id: i64,
    user_id: Option<i64>,
    environment_url: Option<String>,
    definition: Json<Definition>,
}

const SELECT: &str = concat!(
    "select ",
    Row::COLUMNS,
    " from ci_jobs where ci_jobs.environment is not null and "
);

/// A job and what its file says of its environment.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub job_id: i64,
    pub project_id: i64,
    pub user_id: Option<i64>,
    /// The address that it has found out.
    pub found_url: Option<String>,
    pub said: Said,
}

fn placed(rows: Vec<Row>) -> Vec<Placed> {
    let one = |row: Row| {
        Some(Placed {
            job_id: row.id,
            project_id: row.project_id,
            user_id: row.user_id,
            found_url: row.environment_url,
            said: row.definition.0.environment?,
        })
    };
    rows.into_iter().filter_map(one).collect()
}

/// Those of some jobs that have an environment, in their order.
pub(super) fn some(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Placed>> {
    match ids.is_empty() {
        true => Ok(Vec::new()),
        false => Ok(placed(
            tx.all(sql!(SELECT, "ci_jobs.id in_list($1) order by ci_jobs.id"), (ids,))?,
        )),
    }
}

/// Those of a pipeline, in the order of its jobs.
pub(super) fn of_pipeline(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<Vec<Placed>> {
    Ok(placed(tx.all(
        sql!(SELECT, "ci_jobs.pipeline_id = $1 and not ci_jobs.retried order by ci_jobs.id"),
        (pipeline_id,),
    )?))
}
