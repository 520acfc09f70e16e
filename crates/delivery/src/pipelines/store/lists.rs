//! Pages of pipelines and of jobs.

use super::{jobs, pipelines};
use crate::pipelines::model::{Job, JobKind, Pipeline, Source};
use crate::pipelines::status::Status;
use ::store::{Fragment, FromRow, Tx, sql};
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::Paging;
use kernel::time::Timestamp;
use spaces::model::Sort;
use std::collections::HashMap;

kernel::choices! {
    /// Which pipelines, in one word.
    pub enum PipelineScope {
        Running = "running",
        Pending = "pending",
        Finished = "finished",
        Branches = "branches",
        Tags = "tags",
    }
}

kernel::choices! {
    /// By what pipelines are sorted.
    #[derive(Default)]
    pub enum OrderBy as "PipelineOrder" {
        #[default]
        Id = "id",
        Status = "status",
        Ref = "ref",
        UpdatedAt = "updated_at",
        UserId = "user_id",
    }
}

kernel::params! {
    /// Which pipelines, and in which order.
    #[derive(Default)]
    pub struct PipelineFilter {
        /// Which, in one word.
        pub scope: Option<PipelineScope>,
        /// Only those that are so far.
        pub status: Option<Status>,
        /// Only those that this began.
        pub source: Option<Source>,
        /// Only of this branch or tag.
        pub on_ref as "ref": Option<String>,
        /// Only of this commit.
        pub sha: Option<String>,
        /// Only those whose file was wrong, or was not.
        pub yaml_errors: Option<bool>,
        /// Only those of this user.
        pub username: Option<String>,
        /// Only of this name.
        pub name: Option<String>,
        /// Only changed since.
        pub updated_after: Option<Timestamp>,
        /// Only unchanged since.
        pub updated_before: Option<Timestamp>,
        /// Only begun since.
        pub created_after: Option<Timestamp>,
        /// Only begun before.
        pub created_before: Option<Timestamp>,
        /// By what they are sorted; by their ids unless said.
        pub order_by: Option<OrderBy>,
        /// The last first unless said.
        pub sort: Option<Sort>,
    }
}

impl PipelineFilter {
    /// Those of a project; of children of others only who asks for them by their source.
    fn condition(&self, project_id: i64) -> Fragment {
        let mut of = Fragment::new("ci_pipelines.project_id = ");
        of.bind(project_id).append(self.narrowing());
        of
    }

    /// The same without a project, to be added to a condition.
    fn narrowing(&self) -> Fragment {
        let mut of = Fragment::new("");
        match self.scope {
            None => {}
            Some(PipelineScope::Running) => {
                of.raw(" and ci_pipelines.status = 'running'");
            }
            Some(PipelineScope::Pending) => {
                of.raw(" and ci_pipelines.status = 'pending'");
            }
            Some(PipelineScope::Finished) => {
                of.raw(" and ci_pipelines.status in ('success', 'failed', 'canceled')");
            }
            Some(PipelineScope::Branches) => {
                of.raw(
                    " and not ci_pipelines.tag and ci_pipelines.ref not like 'refs/%' escape '\\'",
                );
            }
            Some(PipelineScope::Tags) => {
                of.raw(" and ci_pipelines.tag");
            }
        }
        if let Some(status) = self.status {
            of.push(" and ci_pipelines.status = ", status);
        }
        match self.source {
            Some(source) => of.push(" and ci_pipelines.source = ", source),
            None => of.raw(" and ci_pipelines.source <> 'parent_pipeline'"),
        };
        for (column, text) in [("ref", &self.on_ref), ("sha", &self.sha), ("name", &self.name)] {
            if let Some(text) = text {
                of.push(&format!(" and ci_pipelines.{column} = "), text.as_str());
            }
        }
        match self.yaml_errors {
            Some(true) => of.raw(" and ci_pipelines.yaml_errors is not null"),
            Some(false) => of.raw(" and ci_pipelines.yaml_errors is null"),
            None => &mut of,
        };
        if let Some(name) = &self.username {
            of.push(
                " and ci_pipelines.user_id in (select id from users where username_folded = ",
                name.to_lowercase(),
            )
            .raw(")");
        }
        for (test, at) in [
            ("updated_at >= ", self.updated_after),
            ("updated_at <= ", self.updated_before),
            ("created_at >= ", self.created_after),
            ("created_at <= ", self.created_before),
        ] {
            if let Some(at) = at {
                of.push(&format!(" and ci_pipelines.{test}"), at);
            }
        }
        of
    }

    fn order(&self) -> String {
        let (direction, nulls) = match self.sort.unwrap_or(Sort::Desc) {
            Sort::Desc => ("desc", "nulls last"),
            Sort::Asc => ("asc", "nulls first"),
        };
        match self.order_by.unwrap_or_default() {
            OrderBy::Id => format!(" order by ci_pipelines.id {direction}"),
            by => format!(
                " order by ci_pipelines.{} {direction} {nulls}, ci_pipelines.id {direction}",
                by.as_str()
            ),
        }
    }
}

