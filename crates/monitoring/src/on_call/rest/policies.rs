//! The escalation policy of a project.

use super::ProjectPath;
use crate::access::Here;
use crate::on_call::access::{self, CHANGE, READ};
use crate::on_call::model::{Policy, Rule, Schedule};
use crate::on_call::rules::policies::{self as rules, PolicyInput, RuleInput};
use crate::on_call::store::{policies as rows, schedules};
use crate::rows::Times;
use identity::Caller;
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::params::Flat;
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::Purpose;
use std::collections::HashMap;
use store::Tx;

const PATH: &str = "/projects/{id}/alert_management/escalation_policies";
const ONE: &str = "/projects/{id}/alert_management/escalation_policies/{policy_id}";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, list).summary("Lists the escalation policy of a project");
    r.post(PATH, create).summary("Makes the escalation policy of a project");
    r.get(ONE, show).summary("Shows an escalation policy");
    r.put(ONE, update).summary("Changes an escalation policy");
    r.delete(ONE, destroy).summary("Removes an escalation policy");
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
    fn authorize(&self, tx: &mut Tx<'_>, by: &Caller, purpose: Purpose) -> Result<(Here, Policy)> {
        access::policy(tx, &by.viewer, &self.id, self.policy_id, purpose)
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
            description: self.description.clone().into(),
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
    #[serde(flatten)]
    rule: Rule,
    /// Who is paged: whoever is on call by the schedule of this number.
    oncall_schedule_iid: Option<i64>,
    /// Or this user.
    user: Option<UserBasic>,
}

/// Whom alerts page that nobody looks after.
#[derive(Serialize, JsonSchema)]
pub struct EscalationPolicyEntity {
    #[serde(flatten)]
    policy: Policy,
    /// Whom it pages, in that order.
    rules: Vec<EscalationRuleEntity>,
    #[serde(flatten)]
    times: Times,
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
        let targets = || rules.iter().map(|rule| rule.target.ids());
        let users: Vec<i64> = targets().filter_map(|(_, user)| user).collect();
        let named: Vec<i64> = targets().filter_map(|(schedule, _)| schedule).collect();
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
            let (schedule, user) = rule.target.ids();
            let schedule = schedule.and_then(|id| self.schedules.get(&id));
            let user = user.and_then(|id| self.users.get(&id));
            EscalationRuleEntity {
                rule: rule.clone(),
                oncall_schedule_iid: schedule.map(|one| one.iid),
                user: user.map(|user| basic(app, user)),
            }
        });
        EscalationPolicyEntity { rules: own.collect(), times: policy.times, policy }
    }
}

fn entity_of(app: &App, tx: &mut Tx<'_>, policy: Policy) -> Result<EscalationPolicyEntity> {
    let related = RelatedToPolicies::read(tx, std::slice::from_ref(&policy))?;
    Ok(related.entity(app, policy))
}

async fn list(
    by: Caller, path: Params<ProjectPath>, paging: Paging,
) -> Result<Paged<EscalationPolicyEntity>> {
    by.read(move |tx, by| {
        let project = spaces::project(tx, &by.viewer, &path.id, READ)?;
        let page = rows::page(tx, project.id, paging)?;
        let related = RelatedToPolicies::read(tx, &page.items)?;
        Ok(page.map(|one| related.entity(&by.app, one)))
    })
    .await
}

async fn create(
    by: Caller, params: Params<CreatePolicy>,
) -> Result<Created<EscalationPolicyEntity>> {
    by.write(move |tx, by| {
        let here = Here::authorize(tx, &by.viewer, &params.at.id, CHANGE)?;
        let made = rules::create(tx, &here, &params.input())?;
        Ok(Created(entity_of(&by.app, tx, made)?))
    })
    .await
}

async fn show(by: Caller, path: Params<PolicyPath>) -> Result<Ok200<EscalationPolicyEntity>> {
    by.read(move |tx, by| {
        let (_, policy) = path.authorize(tx, by, READ)?;
        Ok(Ok200(entity_of(&by.app, tx, policy)?))
    })
    .await
}

async fn update(by: Caller, params: Params<UpdatePolicy>) -> Result<Ok200<EscalationPolicyEntity>> {
    by.write(move |tx, by| {
        let (here, policy) = params.at.authorize(tx, by, CHANGE)?;
        let changed = rules::update(tx, &here, &policy, &params.change)?;
        Ok(Ok200(entity_of(&by.app, tx, changed)?))
    })
    .await
}

async fn destroy(by: Caller, path: Params<PolicyPath>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let (here, policy) = path.authorize(tx, by, CHANGE)?;
        rules::destroy(tx, &here, &policy)?;
        Ok(NoContent)
    })
    .await
}
