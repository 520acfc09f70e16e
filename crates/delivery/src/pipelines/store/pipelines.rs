//! `ci_pipelines` and `ci_pipeline_numbers`.

use crate::pipelines::model::{ConfigSource, Pipeline, Source};
use crate::pipelines::requests::Told;
use crate::pipelines::status::Status;
use ::store::{FromRow, IntoValue, Json, Tx, concat, sql};
use jiff::Timestamp;
use kernel::error::Result;
use pipeline_file::model::AutoCancel;
use std::collections::HashMap;

pub(super) const SELECT: &str = concat!("select ", Pipeline::COLUMNS, " from ci_pipelines ");

/// A pipeline that is to be.
#[derive(Debug, Clone)]
pub struct NewPipeline {
    pub project_id: i64,
    pub source: Source,
    pub status: Status,
    pub on_ref: String,
    pub tag: bool,
    pub sha: String,
    pub before_sha: String,
    pub protected: bool,
    pub user_id: Option<i64>,
    pub name: Option<String>,
    pub config_source: ConfigSource,
    pub yaml_errors: Option<String>,
    pub failure_reason: Option<String>,
    pub auto_cancel: AutoCancel,
    pub parent_pipeline_id: Option<i64>,
    pub depth: i64,
    pub schedule_id: Option<i64>,
    pub trigger_id: Option<i64>,
    pub committed_at: Option<Timestamp>,
    /// Of merge requests.
    pub told: Told,
}

/// Adds a pipeline; it has the next number of its project.
pub fn insert(tx: &mut Tx<'_>, new: &NewPipeline) -> Result<Pipeline> {
    let now = tx.now();
    let iid: i64 = tx.one(
        sql!(
            "insert into ci_pipeline_numbers (project_id, latest) values ($1, 1)
             on conflict (project_id) do update set latest = ci_pipeline_numbers.latest + 1
             returning latest"
        ),
        (new.project_id,),
    )?;
    let finished = new.status.is_finished().then_some(now);
    let request = new.told.request.as_ref();
    let values = vec![
        new.project_id.into_value(),
        iid.into_value(),
        new.source.into_value(),
        new.status.into_value(),
        new.on_ref.as_str().into_value(),
        new.tag.into_value(),
        new.sha.as_str().into_value(),
        new.before_sha.as_str().into_value(),
        new.protected.into_value(),
        new.user_id.into_value(),
        new.name.clone().into_value(),
        new.config_source.into_value(),
        new.yaml_errors.clone().into_value(),
        new.failure_reason.clone().into_value(),
        Json(new.auto_cancel).into_value(),
        new.parent_pipeline_id.into_value(),
        new.depth.into_value(),
        now.into_value(),
        finished.into_value(),
        new.committed_at.into_value(),
        new.schedule_id.into_value(),
        new.trigger_id.into_value(),
        request.map(|one| one.id).into_value(),
        request.map(|one| one.head.as_str()).into_value(),
        (!new.told.is_empty()).then(|| Json(new.told.clone())).into_value(),
    ];
    Ok(tx.one(
        sql!(
            "insert into ci_pipelines (project_id, iid, source, status, ref, tag, sha,
                before_sha, protected, user_id, name, config_source, yaml_errors,
                failure_reason, auto_cancel, parent_pipeline_id, depth, created_at,
                updated_at, finished_at, committed_at, schedule_id, trigger_id,
                merge_request_id, source_sha, told)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
                $17, $18, $18, $19, $20, $21, $22, $23, $24, $25)
             returning ",
            Pipeline::COLUMNS
        ),
        values,
    )?)
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Pipeline>> {
    Ok(tx.optional(sql!(SELECT, "where ci_pipelines.id = $1"), (id,))?)
}

