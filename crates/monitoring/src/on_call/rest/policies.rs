//! The escalation policy of a project.

use super::ProjectPath;
use crate::on_call::access::{self, CHANGE, READ};
use crate::on_call::model::{Policy, Rule, Schedule, Target, Until};
use crate::on_call::rules::policies::{self as rules, PolicyInput, RuleInput};
use crate::on_call::store::{policies as rows, schedules};
use identity::Caller;
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::params::Flat;
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Patch, Routes};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::Project;
use spaces::access::Purpose;
use std::collections::HashMap;
use store::Tx;

const PATH: &str = "/projects/{id}/alert_management/escalation_policies";
const ONE: &str = "/projects/{id}/alert_management/escalation_policies/{policy_id}";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, list)
        .summary("Lists the escalation policy of a project");
    r.post(PATH, create)
        .summary("Makes the escalation policy of a project");
    r.get(ONE, show).summary("Shows an escalation policy");
    r.put(ONE, update).summary("Changes an escalation policy");
    r.delete(ONE, destroy)
        .summary("Removes an escalation policy");
}

kernel::params! {
    pub struct PolicyPath {
        /// The project.
        pub id: Reference,
        /// The policy.
        pub policy_id: i64,
    }
}

impl PolicyPath {
    fn authorize(
        &self,
        tx: &mut Tx<'_>,
        viewer: &Viewer,
        purpose: Purpose,
    ) -> Result<(Project, Policy)> {
        access::policy(tx, viewer, &self.id, self.policy_id, purpose)
    }
}

kernel::params! {
    pub struct CreatePolicy {
        pub at: Flat<ProjectPath>,
        /// What people call it.
        pub name: String,
        /// What it is for.
        pub description: Option<String>,
        /// Whom it pages and when, at most ten.
        pub rules: Vec<RuleInput>,
    }
}

impl CreatePolicy {
    fn input(&self) -> PolicyInput {
        PolicyInput {
            name: Some(self.name.clone()),
            description: self.description.clone().map_or(Patch::Null, Patch::Value),
            rules: Some(self.rules.clone()),
        }
    }
}

kernel::params! {
    pub struct UpdatePolicy {
        pub at: Flat<PolicyPath>,
        pub change: Flat<PolicyInput>,
    }
}

/// A step of a policy.
#[derive(Serialize, JsonSchema)]
pub struct EscalationRuleEntity {
    /// Its number.
    id: i64,
    /// How long after an alert began, in seconds.
    elapsed_time_seconds: i64,
    /// Unless the alert has become this.
    status: Until,
    /// Who is paged: whoever is on call by the schedule of this number.
    oncall_schedule_iid: Option<i64>,
    /// Or this user.
    user: Option<UserBasic>,
}

/// Whom alerts page that nobody looks after.
#[derive(Serialize, JsonSchema)]
pub struct EscalationPolicyEntity {
    /// Its number.
    id: i64,
    /// Its project.
    project_id: i64,
    /// What people call it.
    name: String,
    /// What it is for.
    description: Option<String>,
    /// Whom it pages, in that order.
    rules: Vec<EscalationRuleEntity>,
    /// When it was made.
    created_at: String,
    /// When it was changed.
    updated_at: String,
}

/// The rules of some policies and whom they name, read by three statements.
struct RelatedToPolicies {
    rules: Vec<Rule>,
    users: HashMap<i64, User>,
    schedules: HashMap<i64, Schedule>,
}

impl RelatedToPolicies {
    fn read(tx: &mut Tx<'_>, policies: &[Policy]) -> Result<RelatedToPolicies> {
        let ids: Vec<i64> = policies.iter().map(|one| one.id).collect();
        let rules = rows::rules(tx, &ids)?;
        let (mut users, mut named) = (Vec::new(), Vec::new());
        for rule in &rules {
            match rule.target {
                Target::User(id) => users.push(id),
                Target::Schedule(id) => named.push(id),
            }
        }
        let schedules = schedules::by_ids(tx, &named)?.into_iter();
        Ok(RelatedToPolicies {
            rules,
            users: load_basic(tx, &users)?,
            schedules: schedules.map(|one| (one.id, one)).collect(),
        })
    }

    fn entity(&self, app: &App, policy: Policy) -> EscalationPolicyEntity {
        let own = self.rules.iter().filter(|rule| rule.policy_id == policy.id);
        let own = own.map(|rule| {
            let (schedule, user) = match rule.target {
                Target::Schedule(id) => (self.schedules.get(&id), None),
                Target::User(id) => (None, self.users.get(&id)),
            };
            EscalationRuleEntity {
                id: rule.id,
                elapsed_time_seconds: rule.elapsed_seconds,
                status: rule.until,
                oncall_schedule_iid: schedule.map(|one| one.iid),
                user: user.map(|user| basic(app, user)),
            }
        });
        EscalationPolicyEntity {
            id: policy.id,
            project_id: policy.project_id,
            rules: own.collect(),
            created_at: wire::text(policy.created_at),
            updated_at: wire::text(policy.updated_at),
            name: policy.name,
            description: policy.description,
        }
    }
}

fn entity_of(app: &App, tx: &mut Tx<'_>, policy: Policy) -> Result<EscalationPolicyEntity> {
    let related = RelatedToPolicies::read(tx, std::slice::from_ref(&policy))?;
    Ok(related.entity(app, policy))
}

async fn list(
    by: Caller,
    path: Params<ProjectPath>,
    paging: Paging,
) -> Result<Paged<EscalationPolicyEntity>> {
    by.read(move |tx, by| {
        let project = spaces::project(tx, &by.viewer, &path.id, READ)?;
        let found = rows::list(tx, project.id, paging.fetch(), paging.offset())?;
        let total = rows::count(tx, project.id)?;
        let related = RelatedToPolicies::read(tx, &found)?;
        let page = Paged::numbered(found, paging, Some(total));
        Ok(page.map(|one| related.entity(&by.app, one)))
    })
    .await
}

async fn create(
    by: Caller,
    params: Params<CreatePolicy>,
) -> Result<Created<EscalationPolicyEntity>> {
    by.write(move |tx, by| {
        let project = spaces::project(tx, &by.viewer, &params.at.id, CHANGE)?;
        let made = rules::create(tx, &by.viewer, &project, &params.input())?;
        Ok(Created(entity_of(&by.app, tx, made)?))
    })
    .await
}

async fn show(by: Caller, path: Params<PolicyPath>) -> Result<Ok200<EscalationPolicyEntity>> {
    by.read(move |tx, by| {
        let (_, policy) = path.authorize(tx, &by.viewer, READ)?;
        Ok(Ok200(entity_of(&by.app, tx, policy)?))
    })
    .await
}

async fn update(by: Caller, params: Params<UpdatePolicy>) -> Result<Ok200<EscalationPolicyEntity>> {
    by.write(move |tx, by| {
        let (project, policy) = params.at.authorize(tx, &by.viewer, CHANGE)?;
        let changed = rules::update(tx, &by.viewer, &project, &policy, &params.change)?;
        Ok(Ok200(entity_of(&by.app, tx, changed)?))
    })
    .await
}

async fn destroy(by: Caller, path: Params<PolicyPath>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let (project, policy) = path.authorize(tx, &by.viewer, CHANGE)?;
        rules::destroy(tx, &by.viewer, &project, &policy)?;
        Ok(NoContent)
    })
    .await
}
