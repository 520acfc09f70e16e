//! `deployments` and `deployment_numbers`.

use crate::environments::model::{Deployment, DeploymentStatus};
use crate::pipelines::store::inserts;
use ::store::{Fragment, IntoValue, Tx, Value, sql};
use jiff::Timestamp;
use kernel::error::Result;
use kernel::http::Paging;
use spaces::model::Sort;
use std::collections::HashMap;

const SELECT: &str = ::store::concat!("select ", Deployment::COLUMNS, " from deployments ");

/// A deployment that is to be.
#[derive(Debug, Clone)]
pub struct NewDeployment {
    pub environment_id: i64,
    pub job_id: Option<i64>,
    pub user_id: Option<i64>,
    pub on_ref: String,
    pub tag: bool,
    pub sha: String,
    pub status: DeploymentStatus,
    pub on_stop: Option<String>,
}

/// Adds deployments; they have the next numbers of their project, in their order.
pub fn insert(tx: &mut Tx<'_>, project_id: i64, new: &[NewDeployment]) -> Result<Vec<i64>> {
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let now = tx.now();
    let count = new.len() as i64;
    let latest: i64 = tx.one(
        sql!(
            "insert into deployment_numbers (project_id, latest) values ($1, $2)
             on conflict (project_id)
                do update set latest = deployment_numbers.latest + excluded.latest
             returning latest"
        ),
        (project_id, count),
    )?;
    let row = |(at, one): (usize, &NewDeployment)| -> Vec<Value> {
        vec![
            project_id.into_value(),
            (latest - count + 1 + at as i64).into_value(),
            one.environment_id.into_value(),
            one.job_id.into_value(),
            one.user_id.into_value(),
            one.on_ref.as_str().into_value(),
            one.tag.into_value(),
            one.sha.as_str().into_value(),
            one.status.into_value(),
            one.on_stop.clone().into_value(),
            now.into_value(),
            now.into_value(),
            one.status.is_finished().then_some(now).into_value(),
        ]
    };
    let rows: Vec<Vec<Value>> = new.iter().enumerate().map(row).collect();
    let before = "insert into deployments (project_id, iid, environment_id, job_id, user_id, ref,
        tag, sha, status, on_stop, created_at, updated_at, finished_at) values";
    let mut ids: Vec<(i64, i64)> = Vec::with_capacity(rows.len());
    for statement in inserts(before, &rows, " returning iid, id") {
        ids.extend(tx.query::<(i64, i64)>(statement)?);
    }
    ids.sort_unstable();
    Ok(ids.into_iter().map(|(_, id)| id).collect())
}

pub fn one(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Option<Deployment>> {
    Ok(tx.optional(
        sql!(SELECT, "where deployments.project_id = $1 and deployments.id = $2"),
        (project_id, id),
    )?)
}

/// Those of some jobs, by job.
pub fn of_jobs(tx: &mut Tx<'_>, jobs: Vec<i64>) -> Result<HashMap<i64, Deployment>> {
    let rows: Vec<Deployment> = match jobs.is_empty() {
        true => Vec::new(),
        false => tx.all(sql!(SELECT, "where deployments.job_id in_list($1)"), (jobs,))?,
    };
    Ok(rows.into_iter().filter_map(|one| Some((one.job_id?, one))).collect())
}

/// What is in some environments: of each the last that succeeded.
pub fn last_of(tx: &mut Tx<'_>, environments: Vec<i64>) -> Result<HashMap<i64, Deployment>> {
    let rows: Vec<Deployment> = match environments.is_empty() {
        true => Vec::new(),
        false => tx.all(
            sql!(
                SELECT,
                "where deployments.id in (select max(d.id) from deployments d
                    where d.environment_id in_list($1) and d.status = 'success'
                    group by d.environment_id)"
            ),
            (environments,),
        )?,
    };
    Ok(rows.into_iter().map(|one| (one.environment_id, one)).collect())
}

/// The latest job of this name in the pipeline of another.
pub fn job_beside(tx: &mut Tx<'_>, job_id: i64, name: &str) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!(
            "select beside.id from ci_jobs
             join ci_jobs beside on beside.pipeline_id = ci_jobs.pipeline_id
             where ci_jobs.id = $1 and beside.name = $2 and not beside.retried"
        ),
        (job_id, name),
    )?)
}

