//! Which job a runner is given next: of the projects whose jobs it may run, one of that
//! with the fewest at work, and of that project the oldest.

use super::model::{Runner, RunnerType};
use super::store;
use crate::pipelines::jobs;
use crate::pipelines::may_start;
use crate::pipelines::model::{Job, read_queue_key};
use crate::pipelines::store::progress::Runs;
use ::store::{FromRow, Tx, sql};
use identity::hooks::JOB_TOKEN_PREFIX;
use kernel::error::Result;
use kernel::secrets::{self, Secret};
use std::collections::HashMap;

/// Most kinds of waiting jobs that one look sees; a kind is a project and what a runner
/// must be able to do.
const MOST_LANES: i64 = 2_000;

/// The waiting jobs of a project that fit the same runners, by the oldest.
#[derive(Debug, Clone, FromRow)]
struct Lane {
    job_id: i64,
    project_id: i64,
    queue_key: String,
    lineage: String,
    /// Whether the project wants the runners of the instance, and of groups above it.
    shared_runners: bool,
    group_runners: bool,
}

/// One row for each lane: the index is left for the next lane as soon as its first job is
/// known, so that ten thousand jobs of a lane cost what one costs.
fn lanes(tx: &mut Tx<'_>) -> Result<Vec<Lane>> {
    Ok(tx.all(
        sql!(
            "with recursive firsts (job_id, place) as (
                select (select j.id from ci_jobs j
                    where j.status = 'pending' and j.kind = 'build'
                    order by j.queue_key, j.project_id, j.id limit 1), 1
                union all
                select coalesce(
                    (select n.id from ci_jobs n
                        where n.status = 'pending' and n.kind = 'build'
                          and n.queue_key = j.queue_key and n.project_id > j.project_id
                        order by n.project_id, n.id limit 1),
                    (select n.id from ci_jobs n
                        where n.status = 'pending' and n.kind = 'build'
                          and n.queue_key > j.queue_key
                        order by n.queue_key, n.project_id, n.id limit 1)),
                    firsts.place + 1
                from firsts join ci_jobs j on j.id = firsts.job_id
                where firsts.place < $1)
             select ci_jobs.id as job_id, ci_jobs.project_id, ci_jobs.queue_key,
                namespaces.lineage, coalesce(settings.shared_runners, true) as shared_runners,
                coalesce(settings.group_runners, true) as group_runners
             from firsts
             join ci_jobs on ci_jobs.id = firsts.job_id
             join projects on projects.id = ci_jobs.project_id
             join namespaces on namespaces.id = projects.namespace_id
             left join ci_project_settings settings on settings.project_id = projects.id
             where projects.deletion_scheduled_at is null"
        ),
        (MOST_LANES,),
    )?)
}

/// Whether a runner, whose program knows refspecs or not, can do what a job needs.
fn fits(runner: &Runner, knows_refspecs: bool, queue_key: &str) -> bool {
    let (demand, tags) = read_queue_key(queue_key);
    let can_fetch = knows_refspecs || !demand.refspecs;
    can_fetch && runner.takes_refs(demand.protected) && runner.takes_tagged(&tags)
}

/// Whether a runner is there for a project, which stands below the namespaces of a lineage.
fn reaches(runner: &Runner, projects: &[i64], lane: &Lane) -> bool {
    match (runner.runner_type, runner.group_id) {
        (RunnerType::Instance, _) => lane.shared_runners,
        (RunnerType::Project, _) => projects.contains(&lane.project_id),
        (RunnerType::Group, Some(group)) => {
            lane.group_runners && lane.lineage.contains(&format!("/{group}/"))
        }
        (RunnerType::Group, None) => false,
    }
}

/// The lanes whose jobs a runner may be given.
fn open(tx: &mut Tx<'_>, runner: &Runner, knows_refspecs: bool) -> Result<Vec<Lane>> {
    let mut found = lanes(tx)?;
    found.retain(|lane| fits(runner, knows_refspecs, &lane.queue_key));
    if !found.is_empty() {
        let projects = match runner.runner_type {
            RunnerType::Project => store::projects(tx, runner.id)?,
            RunnerType::Instance | RunnerType::Group => Vec::new(),
        };
        found.retain(|lane| reaches(runner, &projects, lane));
    }
    Ok(found)
}

/// Whether there is something for who asks at all.
pub fn is_there(tx: &mut Tx<'_>, by: &Taker) -> Result<bool> {
    Ok(!open(tx, &by.runner, by.knows_refspecs)?.is_empty())
}

/// How many jobs of some projects run.
fn running(tx: &mut Tx<'_>, lanes: &[Lane]) -> Result<HashMap<i64, i64>> {
    let mut projects: Vec<i64> = lanes.iter().map(|lane| lane.project_id).collect();
    projects.sort_unstable();
    projects.dedup();
    if projects.len() < 2 {
        return Ok(HashMap::new());
    }
    Ok(tx.pairs(
        sql!(
            "select project_id, count(*) from ci_jobs
             where status = 'running' and project_id in_list($1) group by project_id"
        ),
        (projects,),
    )?)
}

