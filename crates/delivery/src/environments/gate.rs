//! Whether a job that is about an environment may start.

use super::model::{Deployment, Environment};
use super::placed::{self, Placed};
use super::store::{deployments, environments};
use crate::pipelines::model::FailureReason;
use crate::pipelines::store::settings;
use crate::protection::approvals::{Approval, Asked};
use crate::protection::guard::{Guards, Place};
use crate::protection::model::{Standing, may_deploy};
use crate::protection::store as protection;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::Reference;
use spaces::access::find_project;
use spaces::model::Project;
use std::collections::{HashMap, HashSet};

/// What keeps a job from starting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barrier {
    /// Somebody has to approve it first.
    Held,
    /// It fails.
    Closed(FailureReason),
}

/// All that is asked of jobs of one project.
struct Facts {
    project: Project,
    environments: HashMap<String, Environment>,
    guards: Guards,
    deployments: HashMap<i64, Deployment>,
    approvals: HashMap<i64, Vec<Approval>>,
    /// What is in each environment now, where older things are not to be put there.
    last: HashMap<i64, Deployment>,
    /// Whether that is done by running an old job again.
    rolls_back: bool,
}

impl Facts {
    fn read(tx: &mut Tx<'_>, project: Project, jobs: &[Placed]) -> Result<Facts> {
        let names = jobs.iter().map(|job| job.said.environment.name.clone()).collect();
        let environments = environments::named(tx, project.id, names)?;
        let place = |job: &Placed| place(&environments, job);
        let places: Vec<Place> = jobs.iter().map(place).collect();
        let guards = Guards::read(tx, &project, &places)?;
        let deployments = deployments::of_jobs(tx, jobs.iter().map(|job| job.job_id).collect())?;
        let approvals = match guards.is_empty() {
            true => HashMap::new(),
            false => protection::approvals(tx, deployments.values().map(|one| one.id).collect())?,
        };
        let settings = settings::of_project(tx, project.id)?;
        let ids = deployments.values().map(|one| one.environment_id);
        let last = match settings.forward_deployment_enabled {
            true => deployments::last_of(tx, ids.collect())?,
            false => HashMap::new(),
        };
        let rolls_back = settings.forward_deployment_rollback_allowed;
        Ok(Facts {
            project,
            environments,
            guards,
            deployments,
            approvals,
            last,
            rolls_back,
        })
    }

    fn is_held(&self, job: &Placed) -> bool {
        let Some(deployment) = self.deployments.get(&job.job_id) else {
            return false;
        };
        let rules = self.guards.over(&place(&self.environments, job));
        let decided = self.approvals.get(&deployment.id).map(Vec::as_slice).unwrap_or_default();
        deployment.approved_at.is_none() && Asked::of(&rules, decided).holds()
    }

    /// Whether something newer than it is there already.
    fn is_outdated(&self, job: &Placed) -> bool {
        self.deployments.get(&job.job_id).is_some_and(|one| {
            let last = self.last.get(&one.environment_id);
            last.is_some_and(|last| is_older(one, last))
        })
    }
}

/// Whether a deployment would put an older commit where the last one is.
fn is_older(one: &Deployment, last: &Deployment) -> bool {
    one.id < last.id && one.sha != last.sha
}

fn place(environments: &HashMap<String, Environment>, job: &Placed) -> Place {
    let name = &job.said.environment.name;
    environments.get(name).map_or_else(|| Place::named(name), Place::of)
}

fn facts(tx: &mut Tx<'_>, jobs: &[Placed]) -> Result<Option<Facts>> {
    let project = match jobs.first() {
        Some(job) => find_project(tx, &Reference::Id(job.project_id))?,
        None => None,
    };
    project.map(|project| Facts::read(tx, project, jobs)).transpose()
}

/// Which of some jobs may not start, and why. They are of one project.
pub fn barriers(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, Barrier>> {
    let jobs = placed::some(tx, ids)?;
    let Some(facts) = facts(tx, &jobs)? else {
        return Ok(HashMap::new());
    };
    let mut standings: HashMap<Option<i64>, Standing> = HashMap::new();
    if !facts.guards.is_empty() {
        let users: HashSet<Option<i64>> = jobs.iter().map(|job| job.user_id).collect();
        for user in users {
            standings.insert(user, standing(tx, &facts, user)?);
        }
    }
    let mut found = HashMap::new();
    for job in &jobs {
        if facts.is_held(job) {
            found.insert(job.job_id, Barrier::Held);
            continue;
        }
        let rules = facts.guards.over(&place(&facts.environments, job));
        let lets = match standings.get(&job.user_id) {
            Some(who) => may_deploy(rules, who),
            None => true,
        };
        if !lets {
            let reason = FailureReason::ProtectedEnvironmentFailure;
            found.insert(job.job_id, Barrier::Closed(reason));
        } else if facts.is_outdated(job) {
            let reason = FailureReason::FailedOutdatedDeploymentJob;
            found.insert(job.job_id, Barrier::Closed(reason));
        }
    }
    Ok(found)
}

/// What the user of a job is by the rules; nobody where they are gone.
fn standing(tx: &mut Tx<'_>, facts: &Facts, user_id: Option<i64>) -> Result<Standing> {
    let user = match user_id {
        Some(id) => identity::users::find(tx, id)?,
        None => None,
    };
    let viewer = user.map_or(Viewer::Anonymous, Viewer::addressed);
    facts.guards.standing(tx, &viewer, &facts.project)
}

/// Which of some jobs that have ended a user may not run again: they deploy where the user
/// does not, or something newer is there and the project does not go back.
pub fn not_again(tx: &mut Tx<'_>, ids: &[i64], user_id: i64) -> Result<HashSet<i64>> {
    let jobs = placed::some(tx, ids)?;
    let Some(facts) = facts(tx, &jobs)? else {
        return Ok(HashSet::new());
    };
    let who = standing(tx, &facts, Some(user_id))?;
    let is_barred = |job: &&Placed| {
        let rules = facts.guards.over(&place(&facts.environments, job));
        !may_deploy(rules, &who) || (!facts.rolls_back && facts.is_outdated(job))
    };
    Ok(jobs.iter().filter(is_barred).map(|job| job.job_id).collect())
}

/// Whether a job waits for somebody to approve it.
pub fn waits(tx: &mut Tx<'_>, job_id: i64) -> Result<bool> {
    Ok(barriers(tx, &[job_id])?.get(&job_id) == Some(&Barrier::Held))
}