pub fn of_project(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Option<Pipeline>> {
    Ok(tx.optional(
        sql!(SELECT, "where ci_pipelines.id = $1 and ci_pipelines.project_id = $2"),
        (id, project_id),
    )?)
}

pub fn some(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<Vec<Pipeline>> {
    Ok(tx.all(sql!(SELECT, "where ci_pipelines.id in_list($1)"), (ids,))?)
}

/// The newest of a commit of a branch or tag; children of others do not count.
pub fn latest(
    tx: &mut Tx<'_>, project_id: i64, on_ref: &str, sha: Option<&str>,
) -> Result<Option<Pipeline>> {
    let sha = sha.map(str::to_owned);
    Ok(tx.optional(
        sql!(
            SELECT,
            "where ci_pipelines.project_id = $1 and ci_pipelines.ref = $2
               and ci_pipelines.sha = coalesce($3, ci_pipelines.sha)
               and ci_pipelines.parent_pipeline_id is null
             order by ci_pipelines.id desc limit 1"
        ),
        (project_id, on_ref, sha),
    )?)
}

/// The newest of a branch or tag; perhaps of those that were not left out.
pub fn newest(
    tx: &mut Tx<'_>, project_id: i64, on_ref: &str, without_skipped: bool,
) -> Result<Option<Pipeline>> {
    Ok(tx.optional(
        sql!(
            SELECT,
            "where ci_pipelines.project_id = $1 and ci_pipelines.ref = $2
               and ci_pipelines.parent_pipeline_id is null
               and not ($3 and ci_pipelines.status = 'skipped')
             order by ci_pipelines.id desc limit 1"
        ),
        (project_id, on_ref, without_skipped),
    )?)
}

/// The newest of each of those commits that have any; children of others do not count.
pub fn newest_of_commits(tx: &mut Tx<'_>, commits: Vec<(i64, String)>) -> Result<Vec<Pipeline>> {
    let (projects, shas): (Vec<i64>, Vec<String>) = commits.into_iter().unzip();
    Ok(tx.all(
        sql!(
            SELECT,
            "where ci_pipelines.id in (select max(newest.id) from ci_pipelines newest
                where newest.project_id in_list($1) and newest.sha in_list($2)
                  and newest.parent_pipeline_id is null
                group by newest.project_id, newest.sha)"
        ),
        (projects, shas),
    )?)
}

/// The newest of a commit, on a ref if one is given; children of others do not count.
pub fn newest_of_commit(
    tx: &mut Tx<'_>, project_id: i64, sha: &str, on_ref: Option<&str>,
) -> Result<Option<Pipeline>> {
    let on_ref = on_ref.map(str::to_owned);
    Ok(tx.optional(
        sql!(
            SELECT,
            "where ci_pipelines.project_id = $1 and ci_pipelines.sha = $2
               and ci_pipelines.ref = coalesce($3, ci_pipelines.ref)
               and ci_pipelines.parent_pipeline_id is null
             order by ci_pipelines.id desc limit 1"
        ),
        (project_id, sha, on_ref),
    )?)
}

/// Whether a newer one of its ref has succeeded.
pub fn is_overtaken(tx: &mut Tx<'_>, pipeline: &Pipeline) -> Result<bool> {
    let newer: Option<i64> = tx.optional(
        sql!(
            "select id from ci_pipelines
             where project_id = $1 and ref = $2 and id > $3 and status = 'success'
               and parent_pipeline_id is null limit 1"
        ),
        (pipeline.project_id, &pipeline.on_ref, pipeline.id),
    )?;
    Ok(newer.is_some())
}

/// What a newer pipeline may take the place of.
#[derive(Debug, Clone, FromRow)]
#[columns("ci_pipelines")]
pub struct Redundant {
    pub id: i64,
    pub auto_cancel: Json<AutoCancel>,
}

/// Those of a merge request that go on for other heads than this, began after then, and
/// are no children of others.
pub fn redundant_of_request(
    tx: &mut Tx<'_>, newer: &Pipeline, since: Timestamp, most: i64,
) -> Result<Vec<Redundant>> {
    Ok(tx.all(
        sql!(
            "select ",
            Redundant::COLUMNS,
            " from ci_pipelines
             where ci_pipelines.project_id = $1 and ci_pipelines.merge_request_id = $2
               and ci_pipelines.id < $3 and ci_pipelines.source_sha <> $4
               and ci_pipelines.parent_pipeline_id is null
               and ci_pipelines.created_at > $5
               and ci_pipelines.status in ('created', 'waiting_for_resource', 'preparing',
                   'pending', 'running', 'manual', 'scheduled')
             order by ci_pipelines.id desc limit $6"
        ),
        (newer.project_id, newer.merge_request_id, newer.id, newer.head(), since, most),
    )?)
}

/// Those of a ref that go on for other commits than this, began after then, and are no
/// children of others.
pub fn redundant(
    tx: &mut Tx<'_>, newer: &Pipeline, since: Timestamp, most: i64,
) -> Result<Vec<Redundant>> {
    Ok(tx.all(
        sql!(
            "select ",
            Redundant::COLUMNS,
            " from ci_pipelines
             where ci_pipelines.project_id = $1 and ci_pipelines.ref = $2
               and ci_pipelines.id < $3 and ci_pipelines.sha <> $4
               and ci_pipelines.source not in ('external', 'schedule')
               and ci_pipelines.parent_pipeline_id is null
               and ci_pipelines.created_at > $5
               and ci_pipelines.status in ('created', 'waiting_for_resource', 'preparing',
                   'pending', 'running', 'manual', 'scheduled')
             order by ci_pipelines.id desc limit $6"
        ),
        (newer.project_id, &newer.on_ref, newer.id, &newer.sha, since, most),
    )?)
}

pub fn note_taken_over(tx: &mut Tx<'_>, ids: Vec<i64>, by: i64) -> Result<()> {
    tx.run(
        sql!("update ci_pipelines set auto_canceled_by_id = $2 where id in_list($1)"),
        (ids, by),
    )
}

/// The pipelines that a pipeline began below it.
pub fn children(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<Vec<i64>> {
    Ok(tx.all(sql!("select id from ci_pipelines where parent_pipeline_id in_list($1)"), (ids,))?)
}

pub fn set_name(tx: &mut Tx<'_>, id: i64, name: &str) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!("update ci_pipelines set name = $2, updated_at = $3 where id = $1"),
        (id, name, now),
    )
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from ci_pipelines where id = $1"), (id,))
}

/// Whether a job of another pipeline began it.
pub fn is_downstream(tx: &mut Tx<'_>, id: i64) -> Result<bool> {
    let bridge: Option<i64> = tx.optional(
        sql!("select id from ci_jobs where downstream_pipeline_id = $1 limit 1"),
        (id,),
    )?;
    Ok(bridge.is_some())
}

/// The mean of what its jobs say they tried of the code, in percent.
pub fn coverage(tx: &mut Tx<'_>, id: i64) -> Result<Option<f64>> {
    let found: (Option<f64>,) = tx.one(
        sql!(
            "select avg(coverage) from ci_jobs where pipeline_id = $1 and not retried
                and coverage is not null"
        ),
        (id,),
    )?;
    Ok(found.0)
}

/// The same of those of some pipelines that have one.
pub fn coverages(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<HashMap<i64, f64>> {
    Ok(tx.pairs(
        sql!(
            "select pipeline_id, avg(coverage) from ci_jobs
             where pipeline_id in_list($1) and not retried and coverage is not null
             group by pipeline_id"
        ),
        (ids,),
    )?)
}

/// Jobs of the pipelines of a project that began since then and have not ended, counted
/// to this number.
pub fn active_jobs(tx: &mut Tx<'_>, project_id: i64, since: Timestamp, most: i64) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select count(*) from (select 1 from ci_jobs
                join ci_pipelines on ci_pipelines.id = ci_jobs.pipeline_id
                where ci_pipelines.project_id = $1 and ci_pipelines.created_at >= $2
                  and ci_pipelines.status in ('created', 'waiting_for_resource', 'preparing',
                    'pending', 'running')
                  and not ci_jobs.retried limit $3) counted"
        ),
        (project_id, since, most),
    )?)
}

