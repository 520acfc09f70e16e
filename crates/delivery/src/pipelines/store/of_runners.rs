//! Pages of the jobs of runners, as far as somebody sees them.

use super::lists::up_to;
use crate::pipelines::model::Job;
use crate::pipelines::status::Status;
use ::store::{Fragment, Tx};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::{Paging, Start};
use serde_json::Value;
use spaces::access::{Purpose, REPORTER, projects_of, visible_projects};
use spaces::model::Sort;
use std::collections::HashMap;

/// The jobs of some runners, of projects whose jobs the viewer sees.
fn of_runners(tx: &Tx<'_>, viewer: &Viewer, runners: &[i64]) -> Fragment {
    let mut from = Fragment::new(" from ci_jobs where");
    from.in_list("ci_jobs.runner_id", runners)
        .raw(" and ci_jobs.project_id in (select projects.id from projects where ")
        .append(visible_projects(tx, viewer, Purpose::ReadPipelines))
        .append(with_seen_jobs(tx, viewer))
        .raw(")");
    from
}

/// Goes on in a condition on projects: those whose jobs are for whoever sees their pipelines,
/// and those where the viewer is a Reporter.
fn with_seen_jobs(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut seen = Fragment::default();
    if viewer.is_admin() {
        return seen;
    }
    seen.raw(
        " and (not exists (select 1 from ci_project_settings s
            where s.project_id = projects.id and not s.public_jobs)",
    );
    if let Some(user_id) = viewer.user_id() {
        seen.raw(" or ").append(projects_of(tx, user_id, REPORTER));
    }
    seen.raw(")");
    seen
}

/// A page of them for each of the runners.
pub fn jobs_of_runners(
    tx: &mut Tx<'_>, viewer: &Viewer, runners: &[i64], window: &Window,
) -> Result<Vec<Owned<Job>>> {
    let from = of_runners(tx, viewer, runners);
    Ok(tx.query(window.narrow_each(Job::COLUMNS, "ci_jobs.runner_id", from))?)
}

/// How many each of the runners has, to this number and one more.
pub fn job_counts_of_runners(
    tx: &mut Tx<'_>, viewer: &Viewer, runners: &[i64], limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let mut query = Fragment::new("select ci_jobs.runner_id, count(*)");
    query.append(of_runners(tx, viewer, runners)).raw(" group by ci_jobs.runner_id");
    Ok(up_to(tx.query(query)?, limit))
}

/// Which jobs of a runner are listed.
#[derive(Debug, Clone, Default)]
pub struct OfRunner {
    pub status: Option<Status>,
    /// Those that this machine of it was given.
    pub system_id: Option<String>,
    /// The last first unless said.
    pub sort: Option<Sort>,
}

/// A page of the jobs of a runner that the viewer sees, and how many there are.
pub fn page_of_runner(
    tx: &mut Tx<'_>, viewer: &Viewer, runner: i64, wanted: &OfRunner, paging: &Paging,
) -> Result<(Vec<Job>, i64)> {
    let mut from = of_runners(tx, viewer, &[runner]);
    if let Some(status) = wanted.status {
        from.push(" and ci_jobs.status = ", status);
    }
    if let Some(system) = &wanted.system_id {
        from.push(" and ci_jobs.system_id = ", system.as_str());
    }
    let total = match paging.is_keyset() {
        true => 0,
        false => {
            let mut counted = Fragment::new("select count(*)");
            counted.append(from.clone());
            tx.query::<i64>(counted)?.into_iter().next().unwrap_or_default()
        }
    };
    let (follows, direction) = match wanted.sort.unwrap_or(Sort::Desc) {
        Sort::Desc => (" and ci_jobs.id < ", "desc"),
        Sort::Asc => (" and ci_jobs.id > ", "asc"),
    };
    if let Start::After(Some(keys)) = &paging.start {
        from.push(follows, keys.first().and_then(Value::as_i64).unwrap_or_default());
    }
    let mut list = Fragment::new("select ");
    list.raw(Job::COLUMNS).append(from);
    list.raw(&format!(" order by ci_jobs.id {direction}"));
    list.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}
