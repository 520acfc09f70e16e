//! Environments, deployments and freezes as JSON, in wire order.

use super::model::{Deployment, DeploymentStatus, Environment, FreezePeriod, State, Tier};
use super::store::{deployments, environments};
use crate::pipelines::access;
use crate::pipelines::entity::{JobEntity, Loaded};
use crate::pipelines::store::jobs;
use crate::protection::Names;
use crate::protection::approvals::{Approval, Asked};
use crate::protection::guard::{Guards, Place};
use crate::protection::model::{Decision, Deed, Level};
use crate::protection::store as protection;
use ::store::Tx;
use identity::User;
use identity::entities::{UserBasic, basic, load_basic};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::model::Project;
use std::collections::HashMap;

/// An environment beside what was put into it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EnvironmentBasic {
    pub id: i64,
    pub name: String,
    pub slug: String,
    pub external_url: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Environment")]
pub struct EnvironmentEntity {
    pub id: i64,
    pub name: String,
    pub slug: String,
    pub description: Option<String>,
    pub external_url: Option<String>,
    pub state: State,
    pub tier: Tier,
    pub created_at: String,
    pub updated_at: String,
    pub last_deployment: Option<DeploymentEntity>,
    /// There is none.
    pub cluster_agent: Option<String>,
    /// There is none.
    pub kubernetes_namespace: Option<String>,
    /// There is none.
    pub flux_resource_path: Option<String>,
    pub auto_stop_at: Option<String>,
}

/// A decision on a deployment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ApprovalEntity {
    pub user: Option<UserBasic>,
    pub status: Decision,
    pub created_at: String,
    pub comment: Option<String>,
}