/// A job that a runner has now, and the token it knows it by.
#[derive(Debug, Clone)]
pub struct Taken {
    pub job: Job,
    pub token: Secret,
}

/// Who takes a job.
#[derive(Debug, Clone)]
pub struct Taker {
    pub runner: Runner,
    pub system_id: String,
    /// It cleans up when a job is canceled.
    pub cancels_gently: bool,
    /// It fetches other refs than branches and tags.
    pub knows_refspecs: bool,
}

/// Gives the next job to a runner, which may be another than it was when it began to ask.
pub fn take(tx: &mut Tx<'_>, by: &Taker) -> Result<Option<Taken>> {
    let same = |one: &Runner| one.token_digest == by.runner.token_digest && !one.paused;
    let Some(runner) = store::by_id(tx, by.runner.id)?.filter(same) else {
        return Ok(None);
    };
    let mut lanes = open(tx, &runner, by.knows_refspecs)?;
    let running = running(tx, &lanes)?;
    let at_work = |lane: &Lane| running.get(&lane.project_id).copied().unwrap_or_default();
    lanes.sort_by_key(|lane| (at_work(lane), lane.job_id));
    for lane in &lanes {
        if let Some(taken) = take_of(tx, by, lane)? {
            return Ok(Some(taken));
        }
    }
    Ok(None)
}

/// The oldest job of a lane that nobody else is taking at this moment.
fn take_of(tx: &mut Tx<'_>, by: &Taker, lane: &Lane) -> Result<Option<Taken>> {
    let Some(id) = first_of(tx, lane)? else {
        return Ok(None);
    };
    let token = secrets::random_token(JOB_TOKEN_PREFIX);
    let digest = secrets::digest(token.expose());
    let runs = Runs {
        runner_id: Some(by.runner.id),
        token_digest: Some(digest.clone()),
        cancels_gently: by.cancels_gently,
    };
    let Some(job) = jobs::start(tx, id, &runs)? else {
        return Ok(None);
    };
    store::jobs::note_taken(tx, id, digest, &by.system_id)?;
    Ok(Some(Taken { job, token }))
}

/// Which it is: one that deploys where its user may not any more is no longer there.
fn first_of(tx: &mut Tx<'_>, lane: &Lane) -> Result<Option<i64>> {
    loop {
        let first: Option<(i64, Option<String>)> = tx.optional(
            sql!(
                "select id, environment from ci_jobs
                 where status = 'pending' and kind = 'build' and queue_key = $1
                   and project_id = $2
                 order by id limit 1 for update skip locked"
            ),
            (&lane.queue_key, lane.project_id),
        )?;
        match first {
            Some((id, Some(_))) if !may_start(tx, id)? => {}
            first => return Ok(first.map(|(id, _)| id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::{AccessLevel, Tags};
    use super::*;
    use crate::pipelines::model::{Demand, queue_key};
    use jiff::Timestamp;

    fn runner(tags: &[&str], run_untagged: bool, access_level: AccessLevel) -> Runner {
        Runner {
            id: 1,
            runner_type: RunnerType::Instance,
            group_id: None,
            token_digest: Vec::new(),
            short_token: String::new(),
            description: None,
            maintenance_note: None,
            tags: Tags::new(tags.iter().map(ToString::to_string)),
            run_untagged,
            locked: false,
            paused: false,
            access_level,
            maximum_timeout: None,
            creator_id: None,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            contacted_at: None,
        }
    }

    #[test]
    fn a_runner_takes_what_it_has_the_tags_for() {
        use AccessLevel::{NotProtected, RefProtected};
        for (has, untagged, level, protected, needs, wanted) in [
            (&["linux", "rust"][..], true, NotProtected, false, &["rust"][..], true),
            (&["linux", "rust"], true, NotProtected, false, &["rust", "linux"], true),
            (&["linux"], true, NotProtected, false, &["linux", "rust"], false),
            (&["linux"], true, NotProtected, false, &["lin"], false),
            (&["linux"], true, NotProtected, false, &[], true),
            (&["linux"], false, NotProtected, false, &[], false),
            (&[], true, NotProtected, true, &[], true),
            (&[], true, RefProtected, true, &[], true),
            (&[], true, RefProtected, false, &[], false),
        ] {
            let needed: Vec<String> = needs.iter().map(ToString::to_string).collect();
            let key = queue_key(Demand { protected, refspecs: false }, &needed);
            let runner = runner(has, untagged, level);
            assert_eq!(fits(&runner, false, &key), wanted, "{has:?} {level} {needs:?}");
        }
    }

    #[test]
    fn what_only_refspecs_fetch_is_for_who_knows_them() {
        let runner = runner(&[], true, AccessLevel::NotProtected);
        for (refspecs, knows, wanted) in [
            (true, true, true),
            (true, false, false),
            (false, false, true),
            (false, true, true),
        ] {
            let key = queue_key(Demand { protected: false, refspecs }, &[]);
            assert_eq!(fits(&runner, knows, &key), wanted, "{refspecs} {knows}");
        }
    }
}
