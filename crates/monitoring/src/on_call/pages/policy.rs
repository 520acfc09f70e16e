//! `…/-/escalation_policies`: whom the alerts of a project page.

use super::may_change;
use super::views::{OnePolicy, PolicyRow, RuleForm};
use crate::on_call::access::{CHANGE, READ};
use crate::on_call::model::{MAX_RULES, MAX_SCHEDULES, Policy, Rule, Schedule, Target, Until};
use crate::on_call::rules::policies::{self as rules, PolicyInput, RuleInput};
use crate::on_call::store::{policies as rows, schedules};
use identity::entities::load_basic;
use identity::model::User;
use identity::pages::page;
use identity::users::find_by_username;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::http::{Params, Patch, Response};
use spaces::Project;
use spaces::pages::Visit;
use std::collections::HashMap;
use store::Tx;

const STATES: &[(&str, &str)] = &[
    ("acknowledged", "Nobody acknowledged it"),
    ("resolved", "It is not resolved"),
];
const SPARE: usize = 2;

kernel::choices! {
    pub enum Action {
        Save = "save",
        Remove = "remove",
    }
}

kernel::params! {
    pub struct RuleFields {
        pub minutes: Option<String>,
        pub status: Option<Until>,
        /// Its number in the project.
        pub schedule: Option<i64>,
        pub username: Option<String>,
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        pub name: Option<String>,
        pub description: Option<String>,
        pub rules: Option<Vec<RuleFields>>,
    }
}

/// The policy of a project and whom its rules name.
struct Stored {
    policy: Option<Policy>,
    rules: Vec<Rule>,
    users: HashMap<i64, User>,
    schedules: Vec<Schedule>,
}

impl Stored {
    fn read(tx: &mut Tx<'_>, project: &Project) -> Result<Stored> {
        let policy = rows::list(tx, project.id, 1, 0)?.pop();
        let rules = match &policy {
            Some(policy) => rows::rules(tx, &[policy.id])?,
            None => Vec::new(),
        };
        let users = rules.iter().filter_map(|rule| match rule.target {
            Target::User(id) => Some(id),
            Target::Schedule(_) => None,
        });
        Ok(Stored {
            users: load_basic(tx, &users.collect::<Vec<_>>())?,
            schedules: schedules::list(tx, project.id, MAX_SCHEDULES, 0)?,
            policy,
            rules,
        })
    }

    fn schedule(&self, id: i64) -> Option<&Schedule> {
        self.schedules.iter().find(|one| one.id == id)
    }

    fn username(&self, id: i64) -> String {
        let user = self.users.get(&id);
        user.map(|user| user.username.clone()).unwrap_or_default()
    }

    fn sentence(&self, rule: &Rule) -> String {
        let whom = match rule.target {
            Target::User(id) => format!("@{}", self.username(id)),
            Target::Schedule(id) => match self.schedule(id) {
                Some(one) => format!("who is on call by {}", one.name),
                None => String::new(),
            },
        };
        format!(
            "After {} minutes page {whom}, unless it is {}",
            minutes(rule),
            rule.until
        )
    }

    fn row(&self) -> Option<PolicyRow> {
        let policy = self.policy.as_ref()?;
        Some(PolicyRow {
            name: policy.name.clone(),
            description: policy.description.clone().unwrap_or_default(),
            rules: self.rules.iter().map(|rule| self.sentence(rule)).collect(),
        })
    }

    /// Whom a rule may page besides a user it names.
    fn choices(&self) -> Vec<Choice> {
        let mut choices = Choice::list(&[("", "A user")]);
        choices.extend(self.schedules.iter().map(|one| Choice {
            value: one.iid.to_string(),
            label: one.name.clone(),
        }));
        choices
    }

    fn form(&self, rule: &Rule) -> RuleForm {
        let (schedule, username) = match rule.target {
            Target::User(id) => (String::new(), self.username(id)),
            Target::Schedule(id) => {
                let iid = self.schedule(id).map(|one| one.iid.to_string());
                (iid.unwrap_or_default(), String::new())
            }
        };
        RuleForm {
            minutes: minutes(rule),
            status: rule.until.to_string(),
            schedule,
            username,
        }
    }
}

/// After how many minutes a rule pages: whole ones, or to the second.
fn minutes(rule: &Rule) -> String {
    let (whole, seconds) = (rule.elapsed_seconds / 60, rule.elapsed_seconds % 60);
    match seconds {
        0 => whole.to_string(),
        _ => format!("{whole}:{seconds:02}"),
    }
}

/// What [`minutes`] said, in seconds.
fn seconds(text: &str) -> Option<i64> {
    let (whole, rest) = text.split_once(':').unwrap_or((text, "0"));
    let (whole, rest) = (whole.trim().parse::<u32>().ok()?, rest.parse::<u8>().ok()?);
    (rest < 60).then(|| i64::from(whole) * 60 + i64::from(rest))
}

#[derive(Clone)]
struct PolicyPage(Visit);

