//! External jobs in `ci_jobs`, and all jobs of a commit.

use super::model::{STAGE, STAGE_INDEX, State};
use crate::pipelines::definition::Definition;
use crate::pipelines::model::{Demand, Job, JobKind, RunWhen, queue_key};
use ::store::{Fragment, FromRow, IntoValue, Json, Tx, concat, sql};
use jiff::Timestamp;
use kernel::error::Result;
use kernel::http::Paging;

/// A job of a commit, with what its program says of it.
#[derive(Debug, Clone, FromRow)]
#[columns("ci_jobs")]
pub struct Said {
    #[nested]
    pub job: Job,
    pub target_url: Option<String>,
    pub description: Option<String>,
    #[column("ci_pipelines.ref")]
    pub on_ref: String,
    #[column("ci_pipelines.sha")]
    pub sha: String,
}

const SELECT: &str = concat!(
    "select ",
    Said::COLUMNS,
    " from ci_jobs join ci_pipelines on ci_pipelines.id = ci_jobs.pipeline_id "
);

/// What is wanted of the jobs of a commit.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub on_ref: Option<String>,
    pub stage: Option<String>,
    pub name: Option<String>,
    pub pipeline_id: Option<i64>,
    /// Also those that others came after.
    pub all: bool,
}

/// A page of the jobs of a commit, the oldest first, and how many there are.
pub fn page(
    tx: &mut Tx<'_>, (project, sha): (i64, &str), wanted: &Wanted, paging: &Paging,
) -> Result<(Vec<Said>, i64)> {
    let mut of = Fragment::new("ci_pipelines.project_id = ");
    of.bind(project).push(" and ci_pipelines.sha = ", sha);
    if !wanted.all {
        of.raw(" and not ci_jobs.retried");
    }
    for (column, text) in [
        ("ci_pipelines.ref", &wanted.on_ref),
        ("ci_jobs.stage", &wanted.stage),
        ("ci_jobs.name", &wanted.name),
    ] {
        if let Some(text) = text {
            of.push(&format!(" and {column} = "), text.as_str());
        }
    }
    if let Some(id) = wanted.pipeline_id {
        of.push(" and ci_pipelines.id = ", id);
    }
    let mut count = Fragment::new(
        "select count(*) from ci_jobs join ci_pipelines on ci_pipelines.id = ci_jobs.pipeline_id
         where ",
    );
    count.append(of.clone());
    let total = tx.query::<i64>(count)?.into_iter().next().unwrap_or_default();
    let mut list = Fragment::new(SELECT);
    list.raw("where ").append(of).raw(" order by ci_jobs.id");
    list.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Said>> {
    Ok(tx.optional(sql!(SELECT, "where ci_jobs.id = $1"), (id,))?)
}

/// The newest external one of a name.
pub fn newest(tx: &mut Tx<'_>, pipeline_id: i64, name: &str) -> Result<Option<Said>> {
    Ok(tx.optional(
        sql!(
            SELECT,
            "where ci_jobs.pipeline_id = $1 and ci_jobs.name = $2
               and ci_jobs.kind = 'external' and not ci_jobs.retried"
        ),
        (pipeline_id, name),
    )?)
}

/// How many external ones a commit has, others came after them or not.
pub fn count(tx: &mut Tx<'_>, project_id: i64, sha: &str) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select count(*) from ci_jobs
             join ci_pipelines on ci_pipelines.id = ci_jobs.pipeline_id
             where ci_pipelines.project_id = $1 and ci_pipelines.sha = $2
               and ci_jobs.kind = 'external'"
        ),
        (project_id, sha),
    )?)
}

/// Makes one no longer the newest.
pub fn retire(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("update ci_jobs set retried = true where id = $1"), (id,))
}

/// What a program says now.
#[derive(Debug, Clone)]
pub struct Statement {
    pub name: String,
    pub state: State,
    pub target_url: Option<String>,
    pub description: Option<String>,
    pub coverage: Option<f64>,
    pub user_id: Option<i64>,
}

/// The times that go with a state: since when it runs, and when it ended.
fn times(state: State, now: Timestamp) -> (Option<Timestamp>, Option<Timestamp>) {
    let started = (state == State::Running).then_some(now);
    (started, (!state.is_open()).then_some(now))
}

/// Adds an external job to a pipeline; its id.
pub fn insert(
    tx: &mut Tx<'_>, (project_id, pipeline_id, protected): (i64, i64, bool), new: &Statement,
) -> Result<i64> {
    let now = tx.now();
    let (started, finished) = times(new.state, now);
    Ok(tx.one(
        sql!(
            "insert into ci_jobs (project_id, pipeline_id, kind, name, stage, stage_index,
                position, status, run_when, allow_failure, retried, attempt, needs_mode,
                protected, interruptible, user_id, tags, queue_key, coverage, definition,
                created_at, updated_at, started_at, finished_at, target_url, description)
             values ($1, $2, $3, $4, $5, $6,
                (select coalesce(max(position), -1) + 1 from ci_jobs where pipeline_id = $2),
                $7, $8, false, false, 0, false, $9, false, $10, $11, $12, $13, $14, $15, $15,
                $16, $17, $18, $19)
             returning id"
        ),
        vec![
            project_id.into_value(),
            pipeline_id.into_value(),
            JobKind::External.into_value(),
            new.name.as_str().into_value(),
            STAGE.into_value(),
            STAGE_INDEX.into_value(),
            new.state.status().into_value(),
            RunWhen::OnSuccess.into_value(),
            protected.into_value(),
            new.user_id.into_value(),
            Json(Vec::<String>::new()).into_value(),
            queue_key(Demand::default(), &[]).into_value(),
            new.coverage.into_value(),
            Json(Definition::external()).into_value(),
            now.into_value(),
            started.into_value(),
            finished.into_value(),
            new.target_url.clone().into_value(),
            new.description.clone().into_value(),
        ],
    )?)
}

/// Moves one on; what is not said again stays.
pub fn update(tx: &mut Tx<'_>, id: i64, new: &Statement) -> Result<()> {
    let now = tx.now();
    let (started, finished) = times(new.state, now);
    tx.run(
        sql!(
            "update ci_jobs set status = $2, target_url = coalesce($3, target_url),
                description = coalesce($4, description), coverage = coalesce($5, coverage),
                started_at = coalesce(started_at, $6), finished_at = $7, updated_at = $8
             where id = $1"
        ),
        (
            id,
            new.state.status(),
            new.target_url.as_deref(),
            new.description.as_deref(),
            new.coverage,
            started,
            finished,
            now,
        ),
    )
}
