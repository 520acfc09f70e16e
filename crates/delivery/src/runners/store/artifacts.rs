//! `ci_artifacts`.

use crate::pipelines::model::Pipeline;
use ::store::{FromRow, Tx, sql};
use jiff::Timestamp;
use kernel::blobs::Stored;
use kernel::error::Result;

#[derive(Debug, Clone, FromRow)]
#[columns("ci_artifacts")]
pub struct Artifact {
    pub id: i64,
    pub job_id: i64,
    pub project_id: i64,
    pub file_type: String,
    pub file_format: String,
    pub file_name: String,
    pub size: i64,
    pub sha256: String,
    pub blob_key: String,
    pub expires_at: Option<Timestamp>,
}

impl Artifact {
    pub fn is_there(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|at| at > now)
    }
}

const SELECT: &str = ::store::concat!("select ", Artifact::COLUMNS, " from ci_artifacts where ");

/// A file that a job leaves.
#[derive(Debug, Clone)]
pub struct NewArtifact {
    pub job_id: i64,
    pub project_id: i64,
    pub file_type: &'static str,
    pub file_format: &'static str,
    pub file_name: String,
    pub expires_at: Option<Timestamp>,
}

/// The one of a job that is of this type, whether or not it has expired.
pub fn of_type(tx: &mut Tx<'_>, job_id: i64, file_type: &str) -> Result<Option<Artifact>> {
    Ok(tx.optional(
        sql!(SELECT, "ci_artifacts.job_id = $1 and ci_artifacts.file_type = $2"),
        (job_id, file_type),
    )?)
}

/// All of some jobs.
pub fn of_jobs(tx: &mut Tx<'_>, jobs: Vec<i64>) -> Result<Vec<Artifact>> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    Ok(tx.all(
        sql!(SELECT, "ci_artifacts.job_id in_list($1) order by ci_artifacts.id"),
        (jobs,),
    )?)
}

/// Whether some jobs brought a file of a type.
pub fn have_type(tx: &mut Tx<'_>, jobs: Vec<i64>, file_type: &str) -> Result<bool> {
    let one: Option<i64> = tx.optional(
        sql!(
            "select ci_artifacts.id from ci_artifacts
             where ci_artifacts.job_id in_list($1) and ci_artifacts.file_type = $2 limit 1"
        ),
        (jobs, file_type),
    )?;
    Ok(one.is_some())
}

/// Adds a file whose bytes are kept.
pub fn insert(tx: &mut Tx<'_>, new: &NewArtifact, stored: &Stored) -> Result<()> {
    let size = kernel::blob_rows::insert(tx, stored)?;
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into ci_artifacts (job_id, project_id, file_type, file_format, file_name,
                size, sha256, blob_key, expires_at, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
        ),
        (
            new.job_id,
            new.project_id,
            new.file_type,
            new.file_format,
            &new.file_name,
            size,
            &stored.sha256,
            &stored.key,
            new.expires_at,
            now,
        ),
    )?;
    Ok(())
}

/// Keeps all files of a job for good.
pub fn keep(tx: &mut Tx<'_>, job_id: i64) -> Result<()> {
    tx.run(
        sql!(
            "update ci_artifacts set expires_at = null, later_expires_at = null
             where job_id = $1"
        ),
        (job_id,),
    )
}

/// Keeps those of a pipeline that have time left, until a newer one of its ref succeeds.
pub fn keep_of_pipeline(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "update ci_artifacts set later_expires_at = expires_at, expires_at = null
             where expires_at > $2
               and job_id in (select j.id from ci_jobs j where j.pipeline_id = $1)"
        ),
        (pipeline_id, now),
    )
}

/// Those that older pipelines of a ref kept have their time again.
pub fn release_before(tx: &mut Tx<'_>, newer: &Pipeline) -> Result<()> {
    tx.run(
        sql!(
            "update ci_artifacts set expires_at = later_expires_at, later_expires_at = null
             where project_id = $1 and later_expires_at is not null
               and job_id in (select j.id from ci_jobs j
                   join ci_pipelines p on p.id = j.pipeline_id
                   where p.project_id = $1 and p.ref = $2 and p.id < $3)"
        ),
        (newer.project_id, &newer.on_ref, newer.id),
    )
}

/// Those of a project are gone from now on; a job takes the bytes away.
pub fn expire_all(tx: &mut Tx<'_>, project_id: i64) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "update ci_artifacts set expires_at = $2, later_expires_at = null
             where project_id = $1"
        ),
        (project_id, now),
    )
}

/// Takes all files of a job away; whether there were some.
pub fn delete_of_job(tx: &mut Tx<'_>, job_id: i64) -> Result<bool> {
    Ok(tx.execute(sql!("delete from ci_artifacts where job_id = $1"), (job_id,))? > 0)
}

/// Takes some of those away whose time is over; how many.
pub fn delete_expired(tx: &mut Tx<'_>, most: i64) -> Result<u64> {
    let now = tx.now();
    Ok(tx.execute(
        sql!(
            "delete from ci_artifacts where id in (select a.id from ci_artifacts a
                where a.expires_at <= $1 order by a.expires_at limit $2)"
        ),
        (now, most),
    )?)
}

/// Gives some of those of a project no more time; how many there were at most.
pub fn delete_of_project(tx: &mut Tx<'_>, project_id: i64, most: i64) -> Result<u64> {
    Ok(tx.execute(
        sql!(
            "delete from ci_artifacts where id in (select a.id from ci_artifacts a
                where a.project_id = $1 order by a.id limit $2)"
        ),
        (project_id, most),
    )?)
}
