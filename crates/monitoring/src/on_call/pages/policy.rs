//! `…/-/escalation_policies`: whom the alerts of a project page.

use super::may_change;
use super::views::OnePolicy;
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
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::http::{Params, Patch, Response, Text};
use spaces::Project;
use spaces::pages::{Section, Visit};
use std::collections::HashMap;
use store::Tx;

const STATES: &[(&str, &str)] =
    &[("acknowledged", "Nobody acknowledged it"), ("resolved", "It is not resolved")];
const SPARE: usize = 2;

kernel::choices! {
    pub enum Action {
        Save = "save",
        Remove = "remove",
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct RuleFields {
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

    fn sentence(&self, rule: &Rule) -> String {
        let whom = match rule.target {
            Target::User(id) => format!("@{}", self.username(id)),
            Target::Schedule(id) => match self.schedule(id) {
                Some(one) => format!("who is on call by {}", one.name),
                None => String::new(),
            },
        };
        format!("After {} minutes page {whom}, unless it is {}", minutes(rule), rule.until)
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
        let (name, description, mut rules) = match (&typed.form, &stored.policy) {
            (Some(form), _) => {
                (form.name.clone(), form.description.clone(), form.given().cloned().collect())
            }
            (None, Some(policy)) => (
                Text(policy.name.clone()),
                Text(policy.description.clone().unwrap_or_default()),
                stored.rules.iter().map(|rule| stored.form(rule)).collect(),
            ),
            (None, None) => (Text::default(), Text::default(), Vec::new()),
        };
        let most = (rules.len() + SPARE).min(MAX_RULES).max(rules.len());
        rules.resize_with(most, RuleFields::default);
        let sentences = stored.rules.iter().map(|rule| stored.sentence(rule));
        let head = space.head(tx, &self.0.viewer)?;
        Ok(OnePolicy {
            can_change: may_change(&space),
            url: format!("{}/-/escalation_policies", space.url()),
            sentences: sentences.collect(),
            name,
            description,
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
        let policy = rows::list(tx, here.project.id, 1, 0)?.pop();
        if form.action == Action::Remove {
            if let Some(policy) = policy {
                rules::destroy(tx, &here, &policy)?;
            }
            return Outcome::led(url, "Escalation policy removed.");
        }
        let input = form.input(tx)?;
        match policy {
            Some(policy) => rules::update(tx, &here, &policy, &input)?,
            None => rules::create(tx, &here, &input)?,
        };
        Outcome::led(url, "Escalation policy saved.")
    }
}

impl RuleFields {
    /// Nothing was typed into it.
    fn is_empty(&self) -> bool {
        let texts = [&self.minutes, &self.username];
        self.schedule.is_none() && texts.iter().all(|text| text.trim().is_empty())
    }

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
    fn given(&self) -> impl Iterator<Item = &RuleFields> {
        let all = self.rules.iter().flatten();
        all.filter(|rule| !rule.is_empty()).take(MAX_RULES + 1)
    }

    fn input(&self, tx: &mut Tx<'_>) -> Result<PolicyInput> {
        let rules: Result<Vec<RuleInput>> = self.given().map(|rule| rule.input(tx)).collect();
        Ok(PolicyInput {
            name: Some(self.name.0.clone()),
            description: Patch::Value(self.description.0.clone()),
            rules: Some(rules?),
        })
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