/// Whose approvals a deployment takes, and those that there are.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SummaryRule {
    pub user_id: Option<i64>,
    pub group_id: Option<i64>,
    pub access_level: Option<i64>,
    pub access_level_description: String,
    pub required_approvals: i64,
    pub deployment_approvals: Vec<ApprovalEntity>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ApprovalSummary {
    pub rules: Vec<SummaryRule>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Deployment")]
pub struct DeploymentEntity {
    pub id: i64,
    pub iid: i64,
    #[serde(rename = "ref")]
    pub on_ref: String,
    pub sha: String,
    pub created_at: String,
    pub updated_at: String,
    pub status: DeploymentStatus,
    pub user: Option<UserBasic>,
    pub environment: Option<EnvironmentBasic>,
    /// The job that does it, for who sees jobs.
    pub deployable: Option<JobEntity>,
    pub pending_approval_count: i64,
    pub approvals: Vec<ApprovalEntity>,
    pub approval_summary: ApprovalSummary,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FreezePeriod")]
pub struct FreezeEntity {
    pub id: i64,
    pub freeze_start: String,
    pub freeze_end: String,
    pub cron_timezone: String,
    pub created_at: String,
    pub updated_at: String,
}

impl From<FreezePeriod> for FreezeEntity {
    fn from(period: FreezePeriod) -> FreezeEntity {
        FreezeEntity {
            id: period.id,
            freeze_start: period.freeze_start,
            freeze_end: period.freeze_end,
            cron_timezone: period.cron_timezone,
            created_at: wire::text(period.created_at),
            updated_at: wire::text(period.updated_at),
        }
    }
}

impl EnvironmentBasic {
    fn of(environment: &Environment) -> EnvironmentBasic {
        EnvironmentBasic {
            id: environment.id,
            name: environment.name.clone(),
            slug: environment.slug.clone(),
            external_url: environment.external_url.clone(),
        }
    }
}

impl EnvironmentEntity {
    fn of(environment: Environment, last_deployment: Option<DeploymentEntity>) -> Self {
        EnvironmentEntity {
            id: environment.id,
            name: environment.name,
            slug: environment.slug,
            description: environment.description,
            external_url: environment.external_url,
            state: environment.state,
            tier: environment.tier,
            created_at: wire::text(environment.created_at),
            updated_at: wire::text(environment.updated_at),
            last_deployment,
            cluster_agent: None,
            kubernetes_namespace: None,
            flux_resource_path: None,
            auto_stop_at: environment.auto_stop_at.map(wire::text),
        }
    }
}

/// Deployments of a project with what they show of other things, read for all of them.
pub struct Shown {
    pub(super) deployments: Vec<Deployment>,
    pub(super) environments: HashMap<i64, Environment>,
    pub(super) people: HashMap<i64, User>,
    pub(super) guards: Guards,
    pub(super) names: Names,
    pub(super) approvals: HashMap<i64, Vec<Approval>>,
    jobs: Loaded,
}

impl Shown {
    /// Reads what the database has; jobs for who sees these.
    pub fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, project: Project, deployments: Vec<Deployment>,
    ) -> Result<Shown> {
        let ids = deployments.iter().map(|one| one.environment_id).collect();
        let environments = environments::some(tx, ids)?;
        let places: Vec<Place> = environments.values().map(Place::of).collect();
        let guards = Guards::read(tx, &project, &places)?;
        let approving = guards.rules().iter().flat_map(|rule| rule.of(Deed::Approve));
        let names = Names::read(tx, approving.collect::<Vec<&Level>>().into_iter())?;
        let approvals = protection::approvals(tx, deployments.iter().map(|one| one.id).collect())?;
        let deciders = approvals.values().flatten().map(|one| one.user_id);
        let people: Vec<i64> =
            deployments.iter().filter_map(|one| one.user_id).chain(deciders).collect();
        let jobs = match access::sees_jobs(tx, viewer, &project)? {
            true => jobs::some(tx, deployments.iter().filter_map(|one| one.job_id).collect())?,
            false => Vec::new(),
        };
        Ok(Shown {
            people: load_basic(tx, &people)?,
            jobs: Loaded::read(tx, project, jobs)?,
            deployments,
            environments,
            guards,
            names,
            approvals,
        })
    }

    /// Reads the commits of their jobs, and shows all.
    pub async fn entities(mut self, app: &App) -> Result<Vec<DeploymentEntity>> {
        self.jobs = self.jobs.with_commits(app).await?;
        let jobs = self.jobs.jobs(app);
        let mut jobs: HashMap<i64, JobEntity> =
            jobs.into_iter().map(|job| (job.common.id, job)).collect();
        let all = self.deployments.iter();
        Ok(all
            .map(|one| self.entity(app, one, one.job_id.and_then(|id| jobs.remove(&id))))
            .collect())
    }

    pub async fn one(self, app: &App) -> Result<DeploymentEntity> {
        self.entities(app).await?.into_iter().next().found("Deployment")
    }

    fn user(&self, app: &App, id: Option<i64>) -> Option<UserBasic> {
        self.people.get(&id?).map(|user| basic(app, user))
    }

    fn approval(&self, app: &App, approval: &Approval) -> ApprovalEntity {
        ApprovalEntity {
            user: self.user(app, Some(approval.user_id)),
            status: approval.status,
            created_at: wire::text(approval.created_at),
            comment: approval.comment.clone(),
        }
    }

    fn entity(
        &self, app: &App, one: &Deployment, deployable: Option<JobEntity>,
    ) -> DeploymentEntity {
        let environment = self.environments.get(&one.environment_id);
        let rules = environment.map(|it| self.guards.over(&Place::of(it))).unwrap_or_default();
        let decided = self.approvals.get(&one.id).map(Vec::as_slice).unwrap_or_default();
        let asked = Asked::of(&rules, decided);
        let waits = one.approved_at.is_none() && !one.status.is_finished();
        let rule = |(level, own): &(&Level, Vec<&Approval>)| SummaryRule {
            user_id: level.user_id,
            group_id: level.group_id,
            access_level: level.access_level,
            access_level_description: self.names.of(level),
            required_approvals: level.required_approvals,
            deployment_approvals: own.iter().map(|it| self.approval(app, it)).collect(),
        };
        DeploymentEntity {
            id: one.id,
            iid: one.iid,
            on_ref: one.on_ref.clone(),
            sha: one.sha.clone(),
            created_at: wire::text(one.created_at),
            updated_at: wire::text(one.updated_at),
            status: one.status,
            user: self.user(app, one.user_id),
            environment: environment.map(EnvironmentBasic::of),
            deployable,
            pending_approval_count: if waits { asked.missing() } else { 0 },
            approvals: decided.iter().map(|it| self.approval(app, it)).collect(),
            approval_summary: ApprovalSummary { rules: asked.levels.iter().map(rule).collect() },
        }
    }
}

/// A decision alone, with who made it.
pub fn decision(app: &App, tx: &mut Tx<'_>, approval: &Approval) -> Result<ApprovalEntity> {
    let people = load_basic(tx, &[approval.user_id])?;
    Ok(ApprovalEntity {
        user: people.get(&approval.user_id).map(|user| basic(app, user)),
        status: approval.status,
        created_at: wire::text(approval.created_at),
        comment: approval.comment.clone(),
    })
}

/// Environments of a project with what is in them, read for all of them.
pub struct ShownEnvironments {
    environments: Vec<Environment>,
    last: Shown,
}

impl ShownEnvironments {
    pub fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, project: Project, environments: Vec<Environment>,
    ) -> Result<ShownEnvironments> {
        let ids = environments.iter().map(|one| one.id).collect();
        let last = deployments::last_of(tx, ids)?.into_values().collect();
        Ok(ShownEnvironments { environments, last: Shown::read(tx, viewer, project, last)? })
    }

    pub async fn entities(self, app: &App) -> Result<Vec<EnvironmentEntity>> {
        let last = self.last.entities(app).await?;
        let mut last: HashMap<i64, DeploymentEntity> = last
            .into_iter()
            .filter_map(|one| Some((one.environment.as_ref()?.id, one)))
            .collect();
        let all = self.environments.into_iter();
        Ok(all
            .map(|one| {
                let in_it = last.remove(&one.id);
                EnvironmentEntity::of(one, in_it)
            })
            .collect())
    }

    pub async fn one(self, app: &App) -> Result<EnvironmentEntity> {
        self.entities(app).await?.into_iter().next().found("Environment")
    }
}