/// A page of the pipelines of a project, and how many there are.
pub fn of_project(
    tx: &mut Tx<'_>, project_id: i64, filter: &PipelineFilter, paging: &Paging,
) -> Result<(Vec<Pipeline>, i64)> {
    let condition = filter.condition(project_id);
    let total = spaces::store::count(tx, "ci_pipelines", &condition)?;
    let mut list = Fragment::new(pipelines::SELECT);
    list.raw("where ").append(condition).raw(&filter.order());
    list.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

/// How many there are: all of them, the finished ones, those of branches and of tags.
pub fn counts(tx: &mut Tx<'_>, project_id: i64, filter: &PipelineFilter) -> Result<[i64; 4]> {
    let mut of = |scope| {
        let filter = PipelineFilter { scope, ..filter.clone() };
        spaces::store::count(tx, "ci_pipelines", &filter.condition(project_id))
    };
    Ok([
        of(None)?,
        of(Some(PipelineScope::Finished))?,
        of(Some(PipelineScope::Branches))?,
        of(Some(PipelineScope::Tags))?,
    ])
}

/// How many jobs of a stage are so far.
#[derive(Debug, Clone, FromRow)]
#[columns("ci_jobs")]
pub struct StageCount {
    pub pipeline_id: i64,
    pub stage_index: i64,
    pub stage: String,
    pub status: Status,
    pub allow_failure: bool,
    #[column("count(*)")]
    pub count: i64,
}

/// The same of all stages of some pipelines.
pub fn stages(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<Vec<StageCount>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(tx.all(
        sql!(
            "select ",
            StageCount::COLUMNS,
            " from ci_jobs where ci_jobs.pipeline_id in_list($1) and not ci_jobs.retried
             group by ci_jobs.pipeline_id, ci_jobs.stage_index, ci_jobs.stage,
                ci_jobs.status, ci_jobs.allow_failure"
        ),
        (ids,),
    )?)
}

/// What is drawn of a pipeline over time.
#[derive(Debug, Clone, FromRow)]
#[columns("ci_pipelines")]
pub struct Past {
    pub status: Status,
    pub duration: Option<i64>,
    pub created_at: Timestamp,
}

/// Those of a project that began since then, the last first, at most so many.
pub fn since(tx: &mut Tx<'_>, project_id: i64, at: Timestamp, most: i64) -> Result<Vec<Past>> {
    Ok(tx.all(
        sql!(
            "select ",
            Past::COLUMNS,
            " from ci_pipelines where ci_pipelines.project_id = $1
               and ci_pipelines.created_at >= $2 order by ci_pipelines.id desc limit $3"
        ),
        (project_id, at, most),
    )?)
}

/// A page of the pipelines of each of some projects.
pub fn pipelines_of(
    tx: &mut Tx<'_>, projects: &[i64], filter: &PipelineFilter, window: &Window,
) -> Result<Vec<Owned<Pipeline>>> {
    let mut from = Fragment::new(" from ci_pipelines where");
    from.in_list("ci_pipelines.project_id", projects).append(filter.narrowing());
    Ok(tx.query(window.narrow_each(Pipeline::COLUMNS, "ci_pipelines.project_id", from))?)
}

/// How many some projects have, each to this number and one more.
pub fn pipeline_counts(
    tx: &mut Tx<'_>, projects: &[i64], filter: &PipelineFilter, limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let mut query =
        Fragment::new("select ci_pipelines.project_id, count(*) from ci_pipelines where");
    query.in_list("ci_pipelines.project_id", projects).append(filter.narrowing());
    query.raw(" group by ci_pipelines.project_id");
    Ok(up_to(tx.query(query)?, limit))
}

pub(super) fn up_to(rows: Vec<(i64, i64)>, limit: Option<i64>) -> HashMap<i64, i64> {
    let most = limit.map_or(i64::MAX, |limit| limit.saturating_add(1));
    rows.into_iter().map(|(owner, count)| (owner, count.min(most))).collect()
}

/// The pipeline of this number of each of some projects.
pub fn numbered(tx: &mut Tx<'_>, projects: &[i64], iid: i64) -> Result<Vec<Pipeline>> {
    Ok(tx.all(
        sql!(
            pipelines::SELECT,
            "where ci_pipelines.project_id in_list($1) and ci_pipelines.iid = $2"
        ),
        (projects, iid),
    )?)
}

/// The newest pipeline of a commit in each of some projects.
pub fn of_commit(tx: &mut Tx<'_>, projects: &[i64], sha: &str) -> Result<Vec<Pipeline>> {
    Ok(tx.all(
        sql!(
            pipelines::SELECT,
            "where ci_pipelines.id in (select max(p.id) from ci_pipelines p
                where p.project_id in_list($1) and p.sha = $2 group by p.project_id)"
        ),
        (projects, sha),
    )?)
}