/// Has the deployments of some jobs follow them.
pub fn follow(tx: &mut Tx<'_>, jobs: &[i64], status: DeploymentStatus) -> Result<()> {
    let now = tx.now();
    let finished = status.is_finished().then_some(now);
    tx.run(
        sql!(
            "update deployments set status = $2, finished_at = $3, updated_at = $4
             where job_id in_list($1) and status <> $2"
        ),
        (jobs, status, finished, now),
    )
}

/// Says of one how far it is, whose job nobody here knows.
pub fn set_status(tx: &mut Tx<'_>, id: i64, status: DeploymentStatus) -> Result<()> {
    let now = tx.now();
    let finished = status.is_finished().then_some(now);
    tx.run(
        sql!(
            "update deployments set status = $2, finished_at = $3, updated_at = $4
             where id = $1"
        ),
        (id, status, finished, now),
    )
}

/// Notes that all who have to approve it did.
pub fn set_approved(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!("update deployments set approved_at = $2, updated_at = $2 where id = $1"),
        (id, now),
    )
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from deployments where id = $1"), (id,))
}

kernel::choices! {
    /// By what deployments are sorted.
    #[derive(Default)]
    pub enum OrderBy as "DeploymentOrder" {
        #[default]
        Id = "id",
        Iid = "iid",
        CreatedAt = "created_at",
        UpdatedAt = "updated_at",
        FinishedAt = "finished_at",
        Ref = "ref",
    }
}

kernel::params! {
    /// Which deployments, and in which order.
    #[derive(Default)]
    pub struct DeploymentFilter {
        /// Only of the environment of this name.
        pub environment: Option<String>,
        /// Only those that are so far.
        pub status: Option<DeploymentStatus>,
        /// Only changed since.
        pub updated_after: Option<Timestamp>,
        /// Only unchanged since.
        pub updated_before: Option<Timestamp>,
        /// Only those that came to their end since.
        pub finished_after: Option<Timestamp>,
        /// Only those that came to their end before.
        pub finished_before: Option<Timestamp>,
        /// By what they are sorted; by their ids unless said.
        pub order_by: Option<OrderBy>,
        /// The first first unless said.
        pub sort: Option<Sort>,
    }
}

impl DeploymentFilter {
    fn condition(&self, project_id: i64) -> Fragment {
        let mut of = Fragment::new("deployments.project_id = ");
        of.bind(project_id);
        if let Some(name) = &self.environment {
            of.push(
                " and deployments.environment_id in (select e.id from environments e
                    where e.project_id = ",
                project_id,
            );
            of.push(" and e.name = ", name.as_str()).raw(")");
        }
        if let Some(status) = self.status {
            of.push(" and deployments.status = ", status);
        }
        for (test, at) in [
            ("updated_at >= ", self.updated_after),
            ("updated_at <= ", self.updated_before),
            ("finished_at >= ", self.finished_after),
            ("finished_at <= ", self.finished_before),
        ] {
            if let Some(at) = at {
                of.push(&format!(" and deployments.{test}"), at);
            }
        }
        of
    }

    fn order(&self) -> String {
        let (direction, nulls) = match self.sort.unwrap_or(Sort::Asc) {
            Sort::Desc => ("desc", "nulls last"),
            Sort::Asc => ("asc", "nulls first"),
        };
        match self.order_by.unwrap_or_default() {
            OrderBy::Id => format!(" order by deployments.id {direction}"),
            by => format!(
                " order by deployments.{} {direction} {nulls}, deployments.id {direction}",
                by.as_str()
            ),
        }
    }
}

/// A page of those of a project, and how many there are.
pub fn page(
    tx: &mut Tx<'_>, project_id: i64, filter: &DeploymentFilter, paging: &Paging,
) -> Result<(Vec<Deployment>, i64)> {
    let of = filter.condition(project_id);
    let total = spaces::store::count(tx, "deployments", &of)?;
    let mut list = Fragment::new(SELECT);
    list.raw("where ").append(of).raw(&filter.order());
    list.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}
