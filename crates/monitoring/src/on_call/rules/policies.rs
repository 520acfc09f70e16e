//! The escalation policy of a project: there is one at most.

use super::{description, must_see_alerts, name, record};
use crate::on_call::model::{MAX_ELAPSED, MAX_RULES, Policy, Rule, Target, Until};
use crate::on_call::store::policies::{self as rows, NewRule};
use crate::on_call::store::schedules;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use serde_json::{Value, json};
use spaces::Project;
use store::Tx;

/// Whom a rule pages, as people say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// Whoever is on call by the schedule of this number in the project.
    Schedule(i64),
    /// The user of this number.
    User(i64),
}

/// A rule as people say it.
#[derive(Debug, Clone)]
pub struct Said {
    /// How long after an alert began, in seconds.
    pub elapsed_seconds: i64,
    /// Unless the alert has become this.
    pub until: Until,
    pub target: Named,
}

/// What changes of a policy.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub name: Option<String>,
    pub description: Patch<String>,
    pub rules: Option<Vec<Said>>,
}

/// Makes the policy; `name` and `rules` are needed.
pub fn create(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, new: &Change) -> Result<Policy> {
    if rows::count(tx, project.id)? > 0 {
        let text = "This project has an escalation policy already";
        return Err(Error::invalid("base", text));
    }
    let name = name(new.name.as_deref().unwrap_or_default())?;
    let text = new.description.clone().over(None);
    let text = description(text.as_deref())?;
    let rules = rules(tx, project, new.rules.as_deref().unwrap_or_default())?;
    let made = rows::insert(tx, project.id, &name, text.as_deref())?;
    rows::set_rules(tx, made.id, &rules)?;
    record(
        tx,
        viewer,
        project,
        "escalation_policy.create",
        details(&made, Some(&rules)),
    )?;
    Ok(made)
}

/// Changes it. Alerts that escalate already go on by the new rules, from the
/// time that has passed.
pub fn update(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    policy: &Policy,
    change: &Change,
) -> Result<Policy> {
    let name = match &change.name {
        Some(given) => name(given)?,
        None => policy.name.clone(),
    };
    let text = change.description.clone().over(policy.description.clone());
    let text = description(text.as_deref())?;
    let rules = match &change.rules {
        Some(said) => Some(rules(tx, project, said)?),
        None => None,
    };
    let changed = rows::update(tx, policy.id, &name, text.as_deref())?;
    if let Some(rules) = &rules {
        rows::set_rules(tx, policy.id, rules)?;
    }
    record(
        tx,
        viewer,
        project,
        "escalation_policy.update",
        details(&changed, rules.as_deref()),
    )?;
    Ok(changed)
}

/// Removes it: alerts page nobody any more.
pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, policy: &Policy) -> Result<()> {
    rows::remove(tx, policy.id)?;
    record(
        tx,
        viewer,
        project,
        "escalation_policy.destroy",
        details(policy, None),
    )
}

/// The rules of a policy as people say them.
pub fn of_policy(tx: &mut Tx<'_>, policy: &Policy) -> Result<Vec<Rule>> {
    rows::rules(tx, &[policy.id])
}

fn rules(tx: &mut Tx<'_>, project: &Project, said: &[Said]) -> Result<Vec<NewRule>> {
    const FIELD: &str = "rules";
    if said.is_empty() {
        return Err(Error::invalid(FIELD, "can't be blank"));
    }
    if said.len() > MAX_RULES {
        let text = format!("has more than {MAX_RULES} entries");
        return Err(Error::invalid(FIELD, text));
    }
    let mut rules: Vec<NewRule> = Vec::new();
    for one in said {
        if !(0..=MAX_ELAPSED).contains(&one.elapsed_seconds) {
            let text = format!("must have elapsed seconds between 0 and {MAX_ELAPSED}");
            return Err(Error::invalid(FIELD, text));
        }
        let target = match one.target {
            Named::User(id) => Target::User(id),
            Named::Schedule(iid) => match schedules::find(tx, project.id, iid)? {
                Some(schedule) => Target::Schedule(schedule.id),
                None => {
                    let text = "names a schedule that does not exist";
                    return Err(Error::invalid(FIELD, text));
                }
            },
        };
        let rule = NewRule {
            elapsed_seconds: one.elapsed_seconds,
            until: one.until,
            target,
        };
        if rules.contains(&rule) {
            return Err(Error::invalid(FIELD, "has an entry twice"));
        }
        rules.push(rule);
    }
    let mut users: Vec<i64> = Vec::new();
    for rule in &rules {
        if let Target::User(id) = rule.target
            && !users.contains(&id)
        {
            users.push(id);
        }
    }
    must_see_alerts(tx, project, &users, FIELD)?;
    rules.sort_by_key(|rule| rule.elapsed_seconds);
    Ok(rules)
}

fn details(policy: &Policy, rules: Option<&[NewRule]>) -> Value {
    let mut details = json!({"policy": policy.id, "name": policy.name});
    if let Some(rules) = rules {
        let told = rules.iter().map(|rule| {
            let (kind, id) = match rule.target {
                Target::Schedule(id) => ("schedule_id", id),
                Target::User(id) => ("user_id", id),
            };
            json!({
                "elapsed_seconds": rule.elapsed_seconds, "status": rule.until, kind: id,
            })
        });
        details["rules"] = told.collect();
    }
    details
}