/// A pipeline, `$1`, and those that began it.
const ABOVE: &str = "with recursive above (id) as (
    select ci_pipelines.id from ci_pipelines where ci_pipelines.id = $1
    union
    select ci_jobs.pipeline_id from ci_jobs
        join above on ci_jobs.downstream_pipeline_id = above.id)";

/// How many pipelines there are that began each other with this one, counted to this
/// number: those above it, and all below the topmost.
pub fn hierarchy(tx: &mut Tx<'_>, id: i64, most: i64) -> Result<i64> {
    // One that begins another is older.
    let top: i64 = tx.one(sql!(ABOVE, "select coalesce(min(id), 0) from above"), (id,))?;
    Ok(tx.one(
        sql!(
            "with recursive below (id) as (
                select ci_pipelines.id from ci_pipelines where ci_pipelines.id = $1
                union
                select ci_jobs.downstream_pipeline_id from ci_jobs
                    join below on ci_jobs.pipeline_id = below.id
                    where ci_jobs.downstream_pipeline_id is not null)
             select count(*) from (select 1 from below limit $2) counted"
        ),
        (top, most),
    )?)
}

/// Whether this pipeline and those that began it go round in a circle: one project, branch and
/// source has come up over twice. Children do not count, since they lie only so deep.
pub fn is_in_loop(tx: &mut Tx<'_>, id: i64) -> Result<bool> {
    Ok(tx.one(
        sql!(
            ABOVE,
            "select exists (
                select 1 from above join ci_pipelines on ci_pipelines.id = above.id
                where ci_pipelines.source <> $2
                group by ci_pipelines.project_id, ci_pipelines.ref, ci_pipelines.source
                having count(*) > 2)"
        ),
        (id, Source::ParentPipeline),
    )?)
}