impl JobFilter {
    /// What it asks for, to be added to a condition.
    fn narrowing(&self) -> Fragment {
        let mut of = Fragment::new("");
        if !self.statuses.is_empty() {
            let statuses: Vec<String> =
                self.statuses.iter().map(|status| status.as_str().to_owned()).collect();
            of.raw(" and").in_list("ci_jobs.status", statuses);
        }
        if !self.pipelines.is_empty() {
            of.raw(" and").in_list("ci_jobs.pipeline_id", self.pipelines.clone());
        }
        if !self.with_retried {
            of.raw(" and not ci_jobs.retried");
        }
        of
    }
}

/// A page of the jobs of each of some projects, pipelines or stages.
pub fn jobs_of(
    tx: &mut Tx<'_>, (owner, ids): (&'static str, &[i64]), filter: &JobFilter, window: &Window,
) -> Result<Vec<Owned<Job>>> {
    let mut from = Fragment::new(" from ci_jobs where");
    from.in_list(owner, ids).append(filter.narrowing());
    Ok(tx.query(window.narrow_each(Job::COLUMNS, owner, from))?)
}

/// How many they have, each to this number and one more.
pub fn job_counts(
    tx: &mut Tx<'_>, (owner, ids): (&'static str, &[i64]), filter: &JobFilter, limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let mut query = Fragment::new(&format!("select {owner}, count(*) from ci_jobs where"));
    query.in_list(owner, ids).append(filter.narrowing());
    query.raw(&format!(" group by {owner}"));
    Ok(up_to(tx.query(query)?, limit))
}

/// More than a pipeline has stages: a file has no room for so many.
const STAGES: i64 = 1 << 20;
/// A stage among those of all pipelines, as [`stage_key`] names it.
pub const STAGE: &str = "(ci_jobs.pipeline_id * 1048576 + ci_jobs.stage_index)";

pub fn stage_key(pipeline_id: i64, index: i64) -> i64 {
    pipeline_id.saturating_mul(STAGES).saturating_add(index)
}

/// A page of the jobs of all projects.
pub fn all_jobs(tx: &mut Tx<'_>, filter: &JobFilter, window: &Window) -> Result<Vec<Job>> {
    let mut list = Fragment::new(jobs::SELECT);
    list.raw("where ci_jobs.id > 0").append(filter.narrowing());
    window.narrow(&mut list);
    Ok(tx.query(list)?)
}

/// How many there are of all projects, to this number and one more.
pub fn count_jobs(tx: &mut Tx<'_>, filter: &JobFilter, limit: Option<i64>) -> Result<i64> {
    let mut query = Fragment::new("select count(*) from ci_jobs where ci_jobs.id > 0");
    query.append(filter.narrowing());
    let count = tx.query::<i64>(query)?.into_iter().next().unwrap_or_default();
    Ok(limit.map_or(count, |limit| count.min(limit.saturating_add(1))))
}

/// Which jobs are listed.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    pub pipeline_id: Option<i64>,
    /// Empty: of whichever pipeline.
    pub pipelines: Vec<i64>,
    pub resource_group_id: Option<i64>,
    pub kinds: &'static [JobKind],
    /// Empty: however far they are.
    pub statuses: Vec<Status>,
    /// Also those that others took the place of.
    pub with_retried: bool,
}

/// Jobs that runners and other programs do.
pub const JOBS: &[JobKind] = &[JobKind::Build, JobKind::External];
pub const BRIDGES: &[JobKind] = &[JobKind::Bridge];

/// A page of jobs of a project, the newest first, and how many there are.
pub fn jobs(
    tx: &mut Tx<'_>, project_id: i64, filter: &JobFilter, paging: &Paging,
) -> Result<(Vec<Job>, i64)> {
    let texts = |all: Vec<&str>| all.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let mut of = Fragment::new("ci_jobs.project_id = ");
    of.bind(project_id);
    if let Some(id) = filter.pipeline_id {
        of.push(" and ci_jobs.pipeline_id = ", id);
    }
    if let Some(id) = filter.resource_group_id {
        of.push(" and ci_jobs.resource_group_id = ", id);
    }
    let kinds = texts(filter.kinds.iter().map(|kind| kind.as_str()).collect());
    of.raw(" and").in_list("ci_jobs.kind", kinds);
    of.append(filter.narrowing());
    let total = spaces::store::count(tx, "ci_jobs", &of)?;
    let mut list = Fragment::new(jobs::SELECT);
    list.raw("where ").append(of).raw(" order by ci_jobs.id desc");
    list.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}
