//! The escalation policy of a project: there is one at most.

use super::{description, must_see_alerts, name};
use crate::access::Here;
use crate::on_call::model::{MAX_ELAPSED, MAX_RULES, Policy, Target, Until};
use crate::on_call::store::policies::{self as rows, NewRule};
use crate::on_call::store::schedules;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use serde_json::{Value, json};
use store::Tx;

/// The field that what is wrong with rules stands beside.
const FIELD: &str = "rules";

kernel::params! {
    /// A step of a policy as people say it.
    pub struct RuleInput {
        /// How long after an alert began, in seconds, a day at most.
        pub elapsed_time_seconds: i64,
        /// Unless the alert has become this.
        pub status: Until,
        /// Who is paged: whoever is on call by the schedule of this number.
        pub oncall_schedule_iid: Option<i64>,
        /// Or this user.
        pub user_id: Option<i64>,
    }
}

kernel::params! {
    /// What may be set of a policy.
    #[derive(Default)]
    pub struct PolicyInput {
        /// What people call it.
        pub name: Option<String>,
        /// What it is for.
        pub description: Patch<String>,
        /// Whom it pages and when, at most ten.
        pub rules: Option<Vec<RuleInput>>,
    }
}

/// Makes the policy; `name` and `rules` are needed.
pub fn create(tx: &mut Tx<'_>, by: &Here, new: &PolicyInput) -> Result<Policy> {
    if rows::count(tx, by.project.id)? > 0 {
        let text = "This project has an escalation policy already";
        return Err(Error::invalid("base", text));
    }
    let name = name(new.name.as_deref().unwrap_or_default())?;
    let text = description(new.description.clone().over(None))?;
    let rules = rules(tx, by, new.rules.as_deref().unwrap_or_default())?;
    let made = rows::insert(tx, by.project.id, &name, text.as_deref())?;
    rows::set_rules(tx, made.id, &rules)?;
    let details = details(&made, Some(&rules));
    by.record(tx, "escalation_policy.create", details)?;
    Ok(made)
}

/// Changes it. Alerts that escalate already go on by the new rules, from the
/// time that has passed.
pub fn update(tx: &mut Tx<'_>, by: &Here, policy: &Policy, change: &PolicyInput) -> Result<Policy> {
    let name = match &change.name {
        Some(given) => name(given)?,
        None => policy.name.clone(),
    };
    let text = change.description.clone().over(policy.description.clone());
    let text = description(text)?;
    let rules = match &change.rules {
        Some(given) => Some(rules(tx, by, given)?),
        None => None,
    };
    let changed = rows::update(tx, policy.id, &name, text.as_deref())?;
    if let Some(rules) = &rules {
        rows::set_rules(tx, policy.id, rules)?;
    }
    let details = details(&changed, rules.as_deref());
    by.record(tx, "escalation_policy.update", details)?;
    Ok(changed)
}

/// Removes it: alerts page nobody any more.
pub fn destroy(tx: &mut Tx<'_>, by: &Here, policy: &Policy) -> Result<()> {
    rows::remove(tx, policy.id)?;
    by.record(tx, "escalation_policy.destroy", details(policy, None))
}

/// Rules as they are stored, in the order they page.
fn rules(tx: &mut Tx<'_>, by: &Here, given: &[RuleInput]) -> Result<Vec<NewRule>> {
    if given.is_empty() {
        return Err(wrong("can't be blank"));
    }
    if given.len() > MAX_RULES {
        return Err(wrong(format!("has more than {MAX_RULES} entries")));
    }
    let mut rules: Vec<NewRule> = Vec::new();
    for one in given {
        let rule = checked(tx, by, one)?;
        if rules.contains(&rule) {
            return Err(wrong("has an entry twice"));
        }
        rules.push(rule);
    }
    let users: Vec<i64> = given.iter().filter_map(|rule| rule.user_id).collect();
    must_see_alerts(tx, &by.project, &users, FIELD)?;
    rules.sort_by_key(|rule| rule.elapsed_seconds);
    Ok(rules)
}

fn wrong(text: impl Into<String>) -> Error {
    Error::invalid(FIELD, text)
}

fn checked(tx: &mut Tx<'_>, by: &Here, given: &RuleInput) -> Result<NewRule> {
    let elapsed_seconds = given.elapsed_time_seconds;
    if !(0..=MAX_ELAPSED).contains(&elapsed_seconds) {
        let text = format!("must have elapsed seconds between 0 and {MAX_ELAPSED}");
        return Err(wrong(text));
    }
    let target = match (given.oncall_schedule_iid, given.user_id) {
        (Some(iid), None) => match schedules::find(tx, by.project.id, iid)? {
            Some(schedule) => Target::Schedule(schedule.id),
            None => return Err(wrong("names a schedule that does not exist")),
        },
        (None, Some(id)) => Target::User(id),
        _ => return Err(wrong("must each name a schedule or a user, not both")),
    };
    Ok(NewRule { elapsed_seconds, until: given.status, target })
}

fn details(policy: &Policy, rules: Option<&[NewRule]>) -> Value {
    let mut details = json!({"policy": policy.id, "name": policy.name});
    if let Some(rules) = rules {
        let steps = rules.iter().map(|rule| {
            let (kind, id) = match rule.target {
                Target::Schedule(id) => ("schedule_id", id),
                Target::User(id) => ("user_id", id),
            };
            json!({
                "elapsed_seconds": rule.elapsed_seconds, "status": rule.until, kind: id,
            })
        });
        details["rules"] = steps.collect();
    }
    details
}
