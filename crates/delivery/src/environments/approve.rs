//! Decisions on deployments that wait for them.

use super::model::{Deployment, DeploymentStatus, Environment};
use super::rules::environment_of;
use super::store::deployments;
use crate::pipelines::jobs::release_held;
use crate::pipelines::store::{jobs, pipelines};
use crate::protection::Names;
use crate::protection::approvals::{Approval, Asked};
use crate::protection::guard::{Guards, Place, approving};
use crate::protection::model::{Decision, Level, Rule, Standing, may_deploy};
use crate::protection::store::{self as rows, NewApproval};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use serde_json::json;
use spaces::model::Project;
use spaces::rules::of_project;

/// Characters of a comment.
const LONGEST: usize = 2_000;

kernel::params! {
    /// What somebody decides.
    #[derive(Default)]
    pub struct DecisionInput {
        /// Approved or rejected.
        pub status: Option<Decision>,
        /// Why.
        pub comment: Option<String>,
        /// As whom: the name of a user, group or role of the rules.
        pub represented_as: Option<String>,
    }
}

fn refused<T>(text: &str) -> Result<T> {
    Err(Error::BadRequest(text.to_owned()))
}

/// As whom somebody can decide.
struct Ways<'r> {
    levels: Vec<&'r Level>,
    /// As one of those who deploy.
    as_deployer: bool,
}

impl Ways<'_> {
    fn is_any(&self) -> bool {
        self.as_deployer || !self.levels.is_empty()
    }
}

fn ways<'r>(rules: &[&'r Rule], asked: &Asked<'_>, who: &Standing) -> Ways<'r> {
    Ways {
        levels: approving(rules, who),
        as_deployer: asked.of_deployers.0 > 0 && may_deploy(rules.iter().copied(), who),
    }
}

/// Decides on a deployment, once for each user. The last approval that is missing lets its
/// job go on.
///
/// # Errors
///
/// 403 for who is in no rule, and for whoever began it; 400 where there is nothing to decide.
pub fn decide(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, deployment: &Deployment,
    input: &DecisionInput,
) -> Result<Approval> {
    let user_id = viewer.signed_in()?.user.id;
    let environment = environment_of(tx, deployment)?;
    let place = Place::of(&environment);
    let guards = Guards::read(tx, project, std::slice::from_ref(&place))?;
    let (rules, who) = (guards.over(&place), guards.standing(tx, viewer, project)?);
    let decided = decided(tx, deployment)?;
    let asked = Asked::of(&rules, &decided);
    let ways = ways(&rules, &asked, &who);
    let own = !project.allow_pipeline_trigger_approve_deployment && began(tx, deployment, user_id)?;
    if !who.is_admin && (own || !ways.is_any()) {
        return Err(Error::forbidden(""));
    }
    let status = input.status.ok_or_else(|| Error::missing("status"))?;
    check(deployment, &asked, &input.comment)?;
    let level_id = chosen(tx, &asked, &ways, input.represented_as.as_deref())?;
    let new = NewApproval {
        deployment_id: deployment.id,
        user_id,
        level_id,
        status,
        comment: input.comment.as_deref().filter(|text| !text.is_empty()),
    };
    let Some(approval) = rows::insert_approval(tx, &new)? else {
        return refused("You have decided on this deployment already");
    };
    record(tx, viewer, project, &environment, &approval)?;
    let after = [decided.clone(), vec![approval.clone()]].concat();
    if !Asked::of(&rules, &after).holds() {
        complete(tx, deployment)?;
    }
    Ok(approval)
}

fn decided(tx: &mut Tx<'_>, deployment: &Deployment) -> Result<Vec<Approval>> {
    Ok(rows::approvals(tx, vec![deployment.id])?
        .remove(&deployment.id)
        .unwrap_or_default())
}

/// Whether somebody began a deployment, or its pipeline.
fn began(tx: &mut Tx<'_>, deployment: &Deployment, user_id: i64) -> Result<bool> {
    if deployment.user_id == Some(user_id) {
        return Ok(true);
    }
    let job = match deployment.job_id {
        Some(id) => jobs::by_id(tx, id)?,
        None => None,
    };
    let pipeline = match job {
        Some(job) => pipelines::by_id(tx, job.pipeline_id)?,
        None => None,
    };
    Ok(pipeline.is_some_and(|one| one.user_id == Some(user_id)))
}

fn check(deployment: &Deployment, asked: &Asked<'_>, comment: &Option<String>) -> Result<()> {
    if !asked.is_any() {
        return refused("The environment of this deployment needs no approvals");
    }
    if asked.is_rejected {
        return refused("This deployment was rejected");
    }
    let waits = deployment.status == DeploymentStatus::Blocked && deployment.approved_at.is_none();
    if !waits || !asked.holds() {
        return refused("This deployment is not waiting for approvals");
    }
    match comment {
        Some(text) if text.chars().count() > LONGEST || text.contains('\0') => {
            refused("The comment is too long (maximum is 2000 characters)")
        }
        _ => Ok(()),
    }
}

/// The level that a decision is made as: the one that is named, else the first that misses
/// approvals; none for who decides as one of those who deploy.
fn chosen(
    tx: &mut Tx<'_>, asked: &Asked<'_>, ways: &Ways<'_>, represented_as: Option<&str>,
) -> Result<Option<i64>> {
    if let Some(name) = represented_as.filter(|name| !name.is_empty()) {
        let names = Names::read(tx, ways.levels.iter().copied())?;
        let named = ways.levels.iter().find(|level| names.of(level) == name);
        return match named {
            Some(level) => Ok(Some(level.id)),
            None => refused("There is no approval rule of this user, group or role"),
        };
    }
    let missing = ways.levels.iter().find(|level| asked.missing_of(level) > 0);
    Ok(match (missing, ways.as_deployer && asked.missing_of_deployers() > 0) {
        (Some(level), _) => Some(level.id),
        (None, true) => None,
        (None, false) => ways.levels.first().map(|level| level.id),
    })
}

fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, environment: &Environment,
    approval: &Approval,
) -> Result<()> {
    let action = match approval.status {
        Decision::Approved => "deployment.approve",
        Decision::Rejected => "deployment.reject",
    };
    let details = json!({"environment": environment.name, "deployment": approval.deployment_id});
    audit::record(tx, viewer, action, of_project(project), details)
}

/// All who have to approve did: what waited for that alone starts.
fn complete(tx: &mut Tx<'_>, deployment: &Deployment) -> Result<()> {
    deployments::set_approved(tx, deployment.id)?;
    let Some(job_id) = deployment.job_id else {
        return deployments::set_status(tx, deployment.id, DeploymentStatus::Created);
    };
    match jobs::by_id(tx, job_id)? {
        Some(job) => release_held(tx, &job),
        None => Ok(()),
    }
}

/// What is known of somebody and a deployment that they look at.
pub struct Look<'a> {
    pub rules: &'a [&'a Rule],
    pub decided: &'a [Approval],
    pub who: &'a Standing,
    /// They began it, and so leave the decision to others.
    pub is_own: bool,
}

/// Whether somebody may decide on a deployment.
pub fn is_open(deployment: &Deployment, look: &Look<'_>) -> bool {
    let asked = Asked::of(look.rules, look.decided);
    let has_decided = look.decided.iter().any(|one| Some(one.user_id) == look.who.user_id);
    let may = !look.is_own && ways(look.rules, &asked, look.who).is_any();
    check(deployment, &asked, &None).is_ok() && !has_decided && (look.who.is_admin || may)
}
