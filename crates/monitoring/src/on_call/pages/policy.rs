//! `…/-/escalation_policies`: whom the alerts of a project page.

use super::may_change;
use super::views::{OnePolicy, RuleLine};
use crate::access::Here;
use crate::on_call::access::{CHANGE, READ};
use crate::on_call::model::{MAX_RULES, MAX_SCHEDULES, Policy, Rule, Schedule, Target, Until};
use crate::on_call::rules::policies::{self as rules, PolicyInput, RuleInput};
use crate::on_call::store::{policies as rows, schedules};
use identity::entities::load_basic;
use identity::model::User;
use identity::pages::page;
use identity::users::find_by_username;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::http::{Flat, Params, Patch, Response, Text};
use spaces::Project;
use spaces::pages::{Section, Visit};
use std::collections::HashMap;
use store::Tx;

const STATES: &[(&str, &str)] =
    &[("acknowledged", "Nobody acknowledged it"), ("resolved", "It is not resolved")];

kernel::choices! {
    pub enum Action {
        /// Makes the policy, or says what it is called and what it is for.
        Save = "save",
        Remove = "remove",
        /// One more rule.
        Add = "add",
        /// Another rule in place of one.
        Change = "change",
        /// One rule less.
        Drop = "drop",
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct RuleFields {
        /// Blank for at once.
        pub minutes: Text,
        pub status: Option<Until>,
        /// Its number in the project.
        pub schedule: Option<i64>,
        pub username: Text,
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        pub name: Text,
        pub description: Text,
        /// The rule that changes or goes.
        pub rule_id: Option<i64>,
        pub rule: Flat<RuleFields>,
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
        let users = rules.iter().filter_map(|rule| rule.target.ids().1);
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

    fn sentence(&self, rule: &Rule) -> RuleLine {
        let whom = match rule.target {
            Target::User(id) => format!("@{}", self.username(id)),
            Target::Schedule(id) => match self.schedule(id) {
                Some(one) => format!("who is on call by {}", one.name),
                None => String::new(),
            },
        };
        RuleLine {
            id: rule.id,
            after: match rule.elapsed_seconds {
                0 => "At once".to_owned(),
                60 => "1 minute".to_owned(),
                _ => format!("{} minutes", minutes(rule)),
            },
            text: format!("Page {whom}, unless it is {}", rule.until),
            fields: self.form(rule),
        }
    }

    /// Whom a rule may page besides a user it names.
    fn choices(&self) -> Vec<Choice> {
        let mut choices = Choice::list(&[("", "A user")]);
        choices.extend(
            self.schedules
                .iter()
                .map(|one| Choice { value: one.iid.to_string(), label: one.name.clone() }),
        );
        choices
    }

    fn form(&self, rule: &Rule) -> RuleFields {
        let (schedule, user) = rule.target.ids();
        let schedule = schedule.and_then(|id| self.schedule(id));
        RuleFields {
            minutes: Text(minutes(rule)),
            status: Some(rule.until),
            schedule: schedule.map(|one| one.iid),
            username: Text(user.map(|id| self.username(id)).unwrap_or_default()),
        }
    }

    /// A rule as rules of this room take it.
    fn input(&self, rule: &Rule) -> RuleInput {
        let (schedule, user_id) = rule.target.ids();
        let schedule = schedule.and_then(|id| self.schedule(id));
        RuleInput {
            elapsed_time_seconds: rule.elapsed_seconds,
            status: rule.until,
            oncall_schedule_iid: schedule.map(|one| one.iid),
            user_id,
        }
    }

    /// What the rules become by a form.
    fn with(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Vec<RuleInput>> {
        let mut rules: Vec<RuleInput> = self.rules.iter().map(|rule| self.input(rule)).collect();
        if form.action == Action::Add {
            rules.push(form.rule.input(tx)?);
            return Ok(rules);
        }
        let id = form.rule_id.ok_or_else(|| Error::missing("rule_id"))?;
        let place = self.rules.iter().position(|rule| rule.id == id).found("Rule")?;
        match form.action {
            Action::Drop if rules.len() == 1 => {
                let text = "This is the only rule; remove the policy instead";
                return Err(Error::Unprocessable(text.into()));
            }
            Action::Drop => {
                rules.remove(place);
            }
            _ => rules[place] = form.rule.input(tx)?,
        }
        Ok(rules)
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
    const FIELDS: &'static [&'static str] = &["name", "description", "rules"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.0.viewer, "Escalation policy")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<OnePolicy> {
        let space = self.0.authorize(tx, READ)?;
        let stored = Stored::read(tx, space.project()?)?;
        let form = typed.form.as_ref();
        let named = form.filter(|form| form.action == Action::Save);
        let (name, description) = match (named, &stored.policy) {
            (Some(form), _) => (form.name.clone(), form.description.clone()),
            (None, Some(policy)) => {
                (Text(policy.name.clone()), Text(policy.description.clone().unwrap_or_default()))
            }
            (None, None) => (Text::default(), Text::default()),
        };
        let mut rules: Vec<RuleLine> =
            stored.rules.iter().map(|rule| stored.sentence(rule)).collect();
        if let Some(form) = form.filter(|form| form.action == Action::Change)
            && let Some(rule) = rules.iter_mut().find(|rule| form.rule_id == Some(rule.id))
        {
            rule.fields = form.rule.0.clone();
        }
        let head = space.head(tx, &self.0.viewer)?;
        Ok(OnePolicy {
            can_change: may_change(&space),
            url: format!("{}/-/escalation_policies", space.url()),
            name,
            description,
            opened: form.map(|form| (form.action, form.rule_id)),
            rule: match form.filter(|form| form.action != Action::Change) {
                Some(form) => form.rule.0.clone(),
                None => RuleFields::default(),
            },
            may_add: rules.len() < MAX_RULES,
            rules,
            states: Choice::list(STATES),
            schedules: stored.choices(),
            policy: stored.policy,
            errors: typed.errors.clone(),
            page: head.page(page, Section::Escalation),
            head,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.0.authorize(tx, CHANGE)?;
        let here = Here::new(&self.0.viewer, space.project()?);
        let url = format!("{}/-/escalation_policies", space.url());
        let stored = Stored::read(tx, &here.project)?;
        let Some(policy) = &stored.policy else {
            return match form.action {
                Action::Save => {
                    let first = form.rule.input(tx)?;
                    rules::create(tx, &here, &form.named(Some(vec![first])))?;
                    Outcome::led(url, "Escalation policy saved.")
                }
                Action::Remove => Outcome::led(url, "Escalation policy removed."),
                _ => Err(Error::NotFound("Escalation policy")),
            };
        };
        let text = match form.action {
            Action::Remove => {
                rules::destroy(tx, &here, policy)?;
                "Escalation policy removed."
            }
            Action::Save => {
                rules::update(tx, &here, policy, &form.named(None))?;
                "Escalation policy saved."
            }
            Action::Add | Action::Change | Action::Drop => {
                let rules = Some(stored.with(tx, form)?);
                let change = PolicyInput { rules, ..PolicyInput::default() };
                rules::update(tx, &here, policy, &change)?;
                match form.action {
                    Action::Add => "Rule added.",
                    Action::Drop => "Rule removed.",
                    _ => "Rule saved.",
                }
            }
        };
        Outcome::led(url, text)
    }
}

impl RuleFields {
    pub(super) fn status(&self) -> Until {
        self.status.unwrap_or(Until::Acknowledged)
    }

    pub(super) fn iid(&self) -> String {
        self.schedule.map(|iid| iid.to_string()).unwrap_or_default()
    }

    fn input(&self, tx: &mut Tx<'_>) -> Result<RuleInput> {
        let wrong = |text: String| Error::invalid("rules", text);
        let name = self.username.trim().trim_start_matches('@');
        let user_id = match name.is_empty() {
            true => None,
            false => {
                let unknown = || wrong(format!("name {name}, who does not exist"));
                Some(find_by_username(tx, name)?.ok_or_else(unknown)?.id)
            }
        };
        let after = self.minutes.trim();
        let after = match after.is_empty() {
            true => Some(0),
            false => seconds(after),
        };
        Ok(RuleInput {
            elapsed_time_seconds: after.ok_or_else(|| wrong("must have whole minutes".into()))?,
            status: self.status(),
            oncall_schedule_iid: self.schedule,
            user_id,
        })
    }
}

impl Form {
    /// What it says of the policy besides its rules.
    fn named(&self, rules: Option<Vec<RuleInput>>) -> PolicyInput {
        PolicyInput {
            name: Some(self.name.0.clone()),
            description: Patch::Value(self.description.0.clone()),
            rules,
        }
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
