//! `sbom_problems`.

use crate::dependencies::model::Problem;
use crate::pipelines::store::inserts;
use ::store::{IntoValue, Tx, Value, concat, sql};
use kernel::error::Result;
use kernel::http::Paging;

const SELECT: &str = concat!("select ", Problem::COLUMNS, " from sbom_problems ");

/// Writes what is wrong with the reports of a pipeline in the place of what was.
pub fn replace(tx: &mut Tx<'_>, pipelines: &[i64], new: &[(i64, i64, String)]) -> Result<()> {
    let now = tx.now();
    tx.execute(sql!("delete from sbom_problems where pipeline_id in_list($1)"), (pipelines,))?;
    let row = |(pipeline, job, text): &(i64, i64, String)| -> Vec<Value> {
        vec![
            pipeline.into_value(),
            job.into_value(),
            text.replace('\0', "").into_value(),
            now.into_value(),
        ]
    };
    let rows: Vec<Vec<Value>> = new.iter().map(row).collect();
    let before = "insert into sbom_problems (pipeline_id, job_id, text, created_at) values";
    for statement in inserts(before, &rows, "") {
        tx.change_by(statement)?;
    }
    Ok(())
}

/// A page of those of a pipeline, and how many there are.
pub fn page(tx: &mut Tx<'_>, pipeline_id: i64, paging: &Paging) -> Result<(Vec<Problem>, i64)> {
    let total = tx.one(
        sql!("select count(*) from sbom_problems where pipeline_id = $1"),
        (pipeline_id,),
    )?;
    let rows = tx.all(
        sql!(
            SELECT,
            "where sbom_problems.pipeline_id = $1 order by sbom_problems.id
             limit $2 offset $3"
        ),
        (pipeline_id, paging.fetch(), paging.offset()),
    )?;
    Ok((rows, total))
}

/// The first of a pipeline, for its page.
pub fn first(tx: &mut Tx<'_>, pipeline_id: i64, most: i64) -> Result<Vec<Problem>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where sbom_problems.pipeline_id = $1 order by sbom_problems.id limit $2"
        ),
        (pipeline_id, most),
    )?)
}

/// The first of a job, for its page.
pub fn of_job(tx: &mut Tx<'_>, job_id: i64, most: i64) -> Result<Vec<Problem>> {
    Ok(tx.all(
        sql!(SELECT, "where sbom_problems.job_id = $1 order by sbom_problems.id limit $2"),
        (job_id, most),
    )?)
}