pub(super) async fn show(app: App, visit: Visit) -> Result<Response> {
    form::show(&app, PolicyPage(visit)).await
}

pub(super) async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    form::submit(&app, PolicyPage(visit), form.0).await
}

impl FormPage for PolicyPage {
    type Form = Form;
    type View = OnePolicy;
    const FIELDS: &'static [&'static str] = &["name", "description"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.0.viewer, "Escalation policy")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<OnePolicy> {
        let space = self.0.authorize(tx, READ)?;
        let stored = Stored::read(tx, space.project()?)?;
        let policy = stored.row();
        let (name, description, mut rules) = match (&typed.form, &policy) {
            (Some(form), _) => (
                form.name.clone().unwrap_or_default(),
                form.description.clone().unwrap_or_default(),
                form.typed(),
            ),
            (None, Some(policy)) => (
                policy.name.clone(),
                policy.description.clone(),
                stored.rules.iter().map(|rule| stored.form(rule)).collect(),
            ),
            (None, None) => (String::new(), String::new(), Vec::new()),
        };
        let most = (rules.len() + SPARE).min(MAX_RULES).max(rules.len());
        rules.resize_with(most, || RuleForm {
            status: Until::Acknowledged.to_string(),
            ..RuleForm::default()
        });
        Ok(OnePolicy {
            can_change: may_change(&space),
            url: format!("{}/-/escalation_policies", space.url()),
            policy,
            name,
            description,
            rules,
            states: Choice::list(STATES),
            schedules: stored.choices(),
            errors: typed.errors.clone(),
            page: space.crumbs(page, true),
            head: space.head(tx, &self.0.viewer)?,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.0.authorize(tx, CHANGE)?;
        let (viewer, project) = (&self.0.viewer, space.project()?);
        let url = format!("{}/-/escalation_policies", space.url());
        let policy = rows::list(tx, project.id, 1, 0)?.pop();
        if form.action == Action::Remove {
            if let Some(policy) = policy {
                rules::destroy(tx, viewer, project, &policy)?;
            }
            return Outcome::led(url, "The escalation policy is removed.");
        }
        let input = form.input(tx)?;
        match policy {
            Some(policy) => rules::update(tx, viewer, project, &policy, &input)?,
            None => rules::create(tx, viewer, project, &input)?,
        };
        Outcome::led(url, "The escalation policy is saved.")
    }
}

impl RuleFields {
    /// Nothing was typed into it.
    fn is_empty(&self) -> bool {
        let blank = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().is_empty();
        self.schedule.is_none() && blank(&self.minutes) && blank(&self.username)
    }

    fn input(&self, tx: &mut Tx<'_>) -> Result<RuleInput> {
        let wrong = |text: String| Error::invalid("rules", text);
        let name = self.username.as_deref().unwrap_or_default().trim();
        let name = name.trim_start_matches('@');
        let user_id = match name.is_empty() {
            true => None,
            false => {
                let unknown = || wrong(format!("name {name}, who does not exist"));
                Some(find_by_username(tx, name)?.ok_or_else(unknown)?.id)
            }
        };
        let after = self.minutes.as_deref().unwrap_or_default().trim();
        let after = match after.is_empty() {
            true => Some(0),
            false => seconds(after),
        };
        Ok(RuleInput {
            elapsed_time_seconds: after.ok_or_else(|| wrong("must have whole minutes".into()))?,
            status: self.status.unwrap_or(Until::Acknowledged),
            oncall_schedule_iid: self.schedule,
            user_id,
        })
    }
}

impl Form {
    fn given(&self) -> impl Iterator<Item = &RuleFields> {
        let all = self.rules.iter().flatten();
        all.filter(|rule| !rule.is_empty()).take(MAX_RULES + 1)
    }

    fn input(&self, tx: &mut Tx<'_>) -> Result<PolicyInput> {
        let rules: Result<Vec<RuleInput>> = self.given().map(|rule| rule.input(tx)).collect();
        Ok(PolicyInput {
            name: Some(self.name.clone().unwrap_or_default()),
            description: self.description.clone().map_or(Patch::Null, Patch::Value),
            rules: Some(rules?),
        })
    }

    fn typed(&self) -> Vec<RuleForm> {
        let text = |given: &Option<String>| given.clone().unwrap_or_default();
        let typed = self.given().map(|rule| RuleForm {
            minutes: text(&rule.minutes),
            status: rule.status.unwrap_or(Until::Acknowledged).to_string(),
            schedule: rule.schedule.map(|iid| iid.to_string()).unwrap_or_default(),
            username: text(&rule.username),
        });
        typed.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_read_as_they_are_written() {
        let rule = |elapsed_seconds| Rule {
            id: 1,
            policy_id: 1,
            elapsed_seconds,
            until: Until::Resolved,
            target: Target::User(1),
        };
        for elapsed in [0, 59, 60, 90, 3_600, 86_400] {
            assert_eq!(seconds(&minutes(&rule(elapsed))), Some(elapsed));
        }
        for wrong in ["", "a", "-1", "1:60", "1:2:3", "99999999999"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
